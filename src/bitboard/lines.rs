//! Rays in the eight directions, and the squares between or in line with two squares.
#![forbid(unsafe_code)]

use super::Bitboard;
use crate::types::Square;

/// File and rank step of each direction. Directions 0..4 lower the square index, 4..8 raise it,
/// and `d ^ 7` is the opposite of `d`.
pub const STEPS: [(i8, i8); 8] = [
    (0, -1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, 1),
];

/// Towards rank `a`, forward for Black.
pub const NORTH: usize = 0;
/// Towards file 1 and rank `i`.
pub const SOUTH_EAST: usize = 1;
/// Towards file 1.
pub const EAST: usize = 2;
/// Towards file 1 and rank `a`.
pub const NORTH_EAST: usize = 3;
/// Towards file 9.
pub const WEST: usize = 5;
/// Towards rank `i`, forward for White.
pub const SOUTH: usize = 7;

/// Entry of [`DIRECTION`] for two squares that are not in line.
const NO_LINE: u8 = 8;

/// The square one step away, if it is on the board.
pub(super) const fn step(sq: usize, (file, rank): (i8, i8)) -> Option<usize> {
    let f = (sq / 9) as i8 + file;
    let r = (sq % 9) as i8 + rank;
    if f >= 0 && f < 9 && r >= 0 && r < 9 {
        Some((f * 9 + r) as usize)
    } else {
        None
    }
}

/// The squares from each square to the edge by direction, the square itself excluded.
static RAYS: [[Bitboard; 8]; 81] = {
    let mut table = [[Bitboard::EMPTY; 8]; 81];
    let mut sq = 0;
    while sq < 81 {
        let mut d = 0;
        while d < 8 {
            let mut at = sq;
            while let Some(next) = step(at, STEPS[d]) {
                table[sq][d] = table[sq][d].or(Bitboard::raw(1 << next));
                at = next;
            }
            d += 1;
        }
        sq += 1;
    }
    table
};

/// The other squares of the four lines through a square, by direction 0..4.
static LINES: [[Bitboard; 4]; 81] = {
    let mut table = [[Bitboard::EMPTY; 4]; 81];
    let mut i = 0;
    while i < 81 * 4 {
        let (sq, d) = (i / 4, i % 4);
        table[sq][d] = RAYS[sq][d].or(RAYS[sq][d ^ 7]);
        i += 1;
    }
    table
};

/// Direction from one square to another, or [`NO_LINE`].
static DIRECTION: [[u8; 81]; 81] = {
    let mut table = [[NO_LINE; 81]; 81];
    let mut i = 0;
    while i < 81 * 81 {
        let (from, to) = (i / 81, i % 81);
        let mut d = 0;
        while d < 8 {
            if RAYS[from][d].bits() >> to & 1 != 0 {
                table[from][to] = d as u8;
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The ray from a square in a direction, the square itself excluded.
#[inline(always)]
pub const fn ray(sq: Square, direction: usize) -> Bitboard {
    RAYS[sq.index()][direction & 7]
}

/// The whole line through a square along a direction of 0..4, the square itself excluded.
#[inline(always)]
pub const fn line(sq: Square, direction: usize) -> Bitboard {
    LINES[sq.index()][direction & 3]
}

/// Direction from `a` to `b`, if they share a rank, file or diagonal.
#[inline(always)]
pub fn direction(a: Square, b: Square) -> Option<usize> {
    let d = DIRECTION[a.index()][b.index()];
    (d != NO_LINE).then_some(d as usize)
}

/// The squares strictly between two squares; empty if they are not in line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(a, d) & ray(b, d ^ 7),
        None => Bitboard::EMPTY,
    }
}

/// The ray from `a` through `b` to the edge; empty if they are not in line.
#[inline(always)]
pub fn ray_through(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(a, d),
        None => Bitboard::EMPTY,
    }
}

/// Whether `b` and `c` are on the same ray from `a`: a piece on `b` that is pinned to a king on `a`
/// may move to `c`.
#[inline(always)]
pub fn same_ray(a: Square, b: Square, c: Square) -> bool {
    let row = &DIRECTION[a.index()];
    row[b.index()] == row[c.index()] && row[b.index()] != NO_LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_split_by_index_and_oppose() {
        for (d, &(file, rank)) in STEPS.iter().enumerate() {
            assert_eq!(d >= 4, file * 9 + rank > 0);
            assert_eq!(STEPS[d ^ 7], (-file, -rank));
        }
    }

    #[test]
    fn between_matches_walking() {
        for a in Square::all() {
            for b in Square::all() {
                let mut expected = Bitboard::EMPTY;
                for steps in STEPS {
                    let mut path = Bitboard::EMPTY;
                    let mut at = a.index();
                    while let Some(next) = step(at, steps) {
                        if next == b.index() {
                            expected = path;
                        }
                        path |= Bitboard::of(Square::from_index(next));
                        at = next;
                    }
                    if path.contains(b) {
                        assert_eq!(ray_through(a, b), path);
                    }
                }
                assert_eq!(between(a, b), expected, "{a} {b}");
            }
        }
    }
}
