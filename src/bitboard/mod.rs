//! Bitboards: sets of squares, one bit per square in index order.
//!
//! Stored as two `u64`, with which perft is about 12 % faster than with one `u128`. Bits 81..128
//! are never set.
#![forbid(unsafe_code)]

pub mod attacks;
pub mod lines;

use crate::types::{Color, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard([u64; 2]);

const ALL_BITS: u128 = (1 << 81) - 1;
const FILE_BITS: u128 = 0x1ff;
/// The squares of rank `a`.
const RANK_A_BITS: u128 = {
    let mut bits = 0;
    let mut file = 0;
    while file < 9 {
        bits |= 1 << (file * 9);
        file += 1;
    }
    bits
};

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard([0, 0]);
    /// Every square.
    pub const ALL: Bitboard = Bitboard::raw(ALL_BITS);

    /// The set with these bits; bits above 80 must be clear.
    #[inline(always)]
    const fn raw(bits: u128) -> Bitboard {
        Bitboard([bits as u64, (bits >> 64) as u64])
    }

    /// The set with these bits; bits above 80 are dropped.
    #[inline(always)]
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard::raw(bits & ALL_BITS)
    }

    /// The bits.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The set of one square.
    #[inline(always)]
    pub const fn of(sq: Square) -> Bitboard {
        SQUARES[sq.index()]
    }

    /// The squares of a file (0..9).
    #[inline(always)]
    pub const fn file(file: u8) -> Bitboard {
        Bitboard::raw(FILE_BITS << (file * 9))
    }

    /// The squares of a rank (0..9).
    #[inline(always)]
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard::raw(RANK_A_BITS << rank)
    }

    /// The last `count` ranks for `color`, 0 to 3 of them; 3 are its promotion zone.
    #[inline(always)]
    pub const fn far_ranks(color: Color, count: u8) -> Bitboard {
        FAR_RANKS[color as usize][count as usize]
    }

    /// The enemy camp (敵陣) of `color`, where its pieces promote.
    #[inline(always)]
    pub const fn promotion_zone(color: Color) -> Bitboard {
        Bitboard::far_ranks(color, 3)
    }

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Whether any square is in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0[0] | self.0[1] != 0
    }

    /// Number of squares.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Whether more than one square is in the set.
    #[inline(always)]
    pub const fn more_than_one(self) -> bool {
        self.bits() & self.bits().wrapping_sub(1) != 0
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn contains(self, sq: Square) -> bool {
        self.intersects(Bitboard::of(sq))
    }

    /// Whether the sets share a square.
    #[inline(always)]
    pub const fn intersects(self, other: Bitboard) -> bool {
        (self.0[0] & other.0[0]) | (self.0[1] & other.0[1]) != 0
    }

    /// Set union.
    #[inline(always)]
    pub const fn or(self, other: Bitboard) -> Bitboard {
        Bitboard([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// Set intersection.
    #[inline(always)]
    pub const fn and(self, other: Bitboard) -> Bitboard {
        Bitboard([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    /// The squares of this set that are not in the other.
    #[inline(always)]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// The square of lowest index.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0[0] != 0 {
            Some(Square::from_index(self.0[0].trailing_zeros() as usize))
        } else if self.0[1] != 0 {
            Some(Square::from_index(64 + self.0[1].trailing_zeros() as usize))
        } else {
            None
        }
    }

    /// Adds or removes a square.
    #[inline(always)]
    pub const fn toggle(&mut self, sq: Square) {
        *self = Bitboard([
            self.0[0] ^ Bitboard::of(sq).0[0],
            self.0[1] ^ Bitboard::of(sq).0[1],
        ]);
    }

    /// The set shifted one rank forward for `color`; squares on its last rank drop out.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Bitboard {
        match color {
            Color::Black => Bitboard::raw((self.bits() & !RANK_A_BITS) >> 1),
            Color::White => Bitboard::raw((self.bits() & !(RANK_A_BITS << 8)) << 1),
        }
    }

    /// All squares of the files on which the set has none.
    #[inline(always)]
    pub const fn empty_files(self) -> Bitboard {
        // In each nine-bit file, adding all ones below the top bit carries into it unless those bits
        // were zero; a top bit then spreads over its file.
        const TOP: u128 = RANK_A_BITS << 8;
        const BELOW: u128 = TOP - RANK_A_BITS;
        let bits = self.bits();
        let empty = !(((bits & BELOW) + BELOW) | bits) & TOP;
        Bitboard::raw((empty << 1) - (empty >> 8))
    }
}

/// Sets of one square. A lookup is faster than a 128-bit shift.
static SQUARES: [Bitboard; 81] = {
    let mut table = [Bitboard::EMPTY; 81];
    let mut i = 0;
    while i < 81 {
        table[i] = Bitboard::raw(1 << i);
        i += 1;
    }
    table
};

static FAR_RANKS: [[Bitboard; 4]; 2] = {
    let mut table = [[Bitboard::EMPTY; 4]; 2];
    let mut count = 1;
    while count < 4 {
        let ranks = RANK_A_BITS * ((1 << count) - 1);
        table[0][count] = Bitboard::raw(ranks);
        table[1][count] = Bitboard::raw(ranks << (9 - count));
        count += 1;
    }
    table
};

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitand(self, other: Bitboard) -> Bitboard {
        self.and(other)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitor(self, other: Bitboard) -> Bitboard {
        self.or(other)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard([!self.0[0], !self.0[1] & 0x1ffff])
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Bitboard) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bitboard) {
        *self = *self | other;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Bitboard) {
        *self = *self ^ other;
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, sq| set | Bitboard::of(sq))
    }
}

/// Iterator over the squares of a set in index order.
#[derive(Clone)]
pub struct Squares([u64; 2]);

impl Iterator for Squares {
    type Item = Square;
    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let sq = Bitboard(self.0).first()?;
        let half = (self.0[0] == 0) as usize;
        self.0[half] &= self.0[half] - 1;
        Some(sq)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl fmt::Debug for Bitboard {
    /// A diagram from Black's side, file 9 on the left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 0..9 {
            f.write_str("\n")?;
            for file in (0..9).rev() {
                let set = self.contains(Square::new(file, rank));
                f.write_str(if set { " X" } else { " ." })?;
            }
        }
        Ok(())
    }
}

