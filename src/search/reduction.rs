//! Late move reductions: moves that come late in the order are searched shallower first. Step 18 of
//! the search. <https://www.chessprogramming.org/Late_Move_Reductions>
//!
//! Reductions are counted in 1024ths of a ply.
#![forbid(unsafe_code)]

use super::move_loop::Candidate;
use super::node::NodeType;
use super::params;
use super::prune;
use super::pvs::Node;
use super::worker::Worker;
use crate::types::{Value, value};

/// Moves up to which the number of a move reduces it less again: a position may have hundreds.
const NUMBERED: usize = 32;

impl Worker {
    /// What depth, number and window say about a move of a node, before anything is known of the
    /// move itself. `delta` is the width of the window.
    #[inline(always)]
    pub(super) fn base_reduction(&self, node: &Node, number: usize, delta: Value) -> i32 {
        let scale = prune::reduction_scale(node.depth, number);
        let window = params::lmr_window() * delta / self.root_delta.max(1);
        let stagnation = if node.improving {
            0
        } else {
            scale * params::lmr_not_improving() / 1024
        };
        params::lmr_base() + scale - window + stagnation
    }

    /// The reduction of a move, from its base. The move has been played.
    #[inline(always)]
    pub(super) fn reduction<N: NodeType>(
        &self,
        node: &Node,
        mv: &Candidate,
        base: i32,
        alpha: Value,
    ) -> i32 {
        let mut reduction = base + params::lmr_offset();
        reduction -= params::lmr_number() * mv.number.min(NUMBERED) as i32;
        reduction -= params::lmr_correction() * node.correction.abs();
        if node.tt_pv {
            reduction -= self.pv_relief::<N>(node, alpha);
        }
        if node.cut_node {
            reduction += params::lmr_cut_node();
            if !node.tt_move.is_some() {
                reduction += params::lmr_cut_unknown();
            }
        }
        if node.tt_capture {
            reduction += params::lmr_tt_capture();
        }
        let cutoffs = self.stack.at(node.ply + 1).cutoffs;
        if cutoffs > 1 {
            reduction += params::lmr_cutoffs();
            if cutoffs > 2 {
                reduction += params::lmr_many_cutoffs();
            }
            if !N::PV && !node.cut_node {
                reduction += params::lmr_all_cutoffs();
            }
        }
        if mv.mv == node.tt_move {
            reduction -= params::lmr_tt_move();
        }
        reduction -= mv.history * params::lmr_history() / 4096;
        reduction -= mv.victim * params::lmr_victim() / 1024;
        if !N::PV && !node.cut_node {
            reduction += reduction * params::lmr_all_node() / (256 * node.depth + 260);
        }
        reduction
    }

    /// How much less a node is reduced that is or was on a principal variation.
    #[inline(always)]
    fn pv_relief<N: NodeType>(&self, node: &Node, alpha: Value) -> i32 {
        let mut relief = params::lmr_tt_pv();
        if N::PV {
            relief += params::lmr_pv();
        }
        if let Some(entry) = &node.entry {
            if entry.value != value::NONE && entry.value > alpha {
                relief += params::lmr_tt_value();
            }
            if entry.depth >= node.depth {
                relief += params::lmr_tt_depth();
                if node.cut_node {
                    relief += params::lmr_tt_depth_cut();
                }
            }
        }
        relief
    }
}
