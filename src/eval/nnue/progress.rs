//! Game progress (進行度): the sigmoid of a weighted sum of the active HalfKP features, from 0 to 1.
#![forbid(unsafe_code)]

use super::features::HALF_KP;
use super::view;
use crate::position::Position;
use crate::types::Color;

/// Number of weights, one for each HalfKP feature.
pub const WEIGHTS: usize = HALF_KP.dimensions();
/// Fractional bits of bias and weights in network files.
const NETWORK_BITS: u32 = 16;
/// Fractional bits of weights from a `progress.bin`.
const FILE_BITS: u32 = 24;
/// Steps to which YaneuraOu rounds the progress of network files.
const NETWORK_STEPS: usize = 256;

/// Divides the game into stages of equal progress.
pub struct GameProgress {
    bias: i64,
    weights: Box<[i32]>,
    /// The weighted sum at which each stage but the first begins.
    thresholds: Box<[i64]>,
}

/// The weighted sum, with `bits` fractional bits, at which the progress reaches `progress`.
fn threshold(progress: f64, bits: u32) -> i64 {
    ((progress / (1.0 - progress)).ln() * f64::from(1 << bits)).round() as i64
}

impl GameProgress {
    /// The progress in a network file of YaneuraOu, with [`NETWORK_BITS`] fractional bits.
    pub fn from_network(bias: i32, weights: Box<[i32]>, stages: usize) -> GameProgress {
        let thresholds = (1..stages).map(|stage| {
            let step = (stage * NETWORK_STEPS).div_ceil(stages);
            threshold(step as f64 / NETWORK_STEPS as f64, NETWORK_BITS)
        });
        GameProgress {
            bias: bias.into(),
            weights,
            thresholds: thresholds.collect(),
        }
    }

    /// The progress in a `progress.bin`, in which missing pieces do not count. `None` if a weight is not a
    /// number or out of range.
    pub fn from_file(weights: impl Iterator<Item = f64>, stages: usize) -> Option<GameProgress> {
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

    /// The stage of a position, from 0 to the number of stages minus 1.
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

    /// The stage as YaneuraOu computes it.
    fn described(sum: i64, stages: usize) -> usize {
        let reached = (1..256)
            .filter(|&i| threshold(f64::from(i) / 256.0, NETWORK_BITS) <= sum)
            .count();
        (reached * stages / 256).min(stages - 1)
    }

    #[test]
    fn stages_are_those_described() {
        for stages in [2, 3, 4, 8, 16, 32] {
            let progress = GameProgress::from_network(0, Box::default(), stages);
            assert_eq!(progress.thresholds.len(), stages - 1);
            for sum in (-400_000..400_000).step_by(997).chain([-1, 0, 1]) {
                let ours = progress.thresholds.iter().filter(|&&t| t <= sum).count();
                assert_eq!(ours, described(sum, stages), "{sum} of {stages}");
            }
        }
    }

    #[test]
    fn weights_from_files_have_to_be_numbers() {
        let of = |weight| GameProgress::from_file(std::iter::repeat_n(weight, WEIGHTS), 9);
        assert!(of(f64::NAN).is_none());
        assert!(of(f64::INFINITY).is_none());
        assert!(of(1e9).is_none());
        let startpos = Position::startpos();
        assert_eq!(of(-1.0).unwrap().stage(&startpos), 0);
        assert_eq!(of(0.0).unwrap().stage(&startpos), 4);
        assert_eq!(of(1.0).unwrap().stage(&startpos), 8);
    }
}
