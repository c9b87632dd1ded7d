//! Zobrist keys, fixed at compile time. <https://www.chessprogramming.org/Zobrist_Hashing>
//!
//! The board key is the XOR of the keys of all pieces on their squares and of the side to move, the
//! hand key the sum of the keys of all pieces in hand. They are separate because superior and
//! inferior repetition (優等局面, 劣等局面) compare boards with different hands.
#![forbid(unsafe_code)]

use crate::types::{Color, Hand, Piece, PieceType, Square};

/// The next number of a SplitMix64 generator.
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Keys {
    pieces: [[u64; Square::COUNT]; Piece::COUNT],
    hands: [[u64; 8]; 2],
    side: u64,
}

static KEYS: Keys = {
    let mut seed = 0x4b6f_6d61_6f74_6f21;
    let mut keys = Keys {
        pieces: [[0; 81]; 32],
        hands: [[0; 8]; 2],
        side: split_mix(&mut seed),
    };
    let mut piece = 1;
    while piece < 32 {
        let mut sq = 0;
        while sq < 81 {
            keys.pieces[piece][sq] = split_mix(&mut seed);
            sq += 1;
        }
        piece += 1;
    }
    let mut kind = 1;
    while kind < 8 {
        keys.hands[0][kind] = split_mix(&mut seed);
        keys.hands[1][kind] = split_mix(&mut seed);
        kind += 1;
    }
    keys
};

/// The key of a piece on a square, XORed into the board key.
#[inline(always)]
pub fn piece(piece: Piece, sq: Square) -> u64 {
    KEYS.pieces[piece.index()][sq.index()]
}

/// The key of White to move, XORed into the board key.
#[inline(always)]
pub fn side() -> u64 {
    KEYS.side
}

/// The key of one piece in hand, added to the hand key.
#[inline(always)]
pub fn hand(color: Color, kind: PieceType) -> u64 {
    KEYS.hands[color.index()][kind.index() & 7]
}

/// The hand key of both hands.
pub fn hands(hands: [Hand; 2]) -> u64 {
    let mut key = 0u64;
    for color in Color::ALL {
        for kind in PieceType::HAND {
            let count = u64::from(hands[color.index()].count(kind));
            key = key.wrapping_add(hand(color, kind).wrapping_mul(count));
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn hand_counts_never_cancel() {
        // Every split of one or two kinds between the hands gives its own key.
        let mut seen = HashSet::new();
        let mut count = 0;
        for (i, a) in PieceType::HAND.into_iter().enumerate() {
            for b in PieceType::HAND.into_iter().skip(i + 1) {
                for code in 1..(a.total() + 1).pow(2) * (b.total() + 1).pow(2) {
                    let (a1, rest) = (code % (a.total() + 1), code / (a.total() + 1));
                    let (a2, rest) = (rest % (a.total() + 1), rest / (a.total() + 1));
                    let (b1, b2) = (rest % (b.total() + 1), rest / (b.total() + 1));
                    if b1 + b2 == 0 || a1 + a2 == 0 || a1 + a2 > a.total() || b1 + b2 > b.total() {
                        continue;
                    }
                    let mut key = 0u64;
                    for (color, kind, n) in [
                        (Color::Black, a, a1),
                        (Color::White, a, a2),
                        (Color::Black, b, b1),
                        (Color::White, b, b2),
                    ] {
                        key = key.wrapping_add(hand(color, kind).wrapping_mul(u64::from(n)));
                    }
                    assert!(seen.insert(key));
                    count += 1;
                }
            }
        }
        assert_eq!(seen.len(), count);
    }
}
