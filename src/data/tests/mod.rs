//! Unit tests of the data module.

mod game;
mod game_file;
mod records;
