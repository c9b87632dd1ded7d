//! From games to samples: which positions are trained on, with which labels, and which are for validation.
#![forbid(unsafe_code)]

use super::TrainError;
use super::dataset::{DatasetBuilder, NO_RESULT, Sample, sigmoid};
use super::model::{ACTIVE, ModelShape};
use crate::cli::console;
use crate::data::calibration::Calibration;
use crate::data::files::GameInput;
use crate::data::{DataError, DataProblem, Game, Visited};
use crate::eval::units::PONANZA;
use crate::position::Position;
use crate::search::ScoreBound;
use std::collections::HashSet;
use std::path::Path;

/// One game in this many is for validation, as a whole: its positions are correlated.
const VALIDATION_SHARE: u32 = 20;
/// Most positions to validate with.
const MAX_VALIDATION: u64 = 400_000;

/// Which positions to train on, and how their scores become labels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleFilter {
    /// Centipawns in the files for an expected score of 73 %, which become 600. `None`: fitted to each
    /// file, as they may come from different networks.
    pub eval_scale: Option<u32>,
    /// Largest score after that, in centipawns.
    pub max_score: u32,
    /// How much of a score is that of the next position, from 0 to 1: see [`td_labels`].
    pub td_lambda: f64,
}

/// What was found in the files.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SampleCounts {
    pub games: u64,
    /// Positions with a score.
    pub read: u64,
    /// How many of these are TreeStrap positions.
    pub treestrap: u64,
    /// Positions that the filter leaves out: not quiet, or decided.
    pub filtered: u64,
    /// Positions that came before, in this game or another.
    pub duplicates: u64,
    /// Positions for validation.
    pub validation: u64,
}

/// Changes the keys of TreeStrap positions, so that one may also be taken as a position of a game.
const TREESTRAP_KEY: u64 = 0x5bd1_e995_97f4_a7c5;

/// Reads games into samples.
pub struct SampleReader<'a> {
    pub filter: SampleFilter,
    pub shape: ModelShape,
    pub seed: u64,
    pub counts: SampleCounts,
    /// Keys of all positions taken.
    pub seen: HashSet<u64>,
    pub dataset: &'a mut DatasetBuilder,
}

