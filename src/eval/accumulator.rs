//! Sums over the pieces on the board, kept per ply and brought up to date only when asked for.
//!
//! A push stores what the move changed. An update goes back to the nearest ply whose sums are
//! known and applies the changes since. The sums about a king that moved in between are taken
//! anew from the board, as every one of their terms depends on its square.
#![forbid(unsafe_code)]

use super::tables::Tables;
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, MAX_PLY, Piece, PieceType, Square};

/// What the pieces on the board add up to, in centipawns, by colour.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Sums {
    /// Material and placement of the side's pieces.
    pub placement: [i32; 2],
    /// Cover the side's pieces give its own king.
    pub defence: [i32; 2],
    /// Pressure of the other side's pieces on the side's king.
    pub attack: [i32; 2],
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
            sums.refresh_king(tables, position, color);
        }
        sums
    }

    /// Takes the sums about one king anew from the board.
    fn refresh_king(&mut self, tables: &Tables, position: &Position, color: Color) {
        let Some(king) = position.king(color) else {
            return;
        };
        let view = tables.king_view(color, king);
        self.defence[color.index()] = position
            .by_color(color)
            .into_iter()
            .map(|sq| view.value(position.piece_on(sq), sq))
            .sum();
        self.attack[color.index()] = position
            .by_color(!color)
            .into_iter()
            .map(|sq| view.value(position.piece_on(sq), sq))
            .sum();
    }

    /// Adds (`sign` 1) or removes (`sign` -1) a piece in the sums about one king.
    #[inline(always)]
    fn change_king(&mut self, view: &super::tables::KingView, piece: Piece, sq: Square, sign: i32) {
        let value = sign * view.value(piece, sq);
        if piece.color() == view.color() {
            self.defence[view.color().index()] += value;
        } else {
            self.attack[view.color().index()] += value;
        }
    }
}

/// Every piece a move put on or took off a square, with its sign.
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
#[derive(Clone, Copy)]
struct Entry {
    /// `None` for a null move, and at the bottom.
    dirty: Option<DirtyPieces>,
    sums: Option<Sums>,
}

/// The sums of the current position and of those that lead to it.
pub(super) struct Accumulator {
    /// Never empty: the bottom entry stands for the position of the last reset.
    stack: Vec<Entry>,
}

impl Accumulator {
    /// Without a position.
    pub fn new() -> Accumulator {
        let mut stack = Vec::with_capacity(MAX_PLY + 8);
        stack.push(Entry {
            dirty: None,
            sums: Some(Sums::default()),
        });
        Accumulator { stack }
    }

    /// Starts over at a position.
    pub fn reset(&mut self, tables: &Tables, position: &Position) {
        self.stack.clear();
        self.stack.push(Entry {
            dirty: None,
            sums: Some(Sums::of(tables, position)),
        });
    }

    /// Follows a move, or a null move.
    #[inline(always)]
    pub fn push(&mut self, dirty: Option<DirtyPieces>) {
        self.stack.push(Entry { dirty, sums: None });
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
        let top = self.stack.len() - 1;
        if let Some(sums) = self.stack[top].sums {
            return sums;
        }
        let sums = self.advance(tables, position);
        debug_assert_eq!(sums, Sums::of(tables, position), "in {position:?}");
        self.stack[top].sums = Some(sums);
        sums
    }

    /// Applies to the nearest known sums all that happened since.
    fn advance(&self, tables: &Tables, position: &Position) -> Sums {
        let known = self.stack.iter().rposition(|entry| entry.sums.is_some());
        let Some((base, mut sums)) = known.and_then(|at| Some((at, self.stack[at].sums?))) else {
            return Sums::of(tables, position);
        };
        let since = &self.stack[base + 1..];
        for dirty in since.iter().filter_map(|entry| entry.dirty.as_ref()) {
            for_each_change(dirty, |piece, sq, sign| {
                sums.placement[piece.color().index()] += sign * tables.placement(piece, sq);
            });
        }
        for color in Color::ALL {
            let Some(king) = position.king(color) else {
                continue;
            };
            let king_piece = Piece::new(color, PieceType::King);
            let changes = || since.iter().filter_map(|entry| entry.dirty.as_ref());
            if changes().any(|dirty| dirty.after == king_piece) {
                sums.refresh_king(tables, position, color);
                continue;
            }
            let view = tables.king_view(color, king);
            for dirty in changes() {
                for_each_change(dirty, |piece, sq, sign| {
                    sums.change_king(&view, piece, sq, sign);
                });
            }
        }
        sums
    }
}
