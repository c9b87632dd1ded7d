//! An account of what a network thinks: its output, the value, and what each piece is worth.
#![forbid(unsafe_code)]

use super::accumulator::from_scratch;
use super::backend::Backend;
use super::layer_stack::Scratch;
use super::network::{Block, Network};
use crate::position::Position;
use crate::types::{Color, PieceType, Square};
use std::fmt::Write;

/// The output for the side to move, but for the piece on a square of choice.
pub(super) fn output(
    network: &Network,
    backend: &dyn Backend,
    position: &Position,
    without: Option<Square>,
) -> i32 {
    let parameters = &*network.parameters;
    let us = position.side_to_move();
    let rows = [us, !us].map(|perspective| {
        let mut row = vec![Block::ZERO; parameters.transformer.blocks()];
        from_scratch(
            parameters,
            backend,
            position,
            perspective,
            without,
            &mut row,
        );
        row
    });
    let mut scratch = Scratch::new(&parameters.architecture);
    let rows = [&*rows[0], &*rows[1]];
    let output = parameters.propagate(backend, position, rows, &mut scratch);
    output.wrapping_add(parameters.piece_values(position, without))
}

/// Output, value, and the board with the worth of each piece as Black sees it: the value less
/// the value without the piece.
pub(super) fn explain(network: &Network, backend: &dyn Backend, position: &Position) -> String {
    let whole = output(network, backend, position, None);
    let value = network.value(whole);
    let sign = match position.side_to_move() {
        Color::Black => 1,
        Color::White => -1,
    };
    let mut text = format!(
        "network {}, {} kernels\nworth of the pieces to Black (value less value without it):\n",
        network.architecture(),
        backend.name()
    );
    // Writing to a string cannot fail.
    for rank in 0..9 {
        for file in (0..9).rev() {
            let sq = Square::new(file, rank);
            let piece = position.piece_on(sq);
            let is_king = piece.is_some() && piece.kind() == PieceType::King;
            let cell = if piece.is_none() || is_king {
                piece.to_string()
            } else {
                let without = network.value(output(network, backend, position, Some(sq)));
                format!("{piece}{:+}", sign * (value - without))
            };
            let _ = write!(text, "{cell:>8}");
        }
        let _ = writeln!(text, "  {}", (b'a' + rank) as char);
    }
    let _ = writeln!(text, "output {whole:+}, divided by {}", network.scale());
    let centipawns = value * 100 / i32::from(network.file_pawn());
    let _ = writeln!(
        text,
        "value for the side to move {value:+}, {centipawns:+} centipawns"
    );
    text
}
