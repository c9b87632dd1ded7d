//! Files of single positions, one record each, without a header. Positions that follow each other
//! in a game are put together again.
#![forbid(unsafe_code)]

use super::error::{DataError, GameError, Problem};
use super::game::{End, Game, GameResult, Played};
use super::{hcpe, psv};
use crate::cli::files;
use crate::eval::units::ScoreUnit;
use crate::position::{Position, STARTPOS_SFEN};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes read or written at a time.
const BUFFER: usize = 1 << 20;
/// Longest game put together, in plies.
const MAX_PLIES: usize = 10_000;

/// A position as a record has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// The move of the search, and its score.
    pub played: Played,
    /// How the game ended.
    pub result: GameResult,
}

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordFormat {
    /// See [`super::psv`].
    Psv,
    /// See [`super::hcpe`].
    Hcpe,
}

impl RecordFormat {
    /// The unit of the scores.
    fn unit(self) -> ScoreUnit {
        match self {
            RecordFormat::Psv => ScoreUnit::YANEURAOU,
            RecordFormat::Hcpe => ScoreUnit::CENTIPAWNS,
        }
    }

    fn length(self) -> usize {
        match self {
            RecordFormat::Psv => psv::LENGTH,
            RecordFormat::Hcpe => hcpe::LENGTH,
        }
    }

    fn decode(self, record: &[u8]) -> Result<Sample, &'static str> {
        const CUT: &str = "the file ends within it";
        match self {
            RecordFormat::Psv => psv::decode(record.try_into().map_err(|_| CUT)?),
            RecordFormat::Hcpe => hcpe::decode(record.try_into().map_err(|_| CUT)?),
        }
    }
}

/// Reads games from a file of records, as an iterator. Ends after the first error.
pub struct RecordReader {
    input: BufReader<File>,
    path: PathBuf,
    format: RecordFormat,
    /// Where the next record begins.
    offset: u64,
    /// The game being put together, and the position after its last move.
    pending: Option<(Game, Position)>,
    games: u32,
    ended: bool,
}

impl RecordReader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path, format: RecordFormat) -> Result<RecordReader, DataError> {
        let file = files::open(path).map_err(|error| DataError::of_file(path, error))?;
        Ok(RecordReader {
            input: BufReader::with_capacity(BUFFER, file),
            path: path.to_path_buf(),
            format,
            offset: 0,
            pending: None,
            games: 0,
            ended: false,
        })
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record, if there is one.
    fn read(&mut self) -> Result<Option<Sample>, Problem> {
        let mut record = Vec::with_capacity(psv::LENGTH);
        let length = self.format.length() as u64;
        let found = Read::by_ref(&mut self.input)
            .take(length)
            .read_to_end(&mut record)?;
        if found == 0 {
            return Ok(None);
        }
        let mut sample = self.format.decode(&record).map_err(Problem::Record)?;
        sample.played.score = sample
            .played
            .score
            .map(|it| self.format.unit().to_centipawns(it.into()) as i16);
        if !sample.position.is_legal(sample.played.mv) {
            return Err(Problem::Record("its move is not legal"));
        }
        self.offset += length;
        Ok(Some(sample))
    }

    /// Adds a record to the game it belongs to. Returns the game before if it begins another one.
    fn add(&mut self, sample: Sample) -> Option<Game> {
        let Sample {
            mut position,
            played,
            result,
        } = sample;
        if let Some((game, end)) = &mut self.pending {
            // Without a number there is only one way to follow; with one, it has to fit.
            let follows = end.key() == position.key()
                && game.result == result
                && game.moves.len() < MAX_PLIES
                && (self.format == RecordFormat::Hcpe || end.game_ply() == position.game_ply());
            if follows {
                game.moves.push(played);
                end.do_move(played.mv);
                return None;
            }
        }
        let sfen = position.to_sfen();
        let game = Game {
            number: self.games,
            start: (sfen != STARTPOS_SFEN).then_some(sfen),
            opening: 0,
            moves: vec![played],
            branches: Vec::new(),
            result,
            end: End::Unknown,
        };
        self.games = self.games.wrapping_add(1);
        position.do_move(played.mv);
        self.pending.replace((game, position)).map(|(game, _)| game)
    }
}

impl Iterator for RecordReader {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.read() {
                Ok(Some(sample)) => {
                    if let Some(game) = self.add(sample) {
                        return Some(Ok(game));
                    }
                }
                Ok(None) => self.ended = true,
                Err(problem) => {
                    self.ended = true;
                    self.pending = None;
                    return Some(Err(DataError::new(&self.path, self.offset, problem)));
                }
            }
        }
        self.pending.take().map(|(game, _)| Ok(game))
    }
}

/// Writes the searched positions of games to a file of records.
pub struct RecordWriter {
    output: BufWriter<File>,
    path: PathBuf,
    format: RecordFormat,
    offset: u64,
    bytes: Vec<u8>,
}

impl RecordWriter {
    /// Begins a file; one that exists is overwritten.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, format: RecordFormat) -> Result<RecordWriter, DataError> {
        let file = File::create(path).map_err(|error| DataError::of_file(path, error))?;
        Ok(RecordWriter {
            output: BufWriter::with_capacity(BUFFER, file),
            path: path.to_path_buf(),
            format,
            offset: 0,
            bytes: Vec::new(),
        })
    }

    /// Writes the positions of a game that have a score and a result; returns how many.
    ///
    /// # Errors
    /// When the game cannot be played through, or the file cannot take it.
    pub fn write(&mut self, game: &Game) -> Result<usize, DataError> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        let (mut whole, mut written) = (true, 0);
        let replayed = game.replay(|position, turn| {
            let (Some(score), Some(result)) = (turn.played.score, turn.result) else {
                return;
            };
            written += 1;
            let played = Played {
                score: Some(self.format.unit().of_centipawns(score.into()) as i16),
                ..turn.played
            };
            let encoded = match self.format {
                RecordFormat::Psv => psv::encode(&mut bytes, position, played, result),
                RecordFormat::Hcpe => hcpe::encode(&mut bytes, position, played, result),
            };
            whole &= encoded.is_some();
        });
        let problem = match replayed {
            Err(problem) => Some(problem),
            Ok(_) if !whole => Some(GameError::NoKing),
            Ok(_) => None,
        };
        if let Some(problem) = problem {
            let game = game.number;
            return Err(self.error(Problem::Game { game, problem }));
        }
        let done = self.output.write_all(&bytes);
        done.map_err(|error| self.error(error.into()))?;
        self.offset += bytes.len() as u64;
        self.bytes = bytes;
        Ok(written)
    }

    /// Makes sure that everything is written.
    ///
    /// # Errors
    /// When the file cannot take it.
    pub fn finish(mut self) -> Result<(), DataError> {
        let flushed = self.output.flush();
        flushed.map_err(|error| self.error(error.into()))
    }

    fn error(&self, problem: Problem) -> DataError {
        DataError::new(&self.path, self.offset, problem)
    }
}

#[cfg(test)]
mod tests;
