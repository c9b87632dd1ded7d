//! Pruning of single moves: those that promise too little to be played at all. Step 16 of the
//! search.
#![forbid(unsafe_code)]

use super::move_loop::Candidate;
use super::params;
use super::prune;
use super::pvs::Node;
use super::worker::Worker;
use crate::position::see_value;
use crate::types::{Depth, Value, value};

/// What to do with a move.
pub(super) enum Verdict {
    Search,
    Skip,
    /// Skip it: its value is at most this.
    Futile(Value),
}

impl Worker {
    /// Whether a move is worth searching at all. `depth` is the depth that late move reduction
    /// would leave it, `found` whether the node has a best move already.
    #[inline(always)]
    pub(super) fn prune_move(
        &self,
        node: &Node,
        mv: &Candidate,
        depth: Depth,
        alpha: Value,
        found: bool,
    ) -> Verdict {
        if mv.capture || mv.gives_check {
            self.prune_tactical(node, mv, depth, alpha)
        } else if self.stack.at(node.ply).follows_pv {
            // The line to beat is looked at in full.
            Verdict::Search
        } else {
            self.prune_quiet(node, mv, depth, alpha, found)
        }
    }

    /// Captures and checks.
    #[inline(always)]
    fn prune_tactical(&self, node: &Node, mv: &Candidate, depth: Depth, alpha: Value) -> Verdict {
        // Futility: even with the victim the node stays below alpha.
        if !mv.gives_check
            && node.static_eval != value::NONE
            && depth < params::capture_futility_depth()
        {
            let victim = see_value(self.position.piece_on(mv.mv.to()));
            let bound =
                node.static_eval + prune::capture_futility_margin(depth, victim, mv.history);
            if bound <= alpha {
                return Verdict::Skip;
            }
        }
        // Static exchange pruning: no captures and checks that lose too much, unless the game is
        // being lost anyway.
        let limit = prune::capture_see_limit(node.depth, if mv.capture { mv.history } else { 0 });
        if alpha >= value::DRAW && !self.position.see_ge(mv.mv, limit) {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    #[inline(always)]
    fn prune_quiet(
        &self,
        node: &Node,
        mv: &Candidate,
        depth: Depth,
        alpha: Value,
        found: bool,
    ) -> Verdict {
        // History pruning: as a sequel it was never any good.
        if mv.sequel < prune::history_limit(node.depth) {
            return Verdict::Skip;
        }
        let depth = depth + mv.history / params::history_ply();
        // Parent futility pruning: a quiet move cannot lift the node to alpha.
        if !node.in_check && depth < params::futility_depth() {
            let bound = node.static_eval
                + prune::parent_futility_margin(depth, found, node.static_eval > alpha);
            if bound <= alpha && !value::is_decisive(bound) {
                return Verdict::Futile(bound);
            }
        }
        // Static exchange pruning: it puts a piece where it is lost.
        if !self
            .position
            .see_ge(mv.mv, prune::quiet_see_limit(depth.max(0)))
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }
}