impl SampleReader<'_> {
    /// Reads a file of games, in any format.
    ///
    /// # Errors
    /// When it cannot be read or is damaged, or samples cannot be stored.
    pub fn read(&mut self, path: &Path) -> Result<(), TrainError> {
        let eval_scale = match self.filter.eval_scale {
            Some(scale) => scale as i32,
            None => fitted_scale(path)?,
        };
        let mut input = GameInput::open(path)?;
        let centipawns = |score: i16| i32::from(score) * PONANZA as i32 / eval_scale;
        while let Some(game) = input.next().transpose()? {
            let is_validation = self.is_validation(&game);
            let samples = self.samples(&game, is_validation, centipawns);
            let samples = samples.map_err(|problem| input.error(problem))?;
            if is_validation {
                self.counts.validation += samples.len() as u64;
                self.dataset.add_validation(samples);
            } else {
                samples
                    .into_iter()
                    .try_for_each(|it| self.dataset.add(it))?;
            }
        }
        if input.is_torn() {
            let (path, offset) = (path.display(), input.offset());
            console::eprint_line(format_args!(
                "{path}, byte {offset}: the last game is truncated"
            ));
        }
        Ok(())
    }

    /// The samples of a game.
    fn samples(
        &mut self,
        game: &Game,
        is_validation: bool,
        centipawns: impl Fn(i16) -> i32,
    ) -> Result<Vec<Sample>, DataProblem> {
        self.counts.games += u64::from(!game.is_side_line());
        let mut labels = td_labels(game, self.filter.td_lambda as f32, &centipawns).into_iter();
        let mut samples = Vec::new();
        game.replay(|position, visited| match visited {
            Visited::Game(it) => {
                let Some((score, label)) = labels.next().flatten() else {
                    return;
                };
                let mv = it.played.mv;
                let is_quiet =
                    !position.in_check() && !position.is_capture(mv) && !mv.is_promotion();
                let features = self.take(position, score, is_quiet, 0);
                let side = position.side_to_move();
                samples.extend(features.map(|features| Sample {
                    features,
                    score: label,
                    result: it.result.map_or(NO_RESULT, |result| result.for_side(side)),
                    bound: ScoreBound::Exact,
                }));
            }
            // Most of these know no more than a bound, which is nothing to validate with.
            Visited::TreeStrap { .. } if is_validation => {}
            Visited::TreeStrap { score, bound } => {
                self.counts.treestrap += 1;
                let score = centipawns(score);
                let features = self.take(position, score, true, TREESTRAP_KEY);
                samples.extend(features.map(|features| Sample {
                    features,
                    score: score as i16,
                    result: NO_RESULT,
                    bound,
                }));
            }
        })?;
        Ok(samples)
    }

    /// Whether a game is for validation, with its side lines. Its number and its opening decide, so that
    /// no run with other files trains on what another was validated with.
    fn is_validation(&self, game: &Game) -> bool {
        let mut hash = crc32fast::Hasher::new();
        hash.update(&self.seed.to_le_bytes());
        hash.update(&game.number.to_le_bytes());
        for played in game.moves.iter().take(game.opening.into()) {
            hash.update(&played.mv.raw().to_le_bytes());
        }
        hash.finalize().is_multiple_of(VALIDATION_SHARE) && self.counts.validation < MAX_VALIDATION
    }

    /// Counts a position, and returns its features if it is to be trained on: a static evaluation cannot
    /// see what a check, a capture or a promotion will bring.
    fn take(
        &mut self,
        position: &Position,
        score: i32,
        is_quiet: bool,
        key: u64,
    ) -> Option<[[u16; ACTIVE]; 2]> {
        self.counts.read += 1;
        let is_taken = is_quiet && score.unsigned_abs() <= self.filter.max_score;
        let Some(features) = self.shape.active(position).filter(|_| is_taken) else {
            self.counts.filtered += 1;
            return None;
        };
        if !self.seen.insert(position.key() ^ key) {
            self.counts.duplicates += 1;
            return None;
        }
        Some(features)
    }
}

/// [`SampleFilter::eval_scale`] of a file, fitted to its scores and results.
fn fitted_scale(path: &Path) -> Result<i32, DataError> {
    let fitted = Calibration::of_file(path)?.scale();
    let scale = fitted.map_or(PONANZA as i32, |scale| (scale.round() as i32).max(1));
    let why = match fitted {
        Some(_) => "",
        None => " assumed: too few results to fit it to, or they do not depend on the scores",
    };
    let path = path.display();
    console::eprint_line(format_args!(
        "{path}: {scale} cp = 73 % expected score{why}"
    ));
    Ok(scale)
}

/// The score of each position of a game, and the one to learn, both in centipawns: TD(lambda),
/// <https://www.chessprogramming.org/Temporal_Difference_Learning>. Winning probabilities are averaged
/// with those of later positions, with weights that fall by `td_lambda` from ply to ply.
pub fn td_labels(
    game: &Game,
    td_lambda: f32,
    centipawns: impl Fn(i16) -> i32,
) -> Vec<Option<(i32, i16)>> {
    // The averaged winning probability of the side to move in the next position.
    let mut next: Option<f32> = None;
    let mut labels: Vec<_> = game
        .moves
        .iter()
        .rev()
        .map(|played| {
            let Some(score) = played.score.map(&centipawns) else {
                next = None;
                return None;
            };
            let own = sigmoid(score as f32 / PONANZA);
            let averaged = next.map_or(own, |next| own + td_lambda * (1.0 - next - own));
            next = Some(averaged);
            // Beyond 99.99 % all scores are alike.
            let clipped = averaged.clamp(1e-4, 1.0 - 1e-4);
            let label = match td_lambda {
                0.0 => score as i16,
                _ => (PONANZA * (clipped / (1.0 - clipped)).ln()).round() as i16,
            };
            Some((score, label))
        })
        .collect();
    labels.reverse();
    labels
}
