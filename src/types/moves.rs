//! Moves and their USI text.
#![forbid(unsafe_code)]

use super::{PieceType, Square};
use std::fmt;
use thiserror::Error;

/// A move in 16 bits: bits 0-6 the target square, bits 7-13 the origin square or the kind
/// of the dropped piece, bit 14 drop, bit 15 promotion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(u16);

const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

impl Move {
    /// No move. Not legal anywhere.
    pub const NONE: Move = Move(0);
    /// The null move of the search. Not legal anywhere.
    pub const NULL: Move = Move(1 << 7 | 1);

    /// A move on the board without promotion.
    #[inline(always)]
    pub const fn board(from: Square, to: Square) -> Move {
        Move((from.index() as u16) << 7 | to.index() as u16)
    }

    /// A move on the board with promotion.
    #[inline(always)]
    pub const fn promotion(from: Square, to: Square) -> Move {
        Move(PROMOTE | (from.index() as u16) << 7 | to.index() as u16)
    }

    /// A drop of an unpromoted kind.
    #[inline(always)]
    pub const fn drop(kind: PieceType, to: Square) -> Move {
        Move(DROP | (kind as u16) << 7 | to.index() as u16)
    }

    /// Decodes [`Move::raw`]; `None` if the bits encode no move.
    #[inline]
    pub const fn from_raw(raw: u16) -> Option<Move> {
        let to = raw & 127;
        let from = raw >> 7 & 127;
        let well_formed = if raw & DROP != 0 {
            raw & PROMOTE == 0 && from >= 1 && from <= 7
        } else {
            from < 81 && from != to
        };
        if to < 81 && well_formed {
            Some(Move(raw))
        } else {
            None
        }
    }

    /// Decodes bits that must encode a move.
    #[inline(always)]
    pub const fn from_raw_unchecked(raw: u16) -> Move {
        debug_assert!(Move::from_raw(raw).is_some());
        Move(raw)
    }

    /// The encoding in 16 bits.
    #[inline(always)]
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// Whether this is a move and not [`Move::NONE`] or [`Move::NULL`].
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != Move::NONE.0 && self.0 != Move::NULL.0
    }

    /// The target square.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 & 127) as usize)
    }

    /// The origin square; not for drops.
    #[inline(always)]
    pub const fn from(self) -> Square {
        debug_assert!(!self.is_drop());
        Square::from_index((self.0 >> 7 & 127) as usize)
    }

    /// The origin as a table index: 0..81 for squares, 81..88 for drops by kind.
    #[inline(always)]
    pub const fn from_code(self) -> usize {
        let from = (self.0 >> 7 & 127) as usize;
        if self.is_drop() { 80 + from } else { from }
    }

    /// [`Move::from_code`] for drops of a kind.
    #[inline(always)]
    pub const fn drop_code(kind: PieceType) -> usize {
        80 + kind.index()
    }

    /// The kind of the dropped piece; only for drops.
    #[inline(always)]
    pub const fn dropped(self) -> PieceType {
        debug_assert!(self.is_drop());
        // Padded to 8 elements to avoid a bounds check.
        const KINDS: [PieceType; 8] = {
            let [a, b, c, d, e, f, g] = PieceType::HAND;
            [a, a, b, c, d, e, f, g]
        };
        KINDS[(self.0 >> 7 & 7) as usize]
    }

    /// Whether it is a drop.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0 & DROP != 0
    }

    /// Whether it promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// Reads a USI move such as `7g7f`, `8h2b+` or `P*5e`, legal or not.
    ///
    /// # Errors
    /// If the text has none of these forms.
    pub fn from_usi(text: &str) -> Result<Move, MoveParseError> {
        let bad = || MoveParseError(text.chars().take(40).collect());
        match text.as_bytes() {
            [kind, b'*', to @ ..] => {
                let kind = PieceType::from_letter(*kind).filter(|&kind| kind != PieceType::King);
                Ok(Move::drop(
                    kind.ok_or_else(bad)?,
                    Square::from_usi(to).ok_or_else(bad)?,
                ))
            }
            [a, b, c, d, rest @ ..] => {
                let from = Square::from_usi(&[*a, *b]).ok_or_else(bad)?;
                let to = Square::from_usi(&[*c, *d]).ok_or_else(bad)?;
                match rest {
                    _ if from == to => Err(bad()),
                    [] => Ok(Move::board(from, to)),
                    [b'+'] => Ok(Move::promotion(from, to)),
                    _ => Err(bad()),
                }
            }
            _ => Err(bad()),
        }
    }
}

/// Text that is not a USI move.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error("`{0}` is not a move (expected forms: 7g7f, 8h2b+, P*5e)")]
pub struct MoveParseError(pub String);

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_some() {
            f.write_str("none")
        } else if self.is_drop() {
            write!(f, "{}*{}", self.dropped().letter(), self.to())
        } else {
            let plus = if self.is_promotion() { "+" } else { "" };
            write!(f, "{}{}{}", self.from(), self.to(), plus)
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usi_text_round_trips_for_every_move() {
        let moves = (0..=u16::MAX).filter_map(Move::from_raw);
        let mut count = 0;
        for mv in moves {
            assert_eq!(Move::from_usi(&mv.to_string()), Ok(mv));
            assert_eq!(Move::from_raw(mv.raw()), Some(mv));
            count += 1;
        }
        assert_eq!(count, 81 * 80 * 2 + 7 * 81);
    }

    #[test]
    fn invalid_text_is_rejected() {
        for bad in [
            "", "7g", "7g7", "7g7f++", "7g7fx", "K*5e", "p*5e", "P*5", "0000", "７g7f", "7g7g",
        ] {
            assert!(Move::from_usi(bad).is_err(), "{bad}");
        }
        assert_eq!(Move::from_raw(Move::NONE.raw()), None);
        assert_eq!(Move::from_raw(Move::NULL.raw()), None);
    }
}
