//! What scores mean: the scale *s* for which the expected score at *v* centipawns is 1 / (1 + exp(-v / s)),
//! by maximum likelihood.
#![forbid(unsafe_code)]

use super::error::DataError;
use super::files::GameInput;
use crate::eval::units::PONANZA;
use std::path::Path;

/// Width of the ranges that scores are counted in.
const STEP: i32 = 20;
/// Scores beyond this are left out: mates say nothing about the scale.
const LIMIT: i32 = 3000;
const RANGES: usize = (2 * LIMIT / STEP) as usize;
/// Steps of Newton's method; a few are enough.
const STEPS: usize = 50;
/// Fewer positions are not fitted.
const MIN_POSITIONS: u64 = 1000;

/// Positions and their points by score.
pub struct Calibration(Vec<(u64, f64)>);

impl Calibration {
    /// No positions yet.
    pub fn new() -> Calibration {
        Calibration(vec![(0, 0.0); RANGES])
    }

    /// Counts the positions of a file whose result is known.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub fn of_file(path: &Path) -> Result<Calibration, DataError> {
        let mut calibration = Calibration::new();
        let mut input = GameInput::open(path)?;
        while let Some(game) = input.next().transpose()? {
            let start = game.start_position().map_err(|it| input.error(it))?;
            let mut side = start.side_to_move();
            for it in game.positions() {
                if let (Some(score), Some(result)) = (it.played.score, it.result) {
                    calibration.add(score.into(), result.points_for(side));
                }
                side = !side;
            }
        }
        Ok(calibration)
    }

    /// Counts a position: its score and its points, 0 to 1, both for the side to move.
    pub fn add(&mut self, score: i32, points: f64) {
        if (-LIMIT..LIMIT).contains(&score) {
            let (count, sum) = &mut self.0[((score + LIMIT) / STEP) as usize];
            *count += 1;
            *sum += points;
        }
    }

    /// The scale; `None` if there are too few positions, or results do not depend on scores.
    pub fn scale(&self) -> Option<f64> {
        if self.0.iter().map(|&(count, _)| count).sum::<u64>() < MIN_POSITIONS {
            return None;
        }
        let mut slope = 1.0 / f64::from(PONANZA);
        for _ in 0..STEPS {
            let (mut first, mut second) = (0.0, 0.0);
            for (range, &(count, points)) in self.0.iter().enumerate() {
                let score = f64::from(range as i32 * STEP - LIMIT + STEP / 2);
                let expected = 1.0 / (1.0 + (-slope * score).exp());
                first += score * (points - count as f64 * expected);
                second += score * score * count as f64 * expected * (1.0 - expected);
            }
            // The likelihood has one maximum; far from it a step may overshoot.
            slope = (slope + first / second.max(1.0)).clamp(slope / 2.0, slope * 2.0);
        }
        (slope > 1e-5 && slope < 1.0).then_some(1.0 / slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_found_again() {
        for scale in [150.0, 600.0, 1500.0] {
            let mut calibration = Calibration::new();
            for score in -4000..4000 {
                calibration.add(score, 1.0 / (1.0 + (-f64::from(score) / scale).exp()));
            }
            let found = calibration.scale().unwrap();
            assert!((found / scale - 1.0).abs() < 0.01, "{found} for {scale}");
        }
    }

    #[test]
    fn nothing_is_said_without_reason() {
        let mut calibration = Calibration::new();
        assert_eq!(calibration.scale(), None);
        for score in -2000..2000 {
            calibration.add(score, 0.5);
        }
        assert_eq!(calibration.scale(), None);
    }
}
