//! Static evaluation: the one thing of it the search sees is an [`Evaluator`].
//!
//! The evaluation is hand-written: [`params`] holds its weights, [`tables`] what they amount to
//! for every piece, square and king, [`accumulator`] the sums that follow the moves of a search,
//! and [`handwritten`] the formula that turns sums and hands into a value.
#![forbid(unsafe_code)]

mod accumulator;
mod handwritten;
mod params;
mod tables;

use crate::position::{DirtyPieces, Position};
use crate::types::Value;
use accumulator::Accumulator;
use tables::Tables;

/// Follows a position move by move and evaluates it. One per search thread.
pub struct Evaluator {
    tables: &'static Tables,
    accumulator: Accumulator,
}

impl Evaluator {
    /// An evaluator of no position yet; call [`Evaluator::reset`] before anything else.
    pub fn new() -> Evaluator {
        Evaluator::with_tables(tables::standard())
    }

    fn with_tables(tables: &'static Tables) -> Evaluator {
        Evaluator {
            tables,
            accumulator: Accumulator::new(),
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.accumulator.reset(self.tables, position);
    }

    /// Follows `do_move`. Cheap: the work waits until a value is asked for.
    #[inline]
    pub fn push(&mut self, dirty: DirtyPieces) {
        self.accumulator.push(Some(dirty));
    }

    /// Follows `do_null_move`.
    #[inline]
    pub fn push_null(&mut self) {
        self.accumulator.push(None);
    }

    /// Follows `undo_move` and `undo_null_move`.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulator.pop();
    }

    /// Value in centipawns for the side to move, within `-MAX_EVAL..=MAX_EVAL`.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let sums = self.accumulator.update(self.tables, position);
        handwritten::value(self.tables, sums, position)
    }

    /// A readable account of the value.
    pub fn explain(&mut self, position: &Position) -> String {
        handwritten::explain(self.tables, position)
    }
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new()
    }
}
