//! Scores and depths.
#![forbid(unsafe_code)]

/// A score from the side to move's view: an evaluation in the unit of the search, see
/// [`crate::eval::units`], or a mate score, see [`MATE`].
pub type Value = i32;

/// Remaining depth in plies.
pub type Depth = i32;

/// A drawn game.
pub const DRAW: Value = 0;
/// The score of delivered mate; mate in `n` plies scores `MATE - n`.
pub const MATE: Value = 32_000;
/// Larger than any score the search returns.
pub const INFINITE: Value = 32_001;
/// No score.
pub const NONE: Value = 32_002;
/// The lowest score of a win by mate.
pub const MATE_IN_MAX_PLY: Value = MATE - crate::types::MAX_PLY as Value;
/// The score of a superior position (優等局面): a win, but not by mate.
pub const SUPERIOR: Value = MATE_IN_MAX_PLY - 1;
/// The largest static evaluation; the smallest is its negative.
pub const MAX_EVAL: Value = SUPERIOR - 1;

/// The score of mating `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The score of being mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Whether the score is a win or a loss and not an evaluation.
#[inline(always)]
pub const fn is_decisive(value: Value) -> bool {
    is_win(value) || is_loss(value)
}

/// Whether the score is a win: by mate or by a superior position.
#[inline(always)]
pub const fn is_win(value: Value) -> bool {
    value >= SUPERIOR
}

/// Whether the score is a loss: by mate or by an inferior position.
#[inline(always)]
pub const fn is_loss(value: Value) -> bool {
    value <= -SUPERIOR
}
