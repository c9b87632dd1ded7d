//! Correction history: adjusts the static evaluation by the error that searches of similar positions
//! have found. <https://www.chessprogramming.org/Static_Evaluation_Correction_History>
//!
//! Positions are similar if they agree in one of four aspects that evaluations tend to misjudge as a
//! whole: the castle (king and generals, 囲い), the major pieces, the pawns, and the kings with both
//! hands.
#![forbid(unsafe_code)]

use super::history::{Stat, hash_sets};
use super::params;
use super::pvs::Node;
use super::tt::{Bound, TtEntry};
use super::worker::Worker;
use crate::position::Position;
use crate::types::{Color, PieceType, Value, value};
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

/// Limit of an entry.
const LIMIT: i32 = 1024;
/// Entries of a table.
const SIZE: usize = 8192;
/// Number of aspects, each with a table.
const ASPECTS: usize = 4;

/// Errors of the static evaluation by side to move, aspect and index. All threads share the tables
/// without locks, so an update may be lost now and then.
pub struct CorrectionHistory([[[AtomicI16; SIZE]; ASPECTS]; 2]);

impl CorrectionHistory {
    /// Resets all corrections to zero.
    pub fn clear(&self) {
        for entry in self.0.as_flattened().as_flattened() {
            entry.store(0, Relaxed);
        }
    }

    /// The correction to the static evaluation of a position.
    #[inline(always)]
    fn correction(&self, position: &Position) -> Value {
        let tables = &self.0[position.side_to_move().index()];
        let [castle, majors, pawns, hands] = indices(position);
        let sum = i32::from(tables[0][castle].load(Relaxed))
            + i32::from(tables[1][majors].load(Relaxed))
            + i32::from(tables[2][pawns].load(Relaxed))
            + i32::from(tables[3][hands].load(Relaxed));
        sum * params::correction_scale() / 1024
    }

    fn update(&self, position: &Position, bonus: i32) {
        let tables = &self.0[position.side_to_move().index()];
        for (table, index) in tables.iter().zip(indices(position)) {
            let mut stat = Stat::<LIMIT>::from(table[index].load(Relaxed));
            stat.update(bonus);
            table[index].store(stat.into(), Relaxed);
        }
    }
}

impl Default for CorrectionHistory {
    fn default() -> CorrectionHistory {
        let zero = || std::array::from_fn(|_| std::array::from_fn(|_| AtomicI16::new(0)));
        CorrectionHistory([zero(), zero()])
    }
}

/// Indices of a position in the tables.
#[inline(always)]
fn indices(position: &Position) -> [usize; ASPECTS] {
    let black = position.by_color(Color::Black);
    let kings = position.by_kind(PieceType::King);
    let (golds, silvers) = (position.golds(), position.by_kind(PieceType::Silver));
    let (straight, diagonal) = (position.straight_sliders(), position.diagonal_sliders());
    let promoted = position.by_kind(PieceType::Horse) | position.by_kind(PieceType::Dragon);
    let pawns = position.by_kind(PieceType::Pawn);
    let hands = position.hand_key();
    [
        hash_sets([golds, silvers, kings, (golds | silvers | kings) & black]),
        hash_sets([straight, diagonal, promoted, (straight | diagonal) & black]),
        hash_sets([pawns, pawns & black]),
        (hash_sets([kings, kings & black]) ^ (hands >> 51) as usize) % SIZE,
    ]
}

impl Worker {
    /// Evaluates a node that is not in check. Returns the evaluation of the network, the static
    /// evaluation (adjusted by correction history), and the evaluation (the value of the TT entry
    /// instead, if its bound makes that more accurate).
    #[inline(always)]
    pub(super) fn evaluate(
        &mut self,
        ply: usize,
        tt_entry: Option<&TtEntry>,
    ) -> (Value, Value, Value) {
        let raw_eval = match tt_entry {
            Some(tt) if tt.eval != value::NONE => tt.eval,
            _ => {
                self.sample_evaluated(ply);
                self.evaluator.evaluate(&self.position)
            }
        };
        let correction = self.correction_history.correction(&self.position);
        let static_eval = (raw_eval + correction).clamp(-value::MAX_EVAL, value::MAX_EVAL);
        let eval = match tt_entry {
            Some(tt) if !value::is_decisive(tt.value) && tt.cuts(static_eval + 1) => tt.value,
            _ => static_eval,
        };
        (raw_eval, static_eval, eval)
    }

    /// Updates the correction history with the value of a node not in check whose best move was
    /// quiet, if the bound tells on which side of the static evaluation the true value lies.
    #[inline]
    pub(super) fn update_correction(&mut self, node: &Node, best_value: Value, bound: Bound) {
        let error = best_value - node.static_eval;
        let (needed, rate) = if error > 0 {
            (Bound::LOWER, params::correction_rate_above())
        } else {
            (Bound::UPPER, params::correction_rate_below())
        };
        if bound.contains(needed) && !value::is_decisive(best_value) {
            let bonus = (error * node.depth * rate / 128).clamp(-LIMIT / 4, LIMIT / 4);
            self.correction_history.update(&self.position, bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_moves_towards_the_error_and_stays_bounded() {
        let history = CorrectionHistory::default();
        let position = Position::startpos();
        assert_eq!(history.correction(&position), 0);
        history.update(&position, 100);
        assert!(history.correction(&position) > 0);
        for _ in 0..1000 {
            history.update(&position, LIMIT / 4);
        }
        let most = ASPECTS as i32 * LIMIT * params::correction_scale() / 1024;
        assert!(history.correction(&position) <= most);
        history.clear();
        assert_eq!(history.correction(&position), 0);
    }
}
