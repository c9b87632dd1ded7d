//! Scores and depths.
#![forbid(unsafe_code)]

/// A score from the side to move's view in the unit of the search, see [`crate::eval::units`], or a
/// mate score (see below).
pub type Value = i32;

/// Remaining depth in plies.
pub type Depth = i32;

/// A drawn game.
pub const DRAW: Value = 0;
/// Mate on the board would score this; a mate in `n` plies scores `MATE - n`.
pub const MATE: Value = 32_000;
/// Beyond every score a search returns.
pub const INFINITE: Value = 32_001;
/// No score at all (in the transposition table: no static evaluation stored).
pub const NONE: Value = 32_002;
/// The smallest winning mate score; everything at or above it is a proven win.
pub const MATE_IN_MAX_PLY: Value = MATE - crate::types::MAX_PLY as Value;
/// Score of a superior repetition (優等局面): just inside the proven results, but no mate score.
pub const SUPERIOR: Value = MATE_IN_MAX_PLY - 1;
/// Static evaluations stay strictly within plus and minus this.
pub const MAX_EVAL: Value = SUPERIOR - 1;

/// Score of giving mate `ply` plies below the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Score of being mated `ply` plies below the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Whether the score is a win or loss that does not rest on evaluation.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

/// Whether the score is a proven win, the superior repetition included.
#[inline(always)]
pub const fn is_win(value: Value) -> bool {
    value >= SUPERIOR
}

/// Whether the score is a proven loss, the inferior repetition included.
#[inline(always)]
pub const fn is_loss(value: Value) -> bool {
    value <= -SUPERIOR
}
