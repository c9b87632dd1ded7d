//! The limits of a search, and its options.
#![forbid(unsafe_code)]

use crate::eval::units::ScoreUnit;
use crate::position::EnteringKingRule;
use crate::types::{Depth, MAX_PLY, Move, Value};

/// The clock of a `go`, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Main time left, by colour, without the increment of this move: may be negative.
    pub time: [i64; 2],
    /// Increment added for each move, by colour.
    pub increment: [i64; 2],
    /// Time for each move once the main time is spent.
    pub byoyomi: i64,
}

/// What ends a search. Without limits it runs until it is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The game clock.
    pub clock: Option<Clock>,
    /// Milliseconds for this move, used in full.
    pub movetime: Option<u64>,
    /// Last iteration, in plies.
    pub depth: Option<Depth>,
    /// Nodes of all threads together.
    pub nodes: Option<u64>,
    /// Soft node limit of the main thread: no iteration begins beyond it.
    pub soft_nodes: Option<u64>,
    /// No answer before `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: no answer before `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves to search; empty for all.
    pub searchmoves: Vec<Move>,
}

impl Limits {
    /// Whether the search ends by itself.
    pub fn is_bounded(&self) -> bool {
        self.clock.is_some()
            || self.movetime.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }

    /// Last iteration, in plies.
    pub fn max_depth(&self) -> Depth {
        let depth = self.depth.unwrap_or(Depth::MAX);
        depth.clamp(1, MAX_PLY as Depth - 1)
    }
}

/// The USI options that a search needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// PVs to search and report.
    pub multi_pv: usize,
    /// The game is drawn after this many plies; 0 for no limit.
    pub max_moves_to_draw: u32,
    /// Score of a draw in centipawns, by the colour to move at the root.
    pub draw_value: [Value; 2],
    /// Resign when the score is at most minus this, in centipawns.
    pub resign_value: Value,
    /// The declaration rule.
    pub entering_king_rule: EnteringKingRule,
    /// Also search non-promotions of pawns, bishops, rooks, and lances to the second rank.
    pub generate_all_legal_moves: bool,
    /// Usual network delay of a move, in milliseconds.
    pub network_delay: u64,
    /// Worst network delay of a move, in milliseconds.
    pub network_delay2: u64,
    /// Least time for a move, in milliseconds, where the clock allows it.
    pub minimum_thinking_time: u64,
    /// Percentage of the optimum time to use.
    pub slow_mover: u64,
    /// Whether the server rounds times up to full seconds.
    pub round_up_to_full_second: bool,
    /// Whether the engine ponders, so that each move may take more time.
    pub ponder: bool,
    /// Minimum interval between reports of completed iterations, in milliseconds; 0 for all.
    pub pv_interval: u64,
    /// How much of the search is enabled.
    #[cfg(test)]
    pub(crate) mode: Mode,
}

/// How much of the search is enabled, for tests that compare it with plain minimax.
#[cfg(test)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mode {
    /// Alpha-beta whose leaves get their static evaluation: the value is that of minimax.
    AlphaBeta,
    /// Alpha-beta with the transposition table.
    WithTable,
    /// The search of the engine.
    #[default]
    Full,
}

impl SearchOptions {
    /// The options with their scores converted from centipawns to the unit of a network.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::value;

    #[test]
    fn the_ends_of_the_ranges_of_options_keep_their_meaning_in_every_unit() {
        for pawn in [1, 90, 100, 10_000] {
            let options = SearchOptions {
                resign_value: 99_999,
                draw_value: [-30_000, 30_000],
                ..SearchOptions::default()
            };
            let options = options.in_unit(ScoreUnit::new(pawn));
            assert!(options.resign_value > value::MATE, "never resigns");
            let [low, high] = options.draw_value;
            assert!(low < 0 && high > 0 && !value::is_decisive(low) && !value::is_decisive(high));
        }
    }
}
