//! The search stack: a frame for each ply of the line being searched, and the principal variations.
#![forbid(unsafe_code)]

use super::history::{ContinuationIndex, PawnIndex};
use crate::types::{Depth, MAX_PLY, Move, Value, value};

/// A node of the line being searched.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The move played from this node.
    pub mv: Move,
    /// Continuation history of the move played.
    pub continuation: ContinuationIndex,
    /// Static evaluation; in check, that of two plies ago.
    pub static_eval: Value,
    /// The move excluded by a singular search.
    pub excluded: Move,
    /// Whether the move played was a capture.
    pub capture: bool,
    /// Number of the move being searched, from 1.
    pub move_count: usize,
    /// Fail highs at this ply since the node two plies above was entered.
    pub cutoffs: u32,
    /// Reduction of the move played from this node, in plies.
    pub reduction: Depth,
    /// History of the move played from this node.
    pub history: i32,
    /// Whether the side to move was in check.
    pub in_check: bool,
    /// Whether the transposition table had an entry.
    pub tt_hit: bool,
    /// Index of the node's pawns in the pawn history.
    pub pawns: PawnIndex,
    /// Whether all moves up to the node are those of the last iteration's principal variation.
    pub follows_pv: bool,
    /// Whether the node is or was on a principal variation.
    pub tt_pv: bool,
}

impl Frame {
    /// Whether the move played is quiet and not a null move.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        !self.capture && self.continuation != ContinuationIndex::NONE
    }
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
    tt_hit: false,
    pawns: PawnIndex::NONE,
    follows_pv: false,
    tt_pv: false,
};

/// Frames before the root, so that looking back is valid at any ply.
const PAD: usize = 8;

/// The frames of a line.
pub struct Stack(Box<[Frame]>);

impl Stack {
    /// A stack of empty frames.
    pub fn new() -> Stack {
        Stack(vec![EMPTY; PAD + MAX_PLY + 4].into_boxed_slice())
    }

    /// Empties all frames.
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

/// The principal variation of each ply, from that ply on.
pub struct PvTable {
    lines: Box<[[Move; MAX_PLY + 2]]>,
    lengths: Box<[usize]>,
}

impl PvTable {
    /// A table of empty lines.
    pub fn new() -> PvTable {
        PvTable {
            lines: vec![[Move::NONE; MAX_PLY + 2]; MAX_PLY + 2].into_boxed_slice(),
            lengths: vec![0; MAX_PLY + 2].into_boxed_slice(),
        }
    }

    /// Empties the line of a ply.
    #[inline(always)]
    pub fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Sets the line of a ply.
    pub fn set(&mut self, ply: usize, line: &[Move]) {
        self.lines[ply][..line.len()].copy_from_slice(line);
        self.lengths[ply] = line.len();
    }

    /// Sets the line of a ply to a move followed by the line of the next ply.
    pub fn update(&mut self, ply: usize, mv: Move) {
        let length = self.lengths[ply + 1].min(MAX_PLY);
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply][0] = mv;
        upper[ply][1..=length].copy_from_slice(&lower[0][..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line of a ply.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.lines[ply][..self.lengths[ply]]
    }
}
