//! Every tunable number of the search, one row each: name, default, range, and in its comment
//! what it is and its unit (cp = centipawns, plies, 1024ths of a ply, history units).
//!
//! A normal build turns each row into a constant. With the cargo feature `tune` each row is a
//! USI option of the same name.
#![forbid(unsafe_code)]

#[cfg(feature = "tune")]
use std::sync::atomic::{AtomicI32, Ordering};

/// A tunable number as a tuner sees it.
#[cfg(feature = "tune")]
pub struct Param {
    /// Option name.
    pub name: &'static str,
    /// Default value.
    pub default: i32,
    /// Smallest value.
    pub min: i32,
    /// Largest value.
    pub max: i32,
    /// The value in force.
    pub value: &'static AtomicI32,
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $min:literal ..= $max:literal;)*) => {
        $(
            const _: () = assert!($min <= $default && $default <= $max);

            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 {
                $default
            }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub fn $name() -> i32 {
                values::$name.load(Ordering::Relaxed)
            }
        )*

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod values {
            use super::AtomicI32;
            $(pub static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// Every row of the table.
        #[cfg(feature = "tune")]
        pub fn all() -> Vec<Param> {
            vec![$(Param {
                name: stringify!($name),
                default: $default,
                min: $min,
                max: $max,
                value: &values::$name,
            },)*]
        }
    };
}

params! {
    // Aspiration windows.
    /// Half-width of the first window, cp.
    aspiration_width = 24 in 5..=100;
    /// Growth of the failed side after each failure, percent.
    aspiration_growth = 50 in 10..=200;
    /// First iteration with a window, plies.
    aspiration_depth = 4 in 1..=10;

    // Razoring.
    /// Deepest node, plies.
    razor_depth = 4 in 1..=8;
    /// Margin at depth 0, cp.
    razor_base = 200 in 0..=800;
    /// Margin per depth squared, cp.
    razor_scale = 200 in 50..=500;

    // Futility pruning of the child node (reverse futility).
    /// Deepest node, plies.
    child_futility_depth = 10 in 4..=16;
    /// Margin per ply, cp.
    child_futility_scale = 90 in 30..=200;

    // Null move.
    /// Shallowest node, plies.
    null_depth = 3 in 1..=6;
    /// Reduction, plies.
    null_base = 4 in 2..=8;
    /// Depth for one ply more of reduction, plies.
    null_divisor = 3 in 2..=8;
    /// Lead over beta for one ply more of reduction, cp.
    null_eval_divisor = 250 in 50..=800;

    /// Lead over beta the static evaluation needs at depth 0, cp.
    null_static_base = 200 in -200..=600;
    /// How much less it needs per ply of depth, cp.
    null_static_scale = 20 in 0..=60;

    // Internal iterative reduction.
    /// Shallowest node, plies.
    iir_depth = 4 in 2..=8;

    // Late move pruning.
    /// Quiet moves searched at depth 0.
    late_base = 4 in 1..=12;
    /// Deepest node, plies.
    late_depth = 9 in 3..=14;

    // Futility pruning of the parent node.
    /// Deepest reduced depth, plies.
    futility_depth = 8 in 3..=14;
    /// Margin at depth 0, cp.
    futility_base = 130 in 0..=400;
    /// Margin per ply of reduced depth, cp.
    futility_scale = 100 in 30..=250;
    /// History worth one centipawn of margin, history units.
    futility_history = 96 in 16..=1024;

    // Static exchange pruning.
    /// Loss a quiet move may make, per squared ply of reduced depth, cp.
    see_quiet = 20 in 5..=80;
    /// Loss a capture or check may make, per ply of depth, cp.
    see_capture = 110 in 30..=300;

    // History pruning.
    /// Deepest reduced depth, plies.
    history_depth = 5 in 1..=10;
    /// Lowest history per ply of depth, history units.
    history_scale = 3800 in 1000..=10000;

    // Singular extension.
    /// Shallowest node, plies.
    singular_depth = 6 in 4..=10;
    /// How far below the stored value the other moves must stay, cp per 16 plies of depth.
    singular_margin = 20 in 4..=80;
    /// How much farther for a second ply, cp.
    singular_double = 25 in 0..=100;

    // Late move reductions, 1024ths of a ply.
    /// Constant part.
    lmr_base = 300 in -1024..=2048;
    /// Factor of log depth times log move number.
    lmr_scale = 460 in 200..=900;
    /// More in expected cut nodes.
    lmr_cut_node = 1700 in 0..=4096;
    /// More when the static evaluation does not improve.
    lmr_not_improving = 700 in 0..=2048;
    /// More when the hash move captures.
    lmr_tt_capture = 700 in 0..=2048;
    /// Less on a line that was once a principal variation.
    lmr_tt_pv = 1000 in 0..=4096;
    /// Less in a PV node.
    lmr_pv = 700 in 0..=2048;
    /// Less for a move that gives check.
    lmr_check = 1024 in 0..=4096;
    /// More when children of earlier children failed high often.
    lmr_cutoffs = 1024 in 0..=4096;
    /// History worth one ply less, history units.
    lmr_history = 9000 in 2000..=30000;
    /// Score above the best one that asks for a deeper re-search, cp.
    lmr_deeper = 60 in 10..=200;

    // Quiescence search.
    /// What the stand-pat score may gain beside the captured piece, cp.
    delta_margin = 220 in 50..=600;
    /// Loss by exchange above which a capture is not tried, cp.
    qsearch_see = 60 in 0..=300;
    /// Captures tried before the rest is skipped.
    qsearch_moves = 3 in 1..=12;

    // Histories, history units.
    /// Bonus per ply of depth.
    bonus_scale = 140 in 20..=600;
    /// Subtracted from the bonus.
    bonus_offset = 70 in 0..=400;
    /// Largest bonus.
    bonus_max = 1600 in 400..=4000;
    /// Malus per ply of depth.
    malus_scale = 320 in 20..=1200;
    /// Subtracted from the malus.
    malus_offset = 120 in 0..=600;
    /// Largest malus.
    malus_max = 2000 in 400..=5000;

    // Correction of the static evaluation.
    /// Correction of one aspect at its limit, cp.
    correction_scale = 70 in 0..=400;

    // Move ordering.
    /// Weight of the captured piece's value beside capture history.
    order_victim = 7 in 1..=20;
    /// Bonus of a quiet check that loses nothing.
    order_check = 12000 in 0..=30000;
    /// Capture score for one centipawn that a good capture may lose.
    order_see_divisor = 20 in 5..=100;
}
