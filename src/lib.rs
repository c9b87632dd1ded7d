//! Komaoto.
pub mod bitboard;
pub mod position;
pub mod types;
