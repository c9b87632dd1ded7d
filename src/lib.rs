//! Komaoto.
pub mod bitboard;
pub mod eval;
pub mod mate;
pub mod position;
pub mod search;
pub mod types;
