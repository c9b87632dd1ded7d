//! Static evaluation by a neural network, see [`nnue`]. The search sees an [`Evaluator`].
#![deny(unsafe_code)]

pub mod nnue;
pub mod units;

pub use nnue::Evaluator;
