//! The sums of the first layer for the current position and those that lead to it, brought up to
//! date only when asked for.
//!
//! A push stores the move. An update goes back to the nearest ply whose sums are known and works
//! out every ply from there. Where the move of a king changed all features, the sums come from a
//! cache instead: for each view of the board (the copy of the features, mirrored or not) it keeps
//! the last sums and the pieces they stand for, so that only the difference has to be made up.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::cache::Cache;
use super::effects::EffectClasses;
use super::features::FeatureSet;
use super::network::{Block, Parameters};
use super::view::{self, Changes, View, Views};
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
    /// Pieces of a set that are neither on the board nor in hand, before and after all moves.
    missing: usize,
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
            missing: 0,
            views: Views::new(parameters.architecture.features),
            cache: Cache::new(parameters),
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, position: &Position) {
        self.line.clear();
        self.plies.clear();
        self.line.push(0);
        self.missing = view::missing(position);
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
            let view = self.views.get(perspective, position.king(perspective));
            let missing = self.missing;
            self.cache
                .refresh(parameters, backend, position, view, missing, row);
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
    let active = view::active(set, perspective, position, without);
    let transformer = &parameters.transformer;
    backend.accumulate(
        row,
        &transformer.biases,
        transformer,
        active.as_slice(),
        &[],
    );
}
