//! Moves played and taken back.

use crate::common::{self, effort, play, position, records, rollouts, usi, words};
use komaoto::position::{Position, Repetition};

/// The position as its SFEN describes it.
fn reread(position: &Position) -> Position {
    common::position(&position.to_sfen())
}

/// Whether the side to move could capture the other side's king.
fn leaves_king_hanging(position: &Position) -> bool {
    let us = position.side_to_move();
    position
        .king(!us)
        .is_some_and(|king| position.attackers_to(us, king, position.occupied()).any())
}

#[test]
fn moves_are_taken_back_exactly() {
    rollouts(4, effort(100, 24), 120, |position, _| {
        let before = position.clone();
        for &mv in position.legal_moves().iter() {
            let key = position.key_after(mv);
            let dirty = position.do_move(mv);
            assert_eq!(position.key(), key, "{mv} in {before:?}");
            assert!(!leaves_king_hanging(position), "{mv} in {before:?}");
            assert_eq!(position.piece_on(mv.to()), dirty.after);
            assert_eq!(dirty.after, before.moved_piece_after(mv));
            assert_eq!(dirty.captured, before.piece_on(mv.to()));
            position.undo_move(mv);
            assert!(*position == before, "{mv} in {before:?}");
        }
    });
}

#[test]
fn keys_checkers_and_pins_equal_recomputed_ones() {
    rollouts(5, effort(400, 60), 160, |position, _| {
        assert_eq!(position.validate(), Ok(()), "{position:?}");
        let read = reread(position);
        assert_eq!(position.key(), read.key(), "{position:?}");
        assert_eq!(position.board_key(), read.board_key());
        assert_eq!(position.hand_key(), read.hand_key());
        assert_eq!(position.checkers(), read.checkers());
        assert_eq!(position.pinned(), read.pinned());
        assert_eq!(position.to_sfen(), read.to_sfen());
    });
}

#[test]
fn a_null_move_passes_the_turn() {
    rollouts(7, effort(100, 24), 160, |position, _| {
        if position.in_check() {
            return;
        }
        let before = position.clone();
        position.do_null_move();
        assert_eq!(position.side_to_move(), !before.side_to_move());
        assert_eq!(position.validate(), Ok(()), "{before:?}");
        let read = reread(position);
        assert_eq!(position.key(), read.key());
        assert_eq!(position.repetition(50), Repetition::None);
        position.undo_null_move();
        assert!(*position == before, "{before:?}");
    });
}

#[test]
fn recorded_games_play_through() {
    for record in records(include_str!("../../positions/games.txt")) {
        let [start, moves, end] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(start);
        let before = position.clone();
        play(&mut position, moves);
        assert_eq!(position.to_sfen(), end);
        assert_eq!(position.validate(), Ok(()));
        for text in words(moves).into_iter().rev() {
            position.undo_move(usi(text));
        }
        assert!(position == before, "{end}");
    }
}
