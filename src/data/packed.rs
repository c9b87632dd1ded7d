//! Positions in 32 bytes: PackedSfen of YaneuraOu and HuffmanCodedPos of Apery.
//!
//! Both are streams of 256 bits, the lowest bit of each byte first: side to move, the squares of
//! both kings, a code for each other square, the hands, and, in handicap games, the box with the
//! pieces left out. They differ only in the codes, which add up to 256 bits because a piece in hand
//! takes one bit less than one on the board, and the empty square takes one.
#![forbid(unsafe_code)]

use crate::position::{HAND_ORDER, Position};
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// A packed position.
pub type Packed = [u8; 32];

const BITS: usize = 256;

/// A code: its bits, the first one lowest, and how many.
type Code = (u8, u8);

/// The piece that a code stands for and how many bits the code has, by the next eight bits.
type Meanings = [Option<(Piece, u8)>; 256];

/// The codes of a format.
struct Alphabet {
    /// Prefix of each kind of [`PieceType::HAND`] on the board.
    board: [Code; 7],
    /// Its prefix in hand.
    hand: [Code; 7],
    /// Its code in the box.
    boxed: [Code; 7],
    /// On the board, the bit of the colour precedes that of the promotion.
    color_first: bool,
    /// In hand there is a bit for the promotion too, which is zero.
    promotion_in_hand: bool,
}

/// Pawn, lance, knight, silver, bishop, rook, gold, as in [`PieceType::HAND`].
#[rustfmt::skip]
const YANEURAOU: Alphabet = Alphabet {
    board: [(0x01, 2), (0x03, 4), (0x0B, 4), (0x07, 4), (0x1F, 6), (0x3F, 6), (0x0F, 5)],
    hand: [(0x00, 1), (0x01, 3), (0x05, 3), (0x03, 3), (0x0F, 5), (0x1F, 5), (0x07, 4)],
    boxed: [(0x02, 3), (0x09, 5), (0x0D, 5), (0x0B, 5), (0x2F, 7), (0x3F, 7), (0x1B, 5)],
    color_first: false,
    promotion_in_hand: true,
};

#[rustfmt::skip]
const APERY: Alphabet = Alphabet {
    board: [(0x01, 2), (0x03, 4), (0x07, 4), (0x0B, 4), (0x1F, 6), (0x3F, 6), (0x0F, 5)],
    hand: [(0x00, 2), (0x01, 4), (0x03, 4), (0x05, 4), (0x1F, 6), (0x3F, 6), (0x07, 4)],
    boxed: [(0x02, 3), (0x09, 5), (0x0B, 5), (0x0D, 5), (0x0F, 7), (0x2F, 7), (0x1D, 5)],
    color_first: true,
    promotion_in_hand: false,
};

/// The codes of a format for reading and writing.
pub struct PackedFormat {
    /// By piece.
    board: [Code; Piece::COUNT],
    /// By piece.
    hand: [Code; Piece::COUNT],
    /// By kind, as in [`PieceType::HAND`].
    boxed: [Code; 7],
    /// On the board: a piece or the empty square.
    read_board: Meanings,
    /// Off the board: a piece in hand, or none for one in the box.
    read_spare: Meanings,
}

/// PackedSfen, in PSV files.
pub static PACKED_SFEN: PackedFormat = PackedFormat::new(&YANEURAOU);
/// HuffmanCodedPos, in hcpe files.
pub static HUFFMAN_CODED: PackedFormat = PackedFormat::new(&APERY);

impl PackedFormat {
    const fn new(alphabet: &Alphabet) -> PackedFormat {
        let mut format = PackedFormat {
            board: [(0, 0); Piece::COUNT],
            hand: [(0, 0); Piece::COUNT],
            boxed: alphabet.boxed,
            read_board: [None; 256],
            read_spare: [None; 256],
        };
        format.add_board(Piece::NONE, (0, 1));
        let mut index = 0;
        while index < PieceType::HAND.len() {
            let mut color = 0;
            while color < 2 {
                format.add_kind(alphabet, index, Color::ALL[color]);
                color += 1;
            }
            add(&mut format.read_spare, Piece::NONE, alphabet.boxed[index]);
            index += 1;
        }
        format
    }

    /// Adds the codes of a kind and a colour, on the board and in hand.
    const fn add_kind(&mut self, alphabet: &Alphabet, index: usize, color: Color) {
        let kind = PieceType::HAND[index];
        let piece = Piece::new(color, kind);
        let prefix = alphabet.board[index];
        let color = color as u8;
        if !kind.can_promote() {
            self.add_board(piece, join(prefix, (color, 1)));
        } else {
            let (plain, promoted) = if alphabet.color_first {
                ((color, 2), (color | 2, 2))
            } else {
                ((color << 1, 2), (color << 1 | 1, 2))
            };
            self.add_board(piece, join(prefix, plain));
            self.add_board(piece.promote(), join(prefix, promoted));
        }
        let suffix = if kind.can_promote() && alphabet.promotion_in_hand {
            (color << 1, 2)
        } else {
            (color, 1)
        };
        let code = join(alphabet.hand[index], suffix);
        self.hand[piece.index()] = code;
        add(&mut self.read_spare, piece, code);
    }

    const fn add_board(&mut self, piece: Piece, code: Code) {
        self.board[piece.index()] = code;
        add(&mut self.read_board, piece, code);
    }

