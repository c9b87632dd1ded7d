//! Finny tables: the last accumulator for every king bucket, mirrored or not. When a king moves to another
//! bucket, few pieces differ from that accumulator's.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::features::FeatureSet;
use super::layers::{Block, FeatureTransformer};
use super::view::{Changes, View};
use crate::position::Position;
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// Most features in which two positions differ.
const MAX_DIFFERENCE: usize = 48;

/// For each perspective and view, the last accumulator and the pieces in it.
pub struct RefreshTable {
    accumulators: Vec<Block>,
    pieces: Vec<Pieces>,
}

impl RefreshTable {
    /// A table of empty boards; without entries if the feature set cannot use one.
    pub fn new(set: &FeatureSet, transformer: &FeatureTransformer) -> RefreshTable {
        let entries = if set.depends_on_king() && !set.depends_on_attacks() {
            2 * set.views()
        } else {
            0
        };
        RefreshTable {
            accumulators: transformer.biases.repeat(entries),
            pieces: vec![Pieces::NONE; entries],
        }
    }

    pub fn is_enabled(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Computes the accumulator of a position from the last one of the view. The position has `missing`
    /// pieces less than a full set.
    pub fn refresh(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
        view: &View,
        missing: usize,
        out: &mut [Block],
    ) {
        let views = self.pieces.len() / 2;
        let entry = view.perspective.index() * views + view.number;
        let changes = self.pieces[entry].update(view, position, missing);
        let last = &mut self.accumulators[entry * out.len()..][..out.len()];
        backend.accumulate(out, last, transformer, changes.as_update());
        last.copy_from_slice(out);
    }
}

/// The pieces in an accumulator.
#[derive(Clone)]
struct Pieces {
    board: [Piece; Square::COUNT],
    hands: [Hand; 2],
    /// Pieces missing from a full set.
    missing: usize,
}

impl Pieces {
    const NONE: Pieces = Pieces {
        board: [Piece::NONE; Square::COUNT],
        hands: [Hand::EMPTY; 2],
        missing: 0,
    };

    /// Becomes the pieces of a position. Returns the features that this removes and adds.
    fn update(
        &mut self,
        view: &View,
        position: &Position,
        missing: usize,
    ) -> Changes<MAX_DIFFERENCE> {
        let mut changes = Changes::default();
        let Changes { removed, added } = &mut changes;
        for (sq, before) in Square::all().zip(&mut self.board) {
            let now = position.piece_on(sq);
            if now == *before {
                continue;
            }
            if before.is_some() {
                view.add_piece(*before, sq, removed);
            }
            if now.is_some() {
                view.add_piece(now, sq, added);
            }
            *before = now;
        }
        for (owner, before) in Color::ALL.into_iter().zip(&mut self.hands) {
            let now = position.hand(owner);
            for kind in PieceType::HAND {
                let (before, now) = (before.count(kind), now.count(kind));
                for count in before + 1..=now {
                    added.push(view.in_hand(owner, kind, count));
                }
                for count in now + 1..=before {
                    removed.push(view.in_hand(owner, kind, count));
                }
            }
            *before = now;
        }
        for _ in self.missing..missing {
            added.push(view.feature(0));
        }
        for _ in missing..self.missing {
            removed.push(view.feature(0));
        }
        self.missing = missing;
        changes
    }
}
