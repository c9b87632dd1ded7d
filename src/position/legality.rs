//! Legality of single moves, whatever they come from: a hash table, a killer slot, a GUI.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Move, PieceType, Square};

impl Position {
    /// Whether the side to move could play this move if neither the safety of its king nor
    /// pawn-drop mate mattered. Exact for every [`Move`].
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        if !mv.is_some() {
            return false;
        }
        let us = self.side;
        let to = mv.to();
        if mv.is_drop() {
            let kind = mv.dropped();
            return self.hand(us).has(kind)
                && self.piece_on(to).is_none()
                && to.relative_rank(us) >= kind.dead_ranks()
                && (kind != PieceType::Pawn || self.pawn_drop_squares(us).contains(to));
        }
        let from = mv.from();
        let piece = self.piece_on(from);
        if !piece.is_color(us) || self.piece_on(to).is_color(us) {
            return false;
        }
        let kind = piece.kind();
        if !attacks::of(kind, us, from, self.occupied()).contains(to) {
            return false;
        }
        if mv.is_promotion() {
            kind.can_promote() && (from.relative_rank(us) < 3 || to.relative_rank(us) < 3)
        } else {
            to.relative_rank(us) >= kind.dead_ranks()
        }
    }

    /// Whether this move is legal. Exact for every [`Move`].
    pub fn is_legal(&self, mv: Move) -> bool {
        if !self.is_pseudo_legal(mv) {
            return false;
        }
        let us = self.side;
        let to = mv.to();
        let king = self.king(us);
        if !mv.is_drop() && king == Some(mv.from()) {
            let occupied = self.occupied() ^ Bitboard::of(mv.from());
            return self.attackers_to(!us, to, occupied).is_empty();
        }
        if let (Some(king), Some(checker)) = (king, self.checkers().first())
            && (self.checkers().more_than_one()
                || !(self.checkers() | lines::between(king, checker)).contains(to))
        {
            return false;
        }
        if mv.is_drop() {
            let mates = mv.dropped() == PieceType::Pawn
                && self
                    .king(!us)
                    .is_some_and(|enemy| attacks::pawn(us, to).contains(enemy))
                && self.is_drop_pawn_mate(to);
            return !mates;
        }
        self.pin_allows(mv.from(), to)
    }

    /// Whether a piece of the side to move is not pinned, or would stay on the line of its pin.
    pub(super) fn pin_allows(&self, from: Square, to: Square) -> bool {
        match self.king(self.side) {
            Some(king) if self.pinned().contains(from) => lines::same_ray(king, from, to),
            _ => true,
        }
    }

    /// Whether a pawn that the side to move drops on `to`, in front of the enemy king, mates
    /// (打ち歩詰め). Nothing can be interposed, so the only replies are king moves and captures of
    /// the pawn.
    pub fn is_drop_pawn_mate(&self, to: Square) -> bool {
        let us = self.side;
        let them = !us;
        let Some(king) = self.king(them) else {
            return false;
        };
        let occupied = self.occupied() | Bitboard::of(to);
        let captors = self
            .attackers_to(them, to, occupied)
            .without(Bitboard::of(king));
        if captors.any() {
            let blockers = self.slider_attacks(us, king).blockers;
            for captor in captors {
                if !blockers.contains(captor) || lines::same_ray(king, captor, to) {
                    return false;
                }
            }
        }
        let steps = attacks::king(king).without(self.by_color(them));
        let occupied = occupied ^ Bitboard::of(king);
        let danger = self.king_danger_with(them, king, occupied, self.by_color(us));
        steps.without(danger).is_empty()
    }
}
