//! What can be wrong with a line of input.

use crate::position::SfenError;
use crate::types::{Move, MoveParseError};
use thiserror::Error;

/// Why a command, or a part of it, was not carried out. The text is printed as `info string`.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum UsiError {
    /// No word of the line is a command.
    #[error("unknown command `{0}`; type help for a list")]
    UnknownCommand(String),
    /// A word of a command that means nothing there.
    #[error("{command}: unknown word `{word}` skipped")]
    UnknownWord {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
    },
    /// A word that needs a number is followed by something else.
    #[error("{command}: `{word}` needs a number, found `{found}`")]
    NotANumber {
        /// The command.
        command: &'static str,
        /// The word that needs it.
        word: &'static str,
        /// What follows; empty at the end of the line.
        found: String,
    },
    /// Words before a known command.
    #[error("`{0}` is no command; the rest of the line is used")]
    Skipped(String),
    /// `position` with nothing to set up.
    #[error("position: expected `startpos` or `sfen`; the old position stays")]
    NoPosition,
    /// `position startpos` with more than moves behind it.
    #[error("position: expected `moves` after `startpos`, found `{0}`; the old position stays")]
    AfterStartpos(String),
    /// `position` with a word where the board of an SFEN should be.
    #[error(
        "position: expected `startpos` or a board of nine ranks divided by `/`, found `{0}`; \
         the old position stays"
    )]
    NoBoard(String),
    /// `position` with a bad SFEN.
    #[error("position: {0}; the old position stays")]
    Sfen(#[from] SfenError),
    /// `position` with text that is no move.
    #[error("position: move {number}: {source}; the old position stays")]
    MoveText {
        /// Which move of the list, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveParseError,
    },
    /// `position` with a move that cannot be played.
    #[error(
        "position: move {number} of the list, {mv}, is illegal at ply {ply}; the old position stays"
    )]
    IllegalMove {
        /// Which move of the list, from 1.
        number: usize,
        /// The move.
        mv: Move,
        /// Its number in the game.
        ply: u32,
    },
    /// `go searchmoves` with a move that cannot be played.
    #[error("go searchmoves: {0} is illegal here and ignored")]
    IllegalSearchMove(Move),
    /// `go searchmoves` with several of them.
    #[error("go searchmoves: {first} and {others} more are illegal here and ignored")]
    IllegalSearchMoves {
        /// The first one.
        first: Move,
        /// How many there are besides.
        others: usize,
    },
    /// `setoption` without a name.
    #[error("setoption: the name is missing")]
    NoOptionName,
    /// `setoption` or `getoption` with an unknown name.
    #[error("there is nothing called `{0}` to set")]
    UnknownOption(String),
    /// `setoption` with a value of the wrong kind.
    #[error("setoption {name}: `{value}` is not {expected}; it stays {current}")]
    OptionValue {
        /// The option.
        name: &'static str,
        /// The value refused.
        value: String,
        /// What would be accepted.
        expected: String,
        /// The value in force.
        current: String,
    },
    /// `setoption` with a number out of range; the nearest was taken.
    #[error("setoption {name}: {value} is out of range, {taken} is used")]
    OptionRange {
        /// The option.
        name: &'static str,
        /// The value asked for.
        value: String,
        /// The value taken.
        taken: i64,
    },
    /// A typed command with a number that it cannot do.
    #[error("{command}: `{word}` has to be 1 to {most}, found {found}")]
    OutOfRange {
        /// The command.
        command: &'static str,
        /// What the number is.
        word: &'static str,
        /// The number.
        found: i64,
        /// The largest one.
        most: i64,
    },
    /// A line longer than any sensible one.
    #[error("a line of more than 16 MB was skipped")]
    LineTooLong,
    /// A typed command that has to wait for the search to end.
    #[error("{0}: a search is running, stop it first")]
    Busy(&'static str),
}

/// The beginning of a text from outside, short enough for a message.
pub(super) fn clip(text: &str) -> String {
    clip_to(text, 60)
}

/// So many characters of a text; `...` stands for the rest.
pub(super) fn clip_to(text: &str, longest: usize) -> String {
    let mut clipped: String = text.chars().take(longest).collect();
    if clipped.len() < text.len() {
        clipped.push_str("...");
    }
    clipped
}
