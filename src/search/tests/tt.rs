//! What the transposition table may and may not change.

use super::*;
use crate::search::tt::{Bound, DEPTH_EVAL, TtEntry};

#[test]
fn a_lone_repetition_is_worth_a_draw_whatever_the_table() {
    // Black is far behind and lives by the repetition of rook checks that White must answer, but
    // perpetual check is forbidden: only quiet repetition may score as a draw.
    let mut scores = Vec::new();
    for megabytes in [1, 256] {
        let mut searcher = Searcher::new();
        searcher.set_hash(megabytes).unwrap();
        let mut root = Position::startpos();
        // Three occurrences of the start position, Black to move: shuffling on would be a draw.
        for _ in 0..2 {
            for mv in ["5i5h", "5a5b", "5h5i", "5b5a"] {
                root.do_move(Move::from_usi(mv).unwrap());
            }
        }
        for mv in ["5i5h", "5a5b", "5h5i"] {
            root.do_move(Move::from_usi(mv).unwrap());
        }
        let limits = Limits {
            searchmoves: vec![Move::from_usi("5b5a").unwrap()],
            ..to_depth(4)
        };
        let outcome = go(&mut searcher, &root, limits, &options(Mode::Full));
        assert!(
            (outcome.score() - value::DRAW).abs() <= 4,
            "{}",
            outcome.score()
        );
        scores.push(outcome.score());
    }
    assert_eq!(scores[0], scores[1]);
}

/// A random entry.
fn garbage(rng: &mut StdRng, moves: &[Move]) -> TtEntry {
    let mv = match rng.random_range(0..4) {
        0 => Move::NONE,
        1 => *moves.choose(rng).unwrap(),
        _ => Move::from_raw(rng.random()).unwrap_or(Move::NONE),
    };
    let mut number = |limit: Value| match rng.random_range(0..5) {
        0 => value::NONE,
        1 => limit - rng.random_range(0..60),
        2 => rng.random_range(0..60) - limit,
        _ => rng.random_range(-1000..1000),
    };
    TtEntry {
        mv,
        value: number(value::mate_in(1)),
        eval: number(value::MAX_EVAL),
        depth: rng.random_range(0..100) + DEPTH_EVAL,
        bound: Bound::from_bits_truncate(rng.random()),
    }
}

/// Stores random entries for a position and its successors; returns how many.
fn poison(
    table: &TranspositionTable,
    position: &mut Position,
    rng: &mut StdRng,
    plies: usize,
) -> usize {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return 0;
    }
    let entry = garbage(rng, &moves);
    table.store(position.key(), position.side_to_move(), 0, entry);
    let mut stored = 1;
    if plies > 0 {
        for &mv in moves.iter() {
            position.do_move(mv);
            stored += poison(table, position, rng, plies - 1);
            position.undo_move(mv);
        }
    }
    stored
}

#[test]
fn garbage_in_the_table_does_no_harm() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut worker = Worker::new(0);
    for root in positions(BENCH).chain(random_positions(3, 6)) {
        let table = Arc::new(TranspositionTable::new(4).unwrap());
        let stored = poison(&table, &mut root.clone(), &mut rng, 2);
        assert!(stored > 1);
        worker.begin(job(&root, &table, 5, Mode::Full));
        worker.iterate();
        for root_move in &worker.root_moves {
            play_line(&root, &root_move.pv);
        }
        assert!(worker.root_moves[0].score.abs() <= value::MATE);
        assert!(worker.position == root);
    }
}

#[test]
fn repetition_scores_do_not_spread_through_a_small_table() {
    // Bare kings transpose and repeat all the time, and no line can be won. The score must not become
    // decisive with any table size.
    for megabytes in [1, 64] {
        let mut searcher = Searcher::new();
        searcher.set_hash(megabytes).unwrap();
        for sfen in ["4k4/9/9/9/9/9/9/9/4K4 b - 1", "k8/9/9/9/9/9/9/9/8K w - 1"] {
            let root = position(sfen);
            for _ in 0..2 {
                let outcome = go(&mut searcher, &root, to_depth(10), &options(Mode::Full));
                assert!(
                    !value::is_decisive(outcome.score()),
                    "{sfen}: {}",
                    outcome.score()
                );
                assert_lines_are_legal(&root, &outcome);
            }
        }
    }
}
