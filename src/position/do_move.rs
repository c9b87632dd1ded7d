//! Playing moves and taking them back.
#![forbid(unsafe_code)]

use super::state::DirtyPieces;
use super::{Position, zobrist};
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, Piece, PieceType, Square};

impl Position {
    /// Plays a legal move.
    pub fn do_move(&mut self, mv: Move) -> DirtyPieces {
        debug_assert!(mv.is_some() && self.is_legal(mv), "{mv} in {self:?}");
        let us = self.side;
        let to = mv.to();
        #[cfg(debug_assertions)]
        let expected_key = self.key_after(mv);
        self.state_stack.push(self.state.clone());
        self.state.board_key ^= zobrist::side();

        let dirty = if mv.is_drop() {
            let kind = mv.dropped();
            let piece = Piece::new(us, kind);
            self.state.hands[us.index()].remove(kind);
            self.state.hand_key = self.state.hand_key.wrapping_sub(zobrist::hand(us, kind));
            self.state.board_key ^= zobrist::piece(piece, to);
            self.put(piece, to);
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
            self.put(after, to);
            self.state.board_key ^= zobrist::piece(before, from) ^ zobrist::piece(after, to);
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

        self.side = !us;
        self.game_ply += 1;
        self.state.captured = dirty.captured;
        self.state.last_move = mv;
        self.state.plies_from_null += 1;
        self.update_checks();
        let run = &mut self.state.continuous_checks[us.index()];
        *run = if self.state.checkers.any() {
            run.saturating_add(1)
        } else {
            0
        };
        self.filter.enter(self.state.board_key);
        #[cfg(debug_assertions)]
        assert_eq!(self.key(), expected_key, "key_after {mv}");
        debug_assert_eq!(self.validate(), Ok(()), "after {mv}");
        dirty
    }

    /// Takes back the last move, which must be `mv`.
    pub fn undo_move(&mut self, mv: Move) {
        debug_assert_eq!(mv, self.state.last_move);
        self.filter.leave(self.state.board_key);
        let us = !self.side;
        let to = mv.to();
        let after = self.piece_on(to);
        self.toggle(after, to);
        if mv.is_drop() {
            self.board[to.index()] = Piece::NONE;
        } else {
            let from = mv.from();
            let before = if mv.is_promotion() {
                Piece::new(us, after.kind().demote())
            } else {
                after
            };
            self.put(before, from);
            self.board[to.index()] = Piece::NONE;
            if self.state.captured.is_some() {
                self.put(self.state.captured, to);
            }
            if before.kind() == PieceType::King {
                self.kings[us.index()] = Some(from);
            }
        }
        self.side = us;
        self.game_ply -= 1;
        self.restore_state();
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check());
        self.state_stack.push(self.state.clone());
        self.state.board_key ^= zobrist::side();
        self.state.captured = Piece::NONE;
        self.state.last_move = Move::NULL;
        self.state.continuous_checks = [0; 2];
        self.state.plies_from_null = 0;
        self.side = !self.side;
        self.game_ply += 1;
        self.update_checks();
        self.filter.enter(self.state.board_key);
    }

    /// Takes back a null move.
    pub fn undo_null_move(&mut self) {
        debug_assert_eq!(self.state.last_move, Move::NULL);
        self.filter.leave(self.state.board_key);
        self.side = !self.side;
        self.game_ply -= 1;
        self.restore_state();
    }

    #[inline(always)]
    fn restore_state(&mut self) {
        // A missing entry would mean an undo without a do, which debug builds catch above.
        if let Some(state) = self.state_stack.pop() {
            self.state = state;
        }
    }

    /// Works out checkers and pins of the side to move.
    #[inline]
    pub(super) fn update_checks(&mut self) {
        let us = self.side;
        let Some(king) = self.king(us) else {
            self.state.checkers = Bitboard::EMPTY;
            self.state.pinned = Bitboard::EMPTY;
            return;
        };
        let (sliding, pinned) = self.slider_checks(us, king);
        self.state.checkers = sliding | self.step_checks(us, king);
        self.state.pinned = pinned;
    }

    /// Enemy pieces that step onto a square of `us`.
    #[inline(always)]
    fn step_checks(&self, us: Color, king: Square) -> Bitboard {
        let king_step_pieces = self.by_kind(PieceType::Horse) | self.by_kind(PieceType::Dragon);
        (attacks::pawn(us, king) & self.by_kind(PieceType::Pawn)
            | attacks::knight(us, king) & self.by_kind(PieceType::Knight)
            | attacks::silver(us, king) & self.by_kind(PieceType::Silver)
            | attacks::gold(us, king) & self.golds()
            | attacks::king(king) & king_step_pieces)
            & self.by_color(!us)
    }

    /// Enemy sliders that reach the king of `us`, and pieces of `us` that alone stop one.
    #[inline(always)]
    pub(super) fn slider_checks(&self, us: Color, king: Square) -> (Bitboard, Bitboard) {
        let (mut checkers, mut pinned) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for sniper in self.snipers(us, king) {
            let shield = lines::between(king, sniper) & self.occupied();
            if shield.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !shield.more_than_one() {
                pinned |= shield;
            }
        }
        (checkers, pinned & self.by_color(us))
    }

    /// Enemy sliders that would reach the king of `us` on an empty board.
    #[inline(always)]
    pub(super) fn snipers(&self, us: Color, king: Square) -> Bitboard {
        (attacks::lance_ray(us, king) & self.by_kind(PieceType::Lance)
            | attacks::bishop_rays(king) & self.diagonal_sliders()
            | attacks::rook_rays(king) & self.straight_sliders())
            & self.by_color(!us)
    }
}
