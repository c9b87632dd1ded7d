//! Basic types: colours, squares, pieces, hands, moves and scores. None depends on a position.

pub mod color;
pub mod hand;
pub mod moves;
pub mod piece;
pub mod square;
pub mod value;

pub use color::Color;
pub use hand::Hand;
pub use moves::{Move, MoveParseError};
pub use piece::{Piece, PieceType};
pub use square::{File, Rank, Square};
pub use value::{Depth, Value};

/// The maximum ply of a search.
pub const MAX_PLY: usize = 246;

/// The most legal moves in any position.
pub const MAX_MOVES: usize = 593;
