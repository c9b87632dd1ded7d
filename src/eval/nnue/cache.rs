//! The last sums of every view of the board, from which those of another position with the same view
//! are not far.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::effects::EffectClasses;
use super::list::List;
use super::network::{Block, Parameters};
use super::view::View;
use crate::position::Position;
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// Most features in which two positions differ.
const MAX_DIFFERENCE: usize = 48;

/// The pieces behind some sums.
#[derive(Clone)]
struct Pieces {
    board: [Piece; Square::COUNT],
    hands: [Hand; 2],
    /// Pieces of a set that are nowhere.
    missing: usize,
}

const NO_PIECES: Pieces = Pieces {
    board: [Piece::NONE; Square::COUNT],
    hands: [Hand::EMPTY; 2],
    missing: 0,
};

/// For each perspective and view of the board, the last sums and the pieces behind them.
pub(super) struct Cache {
    rows: Vec<Block>,
    pieces: Vec<Pieces>,
}

impl Cache {
    /// A cache of empty boards, or nothing if the features have no use for one.
    pub fn new(parameters: &Parameters) -> Cache {
        let set = parameters.architecture.features;
        let entries = if set.depends_on_king() && set.effects == EffectClasses::One {
            2 * set.views()
        } else {
            0
        };
        Cache {
            rows: parameters.transformer.biases.repeat(entries),
            pieces: vec![NO_PIECES; entries],
        }
    }

    pub fn is_in_use(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Makes up the difference to the last position that was seen in the same way. Of the position
    /// so many pieces are missing.
    pub fn refresh(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        view: &View,
        missing: usize,
        row: &mut [Block],
    ) {
        let set = parameters.architecture.features;
        let entry = view.perspective.index() * set.views() + view.number;
        let mut difference = Difference {
            view,
            removed: List::new(),
            added: List::new(),
        };
        difference.take(&mut self.pieces[entry], position, missing);
        let Difference { removed, added, .. } = difference;
        let cached = &mut self.rows[entry * row.len()..][..row.len()];
        let (added, removed) = (added.as_slice(), removed.as_slice());
        backend.accumulate(row, cached, &parameters.transformer, added, removed);
        cached.copy_from_slice(row);
    }
}

/// The features in which two positions differ.
struct Difference<'a> {
    view: &'a View,
    removed: List<MAX_DIFFERENCE>,
    added: List<MAX_DIFFERENCE>,
}

/// Eight squares, to see at once whether all of them are the same.
#[inline(always)]
fn word(pieces: &[Piece; 8]) -> u64 {
    u64::from_le_bytes(pieces.map(Piece::raw))
}

impl Difference<'_> {
    /// Adds the difference between pieces and those of a position, which take their place.
    fn take(&mut self, pieces: &mut Pieces, position: &Position, missing: usize) {
        let board = position.board();
        let (now, last_now) = board.as_chunks::<8>();
        let (before, last_before) = pieces.board.as_chunks::<8>();
        for (i, (before, now)) in before.iter().zip(now).enumerate() {
            let mut changed = word(before) ^ word(now);
            while changed != 0 {
                let byte = changed.trailing_zeros() as usize / 8;
                self.square(Square::from_index(8 * i + byte), before[byte], now[byte]);
                changed &= !(0xFF << (8 * byte));
            }
        }
        let rest = board.len() - last_now.len();
        for (i, (&before, &now)) in last_before.iter().zip(last_now).enumerate() {
            if before != now {
                self.square(Square::from_index(rest + i), before, now);
            }
        }
        pieces.board = *board;
        for (owner, before) in Color::ALL.into_iter().zip(&mut pieces.hands) {
            let now = position.hand(owner);
            if now != *before {
                self.hand(owner, *before, now);
                *before = now;
            }
        }
        for _ in pieces.missing..missing {
            self.added.push(self.view.feature(0));
        }
        for _ in missing..pieces.missing {
            self.removed.push(self.view.feature(0));
        }
        pieces.missing = missing;
    }

    #[inline(always)]
    fn square(&mut self, sq: Square, before: Piece, now: Piece) {
        if before.is_some() {
            self.view.add_piece(before, sq, &mut self.removed);
        }
        if now.is_some() {
            self.view.add_piece(now, sq, &mut self.added);
        }
    }

    fn hand(&mut self, owner: Color, before: Hand, now: Hand) {
        for kind in PieceType::HAND {
            let (before, now) = (before.count(kind), now.count(kind));
            for count in before + 1..=now {
                self.added.push(self.view.in_hand(owner, kind, count));
            }
            for count in now + 1..=before {
                self.removed.push(self.view.in_hand(owner, kind, count));
            }
        }
    }
}
