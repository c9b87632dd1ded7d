//! Files of positions of other programs: records of fixed length without a header. Consecutive
//! positions of a game are joined again.
//!
//! PackedSfenValue, the training data of YaneuraOu, usually `.psv` or `.bin`, 40 bytes:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 32 bytes | PackedSfen, see [`super::packed`] |
//! | 32 | i16 | score for the side to move, 90 for a pawn |
//! | 34 | u16 | move, in the bits of [`Move::raw`] |
//! | 36 | u16 | number of the move in the game |
//! | 38 | i8 | result for the side to move: 1 won, 0 drawn, -1 lost |
//! | 39 | u8 | 0 |
//!
//! hcpe, the training data of Apery, dlshogi and cshogi, 38 bytes, without the number of the move:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 32 bytes | HuffmanCodedPos, see [`super::packed`] |
//! | 32 | i16 | score for the side to move, in centipawns |
//! | 34 | u16 | move: bits 0-6 target, bits 7-13 origin or 80 plus the kind dropped, bit 14 promotion |
//! | 36 | u8 | result: 0 drawn, 1 Black won, 2 White won |
//! | 37 | u8 | 0 |
#![forbid(unsafe_code)]

use super::bytes::ByteReader;
use super::error::{DataError, DataProblem};
use super::game::{Game, GameEnd, GameResult, ScoredMove, Visited};
use super::packed::{HUFFMAN_CODED, PACKED_SFEN, PackedFormat};
use crate::cli::files;
use crate::eval::units::ScoreUnit;
use crate::position::{Position, STARTPOS_SFEN};
use crate::types::{Move, PieceType, Square};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes read or written at a time.
const BUFFER: usize = 1 << 20;
/// Longest game put together, in plies.
const MAX_PLIES: usize = 10_000;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordFormat {
    /// PackedSfenValue.
    Psv,
    /// hcpe.
    Hcpe,
}

/// A position with the move of its search, and the result of its game.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The position.
    pub position: Position,
    /// The move, and its score in centipawns.
    pub played: ScoredMove,
    /// How the game ended.
    pub result: GameResult,
}

impl RecordFormat {
    /// Bytes of a record.
    pub fn length(self) -> usize {
        match self {
            RecordFormat::Psv => 40,
            RecordFormat::Hcpe => 38,
        }
    }

    fn positions(self) -> &'static PackedFormat {
        match self {
            RecordFormat::Psv => &PACKED_SFEN,
            RecordFormat::Hcpe => &HUFFMAN_CODED,
        }
    }

    fn unit(self) -> ScoreUnit {
        match self {
            RecordFormat::Psv => ScoreUnit::YANEURAOU,
            RecordFormat::Hcpe => ScoreUnit::CENTIPAWNS,
        }
    }

    /// Appends the record of a searched position. `None` when a king is missing.
    pub fn encode(
        self,
        bytes: &mut Vec<u8>,
        position: &Position,
        played: ScoredMove,
        result: GameResult,
    ) -> Option<()> {
        bytes.extend(self.positions().pack(position)?);
        let score = self.unit().of_centipawns(played.score.unwrap_or(0).into());
        bytes.extend((score as i16).to_le_bytes());
        match self {
            RecordFormat::Psv => {
                bytes.extend(played.mv.raw().to_le_bytes());
                let ply = u16::try_from(position.game_ply()).unwrap_or(u16::MAX);
                bytes.extend(ply.to_le_bytes());
                bytes.push(result.for_side(position.side_to_move()).cast_unsigned());
            }
            RecordFormat::Hcpe => {
                bytes.extend(encode_apery_move(played.mv).to_le_bytes());
                bytes.push(result.code());
            }
        }
        bytes.push(0);
        Some(())
    }

    /// Reads a record. hcpe has no move number, so it is 1 there.
    ///
    /// # Errors
    /// What is invalid.
    pub fn decode(self, bytes: &[u8]) -> Result<Record, &'static str> {
        let mut bytes = ByteReader {
            rest: bytes,
            truncated: "truncated",
        };
        let packed = *bytes.take(32)?.first_chunk().ok_or("truncated")?;
        let (score, mv) = (bytes.i16()?, bytes.u16()?);
        let ply = match self {
            RecordFormat::Psv => bytes.u16()?.max(1),
            RecordFormat::Hcpe => 1,
        };
        let (result, _) = (bytes.u8()?, bytes.u8()?);
        let position = self.positions().unpack(&packed, ply.into())?;
        let side = position.side_to_move();
        let (mv, result) = match self {
            RecordFormat::Hcpe => (decode_apery_move(mv), GameResult::from_code(result)?),
            RecordFormat::Psv => {
                let result = match result.cast_signed() {
                    0 => GameResult::Draw,
                    1 => GameResult::Win(side),
                    -1 => GameResult::Win(!side),
                    _ => return Err("invalid result"),
                };
                (Move::from_raw(mv), result)
            }
        };
        let mv = mv.ok_or("invalid move")?;
        if !position.is_legal(mv) {
            return Err("illegal move");
        }
        let score = self.unit().to_centipawns(score.into());
        Ok(Record {
            position,
            played: ScoredMove {
                mv,
                score: Some(score as i16),
            },
            result,
        })
    }
}

