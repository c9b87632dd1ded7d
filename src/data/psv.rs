//! PackedSfenValue, the training data of YaneuraOu: records of 40 bytes, usually in `.psv` or `.bin`.
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 32 bytes | PackedSfen, see [`super::packed`] |
//! | 32 | i16 | score for the side to move, 90 for a pawn |
//! | 34 | u16 | move, in the bits of [`Move::raw`] |
//! | 36 | u16 | number of the move in the game |
//! | 38 | i8 | result for the side to move: 1 won, 0 drawn, -1 lost |
//! | 39 | u8 | 0 |
#![forbid(unsafe_code)]

use super::game::{GameResult, Played};
use super::packed::PACKED_SFEN;
use super::records::Sample;
use crate::position::Position;
use crate::types::Move;

/// Bytes of a record.
pub const LENGTH: usize = 40;

/// Appends the record of a searched position. `None` when a king is missing.
pub fn encode(
    bytes: &mut Vec<u8>,
    position: &Position,
    played: Played,
    result: GameResult,
) -> Option<()> {
    bytes.extend(PACKED_SFEN.pack(position)?);
    bytes.extend(played.score.unwrap_or(0).to_le_bytes());
    bytes.extend(played.mv.raw().to_le_bytes());
    let ply = u16::try_from(position.game_ply()).unwrap_or(u16::MAX);
    bytes.extend(ply.to_le_bytes());
    bytes.extend([result.for_side(position.side_to_move()) as u8, 0]);
    Some(())
}

/// Reads a record.
///
/// # Errors
/// What of it is not as it should be. Whether the move is legal is not looked at.
pub fn decode(record: &[u8; LENGTH]) -> Result<Sample, &'static str> {
    let [packed @ .., s0, s1, m0, m1, p0, p1, result, _] = record;
    let ply = u16::from_le_bytes([*p0, *p1]);
    let position = PACKED_SFEN.unpack(packed, u32::from(ply).max(1))?;
    let mv = Move::from_raw(u16::from_le_bytes([*m0, *m1])).ok_or("its move is none")?;
    let side = position.side_to_move();
    let result = match *result as i8 {
        0 => GameResult::Draw,
        1 => GameResult::Win(side),
        -1 => GameResult::Win(!side),
        _ => return Err("its result is none"),
    };
    Ok(Sample {
        played: Played {
            mv,
            score: Some(i16::from_le_bytes([*s0, *s1])),
        },
        position,
        result,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    /// A position, a move, and the move as others write it.
    const GOLDEN: [(&str, &str, u16); 4] = [
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "7g7f",
            0x1E3B,
        ),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "2g2f",
            0x078E,
        ),
        ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5c", 0x43A6),
        ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*4h", 0x40A2),
    ];

    #[test]
    fn records_are_those_of_other_programs() {
        for (sfen, text, raw) in GOLDEN {
            let position = Position::from_sfen(sfen).unwrap();
            let mv = Move::from_usi(text).unwrap();
            let played = Played {
                mv,
                score: Some(-123),
            };
            let mut bytes = Vec::new();
            encode(&mut bytes, &position, played, GameResult::Win(Color::White)).unwrap();
            let [low, high] = raw.to_le_bytes();
            assert_eq!(bytes[32..], [0x85, 0xFF, low, high, 1, 0, 0xFF, 0]);
            let sample = decode(&bytes.try_into().unwrap()).unwrap();
            assert_eq!(sample.position, position);
            assert_eq!(sample.played, played);
            assert_eq!(sample.result, GameResult::Win(Color::White));
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let mut bytes = Vec::new();
        let played = Played {
            mv: Move::from_usi("7g7f").unwrap(),
            score: Some(0),
        };
        encode(&mut bytes, &Position::startpos(), played, GameResult::Draw).unwrap();
        let record: [u8; LENGTH] = bytes.try_into().unwrap();
        let changed = |index: usize, byte: u8| {
            let mut record = record;
            record[index] = byte;
            decode(&record).err()
        };
        assert_eq!(changed(0, record[0]), None);
        assert_eq!(changed(38, 2), Some("its result is none"));
        assert_eq!(changed(34, 0x7F), Some("its move is none"));
        assert_eq!(
            changed(0, 0xFE),
            Some("a king is missing from the position")
        );
    }
}
