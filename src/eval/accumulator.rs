//! Sums over the pieces, kept per ply and brought up to date only when asked for.
//!
//! A push stores what the move changed. An update goes back to the nearest ply whose sums are
//! known and applies the changes since. The sums about a king that moved in between are taken
//! anew from the board, as every one of their terms depends on its square. The plies in between
//! then follow from the current one, the changes taken back.
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

    /// Follows a move (`sign` 1) or takes it back (-1), in the sums about the kings as if these
    /// had stood where they stand now.
    #[inline(always)]
    fn follow(
        &mut self,
        tables: &Tables,
        kings: [Option<King>; 2],
        dirty: &DirtyPieces,
        sign: i32,
    ) {
        let us = dirty.after.color();
        if dirty.from.is_none() {
            self.change_hand(tables, us, dirty.after.kind(), -sign);
        } else if dirty.captured.is_some() {
            self.change_hand(tables, us, dirty.captured.kind().demote(), sign);
        }
        for (piece, sq, count) in changes(dirty) {
            if piece.is_none() {
                continue;
            }
            let (color, count) = (piece.color().index(), sign * count);
            self.placement[color] += count * tables.placement(piece, sq);
            for king in kings.into_iter().flatten() {
                self.about_king[king.color.index()][color] +=
                    count * tables.about_king(king, piece, sq);
            }
        }
    }
}

/// The pieces a move took off (-1) or put on (1) a square; no piece stands for no change.
#[inline(always)]
fn changes(dirty: &DirtyPieces) -> [(Piece, Square, i32); 3] {
    let (before, from) = match dirty.from {
        Some(from) => (dirty.before, from),
        None => (Piece::NONE, dirty.to),
    };
    [
        (before, from, -1),
        (dirty.captured, dirty.to, -1),
        (dirty.after, dirty.to, 1),
    ]
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
        let since = &mut self.stack[base + 1..];
        let kings = Color::ALL.map(|color| position.king(color).map(|king| King::new(color, king)));
        for dirty in since.iter().filter_map(|entry| entry.dirty.as_ref()) {
            sums.follow(tables, kings, dirty, 1);
        }
        let mut kept = 0;
        for king in kings.into_iter().flatten() {
            if let Some(move_index) = last_move_of(king, since) {
                sums.refresh_king(tables, position, king);
                kept = kept.max(move_index);
            }
        }
        // Back to the last king move the plies between become known as well, or every position
        // that is reached from them would have to go back as far again.
        let mut earlier = sums;
        let mut later: Option<&DirtyPieces> = None;
        for entry in since[kept..].iter_mut().rev() {
            if let Some(later) = later {
                earlier.follow(tables, kings, later, -1);
            }
            entry.sums = earlier;
            entry.known = true;
            later = entry.dirty.as_ref();
        }
        debug_assert_eq!(sums, Sums::of(tables, position), "in {position:?}");
        sums
    }
}

/// Index of the last ply in which a king moved.
#[inline(always)]
fn last_move_of(king: King, plies: &[Entry]) -> Option<usize> {
    let piece = Piece::new(king.color, PieceType::King);
    plies.iter().rposition(|entry| {
        entry
            .dirty
            .as_ref()
            .is_some_and(|dirty| dirty.after == piece)
    })
}
