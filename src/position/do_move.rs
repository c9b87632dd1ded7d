//! Doing and undoing moves.
#![forbid(unsafe_code)]

use super::{Position, zobrist};
use crate::types::{Move, Piece, PieceType, Square};

/// What a move changed on the board, for incremental evaluation. The changes of the hands follow
/// from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DirtyPieces {
    /// The origin square; `None` for a drop.
    pub from: Option<Square>,
    /// The target square.
    pub to: Square,
    /// The piece before the move; for a drop, the dropped piece.
    pub before: Piece,
    /// The piece after the move: promoted, if the move promotes.
    pub after: Piece,
    /// The captured piece, or [`Piece::NONE`].
    pub captured: Piece,
}

impl Position {
    /// Plays a legal move.
    pub fn do_move(&mut self, mv: Move) -> DirtyPieces {
        debug_assert!(mv.is_some() && self.is_legal(mv), "{mv} in {self:?}");
        let (us, to) = (self.side, mv.to());
        #[cfg(debug_assertions)]
        let expected_key = self.key_after(mv);
        self.state_stack.push(self.state.clone());

        let dirty = if mv.is_drop() {
            let kind = mv.dropped();
            let piece = Piece::new(us, kind);
            self.state.hands[us.index()].remove(kind);
            self.state.hand_key = self.state.hand_key.wrapping_sub(zobrist::hand(us, kind));
            DirtyPieces {
                from: None,
                to,
                before: piece,
                after: piece,
                captured: Piece::NONE,
            }
        } else {
            let from = mv.from();
            let before = self.piece_on(from);
            let after = if mv.is_promotion() {
                before.promote()
            } else {
                before
            };
            let captured = self.piece_on(to);
            if captured.is_some() {
                let kind = captured.kind().demote();
                self.toggle(captured, to);
                self.state.hands[us.index()].add(kind);
                self.state.hand_key = self.state.hand_key.wrapping_add(zobrist::hand(us, kind));
                self.state.board_key ^= zobrist::piece(captured, to);
            }
            self.toggle(before, from);
            self.board[from.index()] = Piece::NONE;
            self.state.board_key ^= zobrist::piece(before, from);
            if before.kind() == PieceType::King {
                self.kings[us.index()] = Some(to);
            }
            DirtyPieces {
                from: Some(from),
                to,
                before,
                after,
                captured,
            }
        };
        self.put(dirty.after, to);
        self.state.board_key ^= zobrist::piece(dirty.after, to);
        self.state.captured = dirty.captured;
        self.state.last_move = mv;
        self.state.plies_from_null += 1;
        self.pass_turn();
        let checks = &mut self.state.continuous_checks[us.index()];
        *checks = if self.state.checkers.any() {
            checks.saturating_add(1)
        } else {
            0
        };
        #[cfg(debug_assertions)]
        assert_eq!(self.key(), expected_key, "key_after {mv}");
        debug_assert_eq!(self.validate(), Ok(()), "after {mv}");
        dirty
    }

    /// Takes back the last move, which must be `mv`.
    pub fn undo_move(&mut self, mv: Move) {
        debug_assert_eq!(mv, self.state.last_move);
        let us = !self.side;
        let to = mv.to();
        let after = self.piece_on(to);
        self.toggle(after, to);
        self.board[to.index()] = Piece::NONE;
        if !mv.is_drop() {
            let from = mv.from();
            let before = if mv.is_promotion() {
                Piece::new(us, after.kind().demote())
            } else {
                after
            };
            self.put(before, from);
            if self.state.captured.is_some() {
                self.put(self.state.captured, to);
            }
            if before.kind() == PieceType::King {
                self.kings[us.index()] = Some(from);
            }
        }
        self.pop_state();
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check());
        self.state_stack.push(self.state.clone());
        self.state.captured = Piece::NONE;
        self.state.last_move = Move::NULL;
        self.state.continuous_checks = [0; 2];
        self.state.plies_from_null = 0;
        self.pass_turn();
    }

    /// Takes back a null move.
    pub fn undo_null_move(&mut self) {
        debug_assert_eq!(self.state.last_move, Move::NULL);
        self.pop_state();
    }

    #[inline(always)]
    fn pass_turn(&mut self) {
        self.side = !self.side;
        self.game_ply += 1;
        self.state.board_key ^= zobrist::side();
        self.update_checks();
        self.repetition_filter.push(self.state.board_key);
    }

    #[inline(always)]
    fn pop_state(&mut self) {
        self.repetition_filter.pop(self.state.board_key);
        self.side = !self.side;
        self.game_ply -= 1;
        // A missing entry would mean an undo without a do, which debug builds catch above.
        if let Some(state) = self.state_stack.pop() {
            self.state = state;
        }
    }
}
