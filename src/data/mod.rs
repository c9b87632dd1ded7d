//! Games and positions on disk: our own game files, and the formats that other shogi programs
//! train with.
//!
//! - [`game`]: one game, and how it becomes bytes.
//! - [`game_file`]: a file of games that can be appended to, and survives a crash.

pub(crate) mod crc;
pub mod error;
pub mod game;
pub mod game_file;
pub mod header;

pub use error::{DataError, Problem};
pub use game::{End, Game, GameResult, Played};
pub use game_file::{GameReader, GameWriter};
pub use header::Header;
