//! What can be wrong with a file of games or positions.
#![forbid(unsafe_code)]

use crate::types::Move;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A problem with a file, and where in it.
#[derive(Debug, Error)]
#[error("{}{}: {problem}", .path.display(), place(*.offset))]
pub struct DataError {
    /// The file.
    pub path: PathBuf,
    /// Byte of the file at which the record or field in question begins, unless it is the file as a
    /// whole.
    pub offset: Option<u64>,
    /// What is wrong.
    pub problem: Problem,
}

impl DataError {
    /// A problem at a byte of a file.
    pub fn new(path: &Path, offset: u64, problem: impl Into<Problem>) -> DataError {
        DataError {
            path: path.to_path_buf(),
            offset: Some(offset),
            problem: problem.into(),
        }
    }

    /// A problem with a file as a whole: its name, its being there or not, who may use it.
    pub fn of_file(path: &Path, problem: impl Into<Problem>) -> DataError {
        DataError {
            path: path.to_path_buf(),
            offset: None,
            problem: problem.into(),
        }
    }
}

/// Where in a file, for a message.
fn place(offset: Option<u64>) -> String {
    offset.map_or(String::new(), |offset| format!(", byte {offset}"))
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum Problem {
    /// Reading, writing or opening failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin as a game file does.
    #[error("expected a Komaoto game file, found something else")]
    NoGameFile,
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// A later format.
    #[error("expected version {expected} of the game format, found version {0}", expected = super::header::VERSION)]
    Version(u32),
    /// The header is cut short, damaged or lacks a field.
    #[error("the header is damaged: {0}")]
    Header(&'static str),
    /// Continuing a file that was made with other settings.
    #[error(
        "the file has `{found}`, this run has `{wanted}`: give the settings it began with, or \
         another file if it is one of another version or program"
    )]
    OtherHeader {
        /// Line of the header in the file.
        found: String,
        /// Line that this run would write.
        wanted: String,
    },
    /// A record that is no game, with more behind it.
    #[error("the record is damaged: {0}")]
    Record(&'static str),
    /// A record that does not say what a legal game does.
    #[error("game {game}: {problem}")]
    Game {
        /// Number of the game.
        game: u32,
        /// What is wrong with it.
        problem: GameError,
    },
    /// The name of a file says nothing about its format.
    #[error("the end of its name is none of .koma, .psv, .bin, .hcpe")]
    UnknownKind,
    /// The file exists and may not be written over.
    #[error("the file exists; --force replaces it")]
    Exists,
    /// Somebody removed or replaced the file while it was written.
    #[error("the file was removed or replaced while it was being written")]
    Vanished,
    /// Somebody wrote to the file, or cut it, while it was written.
    #[error("the file was changed by another program while it was being written")]
    Changed,
    /// A link that leads to no file.
    #[error("the link leads nowhere")]
    BrokenLink,
    /// Ctrl-C.
    #[error("ended as asked; nothing is written")]
    Interrupted,
    /// Another process writes to the file.
    #[error("another process is writing to the file")]
    Locked,
    /// A game that the format has no room for.
    #[error("a game of {0} plies does not fit the format")]
    TooLong(usize),
}

/// A game that cannot be played through.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum GameError {
    /// The start position cannot be read.
    #[error("the start position `{sfen}` cannot be used: {reason}")]
    Start {
        /// Its text.
        sfen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A move is not legal where it is played.
    #[error("move {ply}, {mv}, is not legal")]
    Illegal {
        /// Number of the move from the start position, from 1.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// A move of a search is not legal where it is played.
    #[error("{mv}, which the search of move {ply} came by, is not legal")]
    IllegalBranch {
        /// Number of the move of the game that the search chose, from 1.
        ply: usize,
        /// The move that is not legal.
        mv: Move,
    },
    /// A position without both kings.
    #[error("a king is missing, which the format has no room for")]
    NoKing,
}
