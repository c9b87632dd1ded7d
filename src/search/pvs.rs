//! Principal variation search: negamax alpha-beta that searches the first move with the full
//! window and the others with an empty one, and again only if they turn out better.
//! <https://www.chessprogramming.org/Principal_Variation_Search>
//!
//! A *PV node* has an open window. All other nodes have the window (alpha, alpha + 1) and are
//! expected either to fail high after a move or two (*cut nodes*) or to try every move in vain
//! (*all nodes*); children of cut nodes are all nodes and the other way round.
//!
//! Values are fail-soft: a value outside the window is a bound on the true one. What rests on the
//! static evaluation is not done in check, nothing is pruned near mate, and moves that give check or
//! capture have rules of their own.
#![forbid(unsafe_code)]

use super::correction::Evaluation;
use super::history;
use super::node::NodeType;
use super::params;
use super::prune;
use super::tt::{Bound, DEPTH_EVAL, Entry};
use super::worker::Worker;
use crate::types::{Depth, MAX_PLY, Move, Value, value};

/// How much deeper than its node a mate in one is stored: enough to cut later visits, not so much
/// that it would never be replaced.
const MATE_DEPTH: Depth = 6;

/// Facts about a node, settled before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) ply: usize,
    pub(super) depth: Depth,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The hash move, legal or [`Move::NONE`].
    pub(super) tt_move: Move,
    /// The hash entry.
    pub(super) entry: Option<Entry>,
    /// Whether the hash move captures.
    pub(super) tt_capture: bool,
    /// On a principal variation now or when the position was met before.
    pub(super) tt_pv: bool,
    /// Static evaluation as the evaluator gave it, [`value::NONE`] in check.
    pub(super) raw_eval: Value,
    /// Corrected by experience; in check, that of two plies before.
    pub(super) static_eval: Value,
    /// Corrected by experience and by the value of the hash entry.
    pub(super) eval: Value,
    /// By how much experience corrected it, cp.
    pub(super) correction: Value,
    /// Whether the static evaluation is better than two plies before.
    pub(super) improving: bool,
    /// Whether it is worse for the opponent than before the last move.
    pub(super) opponent_worsening: bool,
}

impl Node {
    /// A bound as it is to be stored of this node.
    #[inline(always)]
    pub(super) fn mark(&self, bound: Bound) -> Bound {
        if self.tt_pv { bound | Bound::PV } else { bound }
    }
}

