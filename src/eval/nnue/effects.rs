//! How often either side attacks a square, and the copies of features that go by it.
#![forbid(unsafe_code)]

use crate::bitboard::attacks;
use crate::position::Position;
use crate::types::{Color, PieceType, Square};

/// Copies of each feature by the attacks on the square of its piece. Pieces in hand have the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EffectClasses {
    /// A single one.
    One,
    /// Nine: up to two attacks of the perspective's side, times up to two of the other. The copies
    /// of a feature lie far apart, each with all other features of its class.
    BySide,
    /// Up to `most` attacks of the piece's own side, times as many of the other. The copies of a
    /// feature lie side by side.
    ByOwner {
        /// 1 or 2.
        most: u8,
        /// Whether kings have more than the first copy.
        kings: bool,
    },
}

impl EffectClasses {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            EffectClasses::One => 1,
            EffectClasses::BySide => 9,
            EffectClasses::ByOwner { most, .. } => (most as usize + 1).pow(2),
        }
    }
}

/// How often each side attacks each square.
pub(super) struct Effects([[u8; Square::COUNT]; 2]);

impl Effects {
    /// Those of a position, but for the piece on a square of choice.
    pub fn new(position: &Position, without: Option<Square>) -> Effects {
        let mut effects = Effects([[0; Square::COUNT]; 2]);
        let mut occupied = position.occupied();
        if let Some(sq) = without {
            occupied.toggle(sq);
        }
        for sq in occupied {
            let piece = position.piece_on(sq);
            for target in attacks::of(piece.kind(), piece.color(), sq, occupied) {
                effects.0[piece.color().index()][target.index()] += 1;
            }
        }
        effects
    }

    /// The class of the piece on a square.
    pub fn class(
        &self,
        classes: EffectClasses,
        perspective: Color,
        position: &Position,
        sq: Square,
    ) -> u32 {
        let piece = position.piece_on(sq);
        let (most, own) = match classes {
            EffectClasses::One => return 0,
            EffectClasses::ByOwner { kings: false, .. } if piece.kind() == PieceType::King => {
                return 0;
            }
            EffectClasses::BySide => (2, perspective),
            EffectClasses::ByOwner { most, .. } => (most, piece.color()),
        };
        let count = |color: Color| u32::from(self.0[color.index()][sq.index()].min(most));
        u32::from(most + 1) * count(own) + count(!own)
    }
}
