//! The state of a search thread, and what it does at every node.
#![forbid(unsafe_code)]

use super::control::Control;
use super::correction_history::CorrectionHistory;
use super::history::{ContinuationIndex, Histories};
use super::iterate::RootMove;
use super::limits::{Limits, SearchOptions};
use super::movepick::{Context, MoveArena, MovePicker};
use super::pvs::NodeType;
use super::report::Report;
use super::root_mate::RootMate;
use super::single::{EvaluatedSample, Visits};
use super::stack::{PvTable, Stack};
use super::time::TimeManager;
use super::tt::{TranspositionTable, TtEntry};
use crate::eval::Evaluator;
use crate::eval::nnue::{self, Network};
use crate::position::{CheckInfo, Position, Repetition};
use crate::types::{Color, Depth, MAX_PLY, Move, Value, value};
use std::sync::Arc;
use std::time::Instant;

/// A search to run, as each thread receives it.
#[derive(Clone)]
pub struct Job {
    /// The hash table, shared by all threads.
    pub tt: Arc<TranspositionTable>,
    /// The correction history, shared by all threads.
    pub correction_history: Arc<CorrectionHistory>,
    /// The network.
    pub network: Arc<Network>,
    /// Stop and ponder flags, node counters.
    pub control: Arc<Control>,
    /// The root.
    pub position: Position,
    /// The root moves to search.
    pub root_moves: Vec<RootMove>,
    /// Last iteration, in plies.
    pub depth: Depth,
    /// Options of the search, scores in the unit of the network.
    pub options: SearchOptions,
    /// Whether to clear the histories first.
    pub clear: bool,
}

/// What the main thread does and helpers do not: it watches the limits and reports.
pub struct MainThread {
    /// Decides when to stop.
    pub time: TimeManager,
    /// Hard node limit, for all threads together.
    pub nodes: Option<u64>,
    /// Soft node limit: no iteration begins beyond it.
    pub soft_nodes: Option<u64>,
    /// Whether the best move has to wait for `stop`.
    pub infinite: bool,
    /// Whether only the moves asked for are searched.
    pub searchmoves: bool,
    /// Milliseconds from the start of the search to the last output.
    pub last_output: u64,
    /// Receives the output.
    pub report: Box<dyn Report>,
}

impl MainThread {
    /// The main thread of a search that began at `start`.
    pub fn new(
        position: &Position,
        limits: &Limits,
        options: &SearchOptions,
        start: Instant,
        report: Box<dyn Report>,
    ) -> MainThread {
        MainThread {
            time: TimeManager::new(position, limits, options, start),
            nodes: limits.nodes,
            soft_nodes: limits.soft_nodes,
            infinite: limits.infinite,
            searchmoves: !limits.searchmoves.is_empty(),
            last_output: 0,
            report,
        }
    }

    /// Stops the search when its nodes or its time are used up; returns the nodes left.
    pub(super) fn check_limits(&mut self, control: &Control) -> u64 {
        let left = match self.nodes {
            Some(limit) => limit.saturating_sub(control.nodes()),
            None => u64::MAX,
        };
        if left == 0 || self.time.is_up(control) {
            control.halt();
        }
        left
    }
}

/// The state of a search thread. Its histories survive from search to search.
pub struct Worker {
    pub(super) id: usize,
    pub(super) tt: Arc<TranspositionTable>,
    pub(super) correction_history: Arc<CorrectionHistory>,
    pub(super) control: Arc<Control>,
    pub(super) options: SearchOptions,
    pub(super) position: Position,
    pub(super) evaluator: Evaluator,
    pub(super) history: Histories,
    pub(super) stack: Stack,
    pub(super) arena: MoveArena,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// First root move of the line being searched (MultiPV).
    pub(super) pv_index: usize,
    pub(super) root_side: Color,
    pub(super) root_depth: Depth,
    /// Width of the window at the root, cp.
    pub(super) root_delta: Value,
    pub(super) completed_depth: Depth,
    pub(super) max_depth: Depth,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    pub(super) best_move_changes: f64,
    /// Nodes at the last report.
    pub(super) reported_nodes: Option<u64>,
    /// Set when the search has to stop; values returned from then on are meaningless.
    pub(super) stopped: bool,
    until_poll: u64,
    /// TreeStrap positions, if they are recorded.
    pub(super) visits: Option<Visits>,
    /// A sample of the positions evaluated, if one is drawn.
    pub(super) sample: Option<EvaluatedSample>,
    pub(super) mate: RootMate,
    pub(super) main: Option<MainThread>,
}

