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
mod spread;
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
pub use leb128::Leb128Error;
pub use locate::{LoadedNetwork, NetworkFiles};
pub use network::{Network, Scale};
pub use own::OwnNetwork;

use crate::position::{DirtyPieces, Position};
use crate::types::Value;
use accumulator::Accumulator;
use backend::Backend;
use layer_stack::Scratch;
use std::sync::Arc;

/// Follows a position move by move and evaluates it with a network.
pub(super) struct NetworkEvaluator {
    network: Arc<Network>,
    backend: &'static dyn Backend,
    accumulator: Accumulator,
    scratch: Scratch,
}

impl NetworkEvaluator {
    /// An evaluator without a position.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator {
            accumulator: Accumulator::new(&network.parameters),
            scratch: Scratch::new(network.architecture()),
            backend: network.backend,
            network,
        }
    }

    /// The network in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.accumulator.reset(position);
    }

    /// Follows `do_move`.
    #[inline(always)]
    pub fn push(&mut self, dirty: DirtyPieces) {
        self.accumulator.push(dirty);
    }

    /// Follows `do_null_move`.
    #[inline(always)]
    pub fn push_null(&mut self) {
        self.accumulator.push_null();
    }

    /// Follows `undo_move` and `undo_null_move`.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.accumulator.pop();
    }

    /// Brings the first layer up to date.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        self.accumulator
            .update(&self.network.parameters, self.backend, position);
    }

    /// The output of the network for the side to move.
    #[inline]
    fn output(&mut self, position: &Position) -> i32 {
        let parameters = &*self.network.parameters;
        let rows = self.accumulator.update(parameters, self.backend, position);
        let us = position.side_to_move();
        let rows = [rows[us.index()], rows[(!us).index()]];
        let output = parameters.propagate(self.backend, position, rows, &mut self.scratch);
        output.wrapping_add(parameters.piece_values(position, None))
    }

    /// Value for the side to move, in the unit of the search.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let output = self.output(position);
        self.network.search_value(output)
    }

    /// A readable account of the value.
    pub fn explain(&mut self, position: &Position) -> String {
        explain::explain(&self.network, self.backend, position)
    }
}
