//! Perft: counting the leaf nodes of the full game tree, to test move generation and its speed.
//! <https://www.chessprogramming.org/Perft>
#![forbid(unsafe_code)]

use super::Position;
use crate::types::Move;

/// A root move and its share of the leaf nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftEntry {
    /// The root move.
    pub mv: Move,
    /// Leaf nodes below it.
    pub nodes: u64,
}

/// Leaf nodes at `depth` plies. Moves of the last ply are counted in bulk, not played.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => {
            let mut moves: Vec<Move> = Vec::with_capacity(64);
            position.generate_legal::<true>(&mut moves);
            let mut nodes = 0;
            for mv in moves {
                position.do_move(mv);
                nodes += perft(position, depth - 1);
                position.undo_move(mv);
            }
            nodes
        }
    }
}

/// Perft with the leaf nodes of each root move.
pub fn perft_divide(position: &mut Position, depth: u32) -> Vec<PerftEntry> {
    position
        .legal_moves()
        .iter()
        .map(|&mv| {
            position.do_move(mv);
            let nodes = perft(position, depth.saturating_sub(1));
            position.undo_move(mv);
            PerftEntry { mv, nodes }
        })
        .collect()
}
