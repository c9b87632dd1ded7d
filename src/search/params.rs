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
    aspiration_width = 64 in 3..=100;
    /// Growth of the failed side after each failure, percent.
    aspiration_growth = 66 in 10..=200;
    /// First iteration with a window, plies.
    aspiration_depth = 4 in 1..=10;

    // Transposition table.
    /// Depth above which an entry cuts a node of the other kind too, plies.
    table_cut_depth = 5 in 0..=20;

    // Hindsight.
    /// Sum of both sides' evaluations above which a reduced node is searched shallower still, cp.
    hindsight_margin = 181 in 0..=600;

    // Razoring.
    /// Margin at depth 0, cp.
    razor_base = 505 in 0..=1200;
    /// Margin per depth squared, cp.
    razor_scale = 302 in 50..=700;

    // Futility pruning of the child node (reverse futility).
    /// Deepest node, plies.
    child_futility_depth = 14 in 4..=20;
    /// Margin per ply, cp.
    child_futility_scale = 68 in 20..=200;
    /// How much less per ply where the table knows nothing, cp.
    child_futility_unknown = 22 in 0..=80;
    /// Less when improving, 1024ths of a ply's margin.
    child_futility_improving = 1940 in 0..=6000;
    /// Less when the opponent is worsening, 1024ths of a ply's margin.
    child_futility_worsening = 332 in 0..=3000;
    /// More for each centipawn of correction, 128ths.
    child_futility_correction = 102 in 0..=512;

    // Null move.
    /// Reduction, plies.
    null_base = 7 in 2..=12;
    /// Depth for one ply more of reduction, plies.
    null_divisor = 3 in 2..=8;
    /// Lead over beta the static evaluation needs at depth 0, cp.
    null_static_base = 162 in -200..=900;
    /// How much less it needs per ply of depth, cp.
    null_static_scale = 16 in 0..=60;
    /// How much less it needs when improving, cp.
    null_static_improving = 49 in 0..=300;

    // Internal iterative reduction.
    /// Shallowest node, plies.
    iir_depth = 5 in 2..=10;

    // ProbCut.
    /// Shallowest node, plies.
    probcut_depth = 2 in 2..=10;
    /// How far above beta a capture must come out, cp.
    probcut_margin = 186 in 50..=600;
    /// How much less when improving, cp.
    probcut_improving = 61 in 0..=300;
    /// How far above beta a stored value must be, cp.
    small_probcut_margin = 387 in 100..=900;

    // Late move pruning.
    /// Quiet moves searched at depth 0.
    late_base = 4 in 1..=12;

    // Futility pruning of the parent node.
    /// Reduced depth from which on it is not done, plies.
    futility_depth = 13 in 3..=20;
    /// Margin at depth 0, cp.
    futility_base = 40 in -100..=400;
    /// Margin per ply of reduced depth, cp.
    futility_scale = 116 in 30..=250;
    /// More while the node has no best move, cp.
    futility_unknown = 158 in 0..=400;
    /// More where the evaluation is above alpha, cp.
    futility_above = 78 in 0..=300;
    /// Reduced depth from which on captures are exempt, plies.
    capture_futility_depth = 8 in 2..=14;
    /// Margin of captures at depth 0, cp.
    capture_futility_base = 165 in 0..=600;
    /// Margin of captures per ply of reduced depth, cp.
    capture_futility_scale = 215 in 50..=500;
    /// More for each unit of capture history, 1024ths of cp.
    capture_futility_history = 114 in 0..=400;

    // Static exchange pruning.
    /// Loss a quiet move may make, per squared ply of reduced depth, cp.
    see_quiet = 27 in 5..=80;
    /// Loss a capture or check may make, per ply of depth, cp.
    see_capture = 154 in 30..=400;
    /// More for each unit of capture history, 1024ths of cp.
    see_capture_history = 35 in 0..=200;

    // History pruning.
    /// Lowest history of a sequel per ply of depth, history units.
    history_scale = 3276 in 1000..=10000;
    /// History worth one ply of reduced depth, history units.
    history_ply = 3774 in 1000..=10000;

    // Singular extension.
    /// Shallowest node, plies.
    singular_depth = 6 in 4..=10;
    /// How far below the stored value the other moves must stay, cp per 64 plies of depth.
    singular_margin = 70 in 16..=320;
    /// How much farther in a node that once was on a principal variation, cp per 64 plies.
    singular_margin_pv = 82 in 0..=320;
    /// How much farther for a second ply, cp.
    singular_double = -185 in -300..=300;
    /// How much farther for a second ply if the move captures, cp.
    singular_double_capture = 344 in 0..=600;
    /// How much farther for a second ply in a PV node, cp.
    singular_double_pv = 215 in 0..=500;
    /// How much farther for a third ply, cp.
    singular_triple = -140 in -300..=500;
    /// How much farther for a third ply in a PV node, cp.
    singular_triple_pv = 355 in 0..=600;
    /// How much farther for a third ply where there once was a principal variation, cp.
    singular_triple_tt_pv = 80 in 0..=400;
    /// Deepest node of the cheap form, plies.
    singular_low_depth = 7 in 0..=10;
    /// How far alpha must be above the evaluation for the cheap form, cp.
    singular_low_margin = 24 in 0..=200;
    /// Less deep, when several moves reach beta, plies.
    negative_beta = 3 in 0..=4;
    /// Less deep in cut nodes, plies.
    negative_cut = 3 in 0..=4;

    // Late move reductions, 1024ths of a ply.
    /// Constant part, before pruning.
    lmr_base = 1344 in -1024..=4096;
    /// Factor of log depth times log move number.
    lmr_scale = 538 in 200..=900;
    /// Less for a window as wide as the root's.
    lmr_window = 431 in 0..=2048;
    /// More when the static evaluation does not improve, 1024ths of what depth and number say.
    lmr_not_improving = 439 in 0..=1024;
    /// More for pruning on a line that was once a principal variation.
    lmr_tt_pv_pruning = 1143 in 0..=4096;
    /// Constant part added for reducing.
    lmr_offset = 715 in -2048..=2048;
    /// Less for each move before it.
    lmr_number = 65 in 0..=200;
    /// Less for each centipawn of correction.
    lmr_correction = 6 in 0..=40;
    /// More in expected cut nodes.
    lmr_cut_node = 3738 in 0..=6000;
    /// More in those without a hash move.
    lmr_cut_unknown = 758 in 0..=3000;
    /// More when the hash move captures.
    lmr_tt_capture = 1059 in 0..=3000;
    /// Less on a line that was once a principal variation.
    lmr_tt_pv = 2532 in 0..=6000;
    /// Less there in a PV node.
    lmr_pv = 782 in 0..=3000;
    /// Less there when the stored value is above alpha.
    lmr_tt_value = 819 in 0..=3000;
    /// Less there when the entry is as deep as the node.
    lmr_tt_depth = 819 in 0..=3000;
    /// Less then in a cut node.
    lmr_tt_depth_cut = 996 in 0..=3000;
    /// More when two children of this node and its siblings failed high.
    lmr_cutoffs = 254 in 0..=3000;
    /// More when three or more did.
    lmr_many_cutoffs = 1141 in 0..=3000;
    /// More then in expected all nodes.
    lmr_all_cutoffs = 1065 in 0..=3000;
    /// Less for the hash move.
    lmr_tt_move = 2107 in 0..=6000;
    /// Less for each unit of history, 4096ths.
    lmr_history = 419 in 50..=1500;
    /// Less for each centipawn captured, 1024ths.
    lmr_victim = 742 in 0..=4096;
    /// Factor of the increase in expected all nodes.
    lmr_all_node = 288 in 0..=1024;
    /// Score above the best one that asks for a deeper re-search, cp.
    lmr_deeper = 41 in 0..=200;
    /// Score above the best one below which the re-search is shallower, cp.
    lmr_shallower = 10 in 0..=100;
    /// More without a hash move, for moves searched without a reduced search first.
    full_unknown = 950 in 0..=3000;
    /// Reduction above which such moves lose a ply.
    full_reduction = 4412 in 1000..=9000;
    /// Reduction above which they lose another.
    full_reduction_two = 4862 in 1000..=12000;
    /// Plies less for the moves left once alpha was raised.
    raised_alpha_reduction = 1 in 0..=4;

    // Quiescence search.
    /// What the stand-pat score may gain beside the captured piece, cp.
    delta_margin = 300 in 50..=700;
    /// Loss by exchange above which a capture is not tried, cp.
    qsearch_see = 77 in 0..=300;
    /// Captures tried before the rest is skipped.
    qsearch_moves = 1 in 1..=12;

    // Histories, history units.
    /// What is left of the butterfly history in the next search, 1024ths.
    history_kept = 757 in 0..=1024;
    /// Bonus per ply of depth.
    bonus_scale = 137 in 20..=600;
    /// Subtracted from the bonus.
    bonus_offset = 83 in 0..=400;
    /// Largest bonus.
    bonus_max = 1495 in 400..=4000;
    /// More if the best move was the hash move.
    bonus_tt_move = 317 in 0..=1500;
    /// History of the move before that adds one unit to the bonus.
    bonus_before = 33 in 8..=400;
    /// Share of the bonus for a quiet move, 1024ths.
    quiet_bonus = 1029 in 200..=3000;
    /// Share of the bonus for a capture, 1024ths.
    capture_bonus = 1323 in 200..=3000;
    /// Malus per ply of depth.
    malus_scale = 948 in 20..=1500;
    /// Subtracted from the malus.
    malus_offset = 228 in 0..=600;
    /// Largest malus.
    malus_max = 1840 in 400..=5000;
    /// What is left of the malus for the next quiet move, 1024ths.
    malus_decay = 1023 in 700..=1024;
    /// Share of the malus for a capture, 1024ths.
    capture_malus = 1406 in 200..=3000;
    /// Share of the malus for a first move that is refuted, 1024ths.
    refuted_malus = 819 in 0..=3000;
    /// Malus of an early move that the table refutes.
    table_malus = 2264 in 0..=5000;
    /// Bonus of a reduced move that beats alpha.
    research_bonus = 1292 in 0..=4000;
    /// Share of the bonus for the move before a node that fails low, 1024ths.
    fail_low_base = -207 in -1000..=1000;
    /// More per ply of depth, 1024ths.
    fail_low_depth = 54 in 0..=200;
    /// More if that move came late, 1024ths.
    fail_low_late = 174 in 0..=600;
    /// More if the value is below the evaluation, 1024ths.
    fail_low_drop = 152 in 0..=600;
    /// More if it is below the evaluation before that move, 1024ths.
    fail_low_rise = 160 in 0..=600;
    /// How far below, cp.
    fail_low_margin = 80 in 0..=300;
    /// Bonus of a capture before a node that fails low.
    fail_low_capture = 1008 in 0..=4000;
    /// Bonus in the pawn structure per centipawn of gain in evaluation.
    eval_gain_pawns = 13 in 0..=40;
    /// Lowest gain in evaluation that counts as a bonus, cp, negative.
    eval_gain_low = 228 in 0..=600;
    /// Highest gain that counts, cp.
    eval_gain_high = 150 in 0..=600;
    /// Added to the gain, cp.
    eval_gain_offset = 49 in -100..=200;
    /// Bonus per centipawn of gain.
    eval_gain_scale = 6 in 0..=40;

    // Correction of the static evaluation.
    /// What is learnt from a node with a best move, 128ths of the error by depth.
    correction_rate = 12 in 1..=60;
    /// What is learnt from a node that fails low.
    correction_rate_low = 16 in 1..=60;
    /// Correction of one aspect at its limit, cp.
    correction_scale = 87 in 0..=400;

    // Move ordering.
    /// Weight of the captured piece's value beside capture history.
    order_victim = 7 in 1..=20;
    /// Bonus of a quiet check that loses nothing.
    order_check = 17959 in 0..=40000;
    /// Capture score for one centipawn that a good capture may lose.
    order_see_divisor = 19 in 5..=100;
    /// Score below which a quiet move comes after losing captures.
    order_good_quiet = -14662 in -60000..=0;
}