/// Nodes between two checks of the stop flag and the limits.
const POLL_INTERVAL: u64 = 512;
/// The first iteration ignores all limits up to this many nodes.
const MAX_FIRST_ITERATION: u64 = 10_000;

impl Worker {
    /// The state of a thread before its first search. All its memory is touched, so that the first
    /// search does not wait for page faults.
    pub fn new(id: usize) -> Worker {
        let mut history = Histories::new();
        history.clear();
        Worker {
            id,
            tt: Arc::new(TranspositionTable::placeholder()),
            correction_history: Arc::default(),
            control: Arc::new(Control::new(id + 1, false)),
            options: SearchOptions::default(),
            position: Position::startpos(),
            evaluator: Evaluator::new(nnue::embedded()),
            history,
            stack: Stack::new(),
            arena: MoveArena::new(),
            pv: PvTable::new(),
            root_moves: Vec::new(),
            pv_index: 0,
            root_side: Color::Black,
            root_depth: 0,
            root_delta: 1,
            completed_depth: 0,
            max_depth: 0,
            seldepth: 0,
            nodes: 0,
            best_move_changes: 0.0,
            reported_nodes: None,
            stopped: false,
            until_poll: 1,
            visits: None,
            sample: None,
            mate: RootMate::new(),
            main: None,
        }
    }

    /// Prepares a search.
    pub fn begin(&mut self, job: Job) {
        if job.clear {
            self.history.clear();
        }
        self.tt = job.tt;
        self.correction_history = job.correction_history;
        self.control = job.control;
        self.options = job.options;
        self.root_side = job.position.side_to_move();
        self.position = job.position;
        self.evaluator.set_network(job.network);
        self.evaluator.reset(&self.position);
        self.root_moves = job.root_moves;
        self.order_tt_move_first();
        self.max_depth = job.depth;
        self.history.begin();
        self.stack.clear();
        self.arena.clear();
        self.pv_index = 0;
        self.root_depth = 0;
        self.root_delta = 1;
        self.completed_depth = 0;
        self.seldepth = 0;
        self.nodes = 0;
        self.best_move_changes = 0.0;
        self.reported_nodes = None;
        self.stopped = false;
        self.until_poll = 1;
        self.mate.clear();
    }

    /// Puts the TT move of the root before the other root moves.
    fn order_tt_move_first(&mut self) {
        if let Some(tt) = self.tt_probe(0)
            && let Some(index) = self.root_moves.iter().position(|m| m.mv == tt.mv)
        {
            self.root_moves[..=index].rotate_right(1);
        }
    }

    /// The entry of the current position in the transposition table.
    #[inline(always)]
    pub(super) fn tt_probe(&self, ply: usize) -> Option<TtEntry> {
        let (key, side) = (self.position.key(), self.position.side_to_move());
        self.tt.probe(key, side, ply)
    }

    /// Stores an entry for the current position.
    #[inline(always)]
    pub(super) fn tt_store(&self, ply: usize, entry: TtEntry) {
        let (key, side) = (self.position.key(), self.position.side_to_move());
        self.tt.store(key, side, ply, entry);
    }

    /// Prefetches the entry of the position after a move, long before it is needed.
    #[inline(always)]
    pub(super) fn prefetch(&self, mv: Move) {
        self.tt
            .prefetch(self.position.key_after(mv), !self.position.side_to_move());
    }

    /// Plays a move at a node.
    #[inline]
    pub(super) fn do_move(&mut self, ply: usize, mv: Move) {
        let frame = self.stack.at_mut(ply);
        frame.mv = mv;
        frame.capture = self.position.is_capture(mv);
        let piece = self.position.moved_piece_after(mv);
        frame.continuation = ContinuationIndex::new(piece, mv.to());
        self.nodes += 1;
        self.control.set_nodes(self.id, self.nodes);
        let dirty = self.position.do_move(mv);
        self.evaluator.push(dirty);
    }

    /// Takes a move back.
    #[inline]
    pub(super) fn undo_move(&mut self, mv: Move) {
        self.position.undo_move(mv);
        self.evaluator.pop();
    }

