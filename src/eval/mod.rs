//! Static evaluation by a neural network, see [`nnue`], in the unit of [`units`].
#![deny(unsafe_code)]

pub mod nnue;
pub mod units;

use crate::position::{DirtyPieces, Position};
use crate::types::Value;
use nnue::{AccumulatorStack, Network, Scratch};
use std::sync::Arc;

/// Evaluates the position of a search thread, updated with every move.
pub struct Evaluator {
    network: Arc<Network>,
    accumulators: AccumulatorStack,
    scratch: Scratch,
}

impl Evaluator {
    /// An evaluator without a position; call [`Evaluator::reset`] before anything else.
    pub fn new(network: Arc<Network>) -> Evaluator {
        let parameters = &network.parameters;
        Evaluator {
            accumulators: AccumulatorStack::new(
                parameters.architecture.features,
                &parameters.transformer,
            ),
            scratch: Scratch::new(&parameters.architecture),
            network,
        }
    }

    /// Switches to another network if it is not in use already; call [`Evaluator::reset`] next.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(&self.network, &network) {
            *self = Evaluator::new(network);
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.accumulators.reset(position);
    }

    /// Follows `do_move`. Cheap: accumulators are updated when a value is asked for.
    #[inline]
    pub fn push(&mut self, dirty: DirtyPieces) {
        self.accumulators.push(dirty);
    }

    /// Follows `do_null_move`.
    #[inline]
    pub fn push_null(&mut self) {
        self.accumulators.push_null();
    }

    /// Follows `undo_move` and `undo_null_move`.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// Updates the accumulators ahead of [`Evaluator::evaluate`], to overlap with a memory access.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        let network = &*self.network;
        let transformer = &network.parameters.transformer;
        self.accumulators
            .update(transformer, network.backend, position);
    }

    /// The output of the network for the side to move.
    #[inline]
    fn output(&mut self, position: &Position) -> i32 {
        let (parameters, backend) = (&*self.network.parameters, self.network.backend);
        let accumulators = self
            .accumulators
            .update(&parameters.transformer, backend, position);
        let us = position.side_to_move();
        let accumulators = [accumulators[us.index()], accumulators[(!us).index()]];
        parameters.propagate(backend, position, None, accumulators, &mut self.scratch)
    }

    /// The value for the side to move, within `-MAX_EVAL..=MAX_EVAL`.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let output = self.output(position);
        self.network.scale.value(output)
    }
}
