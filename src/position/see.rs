//! Static exchange evaluation (SEE): the material that a move wins or loses if both sides keep
//! capturing on its target square, each with its least valuable attacker, and may stop at any time.
//! <https://www.chessprogramming.org/Static_Exchange_Evaluation>
#![forbid(unsafe_code)]

use super::Position;
use super::checks::SliderAttacks;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, Piece, PieceType, PieceType::*, Square, Value};

/// Exchange values by [`PieceType`] index, in the unit of [`Value`]. Pieces that move like a gold
/// are worth a gold, the king more than anything it could capture.
const VALUES: [Value; 16] = [
    0, 90, 315, 405, 495, 855, 990, 540, 15_000, 540, 540, 540, 540, 945, 1395, 0,
];

/// Exchange value of a piece in the unit of [`Value`], 0 for an empty square.
#[inline(always)]
pub fn see_value(piece: Piece) -> Value {
    VALUES[piece.kind_index()]
}

/// Kinds from least to most valuable; gold stands for all pieces that move like one.
const ORDER: [PieceType; 9] = [
    Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, Horse, Dragon,
];

impl Position {
    /// Whether the exchange that a legal move starts is worth at least `threshold` to the side to
    /// move. Gains by promotion are ignored. A pinned piece captures only along its pin while the
    /// pinner is on the board.
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        let to = mv.to();
        // The balance against the threshold for the side that has just captured, before a
        // recapture.
        let mut swap = see_value(self.piece_on(to)) - threshold;
        if swap < 0 {
            return false;
        }
        let mut occupied = self.occupied() | Bitboard::of(to);
        let moved = if mv.is_drop() {
            VALUES[mv.dropped().index()]
        } else {
            occupied = occupied.without(Bitboard::of(mv.from()));
            see_value(self.piece_on(mv.from()))
        };
        swap = moved - swap;
        if swap <= 0 {
            return true;
        }
        let captors = self.attackers_to(!self.side, to, occupied) & occupied;
        captors.is_empty() || self.exchange(to, occupied, captors, swap)
    }

    /// Plays out the exchange after the move, in which `captors` of the opponent may take the piece
    /// on
    /// `to`. Returns whether it reaches the threshold.
    fn exchange(
        &self,
        to: Square,
        mut occupied: Bitboard,
        captors: Bitboard,
        mut swap: Value,
    ) -> bool {
        let mut side = self.side;
        // Attackers and pins by colour, computed lazily: most exchanges end early.
        let mut attackers = [None; 2];
        attackers[(!side).index()] = Some(captors);
        let mut pins: [Option<SliderAttacks>; 2] = [None, None];
        // Whether the exchange is good for the side to move if it ends here.
        let mut good = true;
        loop {
            side = !side;
            let mut own = self.remaining_attackers(&mut attackers, side, to, occupied);
            if own.is_empty() {
                break;
            }
            // Only a piece in line with its king can be pinned.
            if let Some(king) = self.king(side)
                && own.intersects(attacks::bishop_rays(king) | attacks::rook_rays(king))
            {
                let pins =
                    pins[side.index()].get_or_insert_with(|| self.slider_attacks(!side, king));
                own = own.without(pinned(pins, king, own, to, occupied));
            }
            let Some((from, kind)) = self.least_valuable(own) else {
                break;
            };
            good = !good;
            if kind == King {
                // The king may not capture a defended piece.
                let enemies = self.remaining_attackers(&mut attackers, !side, to, occupied);
                if enemies.any() {
                    good = !good;
                }
                break;
            }
            swap = VALUES[kind.index()] - swap;
            if swap < i32::from(good) {
                break;
            }
            occupied = occupied.without(Bitboard::of(from));
            let xray = self.xray_attackers(to, from, occupied);
            for (known, color) in attackers.iter_mut().zip(Color::ALL) {
                if let Some(known) = known {
                    *known |= xray & self.by_color(color);
                }
            }
        }
        good
    }

    /// The attackers of `to` of one side that have not captured yet.
    #[inline(always)]
    fn remaining_attackers(
        &self,
        known: &mut [Option<Bitboard>; 2],
        side: Color,
        to: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let attackers = &mut known[side.index()];
        *attackers.get_or_insert_with(|| self.attackers_to(side, to, occupied)) & occupied
    }

    /// The least valuable attacker.
    #[inline(always)]
    fn least_valuable(&self, attackers: Bitboard) -> Option<(Square, PieceType)> {
        attackers.first()?;
        for kind in ORDER {
            let of_kind = attackers
                & if kind == Gold {
                    self.golds()
                } else {
                    self.by_kind(kind)
                };
            if let Some(from) = of_kind.first() {
                return Some((from, kind));
            }
        }
        attackers.first().map(|from| (from, King))
    }

    /// The slider that attacks `to` through `from`, which is now empty.
    #[inline(always)]
    fn xray_attackers(&self, to: Square, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(direction) = lines::direction(to, from) else {
            return Bitboard::EMPTY;
        };
        let mut sliders = match direction {
            lines::NORTH | lines::SOUTH | lines::EAST | lines::WEST => self.straight_sliders(),
            _ => self.diagonal_sliders(),
        };
        if direction == lines::NORTH {
            sliders |= self.pieces(Color::White, Lance);
        } else if direction == lines::SOUTH {
            sliders |= self.pieces(Color::Black, Lance);
        }
        let behind = lines::ray(to, direction) & sliders & occupied;
        behind
            .into_iter()
            .filter(|&slider| !lines::between(to, slider).intersects(occupied))
            .collect()
    }
}

