//! Evaluation by a neural network (NNUE) from a file.
//!
//! A network reads features ([`features`]) of both sides' views of the board ([`view`]), adds up a
//! row of weights for each ([`accumulator`], move by move), and passes the sums through three small
//! layers ([`network`]) by means of [`backend`]s for several instruction sets. [`mod@file`] reads the
//! files that shogi players have, whatever their [`architecture`]: another one is a row of data.
//!
//! <https://www.chessprogramming.org/NNUE>

mod accumulator;
mod architecture;
#[allow(unsafe_code, reason = "intrinsics; each use says why it is sound")]
mod backend;
mod buckets;
mod cache;
mod classic;
#[cfg(test)]
mod classic_tests;
mod compressed;
mod detect;
mod effects;
mod embedded;
mod error;
mod evaluator;
mod explain;
mod features;
mod file;
mod layer_stack;
mod leb128;
mod list;
mod locate;
mod network;
mod own;
#[cfg(test)]
mod own_tests;
mod progress;
mod source;
mod squared;
mod stacked_file;
#[cfg(test)]
mod tests;
mod text;
mod view;

pub use architecture::Architecture;
pub use classic::{ClassicLayer, ClassicNetwork};
pub use embedded::{EMBEDDED_BYTES, embedded};
pub use error::NetError;
pub use evaluator::Evaluator;
pub use leb128::Leb128Error;
pub use locate::{LoadedNetwork, NetworkFiles};
pub use network::Network;
pub use own::OwnNetwork;
