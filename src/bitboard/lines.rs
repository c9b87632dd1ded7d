//! The eight directions: rays, squares between two squares, and what lies on one line.
#![forbid(unsafe_code)]

use super::Bitboard;
use crate::types::Square;

/// File and rank step of each direction. Directions 0..4 lower the square index, 4..8 raise
/// it, and `d ^ 7` is the opposite of `d`.
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

/// Direction of rank steps towards White's side.
pub const NORTH: usize = 0;
/// Direction of rank steps towards Black's side.
pub const SOUTH: usize = 7;

/// No common line.
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

/// All squares from a square to the edge in each direction, the square itself left out.
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

/// All other squares of the four lines through a square, by their falling direction.
static LINES: [[Bitboard; 4]; 81] = {
    let mut table = [[Bitboard::EMPTY; 4]; 81];
    let mut sq = 0;
    while sq < 81 {
        let mut d = 0;
        while d < 4 {
            table[sq][d] = RAYS[sq][d].or(RAYS[sq][d ^ 7]);
            d += 1;
        }
        sq += 1;
    }
    table
};

/// Direction from one square to another, or [`NO_LINE`].
static DIRECTION: [[u8; 81]; 81] = {
    let mut table = [[NO_LINE; 81]; 81];
    let mut sq = 0;
    while sq < 81 {
        let mut d = 0;
        while d < 8 {
            let mut at = sq;
            while let Some(next) = step(at, STEPS[d]) {
                table[sq][next] = d as u8;
                at = next;
            }
            d += 1;
        }
        sq += 1;
    }
    table
};

/// The ray from a square in a direction, the square itself left out.
#[inline(always)]
pub fn ray(sq: Square, direction: usize) -> Bitboard {
    RAYS[sq.index()][direction & 7]
}

/// The whole line through a square in a falling direction (0..4), the square itself left out.
#[inline(always)]
pub fn line(sq: Square, direction: usize) -> Bitboard {
    LINES[sq.index()][direction & 3]
}

/// Direction from `a` to `b`, if they share a rank, file or diagonal.
#[inline(always)]
pub fn direction(a: Square, b: Square) -> Option<usize> {
    let d = DIRECTION[a.index()][b.index()];
    if d == NO_LINE { None } else { Some(d as usize) }
}

/// The squares strictly between two squares of one line; empty if they share none.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(a, d) & ray(b, d ^ 7),
        None => Bitboard::EMPTY,
    }
}

/// The ray that leaves `a` through `b` and goes on to the edge; empty if they share no line.
#[inline(always)]
pub fn ray_through(a: Square, b: Square) -> Bitboard {
    match direction(a, b) {
        Some(d) => ray(a, d),
        None => Bitboard::EMPTY,
    }
}

/// Whether `b` and `c` lie on the same ray from `a`, so that a piece pinned to `a` may go from
/// one to the other.
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
