//! What can be wrong with a file of games or positions.
#![forbid(unsafe_code)]

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A problem with a file, and where in it.
#[derive(Debug, Error)]
#[error("{}{}: {problem}", .path.display(), place(*.offset))]
pub struct DataError {
    /// The file.
    pub path: PathBuf,
    /// Byte at which the record or field in question begins, unless it is the file as a whole.
    pub offset: Option<u64>,
    /// What is wrong.
    pub problem: DataProblem,
}

impl DataError {
    /// A problem at a byte of a file.
    pub fn at(path: &Path, offset: u64, problem: impl Into<DataProblem>) -> DataError {
        DataError {
            path: path.to_path_buf(),
            offset: Some(offset),
            problem: problem.into(),
        }
    }

    /// A problem with a file as a whole.
    pub fn of_file(path: &Path, problem: impl Into<DataProblem>) -> DataError {
        DataError {
            path: path.to_path_buf(),
            offset: None,
            problem: problem.into(),
        }
    }

    /// Makes an error of the system one about a file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> DataError {
        move |error| DataError::of_file(path, error)
    }
}

/// Where in a file, for a message.
fn place(offset: Option<u64>) -> String {
    offset.map_or(String::new(), |offset| format!(", byte {offset}"))
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum DataProblem {
    /// Reading, writing or opening failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file exists and may not be overwritten.
    #[error("file exists; --force overwrites it")]
    Exists,
    /// It cannot be used, for this reason.
    #[error("{0}")]
    File(&'static str),
    /// Another version of the format.
    #[error("unsupported version {0} of the game format, expected {expected}", expected = super::header::VERSION)]
    Version(u32),
    /// The header is truncated, damaged or lacks a field.
    #[error("damaged header: {0}")]
    Header(&'static str),
    /// Continuing a file that was begun with other settings.
    #[error(
        "the file has `{found}`, this run `{expected}`: use the settings the file was begun with, or \
         another file"
    )]
    OtherHeader {
        /// Line of the header in the file.
        found: String,
        /// Line that this run would write.
        expected: String,
    },
    /// A damaged record.
    #[error("damaged record: {0}")]
    Record(&'static str),
    /// A game that cannot be replayed, or written to another format.
    #[error("game {game}: {problem}")]
    Game {
        /// Number of the game.
        game: u32,
        /// What is wrong with it.
        problem: String,
    },
}
