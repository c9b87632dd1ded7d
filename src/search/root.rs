//! The root moves and the lines of play.
#![forbid(unsafe_code)]

use super::report::ScoreBound;
use crate::types::{MAX_PLY, Move, Value, value};
use std::cmp::Reverse;

/// A move at the root and what is known about it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score of this iteration; `-INFINITE` if it has not been shown to be better than another.
    pub score: Value,
    /// Score of the last finished iteration.
    pub previous_score: Value,
    /// Mean of the scores so far, the latest counting most: the centre of the next window.
    pub average_score: Value,
    /// Whether `score` is exact.
    pub bound: ScoreBound,
    /// Deepest ply reached.
    pub seldepth: usize,
    /// The line that starts with the move.
    pub pv: Vec<Move>,
    /// Nodes spent on the move in this search.
    pub nodes: u64,
}

impl RootMove {
    /// A move not searched yet.
    pub fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -value::INFINITE,
            previous_score: -value::INFINITE,
            average_score: -value::INFINITE,
            bound: ScoreBound::Exact,
            seldepth: 0,
            pv: vec![mv],
            nodes: 0,
        }
    }
}

/// Puts the moves of a slice in order of their scores, best first; moves that were not shown to
/// be better than another keep the order of the last iteration.
pub fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| Reverse((m.score, m.previous_score)));
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

    /// Makes the line of a ply a single move.
    pub fn set(&mut self, ply: usize, mv: Move) {
        self.lines[ply][0] = mv;
        self.lengths[ply] = 1;
    }

    /// Makes the line of a ply these moves.
    pub fn put(&mut self, ply: usize, line: &[Move]) {
        self.lines[ply][..line.len()].copy_from_slice(line);
        self.lengths[ply] = line.len();
    }

    /// Makes the line of a ply the move followed by the line of the next ply.
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
