//! Games and positions on disk: our own game files, and the formats that other shogi programs
//! train with.
//!
//! - [`game`]: one game, and how it becomes bytes.
//! - [`game_file`]: a file of games that can be appended to, and survives a crash.
//! - [`packed`], [`psv`], [`hcpe`]: positions as YaneuraOu and Apery pack them, in [`records`].
//! - [`files`]: any of these, by the name of the file.
//! - [`command`]: what to type.

pub(crate) mod calibration;
pub mod command;
mod convert;
pub mod error;
pub mod files;
pub mod game;
pub mod game_file;
pub mod hcpe;
pub mod header;
mod histogram;
mod info;
pub mod packed;
pub mod psv;
pub mod records;

pub use error::{DataError, Problem};
pub use files::is_game_file;
pub use game::{Branch, End, Game, GameResult, Played, Seen};
pub use game_file::{GameReader, GameWriter};
pub use header::Header;
