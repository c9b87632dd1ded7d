//! Sums over the pieces, kept per ply and brought up to date only when asked for.
//!
//! A push stores what the move changed. An update goes back to the nearest ply whose sums are
//! known and applies the changes since. The sums about a king that moved in between are taken
//! anew from the board, as every one of their terms depends on its square.
#![forbid(unsafe_code)]

use super::tables::{King, Tables};
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, MAX_PLY, Piece, PieceType, Square};

/// What the pieces add up to, in centipawns, by colour.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Sums {
    /// Material and placement of the pieces on the board.
    pub placement: [i32; 2],
    /// The pieces in hand.
    pub hand: [i32; 2],
    /// How much the hand sharpens the safety of the enemy king, in 1/256 of it.
    pub power: [i32; 2],
    /// By the colour of a king, then of the pieces: cover and pressure.
    about_king: [[i32; 2]; 2],
}

impl Sums {
    /// The sums of a position, from scratch.
    pub fn of(tables: &Tables, position: &Position) -> Sums {
        let mut sums = Sums::default();
        for sq in position.occupied() {
            let piece = position.piece_on(sq);
            sums.placement[piece.color().index()] += tables.placement(piece, sq);
        }
        for color in Color::ALL {
            for kind in PieceType::HAND {
                sums.change_hand(tables, color, kind, position.hand(color).count(kind) as i32);
            }
            if let Some(king) = position.king(color) {
                sums.refresh_king(tables, position, King::new(color, king));
            }
        }
        sums
    }

    /// Cover the pieces of a side give its own king.
    #[inline(always)]
    pub fn cover(&self, color: Color) -> i32 {
        self.about_king[color.index()][color.index()]
    }

    /// Pressure of the other side's pieces on the king of a side.
    #[inline(always)]
    pub fn pressure(&self, color: Color) -> i32 {
        self.about_king[color.index()][(!color).index()]
    }

    /// Takes the sums about a king anew from the board.
    fn refresh_king(&mut self, tables: &Tables, position: &Position, king: King) {
        let mut sums = [0; 2];
        for sq in position.occupied() {
            let piece = position.piece_on(sq);
            sums[piece.color().index()] += tables.about_king(king, piece, sq);
        }
        self.about_king[king.color.index()] = sums;
    }

    /// Adds or removes pieces in hand.
    #[inline(always)]
    fn change_hand(&mut self, tables: &Tables, color: Color, kind: PieceType, count: i32) {
        self.hand[color.index()] += count * tables.hand(kind);
        self.power[color.index()] += count * tables.power(kind);
    }

    /// Follows a move in all but the sums about the kings.
    #[inline(always)]
    fn follow(&mut self, tables: &Tables, dirty: &DirtyPieces) {
        let us = dirty.after.color();
        if dirty.from.is_none() {
            self.change_hand(tables, us, dirty.after.kind(), -1);
        } else if dirty.captured.is_some() {
            self.change_hand(tables, us, dirty.captured.kind().demote(), 1);
        }
        for_each_change(dirty, |piece, sq, sign| {
            self.placement[piece.color().index()] += sign * tables.placement(piece, sq);
        });
    }

    /// Follows a move in the sums about a king that stayed where it is.
    #[inline(always)]
    fn follow_about_king(&mut self, tables: &Tables, king: King, dirty: &DirtyPieces) {
        let sums = &mut self.about_king[king.color.index()];
        for_each_change(dirty, |piece, sq, sign| {
            sums[piece.color().index()] += sign * tables.about_king(king, piece, sq);
        });
    }
}

/// Calls `change` with every piece a move put on (1) or took off (-1) a square.
#[inline(always)]
fn for_each_change(dirty: &DirtyPieces, mut change: impl FnMut(Piece, Square, i32)) {
    if let Some(from) = dirty.from {
        change(dirty.before, from, -1);
    }
    if dirty.captured.is_some() {
        change(dirty.captured, dirty.to, -1);
    }
    change(dirty.after, dirty.to, 1);
}

/// One ply: the move that led to it, and its sums once they are known.
struct Entry {
    /// `None` for a null move, and at the bottom.
    dirty: Option<DirtyPieces>,
    known: bool,
    /// Meaningless unless `known`.
    sums: Sums,
}

/// The sums of the current position and of those that lead to it.
pub(super) struct Accumulator {
    /// The bottom entry is the position of the last reset; every entry above it is one push.
    stack: Vec<Entry>,
}

impl Accumulator {
    /// Without a position.
    pub fn new() -> Accumulator {
        Accumulator {
            stack: Vec::with_capacity(MAX_PLY + 8),
        }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, tables: &Tables, position: &Position) {
        self.stack.clear();
        self.stack.push(Entry {
            dirty: None,
            known: true,
            sums: Sums::of(tables, position),
        });
    }

    /// Follows a move, or a null move.
    #[inline(always)]
    pub fn push(&mut self, dirty: Option<DirtyPieces>) {
        self.stack.push(Entry {
            dirty,
            known: false,
            sums: Sums::default(),
        });
    }

    /// Takes the last move back.
    #[inline(always)]
    pub fn pop(&mut self) {
        debug_assert!(self.stack.len() > 1, "a pop without a push");
        self.stack.pop();
    }

    /// The sums of the current position, worked out if they are not known yet.
    #[inline]
    pub fn update(&mut self, tables: &Tables, position: &Position) -> Sums {
        let Some(base) = self.stack.iter().rposition(|entry| entry.known) else {
            // Only before the first reset.
            return Sums::of(tables, position);
        };
        let mut sums = self.stack[base].sums;
        let (_, since) = self.stack.split_at_mut(base + 1);
        let Some(top) = since.len().checked_sub(1) else {
            return sums;
        };
        advance(&mut sums, since, tables, position);
        debug_assert_eq!(sums, Sums::of(tables, position), "in {position:?}");
        since[top].sums = sums;
        since[top].known = true;
        sums
    }
}

/// Applies to the sums all that happened in some plies up to the current position.
#[inline(always)]
fn advance(sums: &mut Sums, plies: &[Entry], tables: &Tables, position: &Position) {
    let moves = || plies.iter().filter_map(|entry| entry.dirty.as_ref());
    for dirty in moves() {
        sums.follow(tables, dirty);
    }
    for color in Color::ALL {
        let Some(sq) = position.king(color) else {
            continue;
        };
        let king = King::new(color, sq);
        let piece = Piece::new(color, PieceType::King);
        if moves().any(|dirty| dirty.after == piece) {
            sums.refresh_king(tables, position, king);
        } else {
            for dirty in moves() {
                sums.follow_about_king(tables, king, dirty);
            }
        }
    }
}
