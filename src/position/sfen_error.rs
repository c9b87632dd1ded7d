//! What can be wrong with an SFEN text: each error names the place and the rule.
#![forbid(unsafe_code)]

use crate::types::{Color, Piece, PieceType, Square};
use thiserror::Error;

/// What is wrong with an SFEN text.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum SfenError {
    /// A field is not there.
    #[error("SFEN: the {0} field is missing")]
    Missing(&'static str),
    /// There is text behind the move number.
    #[error("SFEN: unexpected `{0}` after the move number")]
    Trailing(String),
    /// The board does not have nine ranks.
    #[error("SFEN board: {0} ranks, expected 9")]
    RankCount(usize),
    /// A rank does not fill nine files.
    #[error("SFEN board, rank {rank}: {files} files, expected 9")]
    RankWidth {
        /// Rank letter.
        rank: char,
        /// Files it fills; 10 stands for ten or more.
        files: usize,
    },
    /// A character that is neither a piece nor a count.
    #[error("SFEN board, rank {rank}, character {column}: `{found}` is not a piece or a count 1-9")]
    BoardCharacter {
        /// Rank letter.
        rank: char,
        /// Position in the text of the rank, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A plus sign before something that does not promote.
    #[error(
        "SFEN board, rank {rank}, character {column}: `+` must stand before P, L, N, S, B or R"
    )]
    Promotion {
        /// Rank letter.
        rank: char,
        /// Position in the text of the rank, from 1.
        column: usize,
    },
    /// The side to move is neither `b` nor `w`.
    #[error("SFEN side to move: `{0}` is not `b` or `w`")]
    Side(String),
    /// A character in the hands that is not a piece.
    #[error("SFEN hands, character {column}: `{found}` is not a piece that can be in hand")]
    HandCharacter {
        /// Position in the text, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A count in the hands that no piece follows, or zero.
    #[error("SFEN hands, character {column}: the count is zero or not followed by a piece")]
    HandCount {
        /// Position in the text, from 1.
        column: usize,
    },
    /// The move number is no number.
    #[error("SFEN move number: `{0}` is not a number")]
    MoveNumber(String),
    /// More pieces of a kind than a set has.
    #[error("SFEN: {found} pieces of kind {letter}, a set has {total}")]
    TooMany {
        /// Letter of the unpromoted kind.
        letter: char,
        /// How many there are, promoted and in hand included.
        found: u32,
        /// How many a set has.
        total: u32,
    },
    /// Two kings of one side.
    #[error(
        "SFEN board, rank {}: `{}` on {square} is a second king of {color}",
        rank_of(*square),
        Piece::new(*color, PieceType::King)
    )]
    TwoKings {
        /// Whose kings.
        color: Color,
        /// Where the second one stands.
        square: Square,
    },
    /// Neither side has a king. One may be missing, as in mate problems.
    #[error("SFEN: no king on the board (at most one may be missing)")]
    NoKings,
    /// Two unpromoted pawns of a side on a file (二歩).
    #[error(
        "SFEN board, rank {}: `{}` on {square} is a second unpromoted pawn of {color} on its file \
         (nifu)",
        rank_of(*square),
        Piece::new(*color, PieceType::Pawn)
    )]
    TwoPawns {
        /// Whose pawns.
        color: Color,
        /// Where the second one stands, counted from rank a.
        square: Square,
    },
    /// A pawn where it could never move (行き所のない駒). Lances and knights set up so are accepted:
    /// problem positions contain them, and they do no harm but to be captured.
    #[error("SFEN: the pawn on {square} could never move (rank {rank} is the last for {color})")]
    DeadPawn {
        /// Whose pawn.
        color: Color,
        /// Where it stands.
        square: Square,
        /// Rank letter.
        rank: char,
    },
    /// The side that has just moved stands in check.
    #[error(
        "SFEN board, rank {}: {color} is in check (`{}` on {square}) but it is the other side's turn",
        rank_of(*square),
        Piece::new(*color, PieceType::King)
    )]
    OpponentInCheck {
        /// Whose king.
        color: Color,
        /// Where it stands.
        square: Square,
    },
}

/// The letter of a square's rank.
pub(super) fn rank_of(square: Square) -> char {
    (b'a' + square.rank()) as char
}
