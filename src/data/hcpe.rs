//! hcpe, the training data of Apery, dlshogi and cshogi: records of 38 bytes.
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 32 bytes | HuffmanCodedPos, see [`super::packed`] |
//! | 32 | i16 | score for the side to move, in centipawns |
//! | 34 | u16 | move: bits 0-6 target, bits 7-13 origin or 80 plus the kind dropped, bit 14 promotion |
//! | 36 | u8 | result: 0 drawn, 1 Black won, 2 White won |
//! | 37 | u8 | 0 |
//!
//! The number of the move is not kept.
#![forbid(unsafe_code)]

use super::game::{GameResult, Played};
use super::packed::HUFFMAN_CODED;
use super::records::Sample;
use crate::position::Position;
use crate::types::{Move, PieceType, Square};

/// Bytes of a record.
pub const LENGTH: usize = 38;

const PROMOTE: u16 = 1 << 14;

/// Appends the record of a searched position. `None` when a king is missing.
pub fn encode(
    bytes: &mut Vec<u8>,
    position: &Position,
    played: Played,
    result: GameResult,
) -> Option<()> {
    bytes.extend(HUFFMAN_CODED.pack(position)?);
    bytes.extend(played.score.unwrap_or(0).to_le_bytes());
    bytes.extend(encode_move(played.mv).to_le_bytes());
    bytes.extend([result.code(), 0]);
    Some(())
}

/// Reads a record. The number of the move to be played is 1.
///
/// # Errors
/// What of it is not as it should be. Whether the move is legal is not looked at.
pub fn decode(record: &[u8; LENGTH]) -> Result<Sample, &'static str> {
    let [packed @ .., s0, s1, m0, m1, result, _] = record;
    let mv = u16::from_le_bytes([*m0, *m1]);
    Ok(Sample {
        position: HUFFMAN_CODED.unpack(packed, 1)?,
        played: Played {
            mv: decode_move(mv).ok_or("its move is none")?,
            score: Some(i16::from_le_bytes([*s0, *s1])),
        },
        result: GameResult::from_code(*result).ok_or("its result is none")?,
    })
}

fn encode_move(mv: Move) -> u16 {
    let promotion = if mv.is_promotion() { PROMOTE } else { 0 };
    promotion | (mv.from_code() as u16) << 7 | mv.to().index() as u16
}

fn decode_move(bits: u16) -> Option<Move> {
    let square = |index: u16| {
        let index = usize::from(index);
        (index < Square::COUNT).then(|| Square::from_index(index))
    };
    let to = square(bits & 127)?;
    let from = bits >> 7 & 127;
    let promotes = bits & PROMOTE != 0;
    if bits > PROMOTE | (PROMOTE - 1) {
        return None;
    }
    match square(from) {
        Some(from) if from == to => None,
        Some(from) if promotes => Some(Move::promotion(from, to)),
        Some(from) => Some(Move::board(from, to)),
        None => {
            let kind = PieceType::HAND.get(usize::from(from) - Square::COUNT)?;
            (!promotes).then(|| Move::drop(*kind, to))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    #[test]
    fn moves_are_those_of_other_programs() {
        let encode = |text| encode_move(Move::from_usi(text).unwrap());
        assert_eq!([encode("G*5c"), encode("P*4h")], [0x2BA6, 0x28A2]);
        let moves = (0..=u16::MAX).filter_map(Move::from_raw);
        assert!(
            moves
                .clone()
                .all(|mv| decode_move(encode_move(mv)) == Some(mv))
        );
        let read = (0..=u16::MAX).filter_map(decode_move);
        assert_eq!(read.count(), moves.count());
    }

    #[test]
    fn records_round_trip() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let position = Position::from_sfen(sfen).unwrap();
        let mv = Move::from_usi("P*2h").unwrap();
        let played = Played {
            mv,
            score: Some(300),
        };
        for result in [GameResult::Draw, GameResult::Win(Color::White)] {
            let mut bytes = Vec::new();
            encode(&mut bytes, &position, played, result).unwrap();
            let [low, high] = encode_move(mv).to_le_bytes();
            let code = if result == GameResult::Draw { 0 } else { 2 };
            assert_eq!(bytes[32..], [44, 1, low, high, code, 0]);
            let mut record: [u8; LENGTH] = bytes.try_into().unwrap();
            let sample = decode(&record).unwrap();
            assert_eq!(sample.position, position);
            assert_eq!((sample.played, sample.result), (played, result));
            record[36] = 3;
            assert_eq!(decode(&record).err(), Some("its result is none"));
        }
    }
}
