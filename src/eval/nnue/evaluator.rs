//! What the search sees of a network: values that follow its moves.
#![forbid(unsafe_code)]

use super::accumulator::Accumulator;
use super::explain::explain;
use super::layer_stack::Scratch;
use super::network::Network;
use crate::position::{DirtyPieces, Position};
use crate::types::Value;
use std::sync::Arc;

/// Follows a position move by move and evaluates it. One per search thread.
pub struct Evaluator {
    network: Arc<Network>,
    accumulator: Accumulator,
    scratch: Scratch,
}

impl Evaluator {
    /// An evaluator without a position; call [`Evaluator::reset`] before anything else.
    pub fn new(network: Arc<Network>) -> Evaluator {
        Evaluator {
            accumulator: Accumulator::new(&network.parameters),
            scratch: Scratch::new(network.architecture()),
            network,
        }
    }

    /// Changes the network, unless it is in use already; call [`Evaluator::reset`] next.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(&self.network, &network) {
            *self = Evaluator::new(network);
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.accumulator.reset(position);
    }

    /// Follows `do_move`. Cheap: the work waits until a value is asked for.
    #[inline]
    pub fn push(&mut self, dirty: DirtyPieces) {
        self.accumulator.push(dirty);
    }

    /// Follows `do_null_move`.
    #[inline]
    pub fn push_null(&mut self) {
        self.accumulator.push_null();
    }

    /// Follows `undo_move` and `undo_null_move`.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulator.pop();
    }

    /// Brings the accumulator up to date while something else is waited for.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        let network = &*self.network;
        self.accumulator
            .update(&network.parameters, network.backend, position);
    }

    /// The output of the network for the side to move.
    #[inline]
    pub(super) fn output(&mut self, position: &Position) -> i32 {
        let network = &*self.network;
        let (parameters, backend) = (&*network.parameters, network.backend);
        let rows = self.accumulator.update(parameters, backend, position);
        let us = position.side_to_move();
        let rows = [rows[us.index()], rows[(!us).index()]];
        let output = parameters.propagate(backend, position, rows, &mut self.scratch);
        output.wrapping_add(parameters.piece_values(position, None))
    }

    /// Value for the side to move, within `-MAX_EVAL..=MAX_EVAL`; see [`Network::unit`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let output = self.output(position);
        self.network.value(output)
    }

    /// A readable account of the value.
    pub fn explain(&self, position: &Position) -> String {
        explain(&self.network, self.network.backend, position)
    }
}
