//! Static exchange evaluation: what a move wins or loses if both sides go on capturing on its
//! target with their least valuable piece and may stop at any time.
//! <https://www.chessprogramming.org/Static_Exchange_Evaluation>
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, Piece, PieceType, Square, Value};

/// Exchange values by [`PieceType`] index, in centipawns. Golds and promoted small pieces are one
/// class; the king is worth more than anything it could take.
const VALUES: [Value; 16] = [
    0, 90, 315, 405, 495, 855, 990, 540, 15_000, 540, 540, 540, 540, 945, 1395, 0,
];

/// Exchange value of what stands on a square, 0 for nothing.
#[inline(always)]
pub fn see_value(piece: Piece) -> Value {
    VALUES[piece.kind_index()]
}

/// Kinds in the order in which they capture; gold stands for all that moves like one.
const ORDER: [PieceType; 9] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Gold,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Horse,
    PieceType::Dragon,
];

impl Position {
    /// Whether the exchange that a legal move starts is worth at least `threshold` centipawns to
    /// its side. Promotion gains are left out. A pinned piece takes part only along its pin, for
    /// as long as the pinning piece stands. A drop risks the dropped piece and wins nothing.
    pub fn see_ge(&self, mv: Move, threshold: Value) -> bool {
        let to = mv.to();
        // What the side that has just captured would lose if it lost that piece for nothing more.
        let mut at_stake = see_value(self.piece_on(to)) - threshold;
        if at_stake < 0 {
            return false;
        }
        let (occupied, moved) = if mv.is_drop() {
            (
                self.occupied() | Bitboard::of(to),
                VALUES[mv.dropped().index()],
            )
        } else {
            let from = mv.from();
            // Promotion gains are left out, so what stands to be lost is the piece as it was.
            let occupied = self.occupied().without(Bitboard::of(from)) | Bitboard::of(to);
            (occupied, see_value(self.piece_on(from)))
        };
        at_stake = moved - at_stake;
        if at_stake <= 0 {
            return true;
        }

        let takers = self.attackers_to(!self.side, to, occupied) & occupied;
        takers.is_empty() || self.exchange(to, occupied, takers, at_stake)
    }

    /// Plays out an exchange in which `takers` of the opponent may take the piece that has
    /// arrived, to the gain of `at_stake` for the opponent. Returns whether it is good for the
    /// side to move at the root.
    fn exchange(
        &self,
        to: Square,
        mut occupied: Bitboard,
        takers: Bitboard,
        mut at_stake: Value,
    ) -> bool {
        let mut side = self.side;
        // By colour, worked out once it is that side's turn: most exchanges end before.
        let mut attackers = [None; 2];
        attackers[(!side).index()] = Some(takers);
        let mut pins: [Option<Pins>; 2] = [None, None];
        // Whether the side to move at the root stands well if the exchange ends here.
        let mut good = true;
        loop {
            side = !side;
            let mut own = self.attackers_left(&mut attackers, side, to, occupied);
            if own.is_empty() {
                break;
            }
            // Only a piece in line with its king can be pinned.
            if let Some(king) = self.king(side)
                && own.intersects(attacks::bishop_rays(king) | attacks::rook_rays(king))
            {
                let pins = pins[side.index()].get_or_insert_with(|| Pins::new(self, side, king));
                own = own.without(pins.held(own, to, occupied));
            }
            let Some((from, kind)) = self.least_valuable(own) else {
                break;
            };
            good = !good;
            if kind == PieceType::King {
                // The king may only take what is not protected.
                let enemies = self.attackers_left(&mut attackers, !side, to, occupied);
                if enemies.any() {
                    good = !good;
                }
                break;
            }
            at_stake = VALUES[kind.index()] - at_stake;
            if at_stake < i32::from(good) {
                break;
            }
            occupied = occupied.without(Bitboard::of(from));
            let uncovered = self.uncovered(to, from, occupied);
            for (known, color) in attackers.iter_mut().zip(Color::ALL) {
                if let Some(known) = known {
                    *known |= uncovered & self.by_color(color);
                }
            }
        }
        good
    }

    /// What is left of one side's attackers of `to`.
    #[inline(always)]
    fn attackers_left(
        &self,
        known: &mut [Option<Bitboard>; 2],
        side: Color,
        to: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let attackers = &mut known[side.index()];
        *attackers.get_or_insert_with(|| self.attackers_to(side, to, occupied)) & occupied
    }

    /// The cheapest of a set of pieces that attack one square.
    #[inline(always)]
    fn least_valuable(&self, own: Bitboard) -> Option<(Square, PieceType)> {
        own.first()?;
        for kind in ORDER {
            let of_kind = own
                & if kind == PieceType::Gold {
                    self.golds()
                } else {
                    self.by_kind(kind)
                };
            if let Some(from) = of_kind.first() {
                return Some((from, kind));
            }
        }
        own.first().map(|from| (from, PieceType::King))
    }

    /// The slider that attacks `to` once `from` is empty, if there is one behind it.
    #[inline(always)]
    fn uncovered(&self, to: Square, from: Square, occupied: Bitboard) -> Bitboard {
        let Some(direction) = lines::direction(to, from) else {
            return Bitboard::EMPTY;
        };
        let straight = matches!(direction, lines::NORTH | lines::SOUTH | 2 | 5);
        let mut sliders = if straight {
            self.straight_sliders()
        } else {
            self.diagonal_sliders()
        };
        if direction == lines::NORTH {
            sliders |= self.pieces(Color::White, PieceType::Lance);
        } else if direction == lines::SOUTH {
            sliders |= self.pieces(Color::Black, PieceType::Lance);
        }
        let behind = lines::ray(to, direction) & sliders & occupied;
        behind
            .into_iter()
            .filter(|&slider| !lines::between(to, slider).intersects(occupied))
            .collect()
    }
}

/// The pinned pieces of one side and what pins them.
struct Pins {
    king: Square,
    pinned: Bitboard,
    pinners: Bitboard,
}

impl Pins {
    fn new(position: &Position, color: Color, king: Square) -> Pins {
        let (mut pinned, mut pinners) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for sniper in position.snipers(color, king) {
            let shield = lines::between(king, sniper) & position.occupied();
            if shield.any() && !shield.more_than_one() && shield.intersects(position.by_color(color)) {
                pinned |= shield;
                pinners |= Bitboard::of(sniper);
            }
        }
        Pins {
            king,
            pinned,
            pinners,
        }
    }

    /// Those of a set of pieces that may not take on `to` because of a pin still in force.
    #[inline(always)]
    fn held(&self, pieces: Bitboard, to: Square, occupied: Bitboard) -> Bitboard {
        let mut held = pieces & self.pinned;
        for sq in held {
            let ray = lines::ray_through(self.king, sq);
            if ray.contains(to) || !ray.intersects(self.pinners & occupied) {
                held = held.without(Bitboard::of(sq));
            }
        }
        held
    }
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
