//! What a search reports: principal variations while it runs, the best move at its end.
#![forbid(unsafe_code)]

use crate::types::{Depth, Move, Value};

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// The score itself.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

impl ScoreBound {
    /// The bounds by their number.
    pub(crate) const ALL: [ScoreBound; 3] =
        [ScoreBound::Exact, ScoreBound::Lower, ScoreBound::Upper];
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Nodes of all threads.
    pub nodes: u64,
    /// Milliseconds since the search began.
    pub time_ms: u64,
    /// Use of the transposition table, in permille.
    pub hashfull: u32,
}

/// A principal variation and the progress of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Iteration that the score and the line come from, in plies.
    pub depth: Depth,
    /// Deepest ply reached, quiescence included.
    pub seldepth: usize,
    /// Rank of this PV, from 1.
    pub multi_pv: usize,
    /// Number of PVs reported; 1 when MultiPV is off.
    pub lines: usize,
    /// Score for the side to move at the root, in the unit of the evaluation; mate scores as in
    /// [`crate::types::value`].
    pub score: Value,
    /// Whether the score is exact.
    pub bound: ScoreBound,
    /// The progress of the search.
    pub progress: Progress,
    /// The moves from the root, all of them legal; may be empty.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BestMove {
    /// A move, and the expected reply, which is legal after it.
    Play {
        /// The move.
        mv: Move,
        /// The expected reply, to ponder on.
        ponder: Option<Move>,
    },
    /// Win by declaration (入玉宣言).
    Win,
    /// Resignation: mated, or the score is below the resign value.
    Resign,
}

impl BestMove {
    /// A move without an expected reply.
    pub fn play(mv: Move) -> BestMove {
        BestMove::Play { mv, ponder: None }
    }
}

/// Receives the output of a search. Called from a search thread.
pub trait Report: Send {
    /// A principal variation.
    fn info(&mut self, info: &Info);
    /// The progress of an iteration that takes long.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
    /// The end of the search; called exactly once, last.
    fn best_move(&mut self, best_move: BestMove);
}

/// Discards all output.
pub struct NullReport;

impl Report for NullReport {
    fn info(&mut self, _: &Info) {}
    fn best_move(&mut self, _: BestMove) {}
}
