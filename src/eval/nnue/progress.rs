//! Progress of the game (進行度): a sum of weights over the features of HalfKP, one number each, through
//! a sigmoid.
#![forbid(unsafe_code)]

use super::features::HALF_KP;
use super::view;
use crate::position::Position;
use crate::types::Color;

/// Numbers of a table.
pub const WEIGHTS: usize = HALF_KP.dimensions();
/// Fractional bits of the numbers in networks.
const NETWORK_BITS: u32 = 16;
/// Fractional bits of the numbers from files of their own.
const FILE_BITS: u32 = 24;
/// Steps of the progress in networks.
const STEPS: usize = 256;

/// Weights of the progress, and where one stage ends and the next begins.
pub struct GameProgress {
    bias: i64,
    weights: Box<[i32]>,
    /// Least sum of each stage but the first.
    thresholds: Box<[i64]>,
}

/// The sum at which the progress reaches a share of the whole, with `bits` fractional bits.
fn threshold(share: f64, bits: u32) -> i64 {
    ((share / (1.0 - share)).ln() * f64::from(1 << bits)).round() as i64
}

impl GameProgress {
    /// The progress stored in a network of YaneuraOu: weights of 16 fractional bits, stages in 256
    /// steps.
    pub fn of_network(bias: i32, weights: Box<[i32]>, stages: usize) -> GameProgress {
        let thresholds = (1..stages).map(|stage| {
            let step = (stage * STEPS).div_ceil(stages);
            threshold(step as f64 / STEPS as f64, NETWORK_BITS)
        });
        GameProgress {
            bias: bias.into(),
            weights,
            thresholds: thresholds.collect(),
        }
    }

    /// The progress stored in a file of its own, `None` if a weight is no number or far too large.
    /// Pieces that are missing do not count.
    pub fn of_file(weights: impl Iterator<Item = f64>, stages: usize) -> Option<GameProgress> {
        let mut weights = weights
            .map(|weight| {
                let scaled = (weight * f64::from(1 << FILE_BITS)).round();
                (scaled.abs() < f64::from(i32::MAX)).then_some(scaled as i32)
            })
            .collect::<Option<Box<[i32]>>>()?;
        for feature in HALF_KP.missing() {
            weights[feature] = 0;
        }
        let thresholds =
            (1..stages).map(|stage| threshold(stage as f64 / stages as f64, FILE_BITS));
        Some(GameProgress {
            bias: 0,
            weights,
            thresholds: thresholds.collect(),
        })
    }

    /// The stage of a position, from 0.
    pub fn stage(&self, position: &Position) -> usize {
        let active = Color::ALL.map(|color| view::active(&HALF_KP, color, position, None));
        let features = active.iter().flat_map(|list| list.as_slice());
        let weights = features.map(|&feature| i64::from(self.weights[feature as usize]));
        let sum = self.bias + weights.sum::<i64>();
        self.thresholds
            .iter()
            .filter(|&&least| least <= sum)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stage as the format describes it.
    fn described(sum: i64, stages: usize) -> usize {
        let reached = (1..256)
            .filter(|&i| threshold(f64::from(i) / 256.0, NETWORK_BITS) <= sum)
            .count();
        (reached * stages / 256).min(stages - 1)
    }

    #[test]
    fn stages_are_those_described() {
        for stages in [2, 3, 4, 8, 16, 32] {
            let progress = GameProgress::of_network(0, Box::default(), stages);
            assert_eq!(progress.thresholds.len(), stages - 1);
            for sum in (-400_000..400_000).step_by(997).chain([-1, 0, 1]) {
                let ours = progress.thresholds.iter().filter(|&&t| t <= sum).count();
                assert_eq!(ours, described(sum, stages), "{sum} of {stages}");
            }
        }
    }

    #[test]
    fn weights_from_files_have_to_be_numbers() {
        let of = |weight| GameProgress::of_file(std::iter::repeat_n(weight, WEIGHTS), 9);
        assert!(of(f64::NAN).is_none());
        assert!(of(f64::INFINITY).is_none());
        assert!(of(1e9).is_none());
        let startpos = Position::startpos();
        assert_eq!(of(-1.0).unwrap().stage(&startpos), 0);
        assert_eq!(of(0.0).unwrap().stage(&startpos), 4);
        assert_eq!(of(1.0).unwrap().stage(&startpos), 8);
    }
}
