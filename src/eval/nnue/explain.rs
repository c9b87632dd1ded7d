//! An account of what a network thinks: its output, the value, and what each piece is worth.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::network::Network;
use crate::position::Position;
use crate::types::{Color, PieceType, Square};
use std::fmt::Write;

/// Output, value, and the board with the worth of each piece as Black sees it: the value less
/// the value without the piece.
pub(super) fn explain(network: &Network, backend: &dyn Backend, position: &Position) -> String {
    let output = |without| network.parameters.output(backend, position, without);
    let scale = &network.scale;
    let whole = output(None);
    let value = scale.format_value(whole);
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
                let without = scale.format_value(output(Some(sq)));
                format!("{piece}{:+}", sign * (value - without))
            };
            let _ = write!(text, "{cell:>8}");
        }
        let _ = writeln!(text, "  {}", (b'a' + rank) as char);
    }
    let _ = writeln!(text, "output {whole:+}, divided by {}", scale.fv_scale);
    let centipawns = scale.format_centipawns(whole);
    let _ = writeln!(
        text,
        "value for the side to move {value:+}, {centipawns:+} centipawns"
    );
    text
}
