//! Komaoto.
pub mod bitboard;
pub mod eval;
pub mod position;
pub mod search;
pub mod tools;
pub mod types;
