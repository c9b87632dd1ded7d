//! The moves of a node: which are searched, and how deep. Steps 15 to 21 of the search that
//! [`super::pvs`] begins.
#![forbid(unsafe_code)]

use super::extension::Extension;
use super::move_pruning::Verdict;
use super::movepick::MovePicker;
use super::node::{NodeType, NonPv, Pv};
use super::params;
use super::prune;
use super::pvs::Node;
use super::report::ScoreBound;
use super::root::RootMove;
use super::tried::TriedMoves;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::position::see_value;
use crate::types::{Depth, Move, Value, value};

/// One move of a node.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its number in the order of search, from 1.
    pub(super) number: usize,
    pub(super) capture: bool,
    pub(super) gives_check: bool,
    /// Exchange value of what it captures, cp.
    pub(super) victim: Value,
    /// What histories say about it.
    pub(super) history: i32,
    /// What they say about it as a sequel of the last moves and among these pawns; 0 for captures.
    pub(super) sequel: i32,
}

/// The window of a node and how the search of its moves goes.
struct Progress {
    alpha: Value,
    beta: Value,
    best_value: Value,
    best_move: Move,
    /// Depth at which the moves left are searched.
    depth: Depth,
}

impl Worker {
    /// Steps 15 to 21: searches the moves of a node.
    pub(super) fn search_moves<N: NodeType>(
        &mut self,
        node: &Node,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let ply = node.ply;
        let checks = self.position.check_info();
        let mut picker = MovePicker::new(node.tt_move, &self.position, &self.arena);
        let mut quiets = TriedMoves::new();
        let mut captures = TriedMoves::new();
        let mut number = 0;
        let mut progress = Progress {
            alpha,
            beta,
            best_value: -value::INFINITE,
            best_move: Move::NONE,
            depth: node.depth,
        };
        let excluded = self.stack.at(ply).excluded;

        // Step 15. One move after the other, the best guess first.
        while let Some(mv) = self.next_move::<N>(&mut picker, &checks, ply) {
            if mv == excluded || N::ROOT && self.root_move(mv).is_none() {
                continue;
            }
            self.prefetch(mv);
            number += 1;
            self.stack.at_mut(ply).move_count = number;
            let candidate = self.candidate(ply, mv, number, self.position.gives_check(mv, &checks));
            let delta = progress.beta - progress.alpha;
            let current = Node {
                depth: progress.depth,
                ..*node
            };
            let base = self.base_reduction(&current, number, delta);

            // Step 16. Skip moves that promise nothing.
            if !N::ROOT && self.skips(&current, &candidate, base, &mut progress, &mut picker) {
                continue;
            }

            // Step 17. Search deeper what deserves it.
            let nodes_before = self.nodes;
            let extension = match self.extension::<N>(&current, &candidate, progress.alpha, beta) {
                Extension::By(plies) => plies,
                Extension::Singular(plies) => {
                    progress.depth += 1;
                    plies
                }
                Extension::Cut(value) => return value,
            };
            if self.stopped {
                return value::DRAW;
            }
            self.stack.at_mut(ply).move_count = number;

            // Steps 18 and 19. Play, reduce, search.
            let value = match self.mate_by::<N>(mv) {
                Some(value) => value,
                None => self.search_move::<N>(&current, &candidate, extension, base, &progress),
            };
            if self.stopped {
                return value::DRAW;
            }
            debug_assert!(-value::INFINITE < value && value < value::INFINITE);

            // Step 20. Keep what is better.
            if N::ROOT {
                let spent = self.nodes - nodes_before;
                self.record_root_move(mv, value, progress.alpha, beta, number, spent);
            }
            if value > progress.best_value
                && self.keep::<N>(ply, mv, value, extension, &mut progress)
            {
                break;
            }
            if mv != progress.best_move {
                let tried = if candidate.capture {
                    &mut captures
                } else {
                    &mut quiets
                };
                tried.push(mv);
            }
        }

        // Step 21. No move is a loss (詰み), in check or not.
        if number == 0 {
            return if excluded == Move::NONE {
                value::mated_in(ply)
            } else {
                alpha
            };
        }
        self.conclude_node::<N>(node, &mut progress, alpha, &quiets, &captures)
    }