    /// Packs a position. `None` when a king is missing: the formats have no room for that.
    pub fn pack(&self, position: &Position) -> Option<Packed> {
        let kings = [position.king(Color::Black)?, position.king(Color::White)?];
        let mut bits = BitWriter::default();
        bits.write((position.side_to_move() as u8, 1));
        for king in kings {
            bits.write((king.index() as u8, 7));
        }
        let mut left = PieceType::HAND.map(PieceType::total);
        for sq in Square::all().filter(|sq| !kings.contains(sq)) {
            let piece = position.piece_on(sq);
            bits.write(self.board[piece.index()]);
            if piece.is_some() {
                left[piece.kind().demote().index() - 1] -= 1;
            }
        }
        for color in Color::ALL {
            for kind in HAND_ORDER.into_iter().rev() {
                let count = position.hand(color).count(kind);
                left[kind.index() - 1] -= count;
                for _ in 0..count {
                    bits.write(self.hand[Piece::new(color, kind).index()]);
                }
            }
        }
        for kind in HAND_ORDER.into_iter().rev() {
            for _ in 0..left[kind.index() - 1] {
                bits.write(self.boxed[kind.index() - 1]);
            }
        }
        debug_assert_eq!(bits.used, BITS);
        Some(bits.bytes)
    }

    /// Unpacks a position; `ply` is the number of the move to be played.
    ///
    /// # Errors
    /// What is invalid.
    pub fn unpack(&self, packed: &Packed, ply: u32) -> Result<Position, &'static str> {
        let mut bits = BitReader {
            bytes: packed,
            used: 0,
        };
        let side = Color::ALL[usize::from(bits.take(1))];
        let kings = [bits.take(7), bits.take(7)];
        let mut board = [Piece::NONE; Square::COUNT];
        for (king, color) in kings.into_iter().zip(Color::ALL) {
            let square = board.get_mut(usize::from(king));
            *square.ok_or("missing king")? = Piece::new(color, PieceType::King);
        }
        for sq in (0..Square::COUNT).filter(|&sq| !kings.contains(&(sq as u8))) {
            board[sq] = bits.piece(&self.read_board)?;
        }
        let mut hands = [Hand::EMPTY; 2];
        while bits.used < BITS {
            let piece = bits.piece(&self.read_spare)?;
            if piece.is_some() {
                let hand = &mut hands[piece.color().index()];
                if hand.count(piece.kind()) == piece.kind().total() {
                    return Err("too many pieces in hand");
                }
                hand.add(piece.kind());
            }
        }
        Position::from_parts(&board, hands, side, ply).map_err(|_| "illegal position")
    }
}

/// One code after the other.
const fn join((first, length): Code, (second, more): Code) -> Code {
    (first | second << length, length + more)
}

/// Enters the meaning of a code for all bytes that begin with it.
const fn add(table: &mut Meanings, meaning: Piece, (code, length): Code) {
    let mut index = code as usize;
    while index < 256 {
        debug_assert!(table[index].is_none());
        table[index] = Some((meaning, length));
        index += 1 << length;
    }
}

#[derive(Default)]
struct BitWriter {
    bytes: Packed,
    used: usize,
}

impl BitWriter {
    fn write(&mut self, (code, length): Code) {
        for bit in 0..length {
            self.bytes[self.used / 8] |= (code >> bit & 1) << (self.used % 8);
            self.used += 1;
        }
    }
}

struct BitReader<'a> {
    bytes: &'a Packed,
    used: usize,
}

impl BitReader<'_> {
    /// The next eight bits, zeros behind the last.
    fn peek(&self) -> u8 {
        let (byte, shift) = (self.used / 8, self.used % 8);
        let low = u16::from(self.bytes.get(byte).copied().unwrap_or(0));
        let high = u16::from(self.bytes.get(byte + 1).copied().unwrap_or(0));
        ((low | high << 8) >> shift) as u8
    }

    fn take(&mut self, length: usize) -> u8 {
        let bits = self.peek() & ((1 << length) - 1);
        self.used += length;
        bits
    }

    fn piece(&mut self, codes: &Meanings) -> Result<Piece, &'static str> {
        let (piece, length) = codes[usize::from(self.peek())].ok_or("invalid piece code")?;
        self.used += usize::from(length);
        if self.used > BITS {
            return Err("truncated position");
        }
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(packed: &Packed) -> String {
        packed.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// SFEN, PackedSfen and HuffmanCodedPos as other programs write them.
    const GOLDEN: [[&str; 3]; 3] = [
        [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
            "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        ],
        [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc",
            "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd",
        ],
        [
            "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "5924200c40fc2c403880f0800084070807101f0b1006499224a5d4da5a7bbf7e",
            "5924200c40fc1c405880f080008407080b101f071006499224a5b4566bbd3f5e",
        ],
    ];

    #[test]
    fn positions_are_packed_as_by_other_programs() {
        for [sfen, packed_sfen, huffman_coded] in GOLDEN {
            let position = Position::from_sfen(sfen).unwrap();
            for (format, golden) in [(&PACKED_SFEN, packed_sfen), (&HUFFMAN_CODED, huffman_coded)] {
                let packed = format.pack(&position).unwrap();
                assert_eq!(hex(&packed), golden, "{sfen}");
                assert_eq!(format.unpack(&packed, 1).as_ref(), Ok(&position));
            }
        }
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let mut refused = 0;
        let start = PACKED_SFEN.pack(&Position::startpos()).unwrap();
        for format in [&PACKED_SFEN, &HUFFMAN_CODED] {
            for fill in 0..=255 {
                refused += usize::from(format.unpack(&[fill; 32], 1).is_err());
            }
            for bit in 0..BITS {
                let mut packed = start;
                packed[bit / 8] ^= 1 << (bit % 8);
                refused += usize::from(format.unpack(&packed, 1).is_err());
            }
        }
        assert!(refused > 600, "{refused}");
    }

    #[test]
    fn a_missing_king_is_rejected() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b - 1").unwrap();
        assert_eq!(PACKED_SFEN.pack(&position), None);
    }
}
