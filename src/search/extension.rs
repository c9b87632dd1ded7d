//! Extensions: which moves are searched deeper than the others. Step 14 of the search.
#![forbid(unsafe_code)]

use super::move_loop::Candidate;
use super::node::{NodeType, NonPv};
use super::params;
use super::prune;
use super::pvs::Node;
use super::technique::Technique;
use super::tt::Bound;
use super::worker::Worker;
use crate::types::{Depth, Move, Value, value};

/// How deep to search a move.
pub(super) enum Extension {
    /// By so many plies more, or less.
    By(Depth),
    /// Not at all: the node has this value.
    Cut(Value),
}

impl Worker {
    /// Step 14: by how many plies to extend a move. A cap on the whole line keeps every iteration
    /// finite.
    #[inline(always)]
    pub(super) fn extension<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        beta: Value,
    ) -> Extension {
        if N::ROOT || node.ply >= 2 * self.root_depth as usize {
            return Extension::By(0);
        }
        if let Some(entry) = node.entry
            && mv.mv == node.tt_move
            && self.stack.at(node.ply).excluded == Move::NONE
            && node.depth >= params::singular_depth() + Depth::from(node.tt_pv)
            && entry.depth >= node.depth - 3
            && entry.bound.contains(Bound::LOWER)
            && entry.value != value::NONE
            && !value::is_decisive(entry.value)
            && self.uses(Technique::SINGULAR)
        {
            return self.singular::<N>(node, mv, entry.value, beta);
        }
        // Check extension, for checks that lose nothing.
        let extend = mv.gives_check
            && self.uses(Technique::CHECK_EXTENSION)
            && self.position.see_ge(mv.mv, 0);
        Extension::By(Depth::from(extend))
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
        let bound = tt_value - prune::singular_margin(node.depth);
        let depth = (node.depth - 1) / 2;
        self.stack.at_mut(node.ply).excluded = mv.mv;
        let value = self.pvs::<NonPv>(node.ply, bound - 1, bound, depth, node.cut_node);
        self.stack.at_mut(node.ply).excluded = Move::NONE;
        if value < bound {
            // A capture is followed by drops, which would go on and on at twice the depth.
            let double = !N::PV && !mv.capture && value < bound - params::singular_double();
            Extension::By(1 + Depth::from(double))
        } else if value >= beta && !N::PV && !value::is_decisive(value) {
            Extension::Cut(value)
        } else if tt_value >= beta {
            Extension::By(-2)
        } else if node.cut_node {
            Extension::By(-1)
        } else {
            Extension::By(0)
        }
    }
}
