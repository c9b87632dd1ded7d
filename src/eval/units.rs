//! The unit of score, and all conversions into others.
//!
//! The margins of the search are in the unit of [`Value`], whatever the network. How large the
//! outputs of a network are depends on its training, and its file does not say. So the outputs are
//! multiplied by a factor that makes their median magnitude over a sample of balanced positions
//! [`MEDIAN_VALUE`].
//!
//! Outside the search, scores are in centipawns; a network's [`ScoreUnit`] converts:
//!
//! | where | unit | converted in |
//! |---|---|---|
//! | USI scores | centipawns | `usi::report` |
//! | USI options | centipawns | `search::SearchOptions::in_unit` |
//! | games | centipawns; in files as their header or format says | `selfplay::play`, `data` |
//! | training | centipawns, [`PONANZA`] of them for a winning probability of 73 % | `train` |
#![forbid(unsafe_code)]

use crate::types::Value;
use crate::types::value::{MAX_EVAL, is_decisive};
use std::fmt;

/// Centipawns at which the expected score is sigmoid(1), 73 %: the Ponanza constant (ポナンザ定数).
pub const PONANZA: f32 = 600.0;

/// Median magnitude of the values of balanced positions, for which the margins of the search are
/// tuned.
const MEDIAN_VALUE: i64 = 72;

/// A unit of score, given by its value of a pawn (100 centipawns).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreUnit {
    pawn: f64,
}

impl ScoreUnit {
    /// Centipawns.
    pub const CENTIPAWNS: ScoreUnit = ScoreUnit { pawn: 100.0 };
    /// The values of YaneuraOu.
    pub const YANEURAOU: ScoreUnit = ScoreUnit { pawn: 90.0 };

    /// The unit in which a pawn is worth `pawn`, a positive number.
    pub const fn new(pawn: u16) -> ScoreUnit {
        debug_assert!(pawn > 0);
        ScoreUnit { pawn: pawn as f64 }
    }

    /// The value of a pawn.
    pub const fn pawn(self) -> f64 {
        self.pawn
    }

    /// Converts centipawns to this unit. Decisive scores are the same in every unit.
    pub fn of_centipawns(self, centipawns: Value) -> Value {
        convert(centipawns, ScoreUnit::CENTIPAWNS, self)
    }

    /// Converts a score in this unit to centipawns. Decisive scores are the same in every unit.
    pub fn to_centipawns(self, score: Value) -> Value {
        convert(score, self, ScoreUnit::CENTIPAWNS)
    }
}

/// Converts a score to another unit, rounded to nearest.
fn convert(score: Value, from: ScoreUnit, to: ScoreUnit) -> Value {
    if from == to || is_decisive(score) {
        return score;
    }
    let converted = (f64::from(score) * to.pawn / from.pawn).round() as Value;
    converted.clamp(-MAX_EVAL, MAX_EVAL)
}

/// `FV_SCALE`: what outputs are divided by to get scores in the unit of the file format. A fraction, shown as a
/// decimal number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FvScale {
    numerator: i32,
    denominator: i32,
}

impl FvScale {
    /// A fraction of two positive numbers.
    pub(super) fn new(numerator: i32, denominator: i32) -> FvScale {
        FvScale {
            numerator: numerator.max(1),
            denominator: denominator.max(1),
        }
    }

    fn value(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }
}

impl From<i32> for FvScale {
    fn from(whole: i32) -> FvScale {
        FvScale::new(whole, 1)
    }
}

impl fmt::Display for FvScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.value() * 100.0).round() / 100.0)
    }
}

/// The scale of a network's outputs.
#[derive(Clone, Copy)]
pub(super) struct OutputScale {
    pub fv_scale: FvScale,
    /// The unit of outputs divided by `fv_scale`.
    format_unit: ScoreUnit,
    /// Factor from outputs to [`Value`], with [`FACTOR_BITS`] fractional bits.
    factor: i64,
}

/// Fractional bits of [`OutputScale::factor`].
const FACTOR_BITS: u32 = 24;

impl OutputScale {
    /// The scale for a median magnitude of the outputs over the sample.
    pub fn new(fv_scale: FvScale, format_unit: ScoreUnit, median_output: i32) -> OutputScale {
        let factor = match median_output {
            // A degenerate network that scores the sample as even: take its centipawns for values.
            0 => {
                let centipawns = 100.0 / format_unit.pawn / fv_scale.value();
                (f64::from(1 << FACTOR_BITS) * centipawns) as i64
            }
            _ => (MEDIAN_VALUE << FACTOR_BITS) / i64::from(median_output),
        };
        OutputScale {
            fv_scale,
            format_unit,
            factor,
        }
    }

    /// The value of an output.
    #[inline(always)]
    pub fn value(&self, output: i32) -> Value {
        let half = 1 << (FACTOR_BITS - 1);
        let value = (i64::from(output) * self.factor + half) >> FACTOR_BITS;
        value.clamp((-MAX_EVAL).into(), MAX_EVAL.into()) as Value
    }

    /// The unit of these values.
    pub fn unit(&self) -> ScoreUnit {
        let factor = self.factor as f64 / f64::from(1 << FACTOR_BITS) * self.fv_scale.value();
        ScoreUnit {
            pawn: (self.format_unit.pawn * factor).clamp(1.0, 10_000.0),
        }
    }

    /// An output divided by `FV_SCALE`, as engines of the file format print it, within
    /// `-MAX_EVAL..=MAX_EVAL`. (YaneuraOu's limit is two larger, 31753.)
    pub fn format_value(&self, output: i32) -> Value {
        let product = i64::from(output) * i64::from(self.fv_scale.denominator);
        let value = product / i64::from(self.fv_scale.numerator);
        value.clamp((-MAX_EVAL).into(), MAX_EVAL.into()) as Value
    }

    /// [`OutputScale::format_value`] in centipawns.
    pub fn format_centipawns(&self, output: i32) -> Value {
        (f64::from(self.format_value(output)) * 100.0 / self.format_unit.pawn) as Value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_rounded_and_mates_kept() {
        let yaneuraou = ScoreUnit::YANEURAOU;
        assert_eq!(yaneuraou.of_centipawns(250), 225);
        assert_eq!(yaneuraou.to_centipawns(-225), -250);
        assert_eq!(yaneuraou.to_centipawns(89), 99);
        assert_eq!(yaneuraou.of_centipawns(31_990), 31_990);
        assert_eq!(yaneuraou.to_centipawns(-31_753), -31_753);
        assert_eq!(yaneuraou.to_centipawns(31_000), MAX_EVAL);
        assert_eq!(ScoreUnit::new(180).of_centipawns(400), 720);
        // Centipawns are finer than YaneuraOu's unit, so scores survive the round trip.
        for score in -3000..3000 {
            let there = yaneuraou.to_centipawns(score);
            assert_eq!(yaneuraou.of_centipawns(there), score);
        }
    }
}