    /// Makes a null move at a node.
    pub(super) fn do_null_move(&mut self, ply: usize) {
        debug_assert_ne!(self.stack.before(ply, 1).mv, Move::NULL, "two in a row");
        let frame = self.stack.at_mut(ply);
        frame.mv = Move::NULL;
        frame.capture = false;
        frame.continuation = ContinuationIndex::NONE;
        self.position.do_null_move();
        self.tt
            .prefetch(self.position.key(), self.position.side_to_move());
        self.evaluator.push_null();
    }

    /// Takes a null move back.
    pub(super) fn undo_null_move(&mut self) {
        self.position.undo_null_move();
        self.evaluator.pop();
    }

    /// The next move of a picker.
    #[inline]
    pub(super) fn next_move<N: NodeType>(
        &mut self,
        picker: &mut MovePicker,
        checks: &CheckInfo,
        ply: usize,
    ) -> Option<Move> {
        picker.next(Context {
            position: &self.position,
            checks,
            history: &self.history,
            stack: &self.stack,
            ply,
            // `searchmoves` may name a move that is not generated otherwise.
            all_moves: N::ROOT || self.options.generate_all_legal_moves,
            arena: &mut self.arena,
        })
    }

    /// Whether the search prunes, reduces and extends: always, but in tests that compare it with
    /// plain minimax.
    #[inline(always)]
    pub(super) fn is_selective(&self) -> bool {
        #[cfg(test)]
        return self.options.mode == super::limits::Mode::Full;
        #[cfg(not(test))]
        true
    }

    /// Whether values and moves of the transposition table are used: always, but in tests.
    #[inline(always)]
    pub(super) fn uses_tt(&self) -> bool {
        #[cfg(test)]
        return self.options.mode != super::limits::Mode::AlphaBeta;
        #[cfg(not(test))]
        true
    }

    /// Called once at every node: whether the search has to stop.
    #[inline(always)]
    pub(super) fn poll(&mut self) -> bool {
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.poll_now();
        }
        self.stopped
    }

    #[cold]
    fn poll_now(&mut self) {
        self.check_limits();
        self.report_progress();
        // A mate is worth more than the rest of the iteration.
        self.stopped |= !self.stopped && self.advance_solver();
    }

    /// Checks the limits and the stop flag, and decides when to check again.
    pub(super) fn check_limits(&mut self) {
        // The first nodes can be slow: memory is being touched for the first time.
        let interval = (self.nodes + 1).min(POLL_INTERVAL);
        self.until_poll = interval;
        if let Some(main) = &mut self.main {
            let left = main.check_limits(&self.control);
            self.until_poll = left.clamp(1, interval);
        }
        // The first iteration is completed, as a move that was never searched may lose at once. It
        // takes about a millisecond, unless it explodes.
        let is_first = self.root_depth == 1 && self.nodes < MAX_FIRST_ITERATION;
        self.stopped |= !is_first && self.control.is_stopped();
    }

    /// Value of a draw for the side to move, by the draw value of the side to move at the root. A
    /// jitter of 1 keeps repetitions from looking all alike.
    #[inline]
    pub(super) fn draw_value(&self) -> Value {
        let value = self.options.draw_value[self.root_side.index()];
        let value = if self.position.side_to_move() == self.root_side {
            value
        } else {
            -value
        };
        value - 1 + (self.nodes & 2) as Value
    }

    /// The value of a node that is not searched: the game is over by repetition or `MaxMovesToDraw`,
    /// or the line has reached [`MAX_PLY`].
    #[inline]
    pub(super) fn terminal_value(&mut self, ply: usize) -> Option<Value> {
        match self.position.repetition(ply) {
            Repetition::None => {}
            Repetition::Draw => return Some(self.draw_value()),
            Repetition::Win => return Some(value::mate_in(ply)),
            Repetition::Loss => return Some(value::mated_in(ply)),
            Repetition::Superior => return Some(value::SUPERIOR),
            Repetition::Inferior => return Some(-value::SUPERIOR),
        }
        let limit = self.options.max_moves_to_draw;
        if limit != 0 && self.position.game_ply() > limit {
            // Mate by the last move allowed still wins.
            let mated = !self.position.has_legal_move();
            return Some(if mated {
                value::mated_in(ply)
            } else {
                self.draw_value()
            });
        }
        if ply >= MAX_PLY - 1 {
            let quiet = !self.position.in_check();
            return Some(if quiet {
                self.evaluator.evaluate(&self.position)
            } else {
                self.draw_value()
            });
        }
        None
    }
}
