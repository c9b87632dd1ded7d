//! The stack of accumulators along the current line, updated lazily.
//!
//! A push only stores the move. An update goes back to the last ply with a computed accumulator and updates
//! it move by move. If the king has moved to another bucket since, all features have changed, and the
//! [`RefreshTable`] gives the accumulator instead.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::bona_piece;
use super::features::FeatureSet;
use super::layers::{Block, FeatureTransformer};
use super::refresh_table::RefreshTable;
use super::view::{self, Changes, Update, Views};
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, Hand, MAX_PLY, Piece, PieceType, Square};

/// A position on the current line.
#[derive(Clone)]
struct Ply {
    /// The move that led to it; `None` at the bottom of the stack.
    dirty: Option<DirtyPieces>,
    /// Both hands after the move.
    hands: [Hand; 2],
    /// Whether its accumulators are computed, by perspective.
    computed: [bool; 2],
}

/// The stack of accumulators along the current line.
pub struct AccumulatorStack {
    set: &'static FeatureSet,
    /// The index into `plies` of each position on the line. A null move repeats that of the position before
    /// it, as it changes no feature.
    line: Vec<usize>,
    plies: Vec<Ply>,
    /// The accumulators of each ply, Black's first.
    accumulators: Vec<Block>,
    /// Pieces missing from a full set, which no move changes.
    missing: usize,
    views: Views,
    refresh_table: RefreshTable,
}

impl AccumulatorStack {
    /// An empty stack.
    pub fn new(set: &'static FeatureSet, transformer: &FeatureTransformer) -> AccumulatorStack {
        AccumulatorStack {
            set,
            line: Vec::with_capacity(MAX_PLY + 8),
            plies: Vec::with_capacity(MAX_PLY + 8),
            accumulators: vec![Block::ZERO; 2 * transformer.blocks() * (MAX_PLY + 8)],
            missing: 0,
            views: Views::new(set),
            refresh_table: RefreshTable::new(set, transformer),
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.line.clear();
        self.plies.clear();
        self.line.push(0);
        self.missing = bona_piece::missing(position);
        self.plies.push(Ply {
            dirty: None,
            hands: Color::ALL.map(|color| position.hand(color)),
            computed: [false; 2],
        });
    }

    /// Pushes a move.
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
            computed: [false; 2],
        });
        self.line.push(ply);
    }

    /// Pushes a null move.
    #[inline(always)]
    pub fn push_null(&mut self) {
        let ply = self.line.last().map_or(0, |&ply| ply);
        self.line.push(ply);
    }

    /// Pops a move or null move.
    #[inline(always)]
    pub fn pop(&mut self) {
        debug_assert!(self.line.len() > 1, "a pop without a push");
        self.line.pop();
    }

    /// The accumulators of the current position, Black's first, computed if needed.
    #[inline]
    pub fn update(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
    ) -> [&[Block]; 2] {
        if self.line.is_empty() {
            self.reset(position);
        }
        let top = self.line[self.line.len() - 1];
        let blocks = transformer.blocks();
        if self.accumulators.len() < (top + 1) * 2 * blocks {
            self.accumulators
                .resize((top + 1) * 4 * blocks, Block::ZERO);
        }
        if self.plies[top].computed != [true; 2] {
            self.compute(transformer, backend, position, top);
        }
        let both = &self.accumulators[top * 2 * blocks..][..2 * blocks];
        let (black, white) = both.split_at(blocks);
        [black, white]
    }

    /// Computes the accumulators of the current position.
    #[inline]
    fn compute(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
        top: usize,
    ) {
        for perspective in Color::ALL {
            match self.base(perspective, top) {
                Some(base) => self.advance(transformer, backend, position, perspective, base, top),
                None => self.refresh(transformer, backend, position, perspective, top),
            }
        }
    }

    /// Computes the accumulators of plies `base + 1` to `top` incrementally, for one perspective.
    #[inline(always)]
    fn advance(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
        perspective: Color,
        base: usize,
        top: usize,
    ) {
        let blocks = transformer.blocks();
        let view = self.views.get(perspective, position.king(perspective));
        let offset = perspective.index() * blocks;
        for index in base + 1..=top {
            let ply = &mut self.plies[index];
            ply.computed[perspective.index()] = true;
            let mut changes: Changes = Changes::default();
            if let Some(dirty) = &ply.dirty {
                view.add_move(dirty, &ply.hands, &mut changes);
            }
            let both = &mut self.accumulators[(index - 1) * 2 * blocks..][..4 * blocks];
            let (from, out) = both.split_at_mut(2 * blocks);
            let (out, from) = (&mut out[offset..][..blocks], &from[offset..][..blocks]);
            backend.accumulate(out, from, transformer, changes.as_update());
        }
    }

    /// Computes the accumulator of the current position for a perspective without those of earlier plies.
    fn refresh(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
        perspective: Color,
        top: usize,
    ) {
        let blocks = transformer.blocks();
        let at = (top * 2 + perspective.index()) * blocks;
        let out = &mut self.accumulators[at..][..blocks];
        if self.refresh_table.is_enabled() {
            let view = self.views.get(perspective, position.king(perspective));
            let missing = self.missing;
            self.refresh_table
                .refresh(transformer, backend, position, view, missing, out);
        } else {
            refresh(
                self.set,
                transformer,
                backend,
                position,
                perspective,
                None,
                out,
            );
        }
        self.plies[top].computed[perspective.index()] = true;
    }

    /// The last ply with a computed accumulator, unless all features have changed since.
    #[inline(always)]
    fn base(&self, perspective: Color, top: usize) -> Option<usize> {
        if self.set.depends_on_attacks() {
            return None;
        }
        let king = Piece::new(perspective, PieceType::King);
        let number = |sq| self.views.get(perspective, Some(sq)).number;
        for (index, ply) in self.plies[..=top].iter().enumerate().rev() {
            if ply.computed[perspective.index()] {
                return Some(index);
            }
            if let Some(dirty) = &ply.dirty
                && dirty.after == king
                && let Some(from) = dirty.from
                && number(from) != number(dirty.to)
            {
                return None;
            }
        }
        None
    }
}

/// Computes the accumulator of a position from scratch, without the piece on the square `without`.
pub fn refresh(
    set: &FeatureSet,
    transformer: &FeatureTransformer,
    backend: &dyn Backend,
    position: &Position,
    perspective: Color,
    without: Option<Square>,
    out: &mut [Block],
) {
    let active = view::active(set, perspective, position, without);
    let update = Update {
        added: active.as_slice(),
        removed: &[],
    };
    backend.accumulate(out, &transformer.biases, transformer, update);
}
