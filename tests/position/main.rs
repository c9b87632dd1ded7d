//! The board and the rules.

#[path = "../common/mod.rs"]
mod common;
mod endings;
mod movegen;
mod perft;
mod play;
mod see;
mod sfen;
