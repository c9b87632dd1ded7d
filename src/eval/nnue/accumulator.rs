//! The sums of the first layer for the current position and those that lead to it, brought up to
//! date only when asked for.
//!
//! A push stores the move. An update goes back to the nearest ply whose sums are known and works
//! out every ply from there. Where the move of a king changed all features, the sums come from a
//! cache instead: for each view of the board (the copy of the features, mirrored or not) it keeps
//! the last sums and the pieces they stand for, so that only the difference has to be made up.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::effects::EffectClasses;
use super::features::{self, Changes, FeatureSet, PLANE_SQUARES, View, Views};
use super::list::List;
use super::network::{Block, Parameters};
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, Hand, MAX_PLY, Piece, PieceType, Square};

/// A position on the line: the move that led to it, and what is known about it.
#[derive(Clone)]
struct Ply {
    /// `None` at the bottom.
    dirty: Option<DirtyPieces>,
    /// Both hands after the move.
    hands: [Hand; 2],
    /// Whether the sums are known, by perspective.
    known: [bool; 2],
}

/// The sums along a line of moves.
pub(super) struct Accumulator {
    /// For each push, and for the bottom, the ply whose sums apply: a null move adds none.
    line: Vec<usize>,
    plies: Vec<Ply>,
    /// Two rows for each ply.
    rows: Vec<Block>,
    views: Views,
    cache: Cache,
}

