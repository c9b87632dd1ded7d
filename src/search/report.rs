//! What a search tells whoever started it.
#![forbid(unsafe_code)]

use crate::types::{Depth, Move, Value};

/// Whether a score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// The score itself.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// One line of thought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Iteration, in plies.
    pub depth: Depth,
    /// Deepest ply reached.
    pub seldepth: usize,
    /// Rank among the lines reported, from 1.
    pub multi_pv: usize,
    /// How many lines are reported; 1 when MultiPV is off.
    pub lines: usize,
    /// Score for the side to move at the root, in the unit of the evaluation; mate scores as in [`crate::types::value`].
    pub score: Value,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Milliseconds since the search began.
    pub time_ms: u64,
    /// Use of the transposition table, in thousandths.
    pub hashfull: u32,
    /// The line, from the root. Legal to the end; may be empty.
    pub pv: Vec<Move>,
}

/// What to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move, and the reply expected to it, which is legal after it.
    Play {
        /// The move.
        mv: Move,
        /// The reply expected.
        ponder: Option<Move>,
    },
    /// Win by declaration.
    Win,
    /// Give up: mated, or the score reached the resign value.
    Resign,
}

/// Receives the output of a search. Called from a search thread.
pub trait Report: Send {
    /// A line of thought.
    fn info(&mut self, info: &Info);
    /// The end of the search; called exactly once, last.
    fn answer(&mut self, answer: Answer);
}
