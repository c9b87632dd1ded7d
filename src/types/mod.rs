//! Plain values of the game. Nothing here knows a position.

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

/// Plies a search line may reach below the root.
pub const MAX_PLY: usize = 246;

/// The most legal moves any shogi position has.
pub const MAX_MOVES: usize = 593;
