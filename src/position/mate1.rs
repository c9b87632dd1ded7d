//! Mate in one (一手詰め) by a contact check (近接王手) or a knight. Nothing can be interposed, so
//! such a check mates if the checker cannot be captured and the king has no flight square.
//!
//! Mates by distant checks, and some by double checks or pins, are missed: the search calls this at
//! most nodes, so it must cost less than it saves.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, PieceType, PieceType::*, Square};

/// Kinds to drop next to a king, most frequent mates first. A pawn drop may not mate (打ち歩詰め).
const DROPS: [PieceType; 5] = [Gold, Silver, Rook, Bishop, Lance];

/// The enemy king before the check.
struct EnemyKing {
    us: Color,
    sq: Square,
    /// Squares next to it without a piece of its own side.
    open: Bitboard,
    /// Flight squares: open squares that are not attacked.
    flights: Bitboard,
    /// Pieces pinned to it.
    pinned: Bitboard,
}

impl Position {
    /// A move that mates at once; sound, but it misses some mates, see the module documentation.
    /// The side to move must not be in check.
    pub fn mate_in_one(&self) -> Option<Move> {
        debug_assert!(!self.in_check());
        let us = self.side;
        let king = self.king(!us)?;
        let around = attacks::king(king);
        let attacked = self.king_danger(!us, king) & around;
        let open = around.without(self.by_color(!us));
        let flights = open.without(attacked);
        let defended = attacked.without(self.by_color(us));
        if defended.is_empty() && flights.any() {
            // The king captures any checker next to it, and has a flight square after a knight's
            // check.
            return None;
        }
        let enemy = EnemyKing {
            us,
            sq: king,
            open,
            flights,
            pinned: self.slider_attacks(us, king).blockers,
        };
        self.mate_by_drop(&enemy, defended)
            .or_else(|| self.mate_by_move(&enemy, defended))
            .or_else(|| self.mate_by_knight(&enemy))
    }

    fn mate_by_drop(&self, enemy: &EnemyKing, defended: Bitboard) -> Option<Move> {
        let hand = self.hand(enemy.us);
        let squares = defended.without(self.occupied());
        for kind in DROPS {
            if !hand.has(kind) {
                continue;
            }
            for to in squares & checking_squares(kind, enemy) {
                // Cheap test first: the dropped piece alone has to take all flight squares.
                let covered = attacks::of(kind, enemy.us, to, self.occupied_without(enemy.sq));
                if enemy.flights.without(covered).is_empty()
                    && self.is_mate(enemy, None, to, covered)
                {
                    return Some(Move::drop(kind, to));
                }
            }
        }
        None
    }

    fn mate_by_move(&self, enemy: &EnemyKing, defended: Bitboard) -> Option<Move> {
        let us = enemy.us;
        let own_king = self.king(us).map_or(Bitboard::EMPTY, Bitboard::of);
        let zone = Bitboard::promotion_zone(us);
        let occupied = self.occupied();
        for to in defended {
            if enemy.flights.without(reach(to)).any() {
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
                    if !checking_squares(kind, enemy).contains(to) {
                        continue;
                    }
                    let board = self.occupied_without(enemy.sq).without(Bitboard::of(from));
                    let covered = attacks::of(kind, us, to, board);
                    if enemy.flights.without(covered | Bitboard::of(to)).is_empty()
                        && self.pin_allows(from, to)
                        && self.is_mate(enemy, Some(from), to, covered)
                    {
                        return Some(mv);
                    }
                }
            }
        }
        None
    }

    fn mate_by_knight(&self, enemy: &EnemyKing) -> Option<Move> {
        // A knight that gives check attacks no square next to the king.
        if enemy.flights.any() {
            return None;
        }
        let us = enemy.us;
        let squares = attacks::knight(!us, enemy.sq);
        let covered = Bitboard::EMPTY;
        if self.hand(us).has(Knight) {
            for to in squares.without(self.occupied()) {
                if self.is_mate(enemy, None, to, covered) {
                    return Some(Move::drop(Knight, to));
                }
            }
        }
        let knights = self.pieces(us, Knight);
        for to in squares.without(self.by_color(us)) {
            for from in attacks::knight(!us, to) & knights {
                if self.pin_allows(from, to) && self.is_mate(enemy, Some(from), to, covered) {
                    return Some(Move::board(from, to));
                }
            }
        }
        None
    }

    /// Whether a check on `to` mates, by a piece that comes from `from` (`None` for a drop) and
    /// attacks
    /// `covered` from `to`.
    fn is_mate(
        &self,
        enemy: &EnemyKing,
        from: Option<Square>,
        to: Square,
        covered: Bitboard,
    ) -> bool {
        let (us, king) = (enemy.us, enemy.sq);
        let moved = from.map_or(Bitboard::EMPTY, Bitboard::of);
        let there = Bitboard::of(to);
        let occupied = self.occupied().without(moved) | there;
        // The move may have opened or closed lines of other pieces.
        let others = self.by_color(us).without(moved);
        let attacked =
            self.king_danger_with(!us, king, occupied ^ Bitboard::of(king), others) | covered;
        let captured = attacks::king(king) & there;
        let flights = (enemy.open | captured).without(attacked);
        if flights.any() {
            return false;
        }
        // A slider that moves may have been a pinner.
        let pinned = match from.map(|from| self.piece_on(from).kind()) {
            Some(Lance | Bishop | Rook | Horse | Dragon) => Bitboard::EMPTY,
            _ => enemy.pinned,
        };
        self.attackers_to(!us, to, occupied)
            .without(Bitboard::of(king) | there)
            .into_iter()
            .all(|captor| pinned.contains(captor) && !lines::same_ray(king, captor, to))
    }

    fn occupied_without(&self, king: Square) -> Bitboard {
        self.occupied() ^ Bitboard::of(king)
    }
}

/// The square and all squares that any piece but a knight could attack from it.
fn reach(to: Square) -> Bitboard {
    attacks::king(to) | attacks::rook_rays(to) | attacks::bishop_rays(to) | Bitboard::of(to)
}

/// Squares next to the king from which a kind attacks it.
fn checking_squares(kind: PieceType, enemy: &EnemyKing) -> Bitboard {
    let (them, king) = (!enemy.us, enemy.sq);
    let around = attacks::king(king);
    match kind {
        Pawn | Lance => attacks::pawn(them, king),
        Silver => attacks::silver(them, king),
        Bishop => attacks::bishop_rays(king) & around,
        Rook => attacks::rook_rays(king) & around,
        Horse | Dragon => around,
        Knight | King => Bitboard::EMPTY,
        _ => attacks::gold(them, king),
    }
}
