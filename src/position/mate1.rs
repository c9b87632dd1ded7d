//! Mate in one by a piece beside the enemy king or by a knight: no such check can be interposed,
//! so it mates when the checker cannot be taken and the king has nowhere to go.
//!
//! Mates from afar, double checks that pin nothing and a few with odd pins are not looked for: the
//! search asks this at most nodes, and the answer must cost less than it saves.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, PieceType, Square};

/// Kinds that are dropped beside a king, those first that mate most often. A pawn may not mate
/// (打ち歩詰め).
const DROPS: [PieceType; 5] = [
    PieceType::Gold,
    PieceType::Silver,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Lance,
];

/// The enemy king and what surrounds it.
struct Target {
    us: Color,
    king: Square,
    /// Squares around it that its own side has not blocked.
    open: Bitboard,
    /// Those of them where it could go if no piece moved.
    free: Bitboard,
    /// Pieces of its side that shield it from a slider.
    pinned: Bitboard,
}

impl Position {
    /// A move that mates at once, if one of the kinds looked for is there: never wrong, but not
    /// every mate in one is found. The side to move must not be in check.
    pub fn mate_in_one(&self) -> Option<Move> {
        debug_assert!(!self.in_check());
        let us = self.side;
        let king = self.king(!us)?;
        let around = attacks::king(king);
        let attacked = self.king_danger(!us, king) & around;
        let open = around.without(self.by_color(!us));
        let free = open.without(attacked);
        let supported = attacked.without(self.by_color(us));
        if supported.is_empty() && free.any() {
            // A checker beside the king would be taken, and a knight leaves it a way out.
            return None;
        }
        let target = Target {
            us,
            king,
            open,
            free,
            pinned: self.slider_checks(!us, king).1,
        };
        self.mate_by_drop(&target, supported)
            .or_else(|| self.mate_by_move(&target, supported))
            .or_else(|| self.mate_by_knight(&target))
    }

    fn mate_by_drop(&self, target: &Target, supported: Bitboard) -> Option<Move> {
        let hand = self.hand(target.us);
        let places = supported.without(self.occupied());
        if places.is_empty() {
            return None;
        }
        for kind in DROPS {
            if !hand.has(kind) {
                continue;
            }
            for to in places & checking_squares(kind, target) {
                // Before the costly tests: the dropped piece alone must see to the free squares.
                let covered = attacks::of(kind, target.us, to, self.occupied_without(target.king));
                if target.free.without(covered).is_empty()
                    && self.is_mate(target, None, to, covered)
                {
                    return Some(Move::drop(kind, to));
                }
            }
        }
        None
    }

    fn mate_by_move(&self, target: &Target, supported: Bitboard) -> Option<Move> {
        let us = target.us;
        let own_king = self.king(us).map_or(Bitboard::EMPTY, Bitboard::of);
        let zone = Bitboard::promotion_zone(us);
        let occupied = self.occupied();
        for to in supported {
            if target.free.without(reach(to)).any() {
                continue;
            }
            for from in self.attackers_to(us, to, occupied).without(own_king) {
                let kind = self.piece_on(from).kind();
                let promotes = kind.can_promote() && (zone.contains(to) || zone.contains(from));
                let plain = to.relative_rank(us) >= kind.dead_ranks();
                let kinds = [
                    promotes.then(|| (kind.promote(), Move::promotion(from, to))),
                    plain.then(|| (kind, Move::board(from, to))),
                ];
                for (kind, mv) in kinds.into_iter().flatten() {
                    if !checking_squares(kind, target).contains(to) {
                        continue;
                    }
                    let board = self
                        .occupied_without(target.king)
                        .without(Bitboard::of(from));
                    let covered = attacks::of(kind, us, to, board);
                    if target.free.without(covered | Bitboard::of(to)).is_empty()
                        && self.may_leave(from, to)
                        && self.is_mate(target, Some(from), to, covered)
                    {
                        return Some(mv);
                    }
                }
            }
        }
        None
    }

    fn mate_by_knight(&self, target: &Target) -> Option<Move> {
        // A knight that checks attacks nothing beside the king.
        if target.free.any() {
            return None;
        }
        let us = target.us;
        let places = attacks::knight(!us, target.king);
        let covered = Bitboard::EMPTY;
        if self.hand(us).has(PieceType::Knight) {
            for to in places.without(self.occupied()) {
                if self.is_mate(target, None, to, covered) {
                    return Some(Move::drop(PieceType::Knight, to));
                }
            }
        }
        let knights = self.pieces(us, PieceType::Knight);
        for to in places.without(self.by_color(us)) {
            for from in attacks::knight(!us, to) & knights {
                if self.may_leave(from, to) && self.is_mate(target, Some(from), to, covered) {
                    return Some(Move::board(from, to));
                }
            }
        }
        None
    }

    /// Whether a check on `to` mates, by a piece from `from` or a dropped one, which attacks the
    /// squares `covered`.
    fn is_mate(
        &self,
        target: &Target,
        from: Option<Square>,
        to: Square,
        covered: Bitboard,
    ) -> bool {
        let (us, king) = (target.us, target.king);
        let moved = from.map_or(Bitboard::EMPTY, Bitboard::of);
        let there = Bitboard::of(to);
        let occupied = self.occupied().without(moved) | there;
        // The piece may have blocked or opened lines of others.
        let others = self.by_color(us).without(moved);
        let attacked =
            self.king_danger_with(!us, king, occupied ^ Bitboard::of(king), others) | covered;
        let beside = attacks::king(king) & there;
        let flights = (target.open | beside).without(attacked);
        if flights.any() {
            return false;
        }
        // A slider that has moved may have been what pinned a piece.
        let pinned = if from.is_some_and(|from| is_slider(self.piece_on(from).kind())) {
            Bitboard::EMPTY
        } else {
            target.pinned
        };
        self.attackers_to(!us, to, occupied)
            .without(Bitboard::of(king) | there)
            .into_iter()
            .all(|taker| pinned.contains(taker) && !lines::same_ray(king, taker, to))
    }

    /// Whether the own king stays safe when a piece goes from one square to another.
    fn may_leave(&self, from: Square, to: Square) -> bool {
        match self.king(self.side) {
            Some(king) if self.pinned().contains(from) => lines::same_ray(king, from, to),
            _ => true,
        }
    }

    fn occupied_without(&self, king: Square) -> Bitboard {
        self.occupied() ^ Bitboard::of(king)
    }
}

/// What a piece on a square could attack beside it at most, and the square.
fn reach(to: Square) -> Bitboard {
    attacks::king(to) | attacks::rook_rays(to) | attacks::bishop_rays(to) | Bitboard::of(to)
}

fn is_slider(kind: PieceType) -> bool {
    matches!(
        kind,
        PieceType::Lance
            | PieceType::Bishop
            | PieceType::Rook
            | PieceType::Horse
            | PieceType::Dragon
    )
}

/// Squares beside the king from which a kind attacks it.
fn checking_squares(kind: PieceType, target: &Target) -> Bitboard {
    let (them, king) = (!target.us, target.king);
    let around = attacks::king(king);
    match kind {
        PieceType::Pawn | PieceType::Lance => attacks::pawn(them, king),
        PieceType::Silver => attacks::silver(them, king),
        PieceType::Bishop => attacks::bishop_rays(king) & around,
        PieceType::Rook => attacks::rook_rays(king) & around,
        PieceType::Horse | PieceType::Dragon => around,
        PieceType::Knight | PieceType::King => Bitboard::EMPTY,
        _ => attacks::gold(them, king),
    }
}
