//! The tsume solver (詰将棋): can the side to move force mate by giving check with every move?
//!
//! It is a depth-first proof-number search with a transposition table ([`dfpn`]). The attacker has
//! all checks, non-promotions included, the defender all legal moves. A proof counts only after it
//! has been played out against every defence ([`verify`]); then the solver searches for a shorter
//! mate. The solver ([`solver`]) can be stopped and resumed, so that the search can run it in
//! slices of nodes.
//!
//! Perpetual check (連続王手の千日手) does not mate, so a repetition is a failure of the attacker, and a
//! disproof by repetition may hold on its own path only: the graph history interaction (GHI)
//! problem. Three rules keep the table correct:
//! * Proofs never depend on a repetition, so they hold on every path: where there is a forced mate,
//!   there is one without repetition.
//! * A disproof carries its repetition depth: the depth of the shallowest ancestor that it repeats. A
//!   disproof that repeats no ancestor of its position holds on every path, and is stored under the key
//!   of the position.
//! * Any other disproof is stored under a key of the whole path.
#![forbid(unsafe_code)]

mod dfpn;
mod proof_numbers;
mod solver;
mod table;
mod verify;

use crate::position::Position;
use crate::types::Move;
pub(crate) use solver::Solver;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line of the solver, in plies. Longer mates are not found.
const MAX_PLIES: usize = 4000;

/// Stack of the solver's thread in bytes. The search recurses once per ply with frames of about 250
/// bytes in optimised builds; this allows 8 KiB for each of [`MAX_PLIES`].
const STACK_BYTES: usize = 32 << 20;

/// Minimum nodes of the search for a shorter mate.
const MIN_SHORTEN_NODES: u64 = 500_000;

/// Time between two reports.
pub const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Nodes between calls of [`NodeBudget`]'s interrupt.
const POLL_NODES: u64 = 256;

/// Limits of a mate search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MateLimits {
    /// Maximum nodes; `None` for no limit. A node is a move done by the solver.
    pub nodes: Option<u64>,
    /// Maximum time; `None` for no limit.
    pub time: Option<Duration>,
    /// Maximum length of the mate in plies; `None` for no limit.
    pub plies: Option<u16>,
    /// Memory in megabytes, at least 1.
    pub memory_mb: usize,
}

/// The outcome of a mate search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateOutcome {
    /// The side to move mates: the shortest line found against the longest defence.
    Mate(Vec<Move>),
    /// The side to move cannot force mate by checks.
    NoMate,
    /// Not decided within the limits.
    Timeout,
}

/// The state of a mate search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MateProgress<'a> {
    /// Time since it began.
    pub time: Duration,
    /// Nodes searched.
    pub nodes: u64,
    /// Use of the table, in permille.
    pub hashfull: u32,
    /// The shortest mate so far; empty without one.
    pub line: &'a [Move],
}

/// The nodes that a solver may spend, and its interruption.
pub(crate) struct NodeBudget<'a> {
    nodes: u64,
    limit: u64,
    interrupt: &'a mut dyn FnMut(u64) -> bool,
    interrupted: bool,
}

impl<'a> NodeBudget<'a> {
    /// At most `limit` nodes. `interrupt` is called at once and then every [`POLL_NODES`] nodes,
    /// with the nodes spent, and stops the solver by returning true.
    pub(crate) fn new(limit: u64, interrupt: &'a mut dyn FnMut(u64) -> bool) -> NodeBudget<'a> {
        let interrupted = interrupt(0);
        NodeBudget {
            nodes: 0,
            limit,
            interrupt,
            interrupted,
        }
    }

    /// Nodes spent.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the solver has to stop.
    #[inline]
    fn is_exhausted(&self) -> bool {
        self.interrupted || self.nodes >= self.limit
    }

    /// Spends a node.
    #[inline]
    fn count(&mut self) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_NODES) {
            self.interrupted |= (self.interrupt)(self.nodes);
        }
    }
}

/// Looks for a forced mate by the side to move, in which every one of its moves gives check.
///
/// Runs on a thread of its own, which has the stack it needs, and returns soon after a limit is
/// reached or `stop` is set. Calls `report` every [`REPORT_INTERVAL`] and at the end.
pub fn solve(
    position: &Position,
    limits: &MateLimits,
    stop: &AtomicBool,
    report: &mut (dyn FnMut(&MateProgress) + Send),
) -> MateOutcome {
    if position.king(!position.side_to_move()).is_none() {
        return MateOutcome::NoMate;
    }
    thread::scope(|scope| {
        let solver = thread::Builder::new()
            .name("mate".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || run(position, limits, stop, report));
        match solver {
            Ok(thread) => thread.join().unwrap_or(MateOutcome::Timeout),
            Err(_) => MateOutcome::Timeout,
        }
    })
}

/// Solves a position in slices, between which it reports.
fn run(
    position: &Position,
    limits: &MateLimits,
    stop: &AtomicBool,
    report: &mut (dyn FnMut(&MateProgress) + Send),
) -> MateOutcome {
    let start = Instant::now();
    // A time that overflows the clock is no limit.
    let deadline = limits.time.and_then(|time| start.checked_add(time));
    let is_over = || {
        stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    };
    let mut solver = Solver::new(position, limits.memory_mb, MAX_PLIES);
    solver.limit_length(limits.plies);
    let (mut nodes, mut limit) = (0, limits.nodes.unwrap_or(u64::MAX));
    while !solver.is_finished() && nodes < limit && !is_over() {
        let slice_end = Instant::now() + REPORT_INTERVAL;
        let mut interrupt = |_| is_over() || Instant::now() >= slice_end;
        let mut budget = NodeBudget::new(limit - nodes, &mut interrupt);
        let is_solved = !solver.line().is_empty();
        if is_solved {
            solver.shorten(&mut budget);
        } else {
            solver.solve(&mut budget);
        }
        nodes += budget.nodes();
        if !is_solved && !solver.line().is_empty() {
            // Shortening may take as long as solving did.
            limit = limit.min(nodes.saturating_add(nodes.max(MIN_SHORTEN_NODES)));
        }
        if Instant::now() >= slice_end {
            report(&solver.progress(start.elapsed(), nodes));
        }
    }
    report(&solver.progress(start.elapsed(), nodes));
    solver.outcome()
}

#[cfg(test)]
mod tests;
