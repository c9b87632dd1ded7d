//! BonaPiece: YaneuraOu's index of a piece and its place, from which all features are derived.
//!
//! Pieces in hand come before [`HAND_END`], then pieces on the board by piece and square, kings
//! last. A perspective sees its own pieces as friends and the board from its own side.
#![forbid(unsafe_code)]

use crate::position::Position;
use crate::types::{Color, Piece, PieceType, Square};

/// First BonaPiece on the board (`fe_hand_end`).
pub const HAND_END: usize = 90;
/// First BonaPiece of the friend's king (`f_king`).
pub const FRIEND_KING: usize = 1548;
/// First BonaPiece of the enemy's king (`e_king`).
pub const ENEMY_KING: usize = 1629;
/// Number of BonaPieces (`fe_end2`).
pub const COUNT: usize = 1710;

/// Pieces of a full set without the kings.
const PIECES: usize = 38;

/// First BonaPiece of each piece on the board, from Black's perspective.
const PLANES: [u16; Piece::COUNT] = {
    // BonaPiece order: P L N S G B +B R +R K.
    const ORDER: [usize; 15] = [0, 0, 1, 2, 3, 5, 7, 4, 9, 4, 4, 4, 4, 6, 8];
    let mut planes = [0; Piece::COUNT];
    let mut kind = 1;
    while kind < 15 {
        let base = (HAND_END + 162 * ORDER[kind]) as u16;
        planes[kind] = base;
        planes[16 + kind] = base + 81;
        kind += 1;
    }
    planes
};

/// First BonaPiece of each kind in hand, friend then enemy.
const HANDS: [[u16; 8]; 2] = [
    [0, 1, 39, 49, 59, 79, 85, 69],
    [0, 20, 44, 54, 64, 82, 88, 74],
];

/// The BonaPiece of a piece on a square.
#[inline(always)]
pub fn on_board(perspective: Color, piece: Piece, sq: Square) -> usize {
    // White's perspective swaps friend and enemy.
    let piece = piece.index() ^ (perspective.index() << 4);
    usize::from(PLANES[piece]) + sq.relative(perspective).index()
}

/// The BonaPiece of the last of `count` pieces in hand.
#[inline(always)]
pub fn in_hand(perspective: Color, owner: Color, kind: PieceType, count: u32) -> usize {
    let enemy = usize::from(owner != perspective);
    usize::from(HANDS[enemy][kind.index() & 7]) + count as usize - 1
}

/// Calls `visit` with the BonaPiece of every piece, and its square unless it is in hand, except for the
/// piece on the square `without`. Each piece missing from a full set is visited as BonaPiece 0.
pub fn for_each(
    perspective: Color,
    position: &Position,
    without: Option<Square>,
    mut visit: impl FnMut(usize, Option<Square>),
) {
    let mut missing = PIECES;
    for sq in position.occupied() {
        let piece = position.piece_on(sq);
        if Some(sq) != without {
            visit(on_board(perspective, piece, sq), Some(sq));
            missing -= usize::from(piece.kind() != PieceType::King);
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            let count = position.hand(owner).count(kind);
            for i in 1..=count {
                visit(in_hand(perspective, owner, kind, i), None);
            }
            missing -= count as usize;
        }
    }
    for _ in 0..missing {
        visit(0, None);
    }
}

/// Pieces of a full set that are neither on the board nor in hand.
pub fn missing(position: &Position) -> usize {
    let mut missing = 0;
    for_each(Color::Black, position, None, |number, _| {
        missing += usize::from(number == 0);
    });
    missing
}