/// A bitboard from a diagram of the board from Black's side: nine rows of nine cells, `X` for a
/// square in the set.
///
/// ```
/// use komaoto::{bitboard, bitboard::Bitboard};
/// let camp = bitboard! {
///     X X X X X X X X X
///     X X X X X X X X X
///     X X X X X X X X X
///     . . . . . . . . .
///     . . . . . . . . .
///     . . . . . . . . .
///     . . . . . . . . .
///     . . . . . . . . .
///     . . . . . . . . .
/// };
/// assert_eq!(camp, Bitboard::promotion_zone(komaoto::types::Color::Black));
/// ```
#[macro_export]
macro_rules! bitboard {
    ($($cell:tt)*) => {{
        let cells: Vec<bool> = [$(stringify!($cell) == "X"),*].to_vec();
        assert_eq!(cells.len(), 81, "a board diagram has 81 cells");
        cells
            .iter()
            .enumerate()
            .filter(|(_, set)| **set)
            .map(|(i, _)| $crate::types::Square::new(8 - (i % 9) as u8, (i / 9) as u8))
            .collect::<$crate::bitboard::Bitboard>()
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algebra_and_iteration() {
        assert_eq!(Bitboard::ALL.len(), 81);
        assert_eq!(!Bitboard::EMPTY, Bitboard::ALL);
        let squares: Vec<_> = Bitboard::ALL.into_iter().collect();
        assert_eq!(squares, Square::all().collect::<Vec<_>>());
        for sq in Square::all() {
            let one = Bitboard::of(sq);
            assert_eq!(one, Bitboard::file(sq.file()) & Bitboard::rank(sq.rank()));
            assert!(one.contains(sq) && !one.more_than_one() && (!one).len() == 80);
            for color in Color::ALL {
                assert_eq!(one.forward(color).first(), sq.forward(color));
            }
        }
    }

    #[test]
    fn empty_files_by_definition() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834_u128;
        for _ in 0..2000 {
            bits = bits.wrapping_mul(0xda94_2042_e4dd_58b5).rotate_left(37) ^ 0x1234_5678;
            // At most one square per file, as with pawns.
            let set: Bitboard = (0..9)
                .filter(|file| bits >> (file * 5) & 1 != 0)
                .map(|file| Square::new(file, (bits >> (50 + file * 4)) as u8 % 9))
                .collect();
            let expected = (0..9)
                .filter(|&file| !set.intersects(Bitboard::file(file)))
                .fold(Bitboard::EMPTY, |all, file| all | Bitboard::file(file));
            assert_eq!(set.empty_files(), expected);
        }
    }
}
