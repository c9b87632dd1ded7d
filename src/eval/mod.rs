//! Static evaluation: the one thing of it the search sees is an [`Evaluator`].
#![forbid(unsafe_code)]

use crate::position::{DirtyPieces, Position};
use crate::types::Value;

/// Follows a position move by move and evaluates it. One per search thread.
#[derive(Default)]
pub struct Evaluator {}

impl Evaluator {
    /// An evaluator of no position yet; call [`Evaluator::reset`] before anything else.
    pub fn new() -> Evaluator {
        Evaluator {}
    }
    /// Starts over at a position.
    pub fn reset(&mut self, _position: &Position) {}
    /// Follows `do_move`. Cheap: the work waits until a value is asked for.
    #[inline]
    pub fn push(&mut self, _dirty: DirtyPieces) {}
    /// Follows `do_null_move`.
    #[inline]
    pub fn push_null(&mut self) {}
    /// Follows `undo_move` and `undo_null_move`.
    #[inline]
    pub fn pop(&mut self) {}
    /// Value in centipawns for the side to move, within `-MAX_EVAL..=MAX_EVAL`.
    #[inline]
    pub fn evaluate(&mut self, _position: &Position) -> Value {
        0
    }
    /// A readable account of the value.
    pub fn explain(&mut self, _position: &Position) -> String {
        String::new()
    }
}