impl Worker {
    /// Searches a node to a depth and returns its value for the side to move.
    pub(super) fn pvs<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        depth: Depth,
        cut_node: bool,
    ) -> Value {
        debug_assert!(-value::INFINITE <= alpha && alpha < beta && beta <= value::INFINITE);
        debug_assert!(N::PV || alpha + 1 == beta);
        debug_assert!(!(N::PV && cut_node));

        // Step 1. Leave the leaves to quiescence search.
        if depth <= 0 {
            return self.quiescence::<N>(ply, alpha, beta);
        }
        let depth = depth.min(MAX_PLY as Depth - 1);
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.poll() {
            return value::DRAW;
        }

        if !N::ROOT {
            // Step 2. The rules may have ended the game.
            if let Some(value) = self.terminal_value(ply) {
                return value;
            }
            // Step 3. Mate distance pruning: no line can beat a shorter mate already found.
            // <https://www.chessprogramming.org/Mate_Distance_Pruning>
            alpha = alpha.max(value::mated_in(ply));
            beta = beta.min(value::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 4. Transposition table. PV nodes do not cut, which keeps their lines whole.
        let (key, side) = (self.position.key(), self.position.side_to_move());
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
        let entry = self.tt.probe(key, side, ply);
        let tt_move = self.hash_move::<N>(entry.as_ref());
        // A search without one of the moves asks another question than the table answers.
        let excluded = self.stack.at(ply).excluded != Move::NONE;
        if !N::PV
            && !excluded
            && let Some(entry) = &entry
            && prune::table_cuts(entry, depth, beta, cut_node)
            && self.uses_tt()
        {
            if entry.value >= beta && tt_move.is_some() && !self.position.is_capture(tt_move) {
                self.learn_from_table(ply, tt_move, depth);
            }
            return entry.value;
        }

        // Step 5. A win by declaration (入玉宣言).
        if !N::ROOT
            && (N::PV || !tt_move.is_some())
            && self
                .position
                .declaration_win(self.options.entering_king_rule)
                .is_some()
        {
            return value::mate_in(ply + 1);
        }

        // Step 6. Mate in one. The table had its say if the position was met before.
        if !N::ROOT
            && entry.is_none()
            && !excluded
            && let Some(value) = self.mate_in_one::<N>(ply, depth + MATE_DEPTH)
        {
            return value;
        }

        // Step 7. Static evaluation.
        let mut node = self.evaluate_node::<N>(ply, depth, cut_node, entry, tt_move);
        // Cutoffs two plies below are counted for all children of this node together.
        self.stack.at_mut(ply + 2).cutoffs = 0;
        if !N::ROOT && !excluded && self.is_selective() {
            self.learn_from_evaluation(&node);
            node.depth += self.hindsight(&node);
        }

        // Steps 8 to 11. Prune the whole node.
        if !excluded
            && !N::PV
            && !node.in_check
            && self.is_selective()
            && let Some(value) = self.prune_node(&mut node, alpha, beta)
        {
            return value;
        }
        if self.stopped {
            return value::DRAW;
        }

        // Step 12. Internal iterative reduction: without a hash move the node is not worth its
        // depth yet; the next iteration will know one.
        if (N::PV || cut_node)
            && !node.in_check
            && !self.stack.at(ply).follows_pv
            && node.depth >= params::iir_depth()
            && !tt_move.is_some()
            && self.stack.before(ply, 1).reduction <= 3
            && self.is_selective()
        {
            node.depth -= 1;
        }

        // Steps 13 and 14. ProbCut, by search and by the table.
        if !excluded
            && !N::ROOT
            && self.is_selective()
            && let Some(value) = self
                .probcut(&node, beta)
                .or_else(|| self.small_probcut(&node, beta))
        {
            return value;
        }
        if self.stopped {
            return value::DRAW;
        }

        self.search_moves::<N>(&node, alpha, beta)
    }

    /// The move to try first: at the root that of the line being searched, elsewhere the stored
    /// one, if it is legal here.
    #[inline(always)]
    fn hash_move<N: NodeType>(&self, entry: Option<&Entry>) -> Move {
        if N::ROOT {
            return self.root_moves[self.pv_index].mv;
        }
        self.stored_move(entry)
    }

    /// The stored move, if it is legal here.
    #[inline(always)]
    pub(super) fn stored_move(&self, entry: Option<&Entry>) -> Move {
        match entry {
            Some(entry) if self.position.is_legal(entry.mv) && self.uses_tt() => entry.mv,
            _ => Move::NONE,
        }
    }

    /// Step 6, and the like in quiescence search: looks for a move that mates at once, and keeps
    /// it in the table as searched to `depth`.
    #[inline(always)]
    pub(super) fn mate_in_one<N: NodeType>(&mut self, ply: usize, depth: Depth) -> Option<Value> {
        if self.position.in_check() || !self.is_selective() {
            return None;
        }
        let mv = self.position.mate_in_one()?;
        let value = value::mate_in(ply + 1);
        if N::PV {
            self.pv.set(ply, mv);
        }
        let pv = if N::PV { Bound::PV } else { Bound::empty() };
        let entry = Entry {
            mv,
            value,
            eval: value::NONE,
            depth: depth.min(MAX_PLY as Depth - 1),
            bound: Bound::EXACT | pv,
        };
        let (key, side) = (self.position.key(), self.position.side_to_move());
        self.tt.store(key, side, ply, entry);
        Some(value)
    }

    /// Step 7: evaluates the node and leaves the evaluation in its frame.
    #[inline(always)]
    fn evaluate_node<N: NodeType>(
        &mut self,
        ply: usize,
        depth: Depth,
        cut_node: bool,
        entry: Option<Entry>,
        tt_move: Move,
    ) -> Node {
        let in_check = self.position.in_check();
        let earlier = self.stack.before(ply, 2).static_eval;
        let evaluation = if in_check {
            // No evaluation is to be trusted in check; that of two plies before stands in.
            Evaluation::stand_in(earlier)
        } else {
            self.evaluate(entry.as_ref())
        };
        let tt_pv = N::PV || entry.as_ref().is_some_and(Entry::is_pv);
        if entry.is_none() && !in_check {
            self.store_evaluation(ply, evaluation.raw, tt_pv);
        }
        let static_eval = evaluation.corrected;
        let before = self.stack.before(ply, 1).static_eval;
        let pawns = history::pawn_place(&self.position);
        let follows_pv = N::ROOT || N::PV && self.follows_pv(ply);
        let frame = self.stack.at_mut(ply);
        frame.known = entry.is_some();
        frame.pawns = pawns;
        frame.follows_pv = follows_pv;
        frame.static_eval = static_eval;
        frame.in_check = in_check;
        if frame.excluded == Move::NONE {
            frame.tt_pv = tt_pv;
        }
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            tt_move,
            entry,
            tt_capture: tt_move.is_some() && self.position.is_capture(tt_move),
            tt_pv: frame.tt_pv,
            raw_eval: evaluation.raw,
            static_eval,
            eval: evaluation.refined,
            correction: evaluation.corrected - evaluation.raw,
            improving: !in_check && (earlier == value::NONE || static_eval > earlier),
            opponent_worsening: !in_check && before != value::NONE && static_eval > -before,
        }
    }

    /// Whether the node is on the principal variation of the last iteration.
    #[inline(always)]
    fn follows_pv(&self, ply: usize) -> bool {
        let before = self.stack.before(ply, 1);
        before.follows_pv && self.root_moves[self.pv_index].pv.get(ply - 1) == Some(&before.mv)
    }

    /// Keeps a static evaluation in the table, which spares the next visit working it out.
    #[inline(always)]
    pub(super) fn store_evaluation(&mut self, ply: usize, raw: Value, pv: bool) {
        let entry = Entry {
            mv: Move::NONE,
            value: value::NONE,
            eval: raw,
            depth: DEPTH_EVAL,
            bound: if pv { Bound::PV } else { Bound::empty() },
        };
        let (key, side) = (self.position.key(), self.position.side_to_move());
        self.tt.store(key, side, ply, entry);
    }

    /// Step 7: by how much to search the node deeper or shallower, now that the evaluation shows
    /// whether the reduction of the move that led to it was justified.
    #[inline(always)]
    fn hindsight(&mut self, node: &Node) -> Depth {
        let before = self.stack.before(node.ply, 1);
        let (reduction, earlier) = (before.reduction, before.static_eval);
        if node.in_check || earlier == value::NONE {
            return 0;
        }
        if reduction >= 3 && !node.opponent_worsening {
            1
        } else if reduction >= 2
            && node.depth >= 2
            && node.static_eval + earlier > params::hindsight_margin()
        {
            -1
        } else {
            0
        }
    }
}
