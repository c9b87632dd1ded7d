//! Evaluation by a neural network (NNUE).
//!
//! A network looks at both perspectives of a position. Its features ([`features`]: [`bona_piece`]s in
//! king buckets) add up to an accumulator for each ([`accumulator`], updated move by move), from which
//! the [`output_head`] computes the output by means of [`backend`]s for several instruction sets.
//! Another [`architecture`] is a row of data. [`format`](mod@format) reads the files that shogi players
//! have, and depends on everything here; nothing here depends on it.
//!
//! <https://www.chessprogramming.org/NNUE>

mod accumulator;
mod architecture;
#[allow(unsafe_code, reason = "intrinsics; each use says why it is sound")]
mod backend;
mod bona_piece;
mod features;
mod format;
mod layers;
mod network;
mod output_head;
mod progress;
mod refresh_table;
mod stack_buckets;
#[cfg(test)]
mod tests;
mod view;

pub use architecture::Architecture;
pub use format::{
    ClassicLayer, ClassicNetwork, EMBEDDED_BYTES, LoadedNetwork, NativeNetwork, NetError,
    NetworkFiles, embedded,
};
pub use network::Network;

pub(super) use accumulator::AccumulatorStack;
pub(super) use output_head::Scratch;
