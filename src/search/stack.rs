//! What a node leaves for the nodes below it, one frame a ply.
#![forbid(unsafe_code)]

use super::history::{ContinuationIndex, PawnPlace};
use crate::types::{Depth, MAX_PLY, Move, Value, value};

/// One ply of the line being searched.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The move played from this node.
    pub mv: Move,
    /// That move as the start of continuation histories.
    pub continuation: ContinuationIndex,
    /// Static evaluation; in check, that of two plies before.
    pub static_eval: Value,
    /// The move left out while a singular search looks for an equal one.
    pub excluded: Move,
    /// Whether the move played was a capture.
    pub capture: bool,
    /// How many moves were tried so far.
    pub move_count: usize,
    /// How many nodes of this ply failed high below the node two plies before.
    pub cutoffs: u32,
    /// By how many plies the move played from this node is searched shallower.
    pub reduction: Depth,
    /// What the histories said about the move played from this node.
    pub history: i32,
    /// Whether the side to move was in check.
    pub in_check: bool,
    /// Whether the table knew the node.
    pub known: bool,
    /// Its pawns' place in the pawn history.
    pub pawns: PawnPlace,
    /// Whether all moves up to the node are those of the last iteration's principal variation.
    pub follows_pv: bool,
    /// Whether the node is or was on a principal variation.
    pub tt_pv: bool,
}

const EMPTY: Frame = Frame {
    mv: Move::NONE,
    continuation: ContinuationIndex::NONE,
    static_eval: value::NONE,
    excluded: Move::NONE,
    capture: false,
    move_count: 0,
    cutoffs: 0,
    reduction: 0,
    history: 0,
    in_check: false,
    known: false,
    pawns: PawnPlace::NONE,
    follows_pv: false,
    tt_pv: false,
};

/// Frames before the root, so that looking back from any ply is always valid.
pub(super) const PAD: usize = 8;

/// The frames of a line.
pub struct Stack(Box<[Frame]>);

impl Stack {
    /// A stack of empty frames.
    pub fn new() -> Stack {
        Stack(vec![EMPTY; PAD + MAX_PLY + 4].into_boxed_slice())
    }

    /// Forgets the last search.
    pub fn clear(&mut self) {
        self.0.fill(EMPTY);
    }

    /// The frame of a ply.
    #[inline(always)]
    pub fn at(&self, ply: usize) -> &Frame {
        &self.0[PAD + ply]
    }

    /// The frame of a ply, to change it.
    #[inline(always)]
    pub fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[PAD + ply]
    }

    /// The frame `back` (at most 8) plies before a ply.
    #[inline(always)]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[PAD + ply - back]
    }

    /// All frames up to and including that of a ply.
    #[inline(always)]
    pub fn line(&self, ply: usize) -> &[Frame] {
        &self.0[..=PAD + ply]
    }
}
