//! Squares, files and ranks.
#![forbid(unsafe_code)]

use super::Color;
use std::fmt;

/// A square, numbered file by file: `file * 9 + rank`, so 1a = 0, 1b = 1, 2a = 9, 9i = 80.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// A file, 0..9. File 0 is written `1`, on Black's right.
pub type File = u8;
/// A rank, 0..9. Rank 0 is written `a`, on White's side.
pub type Rank = u8;

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 81;

    /// The square of a file (0..9) and a rank (0..9).
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Square {
        debug_assert!(file < 9 && rank < 9);
        Square(file * 9 + rank)
    }

    /// The square with this index, which must lie in 0..81.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Square {
        debug_assert!(index < Square::COUNT);
        Square(index as u8)
    }

    /// All squares in index order.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..Square::COUNT as u8).map(Square)
    }

    /// Index in 0..81.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File in 0..9 (0 is written `1`).
    #[inline(always)]
    pub const fn file(self) -> File {
        self.0 / 9
    }

    /// Rank in 0..9 (0 is written `a`).
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        self.0 % 9
    }

    /// Rank counted from the enemy's back rank: 0 is the last rank for `color`.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> Rank {
        match color {
            Color::Black => self.rank(),
            Color::White => 8 - self.rank(),
        }
    }

    /// The square on the board rotated by 180 degrees.
    #[inline(always)]
    pub const fn flip(self) -> Square {
        Square(80 - self.0)
    }

    /// The square from the view of `color`: itself for Black, flipped for White.
    #[inline(always)]
    pub const fn relative(self, color: Color) -> Square {
        match color {
            Color::Black => self,
            Color::White => self.flip(),
        }
    }

    /// The square one step ahead for `color`, if it is on the board.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Option<Square> {
        match color {
            Color::Black if self.rank() > 0 => Some(Square(self.0 - 1)),
            Color::White if self.rank() < 8 => Some(Square(self.0 + 1)),
            _ => None,
        }
    }

    /// Parses a USI square such as `7g`.
    pub fn from_usi(text: &[u8]) -> Option<Square> {
        match *text {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Some(Square::new(file - b'1', rank - b'a')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file() + 1, (b'a' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_index_agree() {
        for sq in Square::all() {
            assert_eq!(Square::from_usi(sq.to_string().as_bytes()), Some(sq));
            assert_eq!(Square::new(sq.file(), sq.rank()), sq);
            assert_eq!(sq.flip().flip(), sq);
        }
        assert_eq!(Square::from_usi(b"7g").unwrap().index(), 6 * 9 + 6);
        for bad in ["", "7", "0a", "1j", "a1", "77", "7gg"] {
            assert_eq!(Square::from_usi(bad.as_bytes()), None, "{bad}");
        }
    }
}
