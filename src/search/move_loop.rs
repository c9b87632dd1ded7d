//! The moves of a node: which are searched, how deep, and what is learnt from them. Steps 12 to 18
//! of the search that [`super::pvs`] begins.
#![forbid(unsafe_code)]

use super::extension::Extension;
use super::history::{self, ContinuationIndex};
use super::movepick::MovePicker;
use super::node::{NodeType, NonPv, Pv};
use super::params;
use super::prune;
use super::pvs::Node;
use super::report::ScoreBound;
use super::root::RootMove;
use super::technique::Technique;
use super::tried::TriedMoves;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::types::{Depth, Move, Value, value};

/// One move of a node.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its number in the order of search, from 1.
    pub(super) number: usize,
    pub(super) capture: bool,
    pub(super) gives_check: bool,
    /// What histories say about it.
    pub(super) history: i32,
}

/// What to do with a move.
enum Verdict {
    Search,
    Skip,
    /// Skip it, and do not ask for further quiet moves.
    SkipQuiets,
    /// Skip it: its value is at most this.
    Futile(Value),
}

impl Worker {
    /// Steps 12 to 18: searches the moves of a node.
    pub(super) fn search_moves<N: NodeType>(
        &mut self,
        node: &Node,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        let ply = node.ply;
        let side = self.position.side_to_move();
        let checks = self.position.check_info();
        let mut picker = MovePicker::new(node.tt_move, &self.position, &self.arena);
        let mut quiets = TriedMoves::new();
        let mut captures = TriedMoves::new();
        let mut best_value = -value::INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        let old_alpha = alpha;
        let excluded = self.stack.at(ply).excluded;

        // Step 12. One move after the other, the best guess first.
        loop {
            let next = if N::ROOT {
                self.root_moves
                    .get(self.pv_index + number)
                    .map(|root_move| root_move.mv)
            } else {
                self.next_move(&mut picker, &checks, ply)
            };
            let Some(mv) = next else { break };
            if mv == excluded {
                continue;
            }
            number += 1;
            self.stack.at_mut(ply).move_count = number;
            let capture = self.position.is_capture(mv);
            let candidate = Candidate {
                mv,
                number,
                capture,
                gives_check: self.position.gives_check(mv, &checks),
                history: self.move_history(ply, mv, capture),
            };

            // Step 13. Skip moves that promise nothing.
            if !N::ROOT && !value::is_loss(best_value) {
                match self.prune_move(node, &candidate, alpha) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                    Verdict::Futile(bound) => {
                        best_value = best_value.max(bound);
                        continue;
                    }
                }
            }

            // Step 14. Search deeper what deserves it.
            let nodes_before = self.nodes;
            let extension = match self.extension::<N>(node, &candidate, beta) {
                Extension::By(plies) => plies,
                Extension::Cut(value) => return value,
            };
            if self.stopped {
                return value::DRAW;
            }
            self.stack.at_mut(ply).move_count = number;

            // Steps 15 and 16. Play, reduce, search.
            let value = self.search_move::<N>(node, &candidate, extension, alpha, beta);
            if self.stopped {
                return value::DRAW;
            }
            debug_assert!(-value::INFINITE < value && value < value::INFINITE);

            // Step 17. Keep what is better.
            if N::ROOT {
                let spent = self.nodes - nodes_before;
                self.record_root_move(mv, value, alpha, beta, number, spent);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        self.stack.at_mut(ply).cutoffs += 1;
                        break;
                    }
                    alpha = value;
                }
            }
            if mv != best_move {
                let tried = if capture { &mut captures } else { &mut quiets };
                tried.push(mv);
            }
        }

        // Step 18. No move is a loss (詰み), in check or not.
        if number == 0 {
            return if excluded == Move::NONE {
                value::mated_in(ply)
            } else {
                alpha
            };
        }
        if best_value >= beta && !value::is_decisive(best_value) && !value::is_decisive(beta) {
            // The deeper the search, the more its exact value is to be trusted.
            best_value = (best_value * node.depth + beta) / (node.depth + 1);
        }
        if best_move.is_some() {
            self.update_histories(node, best_move, &quiets, &captures);
        }
        if excluded == Move::NONE {
            let bound = if best_value >= beta {
                Bound::LOWER
            } else if N::PV && best_value > old_alpha {
                Bound::EXACT
            } else {
                Bound::UPPER
            };
            let quiet = best_move == Move::NONE || !self.position.is_capture(best_move);
            if !node.in_check && quiet {
                let static_eval = self.stack.at(ply).static_eval;
                self.learn_correction(node.depth, static_eval, best_value, bound);
            }
            if !(N::ROOT && self.pv_index > 0) {
                let entry = Entry {
                    mv: best_move,
                    value: best_value,
                    eval: node.raw_eval,
                    depth: node.depth,
                    bound: if node.tt_pv { bound | Bound::PV } else { bound },
                };
                self.tt.store(self.position.key(), side, ply, entry);
            }
        }
        best_value
    }

    /// What histories say about a move.
    #[inline(always)]
    fn move_history(&self, ply: usize, mv: Move, capture: bool) -> i32 {
        let (piece, to) = (self.position.moved_piece_after(mv), mv.to());
        if capture {
            return self.history.capture(piece, to, self.position.piece_on(to));
        }
        let continuation = |back: usize| {
            let index = self.stack.before(ply, back).continuation;
            self.history.continuation(index)[piece.index()][to.index()].get()
        };
        self.history.butterfly(self.position.side_to_move(), mv) + continuation(1) + continuation(2)
    }

    /// Step 13: whether a move is worth searching at all.
    #[inline(always)]
    fn prune_move(&self, node: &Node, mv: &Candidate, alpha: Value) -> Verdict {
        let depth = node.depth;
        if mv.capture || mv.gives_check {
            // Static exchange pruning: no captures and checks that lose too much.
            let keep = !self.uses(Technique::EXCHANGE_PRUNING)
                || self.position.see_ge(mv.mv, prune::capture_see_limit(depth));
            return if keep { Verdict::Search } else { Verdict::Skip };
        }
        // Late move pruning: good moves would have come earlier.
        if depth <= params::late_depth()
            && mv.number >= prune::late_move_limit(depth, node.improving)
            && self.uses(Technique::LATE_MOVE_PRUNING)
        {
            return Verdict::SkipQuiets;
        }
        let reduction = prune::base_reduction(depth, mv.number) / 1024;
        let reduced_depth = (depth - 1 - reduction).max(0);
        // History pruning: it was never any good.
        if reduced_depth <= params::history_depth()
            && mv.history < prune::history_limit(depth)
            && self.uses(Technique::HISTORY_PRUNING)
        {
            return Verdict::Skip;
        }
        // Parent futility pruning: a quiet move cannot lift the node to alpha.
        if !node.in_check
            && reduced_depth <= params::futility_depth()
            && self.uses(Technique::PARENT_FUTILITY)
        {
            let bound = node.eval + prune::parent_futility_margin(reduced_depth, mv.history);
            if bound <= alpha && !value::is_decisive(alpha) {
                return Verdict::Futile(bound);
            }
        }
        // Static exchange pruning: it puts a piece where it is lost.
        if self.uses(Technique::EXCHANGE_PRUNING)
            && !self
                .position
                .see_ge(mv.mv, prune::quiet_see_limit(reduced_depth))
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Steps 15 and 16: plays a move, searches it as deep and wide as it deserves, takes it back.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        extension: Depth,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let ply = node.ply;
        let new_depth = node.depth - 1 + extension;
        self.do_move(ply, mv.mv);

        let mut value = -value::INFINITE;
        // Step 15. Late move reduction: late moves are searched shallower first.
        let late = node.depth >= 2
            && mv.number > 1 + usize::from(N::ROOT)
            && self.uses(Technique::LATE_MOVE_REDUCTION);
        if late {
            let reduction = self.reduction::<N>(node, mv);
            let longest = new_depth + Depth::from(N::PV);
            let reduced = (new_depth - reduction).clamp(1, longest.max(1));
            value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, reduced, true);
            if value > alpha && reduced < new_depth && !self.stopped {
                let deeper = value > alpha + params::lmr_deeper() + 2 * new_depth;
                let again = new_depth + Depth::from(deeper);
                value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, again, !node.cut_node);
            }
        } else if !N::PV || mv.number > 1 {
            value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !node.cut_node);
        }
        // Step 16. Open window for the first move of a PV node and for those that beat it.
        if N::PV && (mv.number == 1 || value > alpha) && !self.stopped {
            value = -self.pvs::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.undo_move(mv.mv);
        value
    }

    /// Step 15: by how many plies to reduce a late move.
    #[inline(always)]
    fn reduction<N: NodeType>(&self, node: &Node, mv: &Candidate) -> Depth {
        let mut reduction = prune::base_reduction(node.depth, mv.number);
        if node.cut_node {
            reduction += params::lmr_cut_node();
        }
        if !node.improving {
            reduction += params::lmr_not_improving();
        }
        if node.tt_capture {
            reduction += params::lmr_tt_capture();
        }
        if node.tt_pv {
            reduction -= params::lmr_tt_pv();
        }
        if N::PV {
            reduction -= params::lmr_pv();
        }
        if mv.gives_check {
            reduction -= params::lmr_check();
        }
        if self.stack.at(node.ply + 1).cutoffs > 2 {
            reduction += params::lmr_cutoffs();
        }
        reduction -= mv.history * 1024 / params::lmr_history();
        reduction.max(0) / 1024
    }

    /// Step 17 at the root: keeps the score and line of a move that is the first or better than
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
        let (seldepth, index) = (self.seldepth, self.pv_index + number - 1);
        let root_move: &mut RootMove = &mut self.root_moves[index];
        debug_assert_eq!(root_move.mv, mv);
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

    /// Rewards a quiet move.
    #[inline]
    pub(super) fn reward_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let (side, piece) = (
            self.position.side_to_move(),
            self.position.moved_piece_after(mv),
        );
        self.history
            .update_quiet(side, mv, piece, self.stack.line(ply), bonus);
    }

    /// Step 18: rewards the best move and punishes those tried before it.
    fn update_histories(
        &mut self,
        node: &Node,
        best: Move,
        quiets: &TriedMoves,
        captures: &TriedMoves,
    ) {
        let (bonus, malus) = (history::bonus(node.depth), history::malus(node.depth));
        if self.position.is_capture(best) {
            self.update_capture(best, bonus);
        } else {
            self.reward_quiet(node.ply, best, bonus);
            for &mv in quiets.iter() {
                self.reward_quiet(node.ply, mv, -malus);
            }
        }
        for &mv in captures.iter() {
            self.update_capture(mv, -malus);
        }
        // A quiet move of the opponent that is refuted at once was no good sequel either.
        let previous = *self.stack.before(node.ply, 1);
        if previous.move_count == 1
            && !previous.capture
            && previous.continuation != ContinuationIndex::NONE
        {
            let (piece, to) = (self.position.piece_on(previous.mv.to()), previous.mv.to());
            let line = self.stack.line(node.ply - 1);
            self.history.update_continuation(piece, to, line, -malus);
        }
    }

    #[inline]
    fn update_capture(&mut self, mv: Move, bonus: i32) {
        let victim = self.position.piece_on(mv.to());
        self.history
            .update_capture(self.position.moved_piece_after(mv), mv.to(), victim, bonus);
    }
}
