//! The mate solver at the root: the main thread gives a small share of its nodes to the tsume solver,
//! which finds much longer mates by checks than the search does.
//!
//! A proven mate interrupts the iteration and becomes the PV of its root move. From then on the search
//! takes the value of that move as given and looks only for shorter mates by other moves.
#![forbid(unsafe_code)]

use super::iterate::RootMove;
use super::report::ScoreBound;
use super::worker::Worker;
use crate::mate::{NodeBudget, Solver};
use crate::position::{EnteringKingRule, MoveCount, Position};
use crate::types::{Move, Value, value};

/// Nodes of a search before the solver starts.
pub(super) const NODES_BEFORE: u64 = 10_000;
/// The solver gets one node in this many.
pub(super) const SHARE: u64 = 16;
/// The solver gets one node in this many once it has found a mate and looks for a shorter one.
const SHARE_WITH_MATE: u64 = 2;
/// Minimum nodes of a slice.
const MIN_SLICE: u64 = 512;

/// Memory of the solver in megabytes; a few hundred thousand nodes fill it.
const MEMORY_MB: usize = 8;
/// Longest line of the solver, in plies. It recurses once per ply, on top of the stack that a line of the
/// search takes.
const MAX_PLIES: usize = 200;

/// State of the solver in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SolverState {
    /// Not started yet.
    New,
    /// At work, slice by slice.
    Solving,
    /// Nothing left to do.
    Done,
}

/// The solver of the main thread and its result.
pub(super) struct RootMate {
    /// Created when first needed.
    pub(super) solver: Option<Solver>,
    pub(super) state: SolverState,
    /// Nodes spent by the solver in this search.
    pub(super) nodes: u64,
    /// Whether the solver has found a mate.
    has_line: bool,
    /// Score of the best root move in the last iteration.
    known_score: Value,
    /// The PV of the mate, from the root on; empty without one.
    pub(super) line: Vec<Move>,
}

impl RootMate {
    pub(super) fn new() -> RootMate {
        RootMate {
            solver: None,
            state: SolverState::New,
            nodes: 0,
            has_line: false,
            known_score: -value::INFINITE,
            line: Vec::new(),
        }
    }

    /// Prepares for a new search.
    pub(super) fn clear(&mut self) {
        self.state = SolverState::New;
        self.nodes = 0;
        self.has_line = false;
        self.line.clear();
    }

    /// Nodes due to the solver after `nodes` nodes of search and solver together; 0 for none yet.
    #[inline]
    pub(super) fn slice(&self, nodes: u64) -> u64 {
        if self.state != SolverState::Solving {
            return 0;
        }
        let share = if self.line.is_empty() {
            (nodes / SHARE).max(MIN_SLICE)
        } else {
            nodes / SHARE_WITH_MATE
        };
        let due = share.saturating_sub(self.nodes);
        // Every slice first has to descend again to where the last one ended.
        if due < MIN_SLICE.max(self.nodes / 8) {
            0
        } else {
            due
        }
    }

    /// The value of a root move and the line after it, if it is the mating move.
    #[inline]
    pub(super) fn known(&self, mv: Move) -> Option<(Value, &[Move])> {
        match self.line.split_first() {
            Some((&first, rest)) if first == mv => Some((value::mate_in(self.line.len()), rest)),
            _ => None,
        }
    }

    /// Starts the solver at the root of this search.
    fn begin(&mut self, position: &Position, first_moves: Option<Vec<Move>>) -> SolverState {
        let mut checks = MoveCount::default();
        position.generate_checks::<true>(&position.check_info(), &mut checks);
        if checks.0 == 0 {
            return SolverState::Done;
        }
        let solver = match &mut self.solver {
            Some(solver) => {
                solver.restart(position);
                solver
            }
            empty => empty.insert(Solver::new(position, MEMORY_MB, MAX_PLIES)),
        };
        if let Some(moves) = first_moves {
            solver.restrict(moves);
        }
        SolverState::Solving
    }
}

