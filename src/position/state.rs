//! What a move changes beyond the board, and undoing it has to bring back.
#![forbid(unsafe_code)]

use crate::bitboard::Bitboard;
use crate::types::{Hand, Move, Piece, Square};

/// The part of a position that is saved before every move and put back by undoing it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Key of board and side to move.
    pub board_key: u64,
    /// Key of both hands.
    pub hand_key: u64,
    /// Both hands, by colour.
    pub hands: [Hand; 2],
    /// Enemy pieces that give check to the side to move.
    pub checkers: Bitboard,
    /// Pieces of the side to move that shield its king from a slider.
    pub pinned: Bitboard,
    /// What the last move captured.
    pub captured: Piece,
    /// The last move; [`Move::NONE`] at the start, [`Move::NULL`] after a null move.
    pub last_move: Move,
    /// For each colour, how many of its latest moves in a row gave check (連続王手).
    pub continuous_checks: [u16; 2],
    /// Plies since the start position or the last null move.
    pub plies_from_null: u32,
}

impl State {
    pub(super) fn empty() -> State {
        State {
            board_key: 0,
            hand_key: 0,
            hands: [Hand::EMPTY; 2],
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            captured: Piece::NONE,
            last_move: Move::NONE,
            continuous_checks: [0; 2],
            plies_from_null: 0,
        }
    }
}

/// What a move did to the pieces, for an evaluation that follows move by move.
/// Hands can be read from the position after the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DirtyPieces {
    /// Where the moved piece came from; `None` for a drop.
    pub from: Option<Square>,
    /// Where it went.
    pub to: Square,
    /// The piece as it stood before; for a drop, as it was dropped.
    pub before: Piece,
    /// The piece as it stands now.
    pub after: Piece,
    /// What it captured.
    pub captured: Piece,
}
