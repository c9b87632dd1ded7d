//! The moves of a node that were tried without success.
#![forbid(unsafe_code)]

use crate::types::Move;

/// Moves remembered at most; later ones were unlikely anyway.
const CAPACITY: usize = 32;

/// A short list of moves without allocation.
pub struct TriedMoves {
    moves: [Move; CAPACITY],
    len: usize,
}

impl TriedMoves {
    /// An empty list.
    #[inline(always)]
    pub fn new() -> TriedMoves {
        TriedMoves {
            moves: [Move::NONE; CAPACITY],
            len: 0,
        }
    }

    /// Adds a move unless the list is full.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// The moves, in the order tried.
    #[inline(always)]
    pub fn iter(&self) -> std::slice::Iter<'_, Move> {
        self.moves[..self.len].iter()
    }
}