impl Worker {
    /// Runs the solver between iterations, and keeps a mate that it finds.
    pub(super) fn look_for_mate(&mut self) {
        if self.mate.state == SolverState::New && self.nodes >= NODES_BEFORE && self.is_selective()
        {
            self.mate.state = self.begin_solver();
        }
        self.mate.known_score = self.root_moves[0].score;
        self.advance_solver();
        self.keep_mate();
    }

    /// Runs the solver for the nodes due to it; returns whether it found a mate shorter than any
    /// known. May be called at any node.
    pub(super) fn advance_solver(&mut self) -> bool {
        let mut slice = self.mate.slice(self.nodes);
        let (true, Some(main), Some(solver)) = (slice > 0, &mut self.main, &mut self.mate.solver)
        else {
            return false;
        };
        if let Some(limit) = main.nodes {
            slice = slice.min(limit.saturating_sub(self.control.nodes()));
        }
        let length = solver.line().len();
        let (id, before, control) = (self.id, self.nodes, &*self.control);
        let mut interrupt = |spent| {
            control.set_nodes(id, before + spent);
            main.check_limits(control);
            control.is_stopped()
        };
        let mut budget = NodeBudget::new(slice, &mut interrupt);
        solver.solve(&mut budget);
        solver.shorten(&mut budget);
        let spent = budget.nodes();
        let line = solver.line();
        self.mate.has_line |= !line.is_empty();
        let found = line.len() != length && value::mate_in(line.len()) > self.mate.known_score;
        if solver.is_finished() {
            self.mate.state = SolverState::Done;
        }
        self.mate.nodes += spent;
        self.nodes += spent;
        self.control.set_nodes(self.id, self.nodes);
        self.check_limits();
        found
    }

    /// Starts the solver if there is work for it.
    fn begin_solver(&mut self) -> SolverState {
        let defender = !self.position.side_to_move();
        if self.main.is_none()
            || self.options.multi_pv > 1
            || self.position.king(defender).is_none()
            // A king in check may win by a move to the square it tries for.
            || self.options.entering_king_rule == EnteringKingRule::TryRule
        {
            return SolverState::Done;
        }
        let mut usual: Vec<Move> = Vec::new();
        self.position.generate_legal::<false>(&mut usual);
        let asked: Vec<Move> = self.root_moves.iter().map(|m| m.mv).collect();
        // Without `searchmoves`, moves that the search does not generate may mate too.
        let all = usual.iter().all(|mv| asked.contains(mv));
        self.mate.begin(&self.position, (!all).then_some(asked))
    }

    /// Makes the mating move of the solver the best root move, unless a mate as short is known.
    /// Called at the root.
    pub(super) fn keep_mate(&mut self) {
        let line = match &self.mate.solver {
            Some(solver) if self.mate.has_line => solver.line(),
            _ => return,
        };
        let Some(&mv) = line.first() else { return };
        let score = value::mate_in(line.len());
        let limit = self.options.max_moves_to_draw as usize;
        let too_late = limit != 0 && self.position.game_ply() as usize + line.len() > limit + 1;
        if too_late || self.root_moves[0].score >= score {
            return;
        }
        let place = match self.root_moves.iter().position(|m| m.mv == mv) {
            Some(place) => place,
            None => {
                self.root_moves.push(RootMove::new(mv));
                self.root_moves.len() - 1
            }
        };
        self.root_moves[..=place].rotate_right(1);
        let best = &mut self.root_moves[0];
        best.score = score;
        best.average_score = score;
        best.bound = ScoreBound::Exact;
        best.depth = self.root_depth.max(1);
        best.seldepth = line.len();
        best.pv.clear();
        best.pv.extend_from_slice(line);
        self.mate.line.clear();
        self.mate.line.extend_from_slice(line);
    }
}