/// The `attackers` of `to` that are pinned to their king by a slider still on the board and would
/// leave the line of the pin.
#[inline(always)]
fn pinned(
    pins: &SliderAttacks,
    king: Square,
    attackers: Bitboard,
    to: Square,
    occupied: Bitboard,
) -> Bitboard {
    let mut pinned = attackers & pins.blockers;
    for sq in pinned {
        let ray = lines::ray_through(king, sq);
        if ray.contains(to) || !ray.intersects(pins.pinners & occupied) {
            pinned = pinned.without(Bitboard::of(sq));
        }
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(sfen: &str, mv: &str, threshold: Value) -> bool {
        Position::from_sfen(sfen)
            .unwrap()
            .see_ge(Move::from_usi(mv).unwrap(), threshold)
    }

    #[test]
    fn undefended_and_defended() {
        let free = "4k4/9/9/9/4p4/4R4/9/9/4K4 b - 1";
        assert!(see(free, "5f5e", 90) && !see(free, "5f5e", 91));
        let defended = "4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1";
        assert!(see(defended, "5f5e", 90 - 990) && !see(defended, "5f5e", 91 - 990));
    }

    #[test]
    fn a_slider_behind_takes_part() {
        let lone = "4k4/9/9/4g4/4p4/4L4/9/9/K8 b - 1";
        assert!(!see(lone, "5f5e", 0));
        let backed = "4k4/9/9/4g4/4p4/4L4/4R4/9/K8 b - 1";
        assert!(see(backed, "5f5e", 90) && !see(backed, "5f5e", 91));
    }

    #[test]
    fn a_drop_risks_what_is_dropped() {
        let sfen = "4k4/9/9/4g4/9/9/9/9/4K4 b GP 1";
        assert!(see(sfen, "P*5e", -90) && !see(sfen, "P*5e", -89));
        assert!(see(sfen, "G*1a", 0) && !see(sfen, "G*1a", 1));
    }

    #[test]
    fn a_pinned_piece_does_not_take_back() {
        // The gold on 5b is pinned by the rook and may not take on 4c.
        let sfen = "4k4/4g4/5p3/9/9/9/9/5L3/K3R4 b - 1";
        assert!(see(sfen, "4h4c", 90));
    }
}
