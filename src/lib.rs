//! Komaoto.
pub mod bitboard;
pub mod types;
