//! Static evaluation as the search uses it: corrected by what searches of like positions found
//! the evaluation to be wrong by, then by the value of the hash entry where that says more.
//! <https://www.chessprogramming.org/Static_Evaluation_Correction_History>
//!
//! Positions are alike by parts of the board that evaluations tend to misjudge as a whole: the
//! castle (king and generals, 囲い), the large pieces, the pawns, and the kings with both hands.
#![forbid(unsafe_code)]

use super::history::Stat;
use super::params;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Color, Depth, PieceType, Value, value};
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

/// Limit of a correction, in history units.
const LIMIT: i32 = 1024;
/// Entries of a table.
const SIZE: usize = 8192;
/// Number of aspects by which positions are alike.
const ASPECTS: usize = 4;

/// What the evaluation was wrong by, by side to move and aspect. All threads learn in the same
/// tables: what one of them found out is true for the others. They do not wait for each other, so
/// an update may be lost now and then.
pub struct Corrections([Tables; 2]);

/// The tables of one side to move.
type Tables = [[AtomicI16; SIZE]; ASPECTS];
/// Places of a position in the tables.
type Places = [usize; ASPECTS];

impl Corrections {
    /// Nothing learnt.
    pub fn new() -> Corrections {
        let nothing = || std::array::from_fn(|_| std::array::from_fn(|_| AtomicI16::new(0)));
        Corrections([nothing(), nothing()])
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.0.as_flattened().as_flattened() {
            entry.store(0, Relaxed);
        }
    }

    /// The correction of a position, in centipawns.
    #[inline(always)]
    fn of(&self, position: &Position) -> Value {
        let tables = &self.0[position.side_to_move().index()];
        let [castle, large, pawns, hands] = places(position);
        let sum = i32::from(tables[0][castle].load(Relaxed))
            + i32::from(tables[1][large].load(Relaxed))
            + i32::from(tables[2][pawns].load(Relaxed))
            + i32::from(tables[3][hands].load(Relaxed));
        sum * params::correction_scale() / 1024
    }

    fn update(&self, position: &Position, bonus: i32) {
        let tables = &self.0[position.side_to_move().index()];
        for (table, place) in tables.iter().zip(places(position)) {
            let mut stat = Stat::<LIMIT>::from(table[place].load(Relaxed));
            stat.update(bonus);
            table[place].store(stat.into(), Relaxed);
        }
    }
}

impl Default for Corrections {
    fn default() -> Corrections {
        Corrections::new()
    }
}

/// Mixes sets of squares into a place. The products are independent of each other, so they take
/// hardly longer than one.
#[inline(always)]
pub(super) fn place<const N: usize>(sets: [Bitboard; N]) -> usize {
    const FACTORS: [u64; 8] = [
        0x9e37_79b9_7f4a_7c15,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x27d4_eb2f_1656_67c5,
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
    ];
    let mut sum = 0u64;
    // An index loop: as chained iterators it is not unrolled, which shows in the profile.
    let mut i = 0;
    while i < N {
        let bits = sets[i].bits();
        sum = sum.wrapping_add((bits as u64).wrapping_mul(FACTORS[2 * i]));
        sum ^= ((bits >> 64) as u64).wrapping_mul(FACTORS[2 * i + 1]);
        i += 1;
    }
    (sum ^ sum >> 29).wrapping_mul(FACTORS[0]) as usize >> 51
}

#[inline(always)]
fn places(position: &Position) -> Places {
    let black = position.by_color(Color::Black);
    let kings = position.by_kind(PieceType::King);
    let (golds, silvers) = (position.golds(), position.by_kind(PieceType::Silver));
    let (straight, diagonal) = (position.straight_sliders(), position.diagonal_sliders());
    let promoted = position.by_kind(PieceType::Horse) | position.by_kind(PieceType::Dragon);
    let pawns = position.by_kind(PieceType::Pawn);
    let hands = position.hand_key();
    [
        place([golds, silvers, kings, (golds | silvers | kings) & black]),
        place([straight, diagonal, promoted, (straight | diagonal) & black]),
        place([pawns, pawns & black]),
        (place([kings, kings & black]) ^ (hands >> 51) as usize) % SIZE,
    ]
}

/// The static evaluation of a node, for the side to move.
#[derive(Clone, Copy)]
pub(super) struct Evaluation {
    /// As the evaluator gave it.
    pub raw: Value,
    /// Corrected by experience.
    pub corrected: Value,
    /// Replaced by the value of the hash entry where that is a bound on the right side of it.
    pub refined: Value,
}

impl Evaluation {
    /// Of a node in check: the evaluation of an earlier node stands in, [`value::NONE`] if it had
    /// none either.
    pub fn stand_in(earlier: Value) -> Evaluation {
        Evaluation {
            raw: value::NONE,
            corrected: earlier,
            refined: value::NONE,
        }
    }
}

impl Worker {
    /// Evaluates the node, which must not be in check.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, entry: Option<&Entry>) -> Evaluation {
        let raw = match entry {
            Some(entry) if entry.eval != value::NONE => entry.eval,
            _ => self.evaluator.evaluate(&self.position),
        };
        let correction = self.corrections.of(&self.position);
        let corrected = (raw + correction).clamp(-value::MAX_EVAL, value::MAX_EVAL);
        let refined = match entry {
            Some(entry) if !value::is_decisive(entry.value) && entry.cuts(corrected + 1) => {
                entry.value
            }
            _ => corrected,
        };
        Evaluation {
            raw,
            corrected,
            refined,
        }
    }

    /// Learns from a node not in check whose best move was quiet: its value against its static
    /// evaluation, if the bound says on which side the truth lies.
    #[inline]
    pub(super) fn learn_correction(
        &mut self,
        depth: Depth,
        static_eval: Value,
        best_value: Value,
        bound: Bound,
    ) {
        let says = if best_value > static_eval {
            Bound::LOWER
        } else {
            Bound::UPPER
        };
        if bound.contains(says) && !value::is_decisive(best_value) {
            let rate = if says == Bound::LOWER {
                params::correction_rate()
            } else {
                params::correction_rate_low()
            };
            let bonus = (best_value - static_eval) * depth * rate / 128;
            let bonus = bonus.clamp(-LIMIT / 4, LIMIT / 4);
            self.corrections.update(&self.position, bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_moves_towards_the_error_and_stays_bounded() {
        let corrections = Corrections::new();
        let position = Position::startpos();
        assert_eq!(corrections.of(&position), 0);
        corrections.update(&position, 100);
        assert!(corrections.of(&position) > 0);
        for _ in 0..1000 {
            corrections.update(&position, LIMIT / 4);
        }
        let most = ASPECTS as i32 * LIMIT * params::correction_scale() / 1024;
        assert!(corrections.of(&position) <= most);
        corrections.clear();
        assert_eq!(corrections.of(&position), 0);
    }
}
