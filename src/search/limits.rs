//! What bounds a search, and the rules and options it runs under.
#![forbid(unsafe_code)]

use crate::eval::units::ScoreUnit;
use crate::position::EnteringKingRule;
use crate::types::{Depth, MAX_PLY, Move, Value};

/// Clock times of a `go`, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Main time left, by colour, without the increment of this move; may be negative.
    pub time: [i64; 2],
    /// Increment added for each move, by colour.
    pub increment: [i64; 2],
    /// Time for each move once the main time is spent.
    pub byoyomi: i64,
}

/// What ends a search. Without any bound it ends when told to stop.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The game clock, unless none was given.
    pub clock: Option<Clock>,
    /// Milliseconds for this move, spent in full.
    pub movetime: Option<u64>,
    /// Deepest iteration.
    pub depth: Option<Depth>,
    /// Nodes of all threads together.
    pub nodes: Option<u64>,
    /// Nodes after which no iteration begins.
    pub soft_nodes: Option<u64>,
    /// Answer only when told to stop.
    pub infinite: bool,
    /// Search on the opponent's time: no answer before [`crate::search::Searcher::ponderhit`] or
    /// [`crate::search::Searcher::stop`].
    pub ponder: bool,
    /// The root moves to consider; empty for all.
    pub searchmoves: Vec<Move>,
}

impl Limits {
    /// Whether anything ends the search by itself.
    pub fn is_bounded(&self) -> bool {
        self.clock.is_some()
            || self.movetime.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }

    /// Deepest iteration.
    pub fn max_depth(&self) -> Depth {
        let depth = self.depth.unwrap_or(Depth::MAX);
        depth.clamp(1, MAX_PLY as Depth - 1)
    }
}

/// Rules and options that a search runs under, as set by USI options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Lines to report.
    pub multi_pv: usize,
    /// The game is drawn when this many plies were played; 0 for no such rule.
    pub max_moves_to_draw: u32,
    /// Score of a draw in centipawns from the view of each colour's player, when that colour is
    /// to move at the root.
    pub draw_value: [Value; 2],
    /// Resign when the score falls to the negative of this, in centipawns.
    pub resign_value: Value,
    /// Declaration rule in force.
    pub entering_king_rule: EnteringKingRule,
    /// Search non-promotions of pawn, bishop, rook and of the lance to the second rank too.
    pub generate_all_legal_moves: bool,
    /// Milliseconds lost on the way to the server with each move.
    pub network_delay: u64,
    /// The same at worst; never exceeded.
    pub network_delay2: u64,
    /// Milliseconds to think at least where the clock allows it.
    pub minimum_thinking_time: u64,
    /// Percentage of the planned time to use.
    pub slow_mover: u64,
    /// Whether the server charges whole seconds, rounded up.
    pub round_up_to_full_second: bool,
    /// Whether the GUI lets the engine ponder, so that more time may be spent on each move.
    pub ponder: bool,
    /// Milliseconds between reports of unfinished or quickly finished iterations; 0 for all.
    pub pv_interval: u64,
    /// How much of the search is on.
    #[cfg(test)]
    pub(crate) mode: Mode,
}

/// How much of the search is on, for tests that compare it with plain minimax.
#[cfg(test)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mode {
    /// Alpha-beta whose leaves get their static evaluation: the value is that of minimax.
    AlphaBeta,
    /// The same with the transposition table.
    WithTable,
    /// The search of the engine.
    #[default]
    Full,
}

impl SearchOptions {
    /// The options with scores, which were centipawns, in the unit of a network.
    pub fn in_unit(&self, unit: ScoreUnit) -> SearchOptions {
        SearchOptions {
            draw_value: self.draw_value.map(|it| unit.of_centipawns(it)),
            resign_value: unit.of_centipawns(self.resign_value),
            ..self.clone()
        }
    }
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            multi_pv: 1,
            max_moves_to_draw: 0,
            draw_value: [-2; 2],
            resign_value: 99_999,
            entering_king_rule: EnteringKingRule::default(),
            generate_all_legal_moves: false,
            network_delay: 30,
            network_delay2: 60,
            minimum_thinking_time: 0,
            slow_mover: 100,
            round_up_to_full_second: false,
            ponder: false,
            pv_interval: 300,
            #[cfg(test)]
            mode: Mode::Full,
        }
    }
}
