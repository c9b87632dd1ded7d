//! Margins and limits of pruning and reducing, as pure functions of the node.
//!
//! Futility pruning comes in two forms. The *child* form looks at a node whose evaluation is so
//! far above beta that no answer will bring it back; the *parent* form skips a quiet move whose
//! node is so far below alpha that the move cannot lift it. Neither is used in check, for checks, or
//! near mate; captures have a wider margin of their own.
//! <https://www.chessprogramming.org/Futility_Pruning>
#![forbid(unsafe_code)]

use super::params;
use super::pvs::Node;
use super::tt::Entry;
use crate::types::{Depth, Value};

/// Whether a hash entry settles a node that is no PV node: it was searched deep enough, says on
/// which side of beta the value lies, and agrees with what kind of node is expected here; near the
/// leaves the last matters less.
#[inline(always)]
pub fn table_cuts(entry: &Entry, depth: Depth, beta: Value, cut_node: bool) -> bool {
    let fails_high = entry.value >= beta;
    entry.depth >= depth + Depth::from(fails_high)
        && entry.cuts(beta)
        && (cut_node == fails_high || depth > params::table_cut_depth())
}

/// Razoring: how far below alpha the evaluation must be for quiescence search to decide, cp.
/// <https://www.chessprogramming.org/Razoring>
#[inline(always)]
pub fn razor_margin(depth: Depth) -> Value {
    params::razor_base() + params::razor_scale() * depth * depth
}

/// Child futility: how far above beta the evaluation must be for the node to be given up, cp.
#[inline(always)]
pub fn child_futility_margin(node: &Node) -> Value {
    let known = node.entry.is_some();
    let scale = params::child_futility_scale()
        - if known {
            0
        } else {
            params::child_futility_unknown()
        };
    let improving = params::child_futility_improving() * i32::from(node.improving);
    let worsening = params::child_futility_worsening() * i32::from(node.opponent_worsening);
    scale * node.depth - (improving + worsening) * scale / 1024
        + node.correction.abs() * params::child_futility_correction() / 128
}

/// Capture futility: what a capture may gain at most, cp.
#[inline(always)]
pub fn capture_futility_margin(reduced_depth: Depth, victim: Value, history: i32) -> Value {
    params::capture_futility_base()
        + params::capture_futility_scale() * reduced_depth
        + victim
        + params::capture_futility_history() * history / 1024
}

/// Parent futility: what a quiet move may gain at most, cp. `found` tells whether the node has a
/// best move already, `above` whether its evaluation is above alpha.
#[inline(always)]
pub fn parent_futility_margin(reduced_depth: Depth, found: bool, above: bool) -> Value {
    params::futility_base()
        + params::futility_scale() * reduced_depth
        + if found { 0 } else { params::futility_unknown() }
        + if above { params::futility_above() } else { 0 }
}

/// Late move pruning: moves of a node after which no more quiet ones are tried.
/// <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
#[inline(always)]
pub fn late_move_limit(depth: Depth, improving: bool) -> usize {
    ((params::late_base() + depth * depth) / if improving { 1 } else { 2 }) as usize
}

/// Null move: how far above beta the static evaluation must be, cp; deep nodes need less.
#[inline(always)]
pub fn null_static_margin(depth: Depth, improving: bool) -> Value {
    params::null_static_base()
        - params::null_static_scale() * depth
        - params::null_static_improving() * i32::from(improving)
}

/// Null move: by how many plies the reply is searched shallower.
/// <https://www.chessprogramming.org/Null_Move_Pruning>
#[inline(always)]
pub fn null_reduction(depth: Depth) -> Depth {
    params::null_base() + depth / params::null_divisor()
}

/// ProbCut: how far above beta a capture must come out, cp.
#[inline(always)]
pub fn probcut_margin(improving: bool) -> Value {
    params::probcut_margin() - params::probcut_improving() * i32::from(improving)
}

/// Static exchange pruning: the loss a quiet move may make at most, cp (negative).
#[inline(always)]
pub fn quiet_see_limit(reduced_depth: Depth) -> Value {
    -params::see_quiet() * reduced_depth * reduced_depth
}

/// Static exchange pruning: the loss a capture or check may make at most, cp (not positive).
#[inline(always)]
pub fn capture_see_limit(depth: Depth, history: i32) -> Value {
    -(params::see_capture() * depth + history * params::see_capture_history() / 1024).max(0)
}

/// History pruning: the history below which a quiet move is skipped.
#[inline(always)]
pub fn history_limit(depth: Depth) -> i32 {
    -params::history_scale() * depth
}

/// Singular extension: how far below the stored value all other moves must stay, cp; farther where
/// there once was a principal variation. <https://www.chessprogramming.org/Singular_Extensions>
#[inline(always)]
pub fn singular_margin(depth: Depth, once_pv: bool) -> Value {
    let scale = params::singular_margin() + params::singular_margin_pv() * i32::from(once_pv);
    scale * depth / 64
}

/// How far below the singular bound the other moves must stay for a second ply, cp.
#[inline(always)]
pub fn double_margin(pv: bool, capture: bool) -> Value {
    params::singular_double()
        + params::singular_double_pv() * i32::from(pv)
        + params::singular_double_capture() * i32::from(capture)
}

/// How far for a third ply, cp.
#[inline(always)]
pub fn triple_margin(pv: bool, tt_pv: bool) -> Value {
    params::singular_triple()
        + params::singular_triple_pv() * i32::from(pv)
        + params::singular_triple_tt_pv() * i32::from(tt_pv)
}

/// Late move reduction by depth and number of the move, in 1024ths of a ply.
#[inline(always)]
pub fn reduction_scale(depth: Depth, move_number: usize) -> i32 {
    let (depth, moves) = (LOG[(depth as usize).min(255)], LOG[move_number.min(255)]);
    (params::lmr_scale() * ((depth * moves) >> 10)) >> 10
}

/// Natural logarithms of 0..256 in 1024ths, 0 for 0.
static LOG: [i32; 256] = {
    let mut table = [0; 256];
    let mut ln = 0.0;
    let mut n = 2;
    while n < 256 {
        // ln(n) - ln(n - 1) = 2 artanh(1 / (2n - 1))
        let x = 1.0 / (2 * n - 1) as f64;
        let (mut power, mut k) = (x, 1);
        while k < 30 {
            ln += 2.0 * power / k as f64;
            power *= x * x;
            k += 2;
        }
        table[n] = (ln * 1024.0) as i32;
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for (n, &ln) in LOG.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * 1024.0;
            assert!((f64::from(ln) - exact).abs() <= 1.0, "ln({n})");
        }
    }

    #[test]
    fn margins_widen_with_depth() {
        for depth in 1..60 {
            assert!(razor_margin(depth) < razor_margin(depth + 1));
            assert!(
                parent_futility_margin(depth, true, false)
                    < parent_futility_margin(depth + 1, true, false)
            );
            assert!(quiet_see_limit(depth) > quiet_see_limit(depth + 1));
            assert!(capture_see_limit(depth, 0) > capture_see_limit(depth + 1, 0));
            for improving in [false, true] {
                assert!(late_move_limit(depth, improving) <= late_move_limit(depth + 1, improving));
            }
            for moves in 1..100 {
                assert!(reduction_scale(depth, moves) <= reduction_scale(depth + 1, moves));
                assert!(reduction_scale(depth, moves) <= reduction_scale(depth, moves + 1));
            }
        }
    }
}
