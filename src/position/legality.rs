//! Attacks on squares, pawn-drop mate, and the exact test of an arbitrary move.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, PieceType, Square};

impl Position {
    /// Pieces of `color` that attack a square when `occupied` squares block.
    #[inline]
    pub fn attackers_to(&self, color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
        let own = self.by_color(color);
        let king_step_pieces = self.by_kind(PieceType::King)
            | self.by_kind(PieceType::Horse)
            | self.by_kind(PieceType::Dragon);
        let steppers = attacks::pawn(!color, sq) & self.by_kind(PieceType::Pawn)
            | attacks::knight(!color, sq) & self.by_kind(PieceType::Knight)
            | attacks::silver(!color, sq) & self.by_kind(PieceType::Silver)
            | attacks::gold(!color, sq) & self.golds()
            | attacks::king(sq) & king_step_pieces;
        let lances = attacks::lance_ray(!color, sq) & self.by_kind(PieceType::Lance);
        let diagonal = attacks::bishop_rays(sq) & self.diagonal_sliders();
        let straight = attacks::rook_rays(sq) & self.straight_sliders();
        let mut found = steppers & own;
        for slider in (lances | diagonal | straight) & own {
            if !lines::between(sq, slider).intersects(occupied) {
                found |= Bitboard::of(slider);
            }
        }
        found
    }

    /// Whether a piece of `color` attacks a square when `occupied` squares block.
    #[inline]
    pub fn is_attacked(&self, color: Color, sq: Square, occupied: Bitboard) -> bool {
        self.attackers_to(color, sq, occupied).any()
    }

    /// Squares around the king of `us` that the enemy attacks once that king has left its
    /// square. Squares farther away may or may not be in the set.
    #[inline(always)]
    pub(super) fn king_danger(&self, us: Color, king: Square) -> Bitboard {
        let occupied = self.occupied() ^ Bitboard::of(king);
        self.king_danger_with(us, king, occupied, self.by_color(!us))
    }

    /// [`Position::king_danger`] with other blockers, of which the king's square should not be one,
    /// and with some of the enemy's pieces only.
    #[inline(always)]
    pub(super) fn king_danger_with(
        &self,
        us: Color,
        king: Square,
        occupied: Bitboard,
        enemies: Bitboard,
    ) -> Bitboard {
        let them = !us;
        let zone = attacks::king_attack_origins(king);
        let mut danger = Bitboard::EMPTY;

        let near = enemies & zone.steppers;
        if near.any() {
            danger |= (near & self.by_kind(PieceType::Pawn)).forward(them);
            for sq in near & self.by_kind(PieceType::Silver) {
                danger |= attacks::silver(them, sq);
            }
            for sq in near & self.golds() {
                danger |= attacks::gold(them, sq);
            }
            let king_step_pieces = self.by_kind(PieceType::King)
                | self.by_kind(PieceType::Horse)
                | self.by_kind(PieceType::Dragon);
            for sq in near & king_step_pieces {
                danger |= attacks::king(sq);
            }
        }
        for sq in enemies & zone.knights[them.index()] & self.by_kind(PieceType::Knight) {
            danger |= attacks::knight(them, sq);
        }
        for sq in enemies & zone.lances[them.index()] & self.by_kind(PieceType::Lance) {
            danger |= attacks::lance(them, sq, occupied);
        }
        for sq in enemies & zone.bishops & self.diagonal_sliders() {
            danger |= attacks::bishop(sq, occupied);
        }
        for sq in enemies & zone.rooks & self.straight_sliders() {
            danger |= attacks::rook(sq, occupied);
        }
        danger
    }

    /// Whether a pawn that the side to move drops on `to`, before the enemy king, leaves that
    /// side without a legal answer (打ち歩詰め). A pawn that steps does not interpose, so the
    /// answers are king moves and captures of the pawn.
    pub fn is_drop_pawn_mate(&self, to: Square) -> bool {
        let us = self.side;
        let them = !us;
        let Some(king) = self.king(them) else {
            return false;
        };
        let occupied = self.occupied() | Bitboard::of(to);

        let takers = self
            .attackers_to(them, to, occupied)
            .without(Bitboard::of(king));
        if takers.any() {
            let (_, pinned) = self.slider_checks(them, king);
            for taker in takers {
                if !pinned.contains(taker) || lines::same_ray(king, taker, to) {
                    return false;
                }
            }
        }
        let steps = attacks::king(king).without(self.by_color(them));
        let occupied = occupied ^ Bitboard::of(king);
        let danger = self.king_danger_with(them, king, occupied, self.by_color(us));
        steps.without(danger).is_empty()
    }

    /// Whether the side to move could play this move if its own king's safety and pawn-drop mate
    /// did not matter: exact for every [`Move`], whoever made it up.
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

    /// Whether this move is legal: exact for every [`Move`], whoever made it up.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.is_pseudo_legal_move_legal(mv)
    }

    /// The part of legality that [`Position::is_pseudo_legal`] leaves open.
    fn is_pseudo_legal_move_legal(&self, mv: Move) -> bool {
        let us = self.side;
        let to = mv.to();
        let king = self.king(us);
        if !mv.is_drop() && king == Some(mv.from()) {
            let occupied = self.occupied() ^ Bitboard::of(mv.from());
            return !self.is_attacked(!us, to, occupied);
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
        match king {
            Some(king) if self.pinned().contains(mv.from()) => lines::same_ray(king, mv.from(), to),
            _ => true,
        }
    }
}
