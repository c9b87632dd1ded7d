//! Values of nodes against plain minimax and against equivalent searches.

use super::*;
use crate::search::pvs::NonPv;
use crate::search::tt::{Bound, TtEntry};

/// Plain minimax in negamax form.
fn minimax(position: &mut Position, depth: Depth, ply: usize) -> Value {
    if depth == 0 {
        let mut evaluator = Evaluator::new(embedded());
        evaluator.reset(position);
        return evaluator.evaluate(position);
    }
    let mut moves: Vec<Move> = Vec::new();
    position.generate_legal::<false>(&mut moves);
    let mut best = value::mated_in(ply);
    for mv in moves {
        position.do_move(mv);
        best = best.max(-minimax(position, depth - 1, ply + 1));
        position.undo_move(mv);
    }
    best
}

#[test]
fn without_selectivity_the_value_is_that_of_minimax() {
    let mut searcher = small();
    let mut compared = 0;
    let cases = SMALL
        .iter()
        .map(|sfen| (position(sfen), 3))
        .chain(positions(OPENINGS).take(100).map(|opening| (opening, 2)));
    for (mut root, deepest) in cases {
        for depth in 1..=deepest {
            searcher.clear();
            let outcome = go(
                &mut searcher,
                &root,
                to_depth(depth),
                &options(Mode::AlphaBeta),
            );
            let value = minimax(&mut root, depth, 0);
            assert_eq!(outcome.score(), value, "{root:?} depth {depth}");
            compared += 1;
        }
    }
    assert!(compared >= 200);
}

#[test]
fn the_table_does_not_change_the_value_of_plain_search() {
    let mut searcher = small();
    for sfen in SMALL {
        let root = position(sfen);
        searcher.clear();
        let plain = go(&mut searcher, &root, to_depth(3), &options(Mode::AlphaBeta)).score();
        searcher.clear();
        let cut = go(&mut searcher, &root, to_depth(3), &options(Mode::WithTable)).score();
        assert_eq!(plain, cut, "{sfen}");
    }
}

#[test]
fn values_outside_the_window_are_bounds() {
    for sfen in SMALL {
        let mut root = position(sfen);
        let mut worker = worker(&root, Mode::AlphaBeta);
        for depth in 1..=3 {
            let value = minimax(&mut root, depth, 0);
            for distance in [-400, -150, -7, -1, 0, 1, 2, 7, 150, 400] {
                let beta = (value + distance).clamp(-value::MATE, value::MATE);
                let found = worker.pvs::<NonPv>(0, beta - 1, beta, depth, distance > 0);
                let is_bound = if value >= beta {
                    beta <= found && found <= value
                } else {
                    value <= found && found < beta
                };
                assert!(
                    is_bound,
                    "{sfen} depth {depth}: {found} for {value}, beta {beta}"
                );
            }
        }
    }
}

/// The position rotated by 180 degrees with the colours swapped.
fn flipped(position: &Position) -> Position {
    let swap = |c: char| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    let sfen = position.to_sfen();
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut board = String::new();
    for c in fields[0].chars().rev() {
        if c == '+' {
            // The sign of a promoted piece stands before it.
            let piece = board.pop().unwrap();
            board.push('+');
            board.push(piece);
        } else {
            board.push(swap(c));
        }
    }
    let side = if fields[1] == "b" { 'w' } else { 'b' };
    let hands: String = fields[2].chars().map(swap).collect();
    Position::from_sfen(&format!("{board} {side} {hands} {}", fields[3])).unwrap()
}

#[test]
fn flipping_the_board_changes_no_value() {
    let mut searcher = small();
    let all = SMALL.map(position).into_iter().map(|small| (small, 3));
    for (root, depth) in all.chain(positions(BENCH).map(|bench| (bench, 1))) {
        searcher.clear();
        let value = go(
            &mut searcher,
            &root,
            to_depth(depth),
            &options(Mode::WithTable),
        )
        .score();
        searcher.clear();
        let other = go(
            &mut searcher,
            &flipped(&root),
            to_depth(depth),
            &options(Mode::WithTable),
        );
        assert_eq!(value, other.score(), "{root:?}");
    }
}

#[test]
fn flipping_the_board_hardly_changes_the_node_count() {
    // Equal moves are searched in the order of their squares, so the trees differ; over many
    // positions neither colour may need more nodes than the other.
    let mut searcher = small();
    let mut nodes = [0, 0];
    for root in positions(BENCH).chain(positions(OPENINGS).step_by(5)) {
        for (nodes, root) in nodes.iter_mut().zip([flipped(&root), root]) {
            searcher.clear();
            let options = options(Mode::Full);
            *nodes += go(&mut searcher, &root, to_depth(6), &options)
                .last()
                .progress
                .nodes;
        }
    }
    let ratio = nodes[0] as f64 / nodes[1] as f64;
    assert!((0.75..1.33).contains(&ratio), "{nodes:?}");
}

// A singular search excludes a move, so its result says nothing about the node itself.

#[test]
fn a_singular_search_stores_nothing_about_its_node() {
    for root in positions(BENCH).step_by(3) {
        let mut worker = worker(&root, Mode::Full);
        let moves = root.legal_moves();
        let known = TtEntry {
            mv: moves[0],
            value: 17,
            eval: 5,
            depth: 1,
            bound: Bound::LOWER,
        };
        let (key, side) = (root.key(), root.side_to_move());
        worker.tt.store(key, side, 2, known);
        worker.root_depth = 8;
        worker.stack.at_mut(2).excluded = moves[0];
        worker.stack.at_mut(2).tt_pv = true;
        let value = worker.pvs::<NonPv>(2, -41, -40, 5, true);
        assert!(value.abs() <= value::MATE);
        assert_eq!(worker.tt.probe(key, side, 2), Some(known), "{root:?}");
        assert!(worker.stack.at(2).tt_pv, "the node's own search goes on");
        assert_eq!(worker.stack.at(2).excluded, moves[0]);
        assert!(worker.position == root);
    }
}

#[test]
fn an_excluded_only_move_is_no_mate() {
    // No move is left: all others stay below the window, but the side to move is not mated.
    let mut forced = random_positions(7, 600).filter(|root| root.legal_moves().len() == 1);
    let root = forced.next().unwrap();
    let moves = root.legal_moves();
    let mut worker = worker(&root, Mode::Full);
    worker.root_depth = 8;
    worker.stack.at_mut(1).excluded = moves[0];
    assert_eq!(worker.pvs::<NonPv>(1, 99, 100, 4, true), 99);
}
