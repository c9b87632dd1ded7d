//! Mate problems (詰将棋): can the side to move force mate by giving check with every move?
//!
//! The solver is df-pn, a depth-first proof-number search with a table ([`dfpn`]). Both sides
//! play every legal move the problem allows: the attacker all checks, needless non-promotions
//! among them, the defender all legal moves. A proof is walked through against every defence
//! before it is believed ([`mod@line`]), then shortened as far as that is cheap. The solver
//! ([`mod@solver`]) can be left and taken up again, so that a search can give it a slice now and then.
//!
//! Perpetual check is no mate, so a line that returns to an earlier position fails for the
//! attacker. What rests on such a return holds only for the path it was found on (the graph
//! history interaction problem). Three rules keep the table right all the same:
//! * a proof never rests on a return, so it holds on every path: from a position with a forced
//!   mate there is one that repeats nothing;
//! * a refutation remembers the earliest position of the path that it rests on. It holds on
//!   every path once that position itself is refuted, and is stored for the position alone only
//!   if it rests on nothing before it;
//! * any other refutation is stored under the whole path, where it is true.
#![forbid(unsafe_code)]

mod budget;
mod dfpn;
mod expand;
mod line;
mod numbers;
mod solver;
mod table;

use crate::position::Position;
use crate::types::Move;
pub(crate) use budget::Budget;
pub(crate) use solver::Solver;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Plies a line of the solver may be long. What would need more is left undecided.
const MAX_PLIES: usize = 4000;

/// Stack of the solving thread. The searches recurse once a ply and take about 250 bytes for it
/// (measured with optimisation); this allows 8 KiB for each of [`MAX_PLIES`].
const STACK_BYTES: usize = 32 << 20;

/// Nodes that looking for a shorter mate may take at least.
const SHORTEN_NODES: u64 = 500_000;

/// What bounds the search for a mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MateLimits {
    /// Moves to play on the board of the solver; `None` for any number.
    pub nodes: Option<u64>,
    /// Time to take; `None` for any.
    pub time: Option<Duration>,
    /// Megabytes of memory to use; at least one is taken.
    pub memory_mb: usize,
}

/// What became of a mate problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateOutcome {
    /// The side to move mates; its moves and the longest defence found, ending in mate.
    Mate(Vec<Move>),
    /// The side to move cannot force mate by checks alone.
    NoMate,
    /// Not decided within the limits.
    Timeout,
}

/// Looks for a forced mate by the side to move, every one of its moves a check.
///
/// Runs on a thread of its own, for the sake of its stack, and returns when that has ended:
/// soon after a limit is reached or `stop` is set.
pub fn solve(position: &Position, limits: &MateLimits, stop: &AtomicBool) -> MateOutcome {
    if position.king(!position.side_to_move()).is_none() {
        return MateOutcome::NoMate;
    }
    // A time beyond what the clock can express is no limit.
    let deadline = limits
        .time
        .and_then(|time| Instant::now().checked_add(time));
    let mut interrupt =
        |_| stop.load(Ordering::Relaxed) || deadline.is_some_and(|end| Instant::now() >= end);
    thread::scope(|scope| {
        let run = || {
            let mut budget = Budget::new(limits.nodes.unwrap_or(u64::MAX), &mut interrupt);
            let mut solver = Solver::new(position, limits.memory_mb, MAX_PLIES);
            solver.solve(&mut budget);
            // Shortening may take as long as solving did.
            budget.restrict(budget.nodes().max(SHORTEN_NODES));
            solver.shorten(&mut budget);
            solver.outcome()
        };
        let solver = thread::Builder::new()
            .name("mate".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, run);
        match solver {
            Ok(thread) => thread.join().unwrap_or(MateOutcome::Timeout),
            Err(_) => MateOutcome::Timeout,
        }
    })
}

#[cfg(test)]
mod tests;
