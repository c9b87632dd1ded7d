//! The move picker returns every move of a node once, in the order of its stages.

use crate::search::history::Histories;
use crate::search::movepick::{CaptureScore, Context, MoveArena, MovePicker, QuietScore, Score};

use super::*;
use crate::types::Square;
use std::collections::HashSet;

/// A worker with the histories of a search.
fn worker_with_histories() -> Worker {
    let table = Arc::new(TranspositionTable::new(1).unwrap());
    let mut worker = Worker::new(0);
    worker.begin(job(&Position::startpos(), &table, 8, Mode::Full));
    worker.iterate();
    worker
}

/// The nodes to pick moves at.
fn nodes() -> impl Iterator<Item = Position> {
    positions(BENCH).chain(random_positions(6, 30))
}

fn context<'a>(
    worker: &'a Worker,
    position: &'a Position,
    checks: &'a crate::position::CheckInfo,
    arena: &'a mut MoveArena,
) -> Context<'a> {
    Context {
        position,
        checks,
        history: &worker.history,
        stack: &worker.stack,
        ply: 3,
        all_moves: false,
        arena,
    }
}

/// All moves of a picker; after `skip_after` moves it skips quiet ones.
fn picked(
    worker: &Worker,
    position: &Position,
    mut picker: MovePicker,
    skip_after: usize,
) -> Vec<Move> {
    let checks = position.check_info();
    let mut arena = MoveArena::new();
    let mut moves = Vec::new();
    while let Some(mv) = picker.next(context(worker, position, &checks, &mut arena)) {
        moves.push(mv);
        assert!(moves.len() <= crate::types::MAX_MOVES);
        if moves.len() == skip_after {
            picker.skip_quiets();
        }
        // A child leaves its moves behind.
        arena.extend_from_within(..arena.len().min(3));
    }
    moves
}

fn set(moves: &[Move]) -> HashSet<Move> {
    let set: HashSet<Move> = moves.iter().copied().collect();
    assert_eq!(set.len(), moves.len(), "a move came twice: {moves:?}");
    set
}

/// The legal moves of a position without needless non-promotions.
fn generated(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.generate_legal::<false>(&mut moves);
    moves
}

#[test]
fn every_move_comes_once_and_the_tt_move_first() {
    let worker = worker_with_histories();
    let mut rng = StdRng::seed_from_u64(6);
    for position in nodes() {
        let legal = position.legal_moves();
        let tt_move = *legal.choose(&mut rng).unwrap();
        for tt_move in [Move::NONE, tt_move] {
            let picker = MovePicker::new(tt_move, &position, &MoveArena::new());
            let moves = picked(&worker, &position, picker, usize::MAX);
            let mut expected = set(&generated(&position));
            if tt_move.is_some() {
                assert_eq!(moves[0], tt_move);
                expected.insert(tt_move);
            }
            assert_eq!(set(&moves), expected, "{position:?}");
        }
    }
}

#[test]
fn quiet_moves_are_skipped_on_request() {
    let worker = worker_with_histories();
    for position in nodes() {
        for skip_after in [1, 2, 5, 20] {
            let picker = MovePicker::new(Move::NONE, &position, &MoveArena::new());
            let moves = picked(&worker, &position, picker, skip_after);
            let is_capture = |mv: &&Move| position.is_capture(**mv);
            let late = &moves[skip_after.min(moves.len())..];
            assert!(late.iter().all(|mv| position.is_capture(*mv)));
            let captures: Vec<Move> = moves.iter().filter(is_capture).copied().collect();
            let all = generated(&position);
            let all: Vec<Move> = all.iter().filter(is_capture).copied().collect();
            assert_eq!(set(&captures), set(&all), "{position:?}");
        }
    }
}

#[test]
fn quiescence_search_gets_captures_or_evasions() {
    let worker = worker_with_histories();
    for position in nodes() {
        for &tt_move in position.legal_moves().iter().take(8) {
            let picker = MovePicker::quiescence(tt_move, &position, &MoveArena::new());
            let moves = picked(&worker, &position, picker, usize::MAX);
            if position.in_check() {
                assert_eq!(set(&moves).len(), moves.len());
                assert!(moves.len() >= generated(&position).len());
                continue;
            }
            let mut expected = generated(&position);
            expected.retain(|mv| position.is_capture(*mv));
            if position.is_capture(tt_move) {
                assert_eq!(moves[0], tt_move);
                expected.push(tt_move);
                expected.sort_by_key(|mv| mv.raw());
                expected.dedup();
            }
            assert_eq!(set(&moves), set(&expected), "{position:?}");
        }
    }
}

fn origin(mv: Move) -> Option<Square> {
    (!mv.is_drop()).then(|| mv.from())
}

#[test]
fn stages_come_in_order_and_are_sorted() {
    let worker = worker_with_histories();
    let mut arena = MoveArena::new();
    let (mut bad_captures, mut bad_quiets) = (0, 0);
    for position in nodes().filter(|position| !position.in_check()) {
        let picker = MovePicker::new(Move::NONE, &position, &MoveArena::new());
        let moves = picked(&worker, &position, picker, usize::MAX);
        let checks = position.check_info();
        let context = context(&worker, &position, &checks, &mut arena);
        let quiet = QuietScore::new(&context);
        let capture = capture_score(&position, &worker.history);
        let score = |mv: Move| {
            let piece = position.moved_piece_after(mv);
            if position.is_capture(mv) {
                capture.of(piece, origin(mv))(mv)
            } else {
                quiet.of(piece, origin(mv))(mv)
            }
        };
        // Which of the four stages a move belongs to.
        let stage = |mv: Move| match (position.is_capture(mv), score(mv)) {
            (true, score) => {
                let kept = position.see_ge(mv, -score / params::order_see_divisor());
                if kept { 0 } else { 2 }
            }
            (false, score) => 1 + 2 * i32::from(score < params::order_good_quiet()),
        };
        let order: Vec<_> = moves.iter().map(|&mv| (stage(mv), -score(mv))).collect();
        assert!(order.is_sorted(), "{moves:?} are {order:?} in {position:?}");
        bad_captures += order.iter().filter(|(stage, _)| *stage == 2).count();
        bad_quiets += order.iter().filter(|(stage, _)| *stage == 3).count();
    }
    assert!(
        bad_captures > 100 && bad_quiets > 0,
        "{bad_captures}, {bad_quiets}"
    );
}

fn capture_score<'a>(position: &'a Position, history: &'a Histories) -> CaptureScore<'a> {
    CaptureScore { position, history }
}
