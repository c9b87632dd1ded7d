//! Static evaluation: the one thing of it the search sees is an [`Evaluator`].
//!
//! There are two. The hand-written one needs no file: [`params`] holds its weights, [`tables`]
//! what they amount to for every piece, square and king, [`accumulator`] the sums that follow the
//! moves of a search, and [`handwritten`] the formula that turns sums and hands into a value. The
//! other is a neural network, the one in the program or one from a file, see [`nnue`].
#![deny(unsafe_code)]

mod accumulator;
mod handwritten;
pub mod nnue;
mod params;
mod tables;

use crate::position::{DirtyPieces, Position};
use crate::types::Value;
use accumulator::Accumulator;
use nnue::{Network, NetworkEvaluator};
use std::sync::Arc;
use tables::Tables;

/// Follows a position move by move and evaluates it. One per search thread.
pub struct Evaluator(Kind);

/// What the values rest on.
enum Kind {
    HandWritten {
        tables: &'static Tables,
        accumulator: Accumulator,
    },
    Network(Box<NetworkEvaluator>),
}

impl Evaluator {
    /// The hand-written evaluation, of no position yet; call [`Evaluator::reset`] before anything
    /// else.
    pub fn new() -> Evaluator {
        Evaluator(Kind::HandWritten {
            tables: tables::standard(),
            accumulator: Accumulator::new(),
        })
    }

    /// The evaluation by a network, or the hand-written one, of no position yet.
    pub fn with_network(network: Option<Arc<Network>>) -> Evaluator {
        match network {
            Some(network) => Evaluator(Kind::Network(Box::new(NetworkEvaluator::new(network)))),
            None => Evaluator::new(),
        }
    }

    /// Changes to a network, or to the hand-written evaluation, unless it is in use already; call
    /// [`Evaluator::reset`] next.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        let same = match (&self.0, &network) {
            (Kind::HandWritten { .. }, None) => true,
            (Kind::Network(now), Some(network)) => Arc::ptr_eq(now.network(), network),
            _ => false,
        };
        if !same {
            *self = Evaluator::with_network(network);
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        match &mut self.0 {
            Kind::HandWritten {
                tables,
                accumulator,
            } => accumulator.reset(tables, position),
            Kind::Network(network) => network.reset(position),
        }
    }

    /// Follows `do_move`. Cheap: the work waits until a value is asked for.
    #[inline]
    pub fn push(&mut self, dirty: DirtyPieces) {
        match &mut self.0 {
            Kind::HandWritten { accumulator, .. } => accumulator.push(Some(dirty)),
            Kind::Network(network) => network.push(dirty),
        }
    }

    /// Follows `do_null_move`.
    #[inline]
    pub fn push_null(&mut self) {
        match &mut self.0 {
            Kind::HandWritten { accumulator, .. } => accumulator.push(None),
            Kind::Network(network) => network.push_null(),
        }
    }

    /// Follows `undo_move` and `undo_null_move`.
    #[inline]
    pub fn pop(&mut self) {
        match &mut self.0 {
            Kind::HandWritten { accumulator, .. } => accumulator.pop(),
            Kind::Network(network) => network.pop(),
        }
    }

    /// Value in centipawns for the side to move, within `-MAX_EVAL..=MAX_EVAL`. That of a network
    /// is in the unit it was trained for, see [`Network::pawn`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        match &mut self.0 {
            Kind::HandWritten {
                tables,
                accumulator,
            } => {
                let sums = accumulator.update(tables, position);
                handwritten::value(tables, sums, position)
            }
            Kind::Network(network) => network.evaluate(position),
        }
    }

    /// Gets ready to evaluate a position while something else is waited for.
    #[inline]
    pub fn prepare(&mut self, position: &Position) {
        match &mut self.0 {
            Kind::HandWritten {
                tables,
                accumulator,
            } => {
                accumulator.update(tables, position);
            }
            Kind::Network(network) => network.prepare(position),
        }
    }

    /// A readable account of the value.
    pub fn explain(&mut self, position: &Position) -> String {
        match &mut self.0 {
            Kind::HandWritten { tables, .. } => handwritten::explain(tables, position),
            Kind::Network(network) => network.explain(position),
        }
    }
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new()
    }
}
