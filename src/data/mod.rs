//! Games and positions on disk: our own game files, and the formats that other shogi programs train with.
//!
//! - [`game`]: a game, and how it becomes bytes.
//! - [`game_file`]: a file of games that can be appended to, and survives a crash.
//! - [`records`]: files of positions in the formats of YaneuraOu and Apery, [`packed`]: their positions.
//! - [`files`]: files in any of these formats, chosen by extension.
//! - [`command`]: `komaoto data`.

pub(crate) mod bytes;
pub(crate) mod calibration;
pub mod command;
pub mod error;
pub mod files;
pub mod game;
pub mod game_file;
pub mod header;
mod info;
pub mod packed;
pub mod records;
#[cfg(test)]
mod tests;

pub use error::{DataError, DataProblem};
pub use files::is_game_file;
pub use game::{Branch, Game, GameEnd, GamePosition, GameResult, ScoredMove, Visited};
pub use game_file::{GameReader, GameWriter};
pub use header::GameFileHeader;
pub use records::RecordFormat;
