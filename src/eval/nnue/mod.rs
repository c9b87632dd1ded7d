//! Evaluation by a neural network (NNUE).
//!
//! Each perspective of a position has [`features`] ([`bona_piece`]s in king buckets), whose weights add up
//! to an accumulator ([`accumulator`], updated incrementally). The [`output_head`] computes the output from
//! both accumulators. Both use the kernels of a [`backend`]. An [`architecture`] is plain data.
//! [`format`](mod@format) reads and writes network files and depends on everything here; nothing here
//! depends on it.
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
