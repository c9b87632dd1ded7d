//! From games to samples: what is worth learning from, and what is held back.
#![forbid(unsafe_code)]

use super::error::TrainError;
use super::model::Shape;
use super::sample::{NO_RESULT, Sample};
use super::trace;
use crate::cli::console;
use crate::data::calibration::Calibration;
use crate::data::error::{DataError, GameError, Problem};
use crate::data::files::Input;
use crate::data::{Game, Played, Seen};
use crate::eval::units::PONANZA;
use crate::position::Position;
use crate::search::ScoreBound;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

/// One game in so many is held back for validation: a whole one, as its positions are alike.
const HELD_BACK: u32 = 20;
/// So many positions are enough to validate with.
const MAX_HELD_BACK: u64 = 400_000;

/// Which positions to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Filter {
    /// The score that promises 73 % of the points, in centipawns as the files have it: what a
    /// network is to call 600. `None`: what does in each file, which may come from another network.
    pub scale: Option<u32>,
    /// Largest score after that, in centipawns.
    pub max_score: u32,
    /// First move of a game.
    pub min_ply: u32,
    /// Whether to take positions that are not quiet: in check, or the best move captures or
    /// promotes. A static evaluation cannot see what such moves bring.
    pub noisy: bool,
    /// How much of a score is that of a ply later, from 0 to 1: see [`trace`].
    pub trace: f64,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = self
            .scale
            .map_or("fitted".into(), |scale| scale.to_string());
        write!(
            f,
            "scale {}\nmax-score {}\nmin-ply {}\nnoisy {}\ntrace {}",
            scale, self.max_score, self.min_ply, self.noisy, self.trace
        )
    }
}

impl Filter {
    fn takes(&self, position: &Position, played: Played, score: i32) -> bool {
        let mv = played.mv;
        let is_quiet = || !position.in_check() && !position.is_capture(mv) && !mv.is_promotion();
        score.unsigned_abs() <= self.max_score
            && position.game_ply() >= self.min_ply
            && (self.noisy || is_quiet())
    }
}

/// What was found in the files.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions with something to learn.
    pub read: u64,
    /// Of these, those that searches came by.
    pub visited: u64,
    /// Those the filter left out.
    pub left_out: u64,
    /// Those that came before, here or in another game.
    pub repeated: u64,
    /// Those held back for validation.
    pub held_back: u64,
}

/// Changes the keys of positions that a search came by: what the game's own search says of them is
/// worth learning too.
const VISITED: u64 = 0x5bd1_e995_97f4_a7c5;

/// Reads games into samples.
pub struct Reader<'a> {
    filter: Filter,
    shape: Shape,
    seed: u64,
    /// [`Filter::scale`] of the file.
    scale: i32,
    counts: Counts,
    /// Keys of all positions taken.
    seen: HashSet<u64>,
    /// Takes a sample, and whether it is for validation.
    sink: &'a mut dyn FnMut(Sample, bool) -> Result<(), TrainError>,
}