const APERY_PROMOTION: u16 = 1 << 14;

pub(super) fn encode_apery_move(mv: Move) -> u16 {
    let promotion = if mv.is_promotion() {
        APERY_PROMOTION
    } else {
        0
    };
    promotion | (mv.from_code() as u16) << 7 | mv.to().index() as u16
}

pub(super) fn decode_apery_move(bits: u16) -> Option<Move> {
    let square = |index: u16| {
        let index = usize::from(index);
        (index < Square::COUNT).then(|| Square::from_index(index))
    };
    let to = square(bits & 127)?;
    let from = bits >> 7 & 127;
    let promotes = bits & APERY_PROMOTION != 0;
    if bits > APERY_PROMOTION | (APERY_PROMOTION - 1) {
        return None;
    }
    match square(from) {
        Some(from) if from == to => None,
        Some(from) if promotes => Some(Move::promotion(from, to)),
        Some(from) => Some(Move::board(from, to)),
        None => {
            let kind = PieceType::HAND.get(usize::from(from) - Square::COUNT)?;
            (!promotes).then(|| Move::drop(*kind, to))
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
        let file = files::open(path).map_err(DataError::io(path))?;
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
    fn read(&mut self) -> Result<Option<Record>, DataProblem> {
        let length = self.format.length();
        let mut bytes = Vec::with_capacity(length);
        let input = Read::by_ref(&mut self.input);
        if input.take(length as u64).read_to_end(&mut bytes)? == 0 {
            return Ok(None);
        }
        let record = self.format.decode(&bytes).map_err(DataProblem::Record)?;
        self.offset += length as u64;
        Ok(Some(record))
    }

    /// Adds a record to the game it belongs to. Returns the game before if it begins another one.
    fn add(&mut self, record: Record) -> Option<Game> {
        let Record {
            mut position,
            played,
            result,
        } = record;
        if let Some((game, end)) = &mut self.pending {
            // PSV also has the move number.
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
            end: GameEnd::Unknown,
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
                Ok(Some(record)) => {
                    if let Some(game) = self.add(record) {
                        return Some(Ok(game));
                    }
                }
                Ok(None) => self.ended = true,
                Err(problem) => {
                    self.ended = true;
                    self.pending = None;
                    return Some(Err(DataError::at(&self.path, self.offset, problem)));
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
}

impl RecordWriter {
    /// Begins a file; one that exists is overwritten.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, format: RecordFormat) -> Result<RecordWriter, DataError> {
        let file = File::create(path).map_err(DataError::io(path))?;
        Ok(RecordWriter {
            output: BufWriter::with_capacity(BUFFER, file),
            path: path.to_path_buf(),
            format,
            offset: 0,
        })
    }

    /// Writes the positions of a game that have a score and a result; returns how many.
    ///
    /// # Errors
    /// When the game cannot be replayed, or the file cannot be written.
    pub fn write(&mut self, game: &Game) -> Result<usize, DataError> {
        let mut bytes = Vec::new();
        let mut encoded = Some(());
        let replayed = game.replay(|position, visited| {
            if let Visited::Game(it) = visited
                && let (Some(_), Some(result)) = (it.played.score, it.result)
            {
                let record = self.format.encode(&mut bytes, position, it.played, result);
                encoded = encoded.and(record);
            }
        });
        let no_king =
            || game.problem("a king is missing, which the format cannot represent".into());
        let is_valid = replayed.and_then(|_| encoded.ok_or_else(no_king));
        is_valid.map_err(|problem| self.error(problem))?;
        let written = self.output.write_all(&bytes);
        written.map_err(|error| self.error(error.into()))?;
        self.offset += bytes.len() as u64;
        Ok(bytes.len() / self.format.length())
    }

    /// Makes sure that everything is written.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<(), DataError> {
        let flushed = self.output.flush();
        flushed.map_err(|error| self.error(error.into()))
    }

    fn error(&self, problem: DataProblem) -> DataError {
        DataError::at(&self.path, self.offset, problem)
    }
}
