//! Errors in a line of input.

use crate::position::SfenError;
use crate::types::{Move, MoveParseError};
use std::io;
use thiserror::Error;

/// Why a command, or a part of it, was not executed. Printed as an `info string`.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum UsiError {
    /// No word of the line is a command.
    #[error("unknown command `{0}`; type help for a list")]
    UnknownCommand(String),
    /// A command that is not in lower case.
    #[error("unknown command `{0}`; commands are in lower case: `{1}`")]
    UpperCase(String, String),
    /// A word that means nothing to its command.
    #[error("{command}: ignoring unknown word `{word}`")]
    UnknownWord {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
    },
    /// A word that takes a number is followed by something else.
    #[error("{command}: `{word}` needs a number, found {found}",
        found = if found.is_empty() { "nothing".into() } else { format!("`{found}`") })]
    NotANumber {
        /// The command.
        command: &'static str,
        /// The word that takes the number.
        word: &'static str,
        /// What follows; empty at the end of the line.
        found: String,
    },
    /// A number out of range for which clamping makes no sense.
    #[error("{command}: `{word}` must be 1 to {max}, found {found}")]
    OutOfRange {
        /// The command.
        command: &'static str,
        /// What the number is.
        word: &'static str,
        /// The number.
        found: i64,
        /// The largest valid number.
        max: i64,
    },
    /// Words before a known command.
    #[error("ignoring `{0}` before the command")]
    Skipped(String),
    /// A `position` that cannot be set up.
    #[error("position: {0}; there is no position until the next `position`")]
    Position(#[from] PositionError),
    /// A command that needs a position after a rejected `position`.
    #[error("{0}: there is no position, as the last one was rejected")]
    NoPosition(&'static str),
    /// A word after the moves of `position` that says how a game ended.
    #[error("position: ignoring `{0}` after the moves")]
    GameEndWord(String),
    /// Illegal moves after `go searchmoves`.
    #[error("go searchmoves: ignoring illegal {0}")]
    IllegalSearchMoves(String),
    /// `setoption` without a name.
    #[error("setoption: missing name")]
    NoOptionName,
    /// `setoption` with a known name, and the value without the word `value`.
    #[error("setoption: expected `setoption name {0} value {1}`")]
    OptionForm(&'static str, String),
    /// `setoption` or `getoption` with an unknown name.
    #[error("unknown option: `{0}`")]
    UnknownOption(String),
    /// `setoption` with a value of the wrong type.
    #[error("setoption {name}: expected {expected}, found {found}; keeping {current}",
        found = if value.is_empty() { "no value".into() } else { format!("`{value}`") })]
    OptionValue {
        /// The option.
        name: &'static str,
        /// The rejected value.
        value: String,
        /// What would be accepted.
        expected: String,
        /// The current value.
        current: String,
    },
    /// `setoption` with a number out of range.
    #[error("setoption {name}: {value} is out of range; clamped to {clamped}")]
    OptionOutOfRange {
        /// The option.
        name: &'static str,
        /// The number.
        value: String,
        /// The nearest number in range.
        clamped: i64,
    },
    /// An evaluation file that cannot be loaded.
    #[error("failed to load {path}: {error}; keeping {kept}")]
    Network {
        /// The file or folder.
        path: String,
        /// What is wrong with it.
        error: String,
        /// The architecture of the network in use.
        kept: String,
    },
    /// A line longer than any sensible one.
    #[error("ignoring a line longer than 16 MB")]
    LineTooLong,
    /// A debug command that has to wait for the search to end.
    #[error("{0}: a search is running; stop it first")]
    Busy(&'static str),
    /// The system has no thread to spare.
    #[error("failed to spawn thread: {0}")]
    Spawn(String),
}

impl From<io::Error> for UsiError {
    fn from(error: io::Error) -> UsiError {
        UsiError::Spawn(error.to_string())
    }
}

/// Why a position cannot be set up.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum PositionError {
    /// Nothing to set up.
    #[error("expected `startpos` or `sfen`")]
    Empty,
    /// Something else than moves after `startpos`.
    #[error("expected `moves` after `startpos`, found `{0}`")]
    AfterStartpos(String),
    /// A word where the board of an SFEN should be.
    #[error("expected `startpos` or the nine ranks of an SFEN, found `{0}`")]
    NoBoard(String),
    /// A bad SFEN.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A move that cannot be parsed.
    #[error("move {number}: {source}")]
    MoveText {
        /// Which move of the list, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveParseError,
    },
    /// An illegal move.
    #[error("move {number}, {mv}, is illegal at ply {ply}")]
    IllegalMove {
        /// Which move of the list, from 1.
        number: usize,
        /// The move.
        mv: Move,
        /// Its ply in the game.
        ply: u32,
    },
}

/// The start of a string from outside, short enough to be quoted in a message.
pub(super) fn truncate(text: &str) -> String {
    truncate_to(text, 60)
}

/// The first `max` characters of a string, with `...` for the rest.
pub(super) fn truncate_to(text: &str, max: usize) -> String {
    let mut truncated: String = text.chars().take(max).collect();
    if truncated.len() < text.len() {
        truncated.push_str("...");
    }
    truncated
}
