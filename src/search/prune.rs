//! Margins and limits of pruning and reducing, as pure functions of the node.
//!
//! Futility pruning comes in two forms. The *child* form looks at a node whose evaluation is so
//! far above beta that no answer will bring it back; the *parent* form skips a quiet move whose
//! node is so far below alpha that the move cannot lift it. Neither is used in check, for checks,
//! for captures, or near mate. <https://www.chessprogramming.org/Futility_Pruning>
#![forbid(unsafe_code)]

use super::params;
use crate::types::{Depth, Value};

/// Razoring: how far below alpha the evaluation must be for quiescence search to decide, cp.
/// <https://www.chessprogramming.org/Razoring>
#[inline(always)]
pub fn razor_margin(depth: Depth) -> Value {
    params::razor_base() + params::razor_scale() * depth * depth
}

/// Child futility: how far above beta the evaluation must be for the node to be given up, cp.
#[inline(always)]
pub fn child_futility_margin(depth: Depth, improving: bool) -> Value {
    params::child_futility_scale() * (depth - Depth::from(improving))
}

/// Parent futility: what a quiet move may gain at most, cp.
#[inline(always)]
pub fn parent_futility_margin(reduced_depth: Depth, history: i32) -> Value {
    params::futility_base()
        + params::futility_scale() * reduced_depth
        + history / params::futility_history()
}

/// Late move pruning: moves of a node after which no more quiet ones are tried.
/// <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
#[inline(always)]
pub fn late_move_limit(depth: Depth, improving: bool) -> usize {
    ((params::late_base() + depth * depth) / if improving { 1 } else { 2 }) as usize
}

/// Null move: how far above beta the static evaluation must be, cp; deep nodes need less.
#[inline(always)]
pub fn null_static_margin(depth: Depth) -> Value {
    params::null_static_base() - params::null_static_scale() * depth
}

/// Null move: by how many plies the reply is searched shallower.
/// <https://www.chessprogramming.org/Null_Move_Pruning>
#[inline(always)]
pub fn null_reduction(depth: Depth, lead: Value) -> Depth {
    params::null_base()
        + depth / params::null_divisor()
        + (lead / params::null_eval_divisor()).clamp(0, 3)
}

/// Static exchange pruning: the loss a quiet move may make at most, cp (negative).
#[inline(always)]
pub fn quiet_see_limit(reduced_depth: Depth) -> Value {
    -params::see_quiet() * reduced_depth * reduced_depth
}

/// Static exchange pruning: the loss a capture or check may make at most, cp (negative).
#[inline(always)]
pub fn capture_see_limit(depth: Depth) -> Value {
    -params::see_capture() * depth
}

/// History pruning: the history below which a late quiet move is skipped.
#[inline(always)]
pub fn history_limit(depth: Depth) -> i32 {
    -params::history_scale() * depth
}

/// Singular extension: how far below the stored value all other moves must stay, cp.
/// <https://www.chessprogramming.org/Singular_Extensions>
#[inline(always)]
pub fn singular_margin(depth: Depth) -> Value {
    params::singular_margin() * depth / 16
}

/// Late move reduction before adjustments, in 1024ths of a ply.
/// <https://www.chessprogramming.org/Late_Move_Reductions>
#[inline(always)]
pub fn base_reduction(depth: Depth, move_number: usize) -> i32 {
    let (depth, moves) = (LOG[(depth as usize).min(255)], LOG[move_number.min(255)]);
    params::lmr_base() + ((params::lmr_scale() * ((depth * moves) >> 10)) >> 10)
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
            assert!(child_futility_margin(depth, false) < child_futility_margin(depth + 1, false));
            assert!(child_futility_margin(depth, true) < child_futility_margin(depth, false));
            assert!(parent_futility_margin(depth, 0) < parent_futility_margin(depth + 1, 0));
            assert!(quiet_see_limit(depth) > quiet_see_limit(depth + 1));
            for improving in [false, true] {
                assert!(late_move_limit(depth, improving) <= late_move_limit(depth + 1, improving));
            }
            for moves in 1..100 {
                assert!(base_reduction(depth, moves) <= base_reduction(depth + 1, moves));
                assert!(base_reduction(depth, moves) <= base_reduction(depth, moves + 1));
            }
        }
    }
}
