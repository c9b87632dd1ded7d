//! Perft: how many lines of play a number of plies has. The yardstick of move generation.
//! <https://www.chessprogramming.org/Perft>
#![forbid(unsafe_code)]

use super::Position;
use crate::types::Move;

/// The lines that start with one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftEntry {
    /// The first move.
    pub mv: Move,
    /// Lines of the full length that start with it.
    pub nodes: u64,
}

/// Number of lines of `depth` plies. Moves of the last ply are counted, not played.
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

/// The same, move by move.
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