    /// Step 16: whether to leave a move out. `base` is its reduction as far as it is known.
    #[inline(always)]
    fn skips(
        &self,
        node: &Node,
        candidate: &Candidate,
        base: i32,
        progress: &mut Progress,
        picker: &mut MovePicker,
    ) -> bool {
        if value::is_loss(progress.best_value) || !self.is_selective() {
            return false;
        }
        // In check every answer counts.
        if !node.in_check && candidate.number >= prune::late_move_limit(node.depth, node.improving)
        {
            // Good quiet moves would have come earlier.
            picker.skip_quiets();
        }
        let shown = if node.tt_pv {
            params::lmr_tt_pv_pruning()
        } else {
            0
        };
        let depth = node.depth - 1 - (base + shown) / 1024;
        let found = progress.best_move.is_some();
        match self.prune_move(node, candidate, depth, progress.alpha, found) {
            Verdict::Search => false,
            Verdict::Skip => true,
            Verdict::Futile(bound) => {
                progress.best_value = progress.best_value.max(bound);
                true
            }
        }
    }

    /// Step 20: keeps the value of a move that is better than all before. Whether it cuts the node.
    #[inline(always)]
    fn keep<N: NodeType>(
        &mut self,
        ply: usize,
        mv: Move,
        value: Value,
        extension: Depth,
        progress: &mut Progress,
    ) -> bool {
        progress.best_value = value;
        if value <= progress.alpha {
            return false;
        }
        progress.best_move = mv;
        if N::PV && !N::ROOT {
            self.pv.update(ply, mv);
        }
        if value >= progress.beta {
            if extension < 2 || N::PV {
                self.stack.at_mut(ply).cutoffs += 1;
            }
            return true;
        }
        progress.alpha = value;
        // A better move is found: the others are worth less effort.
        if (3..14).contains(&progress.depth) && !value::is_decisive(value) && self.is_selective() {
            progress.depth -= params::raised_alpha_reduction();
        }
        false
    }

    /// Step 21: learns from the node and stores it. Returns its value.
    fn conclude_node<N: NodeType>(
        &mut self,
        node: &Node,
        progress: &mut Progress,
        alpha: Value,
        quiets: &TriedMoves,
        captures: &TriedMoves,
    ) -> Value {
        let (ply, beta, best_move) = (node.ply, progress.beta, progress.best_move);
        let mut best_value = progress.best_value;
        if best_value >= beta && !value::is_decisive(best_value) && !value::is_decisive(beta) {
            // The deeper the search, the more its exact value is to be trusted.
            best_value = (best_value * node.depth + beta) / (node.depth + 1);
        }
        if best_move.is_some() {
            self.learn_from_best(node, best_move, quiets, captures);
        } else {
            self.learn_from_fail_low(node, best_value);
        }
        let mut node = *node;
        if best_value <= alpha && ply > 0 {
            // The line that the parent had on a principal variation has been refuted.
            node.tt_pv |= self.stack.before(ply, 1).tt_pv;
            self.stack.at_mut(ply).tt_pv = node.tt_pv;
        }
        if self.stack.at(ply).excluded != Move::NONE {
            return best_value;
        }
        let bound = if best_value >= beta {
            Bound::LOWER
        } else if N::PV && best_move.is_some() {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        if !(N::ROOT && self.pv_index > 0) {
            let entry = Entry {
                mv: best_move,
                value: best_value,
                eval: node.raw_eval,
                depth: node.depth,
                bound: node.mark(bound),
            };
            let (key, side) = (self.position.key(), self.position.side_to_move());
            self.tt.store(key, side, ply, entry);
        }
        let quiet = best_move == Move::NONE || !self.position.is_capture(best_move);
        if !node.in_check && quiet {
            self.learn_correction(node.depth, node.static_eval, best_value, bound);
        }
        self.note_visit(&node, best_move, best_value, bound);
        best_value
    }

    /// All that is to be known of a move before it is played.
    #[inline(always)]
    fn candidate(&self, ply: usize, mv: Move, number: usize, gives_check: bool) -> Candidate {
        let (piece, to) = (self.position.moved_piece_after(mv), mv.to());
        let victim = self.position.piece_on(to);
        let capture = victim.is_some();
        let (history, sequel) = if capture {
            (self.history.capture(piece, to, victim), 0)
        } else {
            let continuation = |back: usize| {
                let index = self.stack.before(ply, back).continuation;
                self.history.continuation(index)[piece.index()][to.index()].get()
            };
            let sequels = continuation(1) + continuation(2);
            let pawns = self.history.pawn_row(self.stack.at(ply).pawns);
            let side = self.position.side_to_move();
            (
                2 * self.history.butterfly(side, mv) + sequels,
                sequels + pawns[piece.index()][to.index()].get(),
            )
        };
        Candidate {
            mv,
            number,
            capture,
            gives_check,
            victim: see_value(victim),
            history,
            sequel,
        }
    }

    /// Steps 18 and 19: plays a move, searches it as deep and wide as it deserves, takes it back.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        extension: Depth,
        base: i32,
        progress: &Progress,
    ) -> Value {
        let ply = node.ply;
        let (alpha, beta) = (progress.alpha, progress.beta);
        let mut new_depth = node.depth - 1 + extension;
        self.do_move(ply, mv.mv);
        self.stack.at_mut(ply).history = mv.history;
        let mut reduction = self.reduction::<N>(node, mv, base, alpha);

        let mut value = -value::INFINITE;
        let zero_window = |worker: &mut Worker, depth: Depth, cut_node: bool| {
            -worker.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, depth, cut_node)
        };
        let reduces = self.is_selective();
        // Step 18. Late move reduction: late moves are searched shallower first.
        if node.depth >= 2 && mv.number > 1 && reduces {
            // Deeper than planned only in the near half of a line, or it might never end.
            let more = if ply < self.root_depth as usize { 2 } else { 0 };
            let longest = (new_depth + more).max(1);
            let depth = (new_depth - reduction / 1024).clamp(1, longest) + Depth::from(N::PV);
            self.stack.at_mut(ply).reduction = new_depth - depth;
            value = zero_window(self, depth, true);
            self.stack.at_mut(ply).reduction = 0;
            if value > alpha && !self.stopped {
                // How good it turned out says how deep to look again.
                let deeper =
                    depth < new_depth && value > progress.best_value + params::lmr_deeper();
                let shallower = value < progress.best_value + params::lmr_shallower();
                new_depth += Depth::from(deeper) - Depth::from(shallower);
                if new_depth > depth {
                    value = zero_window(self, new_depth, !node.cut_node);
                }
                if !self.stopped {
                    self.learn_from_research(ply, mv);
                }
            }
        } else if !N::PV || mv.number > 1 {
            if !node.tt_move.is_some() {
                reduction += params::full_unknown();
            }
            let less = Depth::from(reduces && reduction > params::full_reduction())
                + Depth::from(reduces && reduction > params::full_reduction_two() && new_depth > 2);
            value = zero_window(self, new_depth - less, !node.cut_node);
        }
        // Step 19. Open window for the first move of a PV node and for those that beat it.
        if N::PV && (mv.number == 1 || value > alpha) && !self.stopped {
            // A hash move known from more than quiescence search gets more than that again.
            let known = node.entry.is_some_and(|entry| entry.depth > 1);
            if mv.mv == node.tt_move && known && self.root_depth > 8 {
                new_depth = new_depth.max(1);
            }
            value = -self.pvs::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.undo_move(mv.mv);
        value
    }

