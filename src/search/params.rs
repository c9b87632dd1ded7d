//! The tunable parameters of the search, one row each: name, default and range, with meaning and unit in
//! the comment (cp = units of [`Value`](crate::types::Value), plies, 1024ths of a ply, history units).
//! Names begin with the technique as called in `pvs`, `quiescence`, `movepick` and `history`.
//!
//! A normal build turns each row into a constant; with the cargo feature `tune` it is a USI option of
//! that name.
#![forbid(unsafe_code)]

#[cfg(feature = "tune")]
use std::sync::atomic::{AtomicI32, Ordering};

/// A parameter as a tuner sees it.
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
    /// Current value.
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
    /// Aspiration windows: half-width of the first window, cp.
    aspiration_width = 64 in 3..=100;
    /// Aspiration windows: growth of the failed side after each failure, percent.
    aspiration_growth = 66 in 10..=200;
    /// Aspiration windows: first iteration with one, plies.
    aspiration_depth = 4 in 1..=10;

    // Transposition table.
    /// TT cutoff: depth above which an entry cuts a node of the other kind too, plies.
    tt_cutoff_depth = 5 in 0..=20;

    // Hindsight.
    /// Hindsight: sum of both sides' evaluations above which a reduced node is reduced further, cp.
    hindsight_margin = 181 in 0..=600;

    // Razoring.
    /// Razoring: margin at depth 0, cp.
    razor_base = 505 in 0..=1200;
    /// Razoring: margin per depth squared, cp.
    razor_scale = 302 in 50..=700;

    // Reverse futility pruning.
    /// RFP: deepest node, plies.
    rfp_depth = 14 in 4..=20;
    /// RFP: margin per ply, cp.
    rfp_scale = 68 in 20..=200;
    /// RFP: less per ply if the node has no TT entry, cp.
    rfp_tt_miss = 22 in 0..=80;
    /// RFP: less if improving, 1024ths of a ply's margin.
    rfp_improving = 1940 in 0..=6000;
    /// RFP: less if the opponent is worsening, 1024ths of a ply's margin.
    rfp_opponent_worsening = 332 in 0..=3000;
    /// RFP: more for each centipawn of correction, 128ths of cp.
    rfp_correction = 102 in 0..=512;

    // Null move pruning.
    /// Null move: reduction, plies.
    nmp_reduction = 7 in 2..=12;
    /// Null move: depth that adds one ply of reduction, plies.
    nmp_reduction_divisor = 3 in 2..=8;
    /// Null move: lead over beta that the static evaluation needs at depth 0, cp.
    nmp_margin_base = 162 in -200..=900;
    /// Null move: less lead per ply of depth, cp.
    nmp_margin_depth = 16 in 0..=60;
    /// Null move: less lead if improving, cp.
    nmp_margin_improving = 49 in 0..=300;

    // Internal iterative reduction.
    /// IIR: shallowest node, plies.
    iir_depth = 5 in 2..=10;

    // ProbCut.
    /// ProbCut: shallowest node, plies.
    probcut_depth = 2 in 2..=10;
    /// ProbCut: how far above beta a capture must come out, cp.
    probcut_margin = 186 in 50..=600;
    /// ProbCut: less if improving, cp.
    probcut_improving = 61 in 0..=300;
    /// Small ProbCut: how far above beta the value of the TT entry must be, cp.
    small_probcut_margin = 387 in 100..=900;

    // Late move pruning.
    /// LMP: moves searched at depth 0.
    lmp_base = 4 in 1..=12;

    // Depth after late move reductions, used in the pruning of moves.
    /// LMR depth: less if tt_pv, 1024ths of a ply.
    lmr_depth_tt_pv = 1143 in 0..=4096;
    /// LMR depth: history worth one ply for quiet moves, history units.
    lmr_depth_history = 3774 in 1000..=10000;

    // Futility pruning.
    /// Futility pruning: LMR depth from which on it is not done, plies.
    futility_depth = 13 in 3..=20;
    /// Futility pruning: margin at LMR depth 0, cp.
    futility_base = 40 in -100..=400;
    /// Futility pruning: margin per ply of LMR depth, cp.
    futility_scale = 116 in 30..=250;
    /// Futility pruning: more while the node has no best move, cp.
    futility_no_best_move = 158 in 0..=400;
    /// Futility pruning: more if the static evaluation is above alpha, cp.
    futility_above_alpha = 78 in 0..=300;
    /// Futility pruning of captures: LMR depth from which on it is not done, plies.
    capture_futility_depth = 8 in 2..=14;
    /// Futility pruning of captures: margin at LMR depth 0, cp.
    capture_futility_base = 165 in 0..=600;
    /// Futility pruning of captures: margin per ply of LMR depth, cp.
    capture_futility_scale = 215 in 50..=500;
    /// Futility pruning of captures: more for each unit of capture history, 1024ths of cp.
    capture_futility_history = 114 in 0..=400;

    // SEE pruning.
    /// SEE pruning: loss a quiet move may make, per squared ply of LMR depth, cp.
    see_pruning_quiet = 27 in 5..=80;
    /// SEE pruning: loss a capture or check may make, per ply of depth, cp.
    see_pruning_capture = 154 in 30..=400;
    /// SEE pruning: more for each unit of capture history, 1024ths of cp.
    see_pruning_capture_history = 35 in 0..=200;

    // History pruning.
    /// History pruning: lowest continuation and pawn history per ply of depth, history units.
    history_pruning_scale = 3276 in 1000..=10000;

    // Singular extensions.
    /// Singular extension: shallowest node, plies.
    singular_depth = 6 in 4..=10;
    /// Singular extension: how far below the TT value the other moves must stay, cp per 64 plies of
    /// depth.
    singular_margin = 70 in 16..=320;
    /// Singular extension: more if tt_pv and not a PV node, cp per 64 plies of depth.
    singular_margin_was_pv = 82 in 0..=320;
    /// Double extension: how much farther below the other moves must stay, cp.
    double_extension_margin = -185 in -300..=300;
    /// Double extension: more if the move captures, cp.
    double_extension_capture = 344 in 0..=600;
    /// Double extension: more in a PV node, cp.
    double_extension_pv = 215 in 0..=500;
    /// Triple extension: how much farther below the other moves must stay, cp.
    triple_extension_margin = -140 in -300..=500;
    /// Triple extension: more in a PV node, cp.
    triple_extension_pv = 355 in 0..=600;
    /// Triple extension: more if tt_pv, cp.
    triple_extension_tt_pv = 80 in 0..=400;
    /// Shallow singular extension, without a search: deepest node, plies.
    shallow_singular_depth = 7 in 0..=10;
    /// Shallow singular extension: how far alpha must be above the static evaluation, cp.
    shallow_singular_margin = 24 in 0..=200;
    /// Negative extension: if the TT value is not below beta, plies.
    negative_extension_beta = 3 in 0..=4;
    /// Negative extension: in cut nodes, plies.
    negative_extension_cut_node = 3 in 0..=4;

    // Late move reductions, 1024ths of a ply.
    /// LMR: constant part, which counts for the LMR depth too.
    lmr_base = 1344 in -1024..=4096;
    /// LMR: factor of log depth times log move count.
    lmr_scale = 538 in 200..=900;
    /// LMR: less for a window as wide as the root's.
    lmr_window = 431 in 0..=2048;
    /// LMR: more if not improving, 1024ths of the part by depth and move count.
    lmr_not_improving = 439 in 0..=1024;
    /// LMR: constant part that does not count for the LMR depth.
    lmr_offset = 715 in -2048..=2048;
    /// LMR: less for each move up to this one.
    lmr_move_count = 65 in 0..=200;
    /// LMR: less for each centipawn of correction.
    lmr_correction = 6 in 0..=40;
    /// LMR: more in cut nodes.
    lmr_cut_node = 3738 in 0..=6000;
    /// LMR: more in cut nodes without a TT move.
    lmr_cut_node_no_tt_move = 758 in 0..=3000;
    /// LMR: more if the TT move captures.
    lmr_tt_capture = 1059 in 0..=3000;
    /// LMR: less if tt_pv.
    lmr_tt_pv = 2532 in 0..=6000;
    /// LMR: less if tt_pv in a PV node.
    lmr_tt_pv_pv_node = 782 in 0..=3000;
    /// LMR: less if tt_pv and the TT value is above alpha.
    lmr_tt_pv_value = 819 in 0..=3000;
    /// LMR: less if tt_pv and the TT depth is not below the node's.
    lmr_tt_pv_depth = 819 in 0..=3000;
    /// LMR: less if tt_pv and the TT depth is not below the node's, in cut nodes.
    lmr_tt_pv_depth_cut_node = 996 in 0..=3000;
    /// LMR: more if at least two children failed high.
    lmr_cutoffs = 254 in 0..=3000;
    /// LMR: more if at least three children failed high.
    lmr_many_cutoffs = 1141 in 0..=3000;
    /// LMR: more if at least two children failed high in an all node.
    lmr_cutoffs_all_node = 1065 in 0..=3000;
    /// LMR: less for the TT move.
    lmr_tt_move = 2107 in 0..=6000;
    /// LMR: less for each unit of history, 4096ths.
    lmr_history = 419 in 50..=1500;
    /// LMR: less for each centipawn captured, 1024ths.
    lmr_victim = 742 in 0..=4096;
    /// LMR: factor of the relative increase in all nodes.
    lmr_all_node = 288 in 0..=1024;
    /// LMR re-search: score above the best one that makes it deeper, cp.
    lmr_deeper = 41 in 0..=200;
    /// LMR re-search: score above the best one below which it is shallower, cp.
    lmr_shallower = 10 in 0..=100;
    /// Moves searched without LMR: more reduction without a TT move.
    full_depth_no_tt_move = 950 in 0..=3000;
    /// Moves searched without LMR: reduction above which they lose a ply.
    full_depth_reduction = 4412 in 1000..=9000;
    /// Moves searched without LMR: reduction above which they lose another ply.
    full_depth_reduction_two = 4862 in 1000..=12000;
    /// Reduction of the remaining moves once alpha is raised, plies.
    alpha_raised_reduction = 1 in 0..=4;

    // Quiescence search.
    /// Delta pruning: what the stand-pat score may gain beside the captured piece, cp.
    qs_delta_margin = 300 in 50..=700;
    /// SEE pruning in quiescence search: loss above which a move is not searched, cp.
    qs_see_margin = 77 in 0..=300;
    /// Quiescence search: captures searched before the rest is skipped.
    qs_move_count = 1 in 1..=12;

    // Histories, history units.
    /// Butterfly history: factor from one search to the next, 1024ths.
    butterfly_decay = 757 in 0..=1024;
    /// History bonus: per ply of depth.
    bonus_scale = 137 in 20..=600;
    /// History bonus: subtracted.
    bonus_offset = 83 in 0..=400;
    /// History bonus: at most.
    bonus_max = 1495 in 400..=4000;
    /// History bonus: more if the best move is the TT move.
    bonus_tt_move = 317 in 0..=1500;
    /// History bonus: history of the opponent's last move that adds one unit.
    bonus_previous_history = 33 in 8..=400;
    /// History bonus: share for a quiet move, 1024ths.
    bonus_quiet = 1029 in 200..=3000;
    /// History bonus: share for a capture, 1024ths.
    bonus_capture = 1323 in 200..=3000;
    /// History bonus: for a reduced move that beats alpha.
    bonus_lmr_research = 1292 in 0..=4000;
    /// History malus: per ply of depth.
    malus_scale = 948 in 20..=1500;
    /// History malus: subtracted.
    malus_offset = 228 in 0..=600;
    /// History malus: at most.
    malus_max = 1840 in 400..=5000;
    /// History malus: factor from each quiet move to the next, 1024ths.
    malus_decay = 1023 in 700..=1024;
    /// History malus: share for a capture, 1024ths.
    malus_capture = 1406 in 200..=3000;
    /// History malus: share for the opponent's last move if it came first and is refuted, 1024ths.
    malus_refuted_first = 819 in 0..=3000;
    /// History malus: for an early move of the opponent refuted by a TT cutoff.
    malus_tt_cutoff = 2264 in 0..=5000;
    /// Fail-low bonus for the opponent's move: share of the history bonus, 1024ths.
    fail_low_base = -207 in -1000..=1000;
    /// Fail-low bonus: more per ply of depth, 1024ths.
    fail_low_depth = 54 in 0..=200;
    /// Fail-low bonus: more if the move came late, 1024ths.
    fail_low_late = 174 in 0..=600;
    /// Fail-low bonus: more if the value is far below the static evaluation, 1024ths.
    fail_low_below_eval = 152 in 0..=600;
    /// Fail-low bonus: more if the value is far below the static evaluation before the move, 1024ths.
    fail_low_below_previous_eval = 160 in 0..=600;
    /// Fail-low bonus: how far below counts as far, cp.
    fail_low_margin = 80 in 0..=300;
    /// Fail-low bonus: for a capture.
    fail_low_capture = 1008 in 0..=4000;
    /// Evaluation gain of the opponent's move: lower clamp, cp, as a positive number.
    eval_gain_low = 228 in 0..=600;
    /// Evaluation gain: upper clamp, cp.
    eval_gain_high = 150 in 0..=600;
    /// Evaluation gain: added to it, cp.
    eval_gain_offset = 49 in -100..=200;
    /// Evaluation gain: butterfly bonus per centipawn.
    eval_gain_butterfly = 6 in 0..=40;
    /// Evaluation gain: pawn history bonus per centipawn.
    eval_gain_pawn = 13 in 0..=40;

    // Correction history.
    /// Correction history: rate if the value is above the static evaluation, 128ths per ply of depth.
    correction_rate_above = 12 in 1..=60;
    /// Correction history: rate if the value is below the static evaluation, 128ths per ply of depth.
    correction_rate_below = 16 in 1..=60;
    /// Correction history: correction of one aspect at its limit, cp.
    correction_scale = 87 in 0..=400;

    // Move ordering.
    /// Move ordering: weight of the captured piece's value beside capture history.
    order_victim = 7 in 1..=20;
    /// Move ordering: bonus of a quiet check that loses at most a pawn or so by SEE.
    order_check = 17959 in 0..=40000;
    /// Move ordering: capture score for one centipawn that a good capture may lose.
    order_see_divisor = 19 in 5..=100;
    /// Move ordering: score below which a quiet move comes after bad captures.
    order_good_quiet = -14662 in -60000..=0;
}
