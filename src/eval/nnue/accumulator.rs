//! The accumulators of the current position and of those that lead to it, updated only when asked for.
//!
//! A push stores the move. An update goes back to the nearest ply whose accumulator is computed and
//! works out every ply from there. Where a king has moved to another bucket all features change, and
//! the accumulator comes from the [`RefreshTable`] instead.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::bona_piece;
use super::features::FeatureSet;
use super::layers::{Block, FeatureTransformer};
use super::refresh_table::RefreshTable;
use super::view::{self, Changes, Update, Views};
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, Hand, MAX_PLY, Piece, PieceType, Square};

/// A position on the line.
#[derive(Clone)]
struct Ply {
    /// The move that led to it; `None` at the bottom.
    dirty: Option<DirtyPieces>,
    /// Both hands after the move.
    hands: [Hand; 2],
    /// Whether its accumulators are computed, by perspective.
    computed: [bool; 2],
}

/// The accumulators along a line of moves.
pub struct AccumulatorStack {
    set: &'static FeatureSet,
    /// The ply of each push, and of the bottom: a null move has that of the position before.
    line: Vec<usize>,
    plies: Vec<Ply>,
    /// Two accumulators for each ply.
    accumulators: Vec<Block>,
    /// Pieces missing from a full set, before and after all moves.
    missing: usize,
    views: Views,
    refresh_table: RefreshTable,
}

impl AccumulatorStack {
    /// Without a position.
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
            computed: [false; 2],
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

    /// The accumulators of the current position by perspective, computed if they are not yet.
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
        let bases = Color::ALL.map(|perspective| self.base(perspective, top));
        for (perspective, base) in Color::ALL.into_iter().zip(bases) {
            match base {
                Some(base) => {
                    self.advance(transformer, backend, position, [perspective], base, top);
                }
                None => self.refresh(transformer, backend, position, perspective, top),
            }
        }
    }

    /// Computes the accumulators of all plies above one, for one perspective or both.
    #[inline(always)]
    fn advance<const N: usize>(
        &mut self,
        transformer: &FeatureTransformer,
        backend: &dyn Backend,
        position: &Position,
        perspectives: [Color; N],
        base: usize,
        top: usize,
    ) {
        let blocks = transformer.blocks();
        let views = perspectives.map(|color| self.views.get(color, position.king(color)));
        let range = perspectives[0].index() * blocks..(perspectives[0].index() + N) * blocks;
        for index in base + 1..=top {
            let ply = &mut self.plies[index];
            // In place, as copies of what was just written stall.
            let mut changes: [Changes; N] = std::array::from_fn(|_| Changes::default());
            for ((perspective, view), changes) in perspectives.iter().zip(views).zip(&mut changes) {
                ply.computed[perspective.index()] = true;
                if let Some(dirty) = &ply.dirty {
                    view.add_move(dirty, &ply.hands, changes);
                }
            }
            let both = &mut self.accumulators[(index - 1) * 2 * blocks..][..4 * blocks];
            let (from, out) = both.split_at_mut(2 * blocks);
            let (out, from) = (&mut out[range.clone()], &from[range.clone()]);
            let updates = changes.each_ref().map(Changes::as_update);
            backend.accumulate(out, from, transformer, &updates);
        }
    }

    /// Computes the accumulator of the current position for a perspective from the board.
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
        if self.refresh_table.is_in_use() {
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

    /// The ply to start from: the last one that is computed, unless all features have changed since.
    #[inline(always)]
    fn base(&self, perspective: Color, top: usize) -> Option<usize> {
        if self.set.depends_on_attacks() {
            return None;
        }
        let king = Piece::new(perspective, PieceType::King);
        let number = |sq| self.views.get(perspective, Some(sq)).number;
        for (
            index,
            Ply {
                dirty, computed, ..
            },
        ) in self.plies[..=top].iter().enumerate().rev()
        {
            if computed[perspective.index()] {
                return Some(index);
            }
            if let Some(dirty) = dirty
                && dirty.after == king
                && dirty
                    .from
                    .is_some_and(|from| number(from) != number(dirty.to))
            {
                return None;
            }
        }
        None
    }
}

/// Computes the accumulator of a position from nothing, without the piece on the square `without`.
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
    backend.accumulate(out, &transformer.biases, transformer, &[update]);
}
