//! Piece types and pieces.
#![forbid(unsafe_code)]

use super::Color;
use std::fmt;

/// A kind of piece. Promotion sets bit 3: `Pawn as u8 | 8 == ProPawn as u8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum PieceType {
    Pawn = 1,
    Lance = 2,
    Knight = 3,
    Silver = 4,
    Bishop = 5,
    Rook = 6,
    Gold = 7,
    King = 8,
    ProPawn = 9,
    ProLance = 10,
    ProKnight = 11,
    ProSilver = 12,
    Horse = 13,
    Dragon = 14,
}

use PieceType::*;

impl PieceType {
    /// Size of an array indexed by [`PieceType::index`].
    pub const COUNT: usize = 15;

    /// Every kind.
    pub const ALL: [PieceType; 14] = [
        Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
        ProSilver, Horse, Dragon,
    ];

    /// The kinds a hand can hold, in index order.
    pub const HAND: [PieceType; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];

    /// Index in 1..15.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this index; `None` outside 1..15.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<PieceType> {
        if index >= 1 && index <= 14 {
            Some(PieceType::ALL[index - 1])
        } else {
            None
        }
    }

    /// Whether this kind can promote.
    #[inline(always)]
    pub const fn can_promote(self) -> bool {
        (self as u8) < Gold as u8
    }

    /// Whether this is a promoted kind.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 > King as u8
    }

    /// The promoted kind; a kind that cannot promote is unchanged.
    #[inline(always)]
    pub const fn promote(self) -> PieceType {
        match self {
            Pawn => ProPawn,
            Lance => ProLance,
            Knight => ProKnight,
            Silver => ProSilver,
            Bishop => Horse,
            Rook => Dragon,
            other => other,
        }
    }

    /// The unpromoted kind, as a captured piece goes to the hand.
    #[inline(always)]
    pub const fn demote(self) -> PieceType {
        match self {
            ProPawn => Pawn,
            ProLance => Lance,
            ProKnight => Knight,
            ProSilver => Silver,
            Horse => Bishop,
            Dragon => Rook,
            other => other,
        }
    }

    /// Whether it moves like a gold: gold and promoted pawn, lance, knight and silver.
    #[inline(always)]
    pub const fn moves_like_gold(self) -> bool {
        matches!(self, Gold | ProPawn | ProLance | ProKnight | ProSilver)
    }

    /// Number of far ranks on which it could never move (行き所のない駒).
    #[inline(always)]
    pub const fn dead_ranks(self) -> u8 {
        match self {
            Pawn | Lance => 1,
            Knight => 2,
            _ => 0,
        }
    }

    /// Number of pieces of this kind in a full set, promoted ones included.
    pub const fn total(self) -> u32 {
        match self.demote() {
            Pawn => 18,
            Bishop | Rook | King => 2,
            _ => 4,
        }
    }

    /// The SFEN letter of the unpromoted kind, upper case.
    pub const fn letter(self) -> char {
        match self.demote() {
            Pawn => 'P',
            Lance => 'L',
            Knight => 'N',
            Silver => 'S',
            Bishop => 'B',
            Rook => 'R',
            Gold => 'G',
            _ => 'K',
        }
    }

    /// The unpromoted kind for an upper-case SFEN letter.
    pub const fn from_letter(letter: u8) -> Option<PieceType> {
        Some(match letter {
            b'P' => Pawn,
            b'L' => Lance,
            b'N' => Knight,
            b'S' => Silver,
            b'B' => Bishop,
            b'R' => Rook,
            b'G' => Gold,
            b'K' => King,
            _ => return None,
        })
    }
}

/// A coloured piece, or [`Piece::NONE`] for an empty square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Piece(u8);

impl Piece {
    /// An empty square.
    pub const NONE: Piece = Piece(0);
    /// Size of an array indexed by [`Piece::index`].
    pub const COUNT: usize = 32;

    /// A piece of a side.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceType) -> Piece {
        Piece((color as u8) << 4 | kind as u8)
    }

    /// The unpromoted piece for an SFEN letter: upper case for Black, lower case for White.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let kind = PieceType::from_letter(u8::try_from(letter.to_ascii_uppercase()).ok()?)?;
        let color = if letter.is_ascii_uppercase() {
            Color::Black
        } else {
            Color::White
        };
        Some(Piece::new(color, kind))
    }

    /// Index in 0..32; 0 is the empty square.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// The underlying byte.
    #[inline(always)]
    pub const fn raw(self) -> u8 {
        self.0
    }

    /// Whether it is [`Piece::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it is a piece and not [`Piece::NONE`].
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The side; meaningless for [`Piece::NONE`].
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.0 & 16 == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Whether it is a piece of a side.
    #[inline(always)]
    pub const fn is_color(self, color: Color) -> bool {
        self.0 != 0 && self.0 >> 4 == color as u8
    }

    /// The kind; `None` for [`Piece::NONE`].
    #[inline(always)]
    pub const fn try_kind(self) -> Option<PieceType> {
        PieceType::from_index((self.0 & 15) as usize)
    }

    /// The kind as an array index 0..16; 0 for [`Piece::NONE`].
    #[inline(always)]
    pub const fn kind_index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The kind; not for [`Piece::NONE`].
    #[inline(always)]
    pub const fn kind(self) -> PieceType {
        debug_assert!(self.0 != 0);
        // Padded to 16 elements to avoid a bounds check.
        const KINDS: [PieceType; 16] = [
            Pawn, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance,
            ProKnight, ProSilver, Horse, Dragon, Dragon,
        ];
        KINDS[(self.0 & 15) as usize]
    }

    /// The promoted piece; a piece that cannot promote is unchanged.
    #[inline(always)]
    pub const fn promote(self) -> Piece {
        if self.kind().can_promote() {
            Piece(self.0 | 8)
        } else {
            self
        }
    }

    /// Every piece of both sides.
    pub fn all() -> impl Iterator<Item = Piece> {
        Color::ALL.into_iter().flat_map(|color| {
            PieceType::ALL
                .into_iter()
                .map(move |kind| Piece::new(color, kind))
        })
    }
}

impl fmt::Display for Piece {
    /// SFEN text, such as `P`, `+r`; a dot for an empty square.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(kind) = self.try_kind() else {
            return f.write_str(".");
        };
        if kind.is_promoted() {
            f.write_str("+")?;
        }
        let letter = kind.letter();
        match self.color() {
            Color::Black => write!(f, "{letter}"),
            Color::White => write!(f, "{}", letter.to_ascii_lowercase()),
        }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_bit_three() {
        for kind in PieceType::ALL {
            if kind.can_promote() {
                assert_eq!(kind as u8 | 8, kind.promote() as u8);
                assert_eq!(kind.promote().demote(), kind);
            } else {
                assert_eq!(kind.promote(), kind);
            }
            for color in Color::ALL {
                let piece = Piece::new(color, kind);
                assert_eq!((piece.color(), piece.kind()), (color, kind));
                assert_eq!(piece.promote().kind(), kind.promote());
            }
        }
    }
}
