//! Pieces in hand (持ち駒).
#![forbid(unsafe_code)]

use super::PieceType;

/// The pieces in hand of one side: a counter for each kind, packed into 32 bits. Pawns have 5 bits,
/// bishops and rooks 2, the others 3. A guard bit above each counter catches borrows, so that one
/// subtraction compares two hands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Hand(u32);

/// Lowest bit of each kind's counter.
const SHIFT: [u32; 8] = [0, 0, 6, 10, 14, 18, 21, 24];
/// Mask of each kind's counter, shifted down.
const MASK: [u32; 8] = [0, 31, 7, 7, 7, 3, 3, 7];
/// The guard bit above each counter.
const GUARDS: u32 = {
    let mut guards = 0;
    let mut kind = 1;
    while kind < 8 {
        guards |= (MASK[kind] + 1) << SHIFT[kind];
        kind += 1;
    }
    guards
};

impl Hand {
    /// An empty hand.
    pub const EMPTY: Hand = Hand(0);

    /// Number of pieces of an unpromoted kind; 0 for the king.
    #[inline(always)]
    pub const fn count(self, kind: PieceType) -> u32 {
        let index = kind.index() & 7;
        self.0 >> SHIFT[index] & MASK[index]
    }

    /// The most pieces of an unpromoted kind that a hand can hold: more than a set has.
    pub const fn capacity(kind: PieceType) -> u32 {
        MASK[kind.index() & 7]
    }

    /// Whether the hand has a piece of an unpromoted kind.
    #[inline(always)]
    pub const fn has(self, kind: PieceType) -> bool {
        let index = kind.index() & 7;
        self.0 & MASK[index] << SHIFT[index] != 0
    }

    /// Whether the hand is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a piece of an unpromoted kind.
    #[inline(always)]
    pub const fn add(&mut self, kind: PieceType) {
        self.0 += 1 << SHIFT[kind.index() & 7];
    }

    /// Removes a piece of an unpromoted kind, which the hand must have.
    #[inline(always)]
    pub const fn remove(&mut self, kind: PieceType) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << SHIFT[kind.index() & 7];
    }

    /// Whether this hand has at least as many pieces of every kind as the other.
    #[inline(always)]
    pub const fn dominates(self, other: Hand) -> bool {
        ((self.0 | GUARDS) - other.0) & GUARDS == GUARDS
    }

    /// The packed counters, unique to each hand.
    #[inline(always)]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// The hand with these packed counters, which must come from [`Hand::raw`].
    #[inline(always)]
    pub const fn from_raw(raw: u32) -> Hand {
        Hand(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PieceType::*;

    #[test]
    fn counters_do_not_touch_each_other() {
        let mut hand = Hand::EMPTY;
        for kind in PieceType::HAND {
            for _ in 0..kind.total() {
                hand.add(kind);
            }
        }
        for kind in PieceType::HAND {
            assert_eq!(hand.count(kind), kind.total());
        }
        assert_eq!(hand.count(King), 0);
        for kind in PieceType::HAND {
            for _ in 0..kind.total() {
                hand.remove(kind);
            }
            assert!(!hand.has(kind));
        }
        assert!(hand.is_empty());
    }

    #[test]
    fn a_hand_dominates_by_every_kind() {
        let mut a = Hand::EMPTY;
        let mut b = Hand::EMPTY;
        assert!(a.dominates(b));
        a.add(Pawn);
        assert!(a.dominates(b) && !b.dominates(a));
        b.add(Gold);
        assert!(!a.dominates(b) && !b.dominates(a));
        a.add(Gold);
        assert!(a.dominates(b) && !b.dominates(a));
    }
}
