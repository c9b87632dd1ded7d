//! Files of any format, chosen by their extension.
#![forbid(unsafe_code)]

use super::error::{DataError, DataProblem};
use super::game::Game;
use super::game_file::{GameReader, GameWriter};
use super::header::GameFileHeader;
use super::records::{RecordFormat, RecordReader, RecordWriter};
use crate::cli::files::AtomicFile;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileFormat {
    Games,
    Records(RecordFormat),
}

impl FileFormat {
    fn of(path: &Path) -> Option<FileFormat> {
        let extension = path.extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "koma" => Some(FileFormat::Games),
            "psv" | "bin" => Some(FileFormat::Records(RecordFormat::Psv)),
            "hcpe" => Some(FileFormat::Records(RecordFormat::Hcpe)),
            _ => None,
        }
    }
}

/// Whether a file of that name would be read as one of games.
pub fn is_game_file(path: &Path) -> bool {
    !matches!(FileFormat::of(path), Some(FileFormat::Records(_)))
}

/// Reads games from a file, as an iterator. Ends after the first error.
pub struct GameInput {
    path: PathBuf,
    /// Where the record of the last game begins.
    last: u64,
    reader: Reader,
}

enum Reader {
    Games(GameReader),
    Records(Box<RecordReader>),
}

impl GameInput {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read or its format is unknown.
    pub fn open(path: &Path) -> Result<GameInput, DataError> {
        let reader = match FileFormat::of(path) {
            Some(FileFormat::Records(format)) => {
                Reader::Records(Box::new(RecordReader::open(path, format)?))
            }
            // Only files of games say themselves what they are.
            _ => Reader::Games(GameReader::open(path)?),
        };
        Ok(GameInput {
            path: path.to_path_buf(),
            last: 0,
            reader,
        })
    }

    /// The header, in a format that has one.
    pub fn header(&self) -> Option<&GameFileHeader> {
        match &self.reader {
            Reader::Games(reader) => Some(reader.header()),
            Reader::Records(_) => None,
        }
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        match &self.reader {
            Reader::Games(reader) => reader.offset(),
            Reader::Records(reader) => reader.offset(),
        }
    }

    /// Whether the last game is truncated. Known once the games are read.
    pub fn is_torn(&self) -> bool {
        matches!(&self.reader, Reader::Games(reader) if reader.is_torn())
    }

    /// A problem with the game read last.
    pub fn error(&self, problem: DataProblem) -> DataError {
        DataError::at(&self.path, self.last, problem)
    }
}

impl Iterator for GameInput {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.last = self.offset();
        match &mut self.reader {
            Reader::Games(reader) => reader.next(),
            Reader::Records(reader) => reader.next(),
        }
    }
}

enum Writer {
    Games(GameWriter),
    Records(RecordWriter),
}

/// Writes games to a new file, which takes its name only when it is complete.
pub struct GameOutput {
    path: PathBuf,
    force: bool,
    /// The file until it is complete; `None` for devices and pipes.
    partial: Option<AtomicFile>,
    writer: Writer,
}

impl GameOutput {
    /// Begins a file. `header` is used if the format has one.
    ///
    /// # Errors
    /// When it cannot be written, its format is unknown, or it exists and `force` is not given.
    pub fn create(
        path: &Path,
        header: &GameFileHeader,
        force: bool,
    ) -> Result<GameOutput, DataError> {
        let fail = |problem| DataError::of_file(path, problem);
        let unknown = "unknown file extension, expected .koma, .psv, .bin or .hcpe";
        let format = FileFormat::of(path).ok_or_else(|| fail(DataProblem::File(unknown)))?;
        let existing = fs::metadata(path).ok();
        if existing.is_none() && path.is_symlink() {
            return Err(fail(DataProblem::File("broken symbolic link")));
        }
        if existing.is_some() && !force {
            return Err(fail(DataProblem::Exists));
        }
        // Devices and pipes are written to, not replaced.
        let is_replaced = existing.is_none_or(|metadata| metadata.is_file());
        // The file that a link leads to is replaced, not the link.
        let path = match path.is_symlink() && is_replaced {
            true => &fs::canonicalize(path).map_err(DataError::io(path))?,
            false => path,
        };
        let partial = match is_replaced {
            true => Some(AtomicFile::create(path).map_err(DataError::io(path))?),
            false => None,
        };
        let target = partial.as_ref().map_or(path, AtomicFile::partial);
        let writer = match format {
            FileFormat::Games => Writer::Games(GameWriter::create(target, header, true)?),
            FileFormat::Records(format) => Writer::Records(RecordWriter::create(target, format)?),
        };
        Ok(GameOutput {
            path: path.to_path_buf(),
            force,
            partial,
            writer,
        })
    }

    /// Whether the format has TreeStrap positions.
    pub fn has_treestrap(&self) -> bool {
        matches!(self.writer, Writer::Games(_))
    }

    /// Writes a game; returns how many of its positions with a score the file has.
    ///
    /// # Errors
    /// When the file cannot be written, or, for records, the game cannot be replayed.
    pub fn write(&mut self, game: &Game) -> Result<usize, DataError> {
        match &mut self.writer {
            Writer::Games(writer) => writer.write(game).map(|()| game.searched()),
            Writer::Records(writer) => writer.write(game),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be completed or renamed; what had the name before is kept.
    pub fn finish(self) -> Result<(), DataError> {
        match self.writer {
            Writer::Games(mut writer) => writer.finish()?,
            Writer::Records(writer) => writer.finish()?,
        }
        let Some(partial) = self.partial else {
            return Ok(());
        };
        partial
            .commit(self.force)
            .map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => DataError::of_file(&self.path, DataProblem::Exists),
                _ => DataError::of_file(&self.path, error),
            })
    }
}