    /// At the root, the value of a move that is known to mate; its line is made that of the mate.
    #[inline(always)]
    fn mate_by<N: NodeType>(&mut self, mv: Move) -> Option<Value> {
        if !N::ROOT {
            return None;
        }
        let (value, line) = self.mate.known(mv)?;
        self.pv.put(1, line);
        self.seldepth = self.seldepth.max(line.len() + 1);
        Some(value)
    }

    /// The place of a move among the root moves still to be searched for the line at hand.
    fn root_move(&self, mv: Move) -> Option<usize> {
        let left = &self.root_moves[self.pv_index..];
        let place = left.iter().position(|root_move| root_move.mv == mv)?;
        Some(self.pv_index + place)
    }

    /// Step 20 at the root: keeps the score and line of a move that is the first or better than
    /// alpha; of any other move nothing is known but that.
    fn record_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        number: usize,
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        let Some(index) = self.root_move(mv) else {
            return;
        };
        let root_move: &mut RootMove = &mut self.root_moves[index];
        root_move.nodes += nodes;
        let known = root_move.average_score;
        root_move.average_score = if known == -value::INFINITE {
            value
        } else {
            (value + known) / 2
        };
        if number > 1 && value <= alpha {
            root_move.score = -value::INFINITE;
            return;
        }
        root_move.seldepth = seldepth;
        (root_move.score, root_move.bound) = if value >= beta {
            (value, ScoreBound::Lower)
        } else if value <= alpha {
            (value, ScoreBound::Upper)
        } else {
            (value, ScoreBound::Exact)
        };
        root_move.pv.truncate(1);
        root_move.pv.extend_from_slice(self.pv.line(1));
        if number > 1 && self.pv_index == 0 {
            self.best_move_changes += 1.0;
        }
    }
}
