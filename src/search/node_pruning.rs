//! Pruning of whole nodes: those so far outside the window that their moves need no full search.
//! Steps 8 to 11, 13 and 14 of the search that [`super::pvs`] begins. None of it happens while a
//! move is excluded, and only the last two in PV nodes.
#![forbid(unsafe_code)]

use super::movepick::MovePicker;
use super::node::NonPv;
use super::params;
use super::prune;
use super::pvs::Node;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::types::{Move, Value, value};

impl Worker {
    /// Steps 8 to 11.
    #[inline(always)]
    pub(super) fn prune_node(
        &mut self,
        node: &mut Node,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if let Some(value) = self.razor(node, alpha) {
            return Some(value);
        }

        // Step 9. Child futility pruning: so far above beta that no answer brings it back.
        let (depth, eval) = (node.depth, node.eval);
        if !node.tt_pv
            && depth <= params::child_futility_depth()
            && (!node.tt_move.is_some() || node.tt_capture)
            && !value::is_loss(beta)
            && !value::is_win(eval)
            && eval - prune::child_futility_margin(node) >= beta
        {
            return Some((2 * beta + eval) / 3);
        }

        if let Some(value) = self.null_move(node, beta) {
            return Some(value);
        }
        // Step 11. A position above beta is as good as an improving one.
        node.improving |= node.static_eval >= beta;
        None
    }

    /// Step 8. Razoring: hopeless nodes go straight to quiescence search.
    #[inline(always)]
    fn razor(&mut self, node: &Node, alpha: Value) -> Option<Value> {
        let margin = prune::razor_margin(node.depth);
        if node.eval >= alpha - margin || value::is_decisive(alpha) {
            return None;
        }
        Some(self.quiescence::<NonPv>(node.ply, alpha, alpha + 1))
    }

    /// Step 14. Small ProbCut: the table knows of a value far above beta at nearly this depth.
    #[inline(always)]
    pub(super) fn small_probcut(&self, node: &Node, beta: Value) -> Option<Value> {
        let bound = beta + params::small_probcut_margin();
        let entry = node.entry.as_ref()?;
        let cuts = entry.bound.contains(Bound::LOWER)
            && entry.depth >= node.depth - 4
            && entry.value != value::NONE
            && entry.value >= bound
            && !value::is_decisive(beta)
            && !value::is_decisive(entry.value);
        cuts.then_some(bound)
    }

    /// Step 10. Null move: if passing holds beta, a move will. There is no verifying search: in
    /// shogi, where zugzwang is next to unknown, it was measured to lose strength.
    /// <https://www.chessprogramming.org/Null_Move_Pruning>
    #[inline(always)]
    fn null_move(&mut self, node: &Node, beta: Value) -> Option<Value> {
        if !node.cut_node
            || node.static_eval < beta + prune::null_static_margin(node.depth, node.improving)
            || self.stack.before(node.ply, 1).mv == Move::NULL
            || node.eval < beta
            || value::is_loss(beta)
        {
            return None;
        }
        let depth = node.depth - prune::null_reduction(node.depth);
        self.do_null_move(node.ply);
        let value = -self.pvs::<NonPv>(node.ply + 1, -beta, 1 - beta, depth, false);
        self.undo_null_move();
        if self.stopped {
            return Some(value::DRAW);
        }
        // A mate found after a pass proves nothing.
        (value >= beta).then(|| if value::is_win(value) { beta } else { value })
    }

    /// Step 13. ProbCut: a capture that is far above beta in a shallower search would be above
    /// beta in a full one. <https://www.chessprogramming.org/ProbCut>
    pub(super) fn probcut(&mut self, node: &Node, beta: Value) -> Option<Value> {
        let bound = beta + prune::probcut_margin(node.improving);
        if node.in_check
            || node.depth < params::probcut_depth()
            || value::is_decisive(beta)
            || value::is_decisive(bound)
            || node
                .entry
                .is_some_and(|entry| entry.value != value::NONE && entry.value < bound)
        {
            return None;
        }
        let ply = node.ply;
        let depth = (node.depth - 4).max(0);
        let threshold = bound - node.static_eval;
        let checks = self.position.check_info();
        let mut picker = MovePicker::quiescence(node.tt_move, &self.position, &self.arena);
        while let Some(mv) = self.next_move::<NonPv>(&mut picker, &checks, ply) {
            self.prefetch(mv);
            if !self.position.see_ge(mv, threshold) {
                continue;
            }
            self.do_move(ply, mv);
            let mut value = -self.quiescence::<NonPv>(ply + 1, -bound, 1 - bound);
            if value >= bound && depth > 0 && !self.stopped {
                value = -self.pvs::<NonPv>(ply + 1, -bound, 1 - bound, depth, !node.cut_node);
            }
            self.undo_move(mv);
            if self.stopped {
                return None;
            }
            if value >= bound {
                let entry = Entry {
                    mv,
                    value,
                    eval: node.raw_eval,
                    depth: depth + 1,
                    bound: node.mark(Bound::LOWER),
                };
                let (key, side) = (self.position.key(), self.position.side_to_move());
                self.tt.store(key, side, ply, entry);
                let value = if value::is_decisive(value) {
                    value
                } else {
                    value - (bound - beta)
                };
                return Some(value);
            }
        }
        None
    }
}
