//! The unit of score, and all conversions into others.
//!
//! A [`Value`] is in one unit wherever it comes from: every margin of the search is a number of these
//! units. Nothing in a network file tells how large its outputs are, that depends on its training and
//! its `FV_SCALE`. So the outputs of each network are multiplied by a factor that makes their median
//! magnitude over a sample of balanced positions [`MEDIAN_VALUE`], and all networks are searched alike.
//!
//! Everyone else counts in centipawns, of which a network's [`ScoreUnit`] says how many values they are:
//!
//! | door | outside | converted in |
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

/// Median magnitude of the values of balanced positions that the margins of the search were tuned with.
const MEDIAN_VALUE: i64 = 72;

/// A unit of score, given by how much of it a pawn (100 centipawns) is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreUnit {
    pawn: f64,
}

impl ScoreUnit {
    /// Centipawns.
    pub const CENTIPAWNS: ScoreUnit = ScoreUnit { pawn: 100.0 };
    /// The values of YaneuraOu.
    pub const YANEURAOU: ScoreUnit = ScoreUnit { pawn: 90.0 };

    /// The unit of which a pawn is worth so much, a positive number.
    pub const fn new(pawn: u16) -> ScoreUnit {
        debug_assert!(pawn > 0);
        ScoreUnit { pawn: pawn as f64 }
    }

    /// What a pawn is worth.
    pub const fn pawn(self) -> f64 {
        self.pawn
    }

    /// A score in this unit, from centipawns. Mates and repetitions are the same in every unit.
    pub fn of_centipawns(self, centipawns: Value) -> Value {
        convert(centipawns, ScoreUnit::CENTIPAWNS, self)
    }

    /// Centipawns, from a score in this unit. Mates and repetitions are the same in every unit.
    pub fn to_centipawns(self, score: Value) -> Value {
        convert(score, self, ScoreUnit::CENTIPAWNS)
    }
}

/// A score in another unit, rounded to the nearest.
fn convert(score: Value, from: ScoreUnit, to: ScoreUnit) -> Value {
    if from == to || is_decisive(score) {
        return score;
    }
    let converted = (f64::from(score) * to.pawn / from.pawn).round() as Value;
    converted.clamp(-MAX_EVAL, MAX_EVAL)
}

/// `FV_SCALE`: what an output is divided by for the values that users of the file format know. A
/// fraction, shown as a decimal number.
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

/// What the outputs of a network mean.
#[derive(Clone, Copy)]
pub(super) struct OutputScale {
    pub fv_scale: FvScale,
    /// The unit of outputs divided by `fv_scale`.
    format_unit: ScoreUnit,
    /// What an output is multiplied by for the search, in units of 2^-[`FACTOR_BITS`].
    factor: i64,
}

/// Fraction bits of the factor for the search.
const FACTOR_BITS: u32 = 24;

impl OutputScale {
    /// For a network with this median magnitude of outputs over the sample.
    pub fn new(fv_scale: FvScale, format_unit: ScoreUnit, median_output: i32) -> OutputScale {
        let factor = match median_output {
            // It tells the positions of the sample apart by nothing: its centipawns have to do.
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

    /// An output divided by `FV_SCALE`, as the programs print it that the file is for. YaneuraOu stops
    /// at 31753, two further from zero: the two values beyond [`MAX_EVAL`] mean superior and inferior
    /// repetitions here.
    pub fn format_value(&self, output: i32) -> Value {
        let product = i64::from(output) * i64::from(self.fv_scale.denominator);
        let value = product / i64::from(self.fv_scale.numerator);
        value.clamp((-MAX_EVAL).into(), MAX_EVAL.into()) as Value
    }

    /// Centipawns of [`OutputScale::format_value`].
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
        // What comes from a coarser unit comes back the same.
        for score in -3000..3000 {
            let there = yaneuraou.to_centipawns(score);
            assert_eq!(yaneuraou.of_centipawns(there), score);
        }
    }
}
