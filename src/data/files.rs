//! Files of any of the formats, chosen by the end of their names.
#![forbid(unsafe_code)]

use super::error::{DataError, Problem};
use super::game::Game;
use super::game_file::{GameReader, GameWriter};
use super::header::Header;
use super::records::{RecordFormat, RecordReader, RecordWriter};
use crate::cli::files::AtomicFile;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Games,
    Records(RecordFormat),
}

impl Kind {
    fn of(path: &Path) -> Option<Kind> {
        let extension = path.extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "koma" => Some(Kind::Games),
            "psv" | "bin" => Some(Kind::Records(RecordFormat::Psv)),
            "hcpe" => Some(Kind::Records(RecordFormat::Hcpe)),
            _ => None,
        }
    }
}

/// Whether a file of that name would be read as one of games, in our own format.
pub fn is_game_file(path: &Path) -> bool {
    matches!(Kind::of(path), None | Some(Kind::Games))
}

/// Reads games from a file, as an iterator. Ends after the first error.
pub enum Input {
    /// From our own format.
    Games(GameReader),
    /// Put together from records.
    Records(Box<RecordReader>),
}

impl Input {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, or its name or its beginning is not that of a format.
    pub fn open(path: &Path) -> Result<Input, DataError> {
        Ok(match Kind::of(path) {
            // Only our own files say themselves what they are.
            None | Some(Kind::Games) => Input::Games(GameReader::open(path)?),
            Some(Kind::Records(format)) => {
                Input::Records(Box::new(RecordReader::open(path, format)?))
            }
        })
    }

    /// The header, in a format that has one.
    pub fn header(&self) -> Option<&Header> {
        match self {
            Input::Games(reader) => Some(reader.header()),
            Input::Records(_) => None,
        }
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        match self {
            Input::Games(reader) => reader.offset(),
            Input::Records(reader) => reader.offset(),
        }
    }

    /// Whether a record at the end is cut short. Known once the games are read.
    pub fn is_torn(&self) -> bool {
        matches!(self, Input::Games(reader) if reader.is_torn())
    }
}

impl Iterator for Input {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Input::Games(reader) => reader.next(),
            Input::Records(reader) => reader.next(),
        }
    }
}

enum Sink {
    Games(GameWriter),
    Records(RecordWriter),
}

/// Writes games to a new file, which takes its name only when it is finished.
pub struct Output {
    path: PathBuf,
    force: bool,
    /// Where it is written, unless straight to its name.
    partial: Option<AtomicFile>,
    sink: Sink,
}

impl Output {
    /// Begins a file. `header` is used if the format has one.
    ///
    /// # Errors
    /// When it cannot be written, its name is not that of a format, or it exists and `force` is not
    /// given.
    pub fn create(path: &Path, header: &Header, force: bool) -> Result<Output, DataError> {
        let kind = Kind::of(path).ok_or_else(|| DataError::of_file(path, Problem::UnknownKind))?;
        let existing = fs::metadata(path).ok();
        if existing.is_none() && path.is_symlink() {
            return Err(DataError::of_file(path, Problem::BrokenLink));
        }
        if existing.is_some() && !force {
            return Err(DataError::of_file(path, Problem::Exists));
        }
        // Devices and pipes are written to, not replaced.
        let in_place = existing.is_some_and(|metadata| !metadata.is_file());
        // The file that a link leads to is replaced, not the link.
        let path = match path.is_symlink() && !in_place {
            true => &fs::canonicalize(path).map_err(|error| DataError::of_file(path, error))?,
            false => path,
        };
        let partial = match in_place {
            true => None,
            false => {
                Some(AtomicFile::create(path).map_err(|error| DataError::of_file(path, error))?)
            }
        };
        let target = partial.as_ref().map_or(path, AtomicFile::partial);
        let sink = match kind {
            Kind::Games => Sink::Games(GameWriter::create(target, header, true)?),
            Kind::Records(format) => Sink::Records(RecordWriter::create(target, format)?),
        };
        Ok(Output {
            path: path.to_path_buf(),
            force,
            partial,
            sink,
        })
    }

    /// Whether [`Game::branches`] are written.
    pub fn takes_branches(&self) -> bool {
        matches!(self.sink, Sink::Games(_))
    }

    /// Writes a game; returns how many positions with a score the file has of it.
    ///
    /// # Errors
    /// When the file cannot take it, or, for records, when it cannot be played through.
    pub fn write(&mut self, game: &Game) -> Result<usize, DataError> {
        match &mut self.sink {
            Sink::Games(writer) => writer.write(game).map(|()| game.searched()),
            Sink::Records(writer) => writer.write(game),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When it cannot be written to the end or renamed; what had the name before is still there.
    pub fn finish(self) -> Result<(), DataError> {
        match self.sink {
            Sink::Games(mut writer) => writer.finish()?,
            Sink::Records(writer) => writer.finish()?,
        }
        if let Some(partial) = self.partial {
            partial
                .commit(self.force)
                .map_err(|error| match error.kind() {
                    ErrorKind::AlreadyExists => DataError::of_file(&self.path, Problem::Exists),
                    _ => DataError::of_file(&self.path, error),
                })?;
        }
        Ok(())
    }
}