impl<'a> Reader<'a> {
    pub fn new(
        filter: Filter,
        shape: Shape,
        seed: u64,
        sink: &'a mut dyn FnMut(Sample, bool) -> Result<(), TrainError>,
    ) -> Reader<'a> {
        Reader {
            filter,
            shape,
            seed,
            scale: PONANZA as i32,
            counts: Counts::default(),
            seen: HashSet::new(),
            sink,
        }
    }

    /// What was found so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Reads a file of games, in any format.
    ///
    /// # Errors
    /// When it cannot be read or is damaged, or the sink fails.
    pub fn read(&mut self, path: &Path) -> Result<(), TrainError> {
        self.scale = match self.filter.scale {
            Some(scale) => scale as i32,
            None => fitted_scale(path)?,
        };
        let mut reader = Input::open(path)?;
        loop {
            let offset = reader.offset();
            let Some(game) = reader.next().transpose()? else {
                break;
            };
            self.read_game(&game)?.map_err(|problem| {
                let game = game.number;
                DataError::new(path, offset, Problem::Game { game, problem })
            })?;
        }
        if reader.is_torn() {
            let offset = reader.offset();
            console::tell(format_args!(
                "{}, byte {offset}: the last game is cut short",
                path.display()
            ));
        }
        Ok(())
    }

    /// Whether a game is held back, with its side lines. Its number and its opening decide: what a
    /// network was validated with it has not learnt from in a run before either, whatever other
    /// files there were.
    fn holds_back(&self, game: &Game) -> bool {
        let mut hash = crc32fast::Hasher::new();
        hash.update(&self.seed.to_le_bytes());
        hash.update(&game.number.to_le_bytes());
        for played in game.moves.iter().take(game.opening.into()) {
            hash.update(&played.mv.raw().to_le_bytes());
        }
        hash.finalize().is_multiple_of(HELD_BACK) && self.counts.held_back < MAX_HELD_BACK
    }

    /// Takes the samples of a game: an error of the sink, or one of the game.
    fn read_game(&mut self, game: &Game) -> Result<Result<(), GameError>, TrainError> {
        let held_back = self.holds_back(game);
        self.counts.games += u64::from(!game.is_side_line());
        let scale = self.scale;
        let centipawns = |score: i16| i32::from(score) * PONANZA as i32 / scale;
        let mut traced = trace::scores(game, self.filter.trace as f32, centipawns);
        let mut sunk = Ok(());
        let replayed = game.replay_with(|position, seen| {
            let turn = match seen {
                Seen::Turn(turn) => turn,
                Seen::Branch { score, bound } => {
                    let sample = self.visited(position, centipawns(score), bound, held_back);
                    if let (Some(sample), Ok(())) = (sample, &sunk) {
                        sunk = (self.sink)(sample, false);
                    }
                    return;
                }
            };
            let Some(scores) = traced.next().flatten() else {
                return;
            };
            self.counts.read += 1;
            if !self.filter.takes(position, turn.played, scores.own) {
                self.counts.left_out += 1;
                return;
            }
            let Some((features, output)) = self.shape.active(position) else {
                self.counts.left_out += 1;
                return;
            };
            if !self.seen.insert(position.key()) {
                self.counts.repeated += 1;
                return;
            }
            self.counts.held_back += u64::from(held_back);
            let sample = Sample {
                features,
                score: scores.traced,
                result: turn
                    .result
                    .map_or(NO_RESULT, |result| result.for_side(position.side_to_move())),
                output: output as u8,
                bound: ScoreBound::Exact,
            };
            if sunk.is_ok() {
                sunk = (self.sink)(sample, held_back);
            }
        });
        sunk?;
        Ok(replayed.map(drop))
    }

    /// What to learn about a position that a search came by. Such positions are quiet. One is held
    /// back with its game, but not validated with: most know no more than a bound.
    fn visited(
        &mut self,
        position: &Position,
        score: i32,
        bound: ScoreBound,
        held_back: bool,
    ) -> Option<Sample> {
        if held_back {
            return None;
        }
        self.counts.read += 1;
        self.counts.visited += 1;
        let taken = score.unsigned_abs() <= self.filter.max_score
            && position.game_ply() >= self.filter.min_ply;
        let active = taken.then(|| self.shape.active(position)).flatten();
        let Some((features, output)) = active else {
            self.counts.left_out += 1;
            return None;
        };
        if !self.seen.insert(position.key() ^ VISITED) {
            self.counts.repeated += 1;
            return None;
        }
        Some(Sample {
            features,
            score: score as i16,
            result: NO_RESULT,
            output: output as u8,
            bound,
        })
    }
}

/// What [`Filter::scale`] is in a file, by its scores and results.
fn fitted_scale(path: &Path) -> Result<i32, DataError> {
    let scale = Calibration::of_file(path)?.scale();
    let path = path.display();
    Ok(match scale {
        Some(scale) => {
            let scale = (scale.round() as i32).max(1);
            console::tell(format_args!(
                "{path}: a score of {scale} makes 73 % of the points"
            ));
            scale
        }
        None => {
            console::tell(format_args!(
                "{path}: too few positions with a result, or results that have nothing to do with \
                 the scores: {PONANZA} is taken for the score that makes 73 % of the points"
            ));
            PONANZA as i32
        }
    })
}