impl Accumulator {
    /// Without a position.
    pub fn new(parameters: &Parameters) -> Accumulator {
        let blocks = parameters.transformer.blocks();
        Accumulator {
            line: Vec::with_capacity(MAX_PLY + 8),
            plies: Vec::with_capacity(MAX_PLY + 8),
            rows: vec![Block::ZERO; 2 * blocks * (MAX_PLY + 8)],
            views: Views::new(parameters.architecture.features),
            cache: Cache::new(parameters),
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.line.clear();
        self.plies.clear();
        self.line.push(0);
        self.plies.push(Ply {
            dirty: None,
            hands: Color::ALL.map(|color| position.hand(color)),
            known: [false; 2],
        });
    }

    /// Follows a move.
    #[inline(always)]
    pub fn push(&mut self, dirty: DirtyPieces) {
        let ply = self.line.last().map_or(0, |&ply| ply + 1);
        self.plies.truncate(ply);
        let mut hands = self.plies.last().map_or([Hand::EMPTY; 2], |ply| ply.hands);
        let hand = &mut hands[dirty.after.color().index()];
        if dirty.from.is_none() {
            hand.remove(dirty.after.kind());
        } else if dirty.captured.is_some() {
            hand.add(dirty.captured.kind().demote());
        }
        self.plies.push(Ply {
            dirty: Some(dirty),
            hands,
            known: [false; 2],
        });
        self.line.push(ply);
    }

    /// Follows a null move.
    #[inline(always)]
    pub fn push_null(&mut self) {
        let ply = self.line.last().map_or(0, |&ply| ply);
        self.line.push(ply);
    }

    /// Takes the last move back.
    #[inline(always)]
    pub fn pop(&mut self) {
        debug_assert!(self.line.len() > 1, "a pop without a push");
        self.line.pop();
    }

    /// The sums of the current position by perspective, worked out if they are not known yet.
    #[inline]
    pub fn update(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
    ) -> [&[Block]; 2] {
        if self.line.is_empty() {
            self.reset(position);
        }
        let top = self.line[self.line.len() - 1];
        let blocks = parameters.transformer.blocks();
        if self.rows.len() < (top + 1) * 2 * blocks {
            self.rows.resize((top + 1) * 4 * blocks, Block::ZERO);
        }
        if self.plies[top].known != [true; 2] {
            self.bring_up(parameters, backend, position, top);
        }
        let rows = &self.rows[top * 2 * blocks..][..2 * blocks];
        let (black, white) = rows.split_at(blocks);
        [black, white]
    }

    /// Works out the sums of the current position.
    #[inline]
    fn bring_up(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        top: usize,
    ) {
        let set = parameters.architecture.features;
        let bases = Color::ALL.map(|perspective| self.base(set, perspective, top));
        if let [Some(base), Some(other)] = bases
            && base == other
        {
            self.advance(parameters, backend, position, base, top);
            return;
        }
        for (perspective, base) in Color::ALL.into_iter().zip(bases) {
            match base {
                Some(base) => {
                    self.advance_one(parameters, backend, position, perspective, base, top);
                }
                None => self.refresh(parameters, backend, position, perspective, top),
            }
        }
    }

    /// Works out the sums of all plies above one for both perspectives.
    #[inline(always)]
    fn advance(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        base: usize,
        top: usize,
    ) {
        let view = |perspective| self.views.get(perspective, position.king(perspective));
        let [black, white] = Color::ALL.map(view);
        let size = 2 * parameters.transformer.blocks();
        for ply in base + 1..=top {
            let it = &mut self.plies[ply];
            let changes = [changes(black, it), changes(white, it)];
            it.known = [true; 2];
            let rows = &mut self.rows[(ply - 1) * size..][..2 * size];
            let (from, out) = rows.split_at_mut(size);
            backend.advance(out, from, &parameters.transformer, &changes);
        }
    }

    /// The same for one perspective.
    fn advance_one(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        perspective: Color,
        base: usize,
        top: usize,
    ) {
        let view = self.views.get(perspective, position.king(perspective));
        let blocks = parameters.transformer.blocks();
        let at = perspective.index() * blocks;
        for ply in base + 1..=top {
            let it = &mut self.plies[ply];
            let changes = changes(view, it);
            it.known[perspective.index()] = true;
            let rows = &mut self.rows[(ply - 1) * 2 * blocks..][..4 * blocks];
            let (from, out) = rows.split_at_mut(2 * blocks);
            backend.accumulate(
                &mut out[at..][..blocks],
                &from[at..][..blocks],
                &parameters.transformer,
                changes.added.as_slice(),
                changes.removed.as_slice(),
            );
        }
    }

    /// The ply to start from: the last one that is known, unless its sums are of no use.
    #[inline(always)]
    fn base(&self, set: &FeatureSet, perspective: Color, top: usize) -> Option<usize> {
        if set.effects != EffectClasses::One {
            // A move changes attacks far and wide.
            return None;
        }
        let king = Piece::new(perspective, PieceType::King);
        for ply in (0..=top).rev() {
            let Ply { dirty, known, .. } = &self.plies[ply];
            if known[perspective.index()] {
                return Some(ply);
            }
            if let Some(dirty) = dirty
                && dirty.after == king
                && self.views.get(perspective, dirty.from).number
                    != self.views.get(perspective, Some(dirty.to)).number
            {
                return None;
            }
        }
        None
    }

    /// Works out the sums of the current position from the board.
    fn refresh(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        perspective: Color,
        top: usize,
    ) {
        let blocks = parameters.transformer.blocks();
        let row = &mut self.rows[(top * 2 + perspective.index()) * blocks..][..blocks];
        if self.cache.is_in_use() {
            self.cache
                .refresh(parameters, backend, position, perspective, row);
        } else {
            from_scratch(parameters, backend, position, perspective, None, row);
        }
        self.plies[top].known[perspective.index()] = true;
    }
}

/// What the move to a ply changes; nothing at the bottom.
#[inline(always)]
fn changes(view: &View, ply: &Ply) -> Changes {
    match &ply.dirty {
        Some(dirty) => view.changes(dirty, &ply.hands),
        None => Changes::default(),
    }
}

/// The sums of a position, but for the piece on a square of choice, from nothing.
pub(super) fn from_scratch(
    parameters: &Parameters,
    backend: &dyn Backend,
    position: &Position,
    perspective: Color,
    without: Option<Square>,
    row: &mut [Block],
) {
    let set = parameters.architecture.features;
    let active = features::active(set, perspective, position, without);
    let transformer = &parameters.transformer;
    backend.accumulate(
        row,
        &transformer.biases,
        transformer,
        active.as_slice(),
        &[],
    );
}

/// Words of a set of plane squares.
const WORDS: usize = PLANE_SQUARES.div_ceil(64);
/// Most features in which two positions differ.
const MAX_DIFFERENCE: usize = 48;

/// The pieces behind some sums.
#[derive(Clone)]
struct Pieces {
    set: [u64; WORDS],
    missing: u32,
}

const NO_PIECES: Pieces = Pieces {
    set: [0; WORDS],
    missing: 0,
};

/// For each perspective and view of the board, the last sums and the pieces behind them.
struct Cache {
    rows: Vec<Block>,
    pieces: Vec<Pieces>,
}

impl Cache {
    /// A cache of empty boards, or nothing if the features have no use for one.
    fn new(parameters: &Parameters) -> Cache {
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

    fn is_in_use(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Makes up the difference to the last position that was seen in the same way.
    fn refresh(
        &mut self,
        parameters: &Parameters,
        backend: &dyn Backend,
        position: &Position,
        perspective: Color,
        row: &mut [Block],
    ) {
        let set = parameters.architecture.features;
        let view = View::new(set, perspective, position.king(perspective));
        let entry = perspective.index() * set.views() + view.number;
        let pieces = pieces(set, perspective, position);
        let (mut removed, mut added) = (List::new(), List::new());
        difference(
            &view,
            &self.pieces[entry],
            &pieces,
            &mut removed,
            &mut added,
        );
        let cached = &mut self.rows[entry * row.len()..][..row.len()];
        let (added, removed) = (added.as_slice(), removed.as_slice());
        backend.accumulate(row, cached, &parameters.transformer, added, removed);
        cached.copy_from_slice(row);
        self.pieces[entry] = pieces;
    }
}

/// The pieces that count in a feature set.
fn pieces(set: &FeatureSet, perspective: Color, position: &Position) -> Pieces {
    let mut pieces = NO_PIECES;
    features::for_each_piece(perspective, position, None, |number, _| {
        if number == 0 {
            pieces.missing += 1;
        } else if set.counts(number) {
            pieces.set[number / 64] |= 1 << (number % 64);
        }
    });
    pieces
}

/// The features of which two sets of pieces make different use.
fn difference(
    view: &View,
    before: &Pieces,
    after: &Pieces,
    removed: &mut List<MAX_DIFFERENCE>,
    added: &mut List<MAX_DIFFERENCE>,
) {
    for (word, (&before, &after)) in before.set.iter().zip(&after.set).enumerate() {
        let mut changed = before ^ after;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            let feature = view.feature(word * 64 + bit as usize);
            if after >> bit & 1 != 0 {
                added.push(feature);
            } else {
                removed.push(feature);
            }
            changed &= changed - 1;
        }
    }
    for _ in before.missing..after.missing {
        added.push(view.feature(0));
    }
    for _ in after.missing..before.missing {
        removed.push(view.feature(0));
    }
}
