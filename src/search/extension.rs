//! Extensions: which moves are searched deeper than the others. Step 17 of the search.
#![forbid(unsafe_code)]

use super::move_loop::Candidate;
use super::node::{NodeType, NonPv};
use super::params;
use super::prune;
use super::pvs::Node;
use super::tt::Bound;
use super::worker::Worker;
use crate::types::{Depth, Move, Value, value};

/// How deep to search a move.
pub(super) enum Extension {
    /// By so many plies more, or less.
    By(Depth),
    /// By so many plies more, and the moves after it one ply more: the node is worth it.
    Singular(Depth),
    /// Not at all: the node has this value.
    Cut(Value),
}

impl Worker {
    /// Step 17: by how many plies to extend a move. A cap on the whole line keeps every iteration
    /// finite.
    #[inline(always)]
    pub(super) fn extension<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        alpha: Value,
        beta: Value,
    ) -> Extension {
        if N::ROOT || node.ply >= 2 * self.root_depth as usize || !self.is_selective() {
            return Extension::By(0);
        }
        if let Some(entry) = node.entry
            && mv.mv == node.tt_move
            && self.stack.at(node.ply).excluded == Move::NONE
            && entry.bound.contains(Bound::LOWER)
            && entry.value != value::NONE
            && !value::is_decisive(entry.value)
        {
            if node.depth >= params::singular_depth() + Depth::from(node.tt_pv) {
                if entry.depth >= node.depth - 3 {
                    return self.singular::<N>(node, mv, entry.value, beta);
                }
            } else if node.depth <= params::singular_low_depth()
                && !node.in_check
                && node.static_eval <= alpha - params::singular_low_margin()
            {
                // Too near the leaves for a search of its own; that the move is known to hold
                // where the evaluation does not says enough.
                return Extension::By(1);
            }
        }
        Extension::By(0)
    }

    /// Singular extension: a hash move that all others fall far short of is searched deeper. If
    /// they do not fall short, there are several good moves, and the node is cut (multi-cut) or the
    /// move searched less deep.
    fn singular<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        tt_value: Value,
        beta: Value,
    ) -> Extension {
        let bound = tt_value - prune::singular_margin(node.depth, node.tt_pv && !N::PV);
        let depth = (node.depth - 1) / 2;
        self.stack.at_mut(node.ply).excluded = mv.mv;
        let value = self.pvs::<NonPv>(node.ply, bound - 1, bound, depth, node.cut_node);
        self.stack.at_mut(node.ply).excluded = Move::NONE;
        if value < bound {
            // A capture is followed by drops, which would go on and on at twice the depth.
            let double = value < bound - prune::double_margin(N::PV, mv.capture);
            let triple = double && value < bound - prune::triple_margin(N::PV, node.tt_pv);
            Extension::Singular(1 + Depth::from(double) + Depth::from(triple))
        } else if value >= beta && !N::PV && !value::is_decisive(value) {
            Extension::Cut(value)
        } else if tt_value >= beta {
            Extension::By(-params::negative_beta())
        } else if node.cut_node {
            Extension::By(-params::negative_cut())
        } else {
            Extension::By(0)
        }
    }
}
