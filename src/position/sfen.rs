//! SFEN text: reading with exact errors, and printing.
#![forbid(unsafe_code)]

use super::sfen_error::{SfenError, rank_of};
use super::{Position, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Piece, PieceType, Square};
use std::fmt::Write;

/// The even start position (平手).
pub const STARTPOS_SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The largest move number kept; larger ones are read as this.
const MAX_MOVE_NUMBER: u32 = 1_000_000;

fn rank_letter(rank: usize) -> char {
    (b'a' + rank as u8) as char
}

impl Position {
    /// The even start position.
    pub fn startpos() -> Position {
        match Position::from_sfen(STARTPOS_SFEN) {
            Ok(position) => position,
            Err(_) => unreachable!("the start position is well formed"),
        }
    }

    /// Reads an SFEN: board, side to move, hands, and a move number that may be left out (1).
    /// Hands may come in any order. Numbers out of range are read as the nearest in range.
    ///
    /// # Errors
    /// See [`SfenError`].
    pub fn from_sfen(text: &str) -> Result<Position, SfenError> {
        let mut fields = text.split_ascii_whitespace();
        let mut position = Position::empty();
        position.read_board(fields.next().ok_or(SfenError::Missing("board"))?)?;
        position.side = match fields.next().ok_or(SfenError::Missing("side to move"))? {
            "b" => Color::Black,
            "w" => Color::White,
            other => return Err(SfenError::Side(clip(other))),
        };
        position.read_hands(fields.next().ok_or(SfenError::Missing("hands"))?)?;
        position.game_ply = match fields.next() {
            Some(number) => read_move_number(number)?,
            None => 1,
        };
        if let Some(extra) = fields.next() {
            return Err(SfenError::Trailing(clip(extra)));
        }
        position.check_rules()?;
        position.finish_setup();
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), SfenError> {
        let count = text.split('/').count();
        if count != 9 {
            return Err(SfenError::RankCount(count));
        }
        for (rank, row) in text.split('/').enumerate() {
            self.read_rank(rank, row)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, rank: usize, row: &str) -> Result<(), SfenError> {
        let letter = rank_letter(rank);
        let mut files = 0;
        let mut plus = None;
        for (column, found) in row.chars().enumerate().map(|(i, c)| (i + 1, c)) {
            if let Some(count) = found.to_digit(10).filter(|&count| count > 0) {
                if let Some(column) = plus {
                    return Err(SfenError::Promotion {
                        rank: letter,
                        column,
                    });
                }
                files += count as usize;
                continue;
            }
            if found == '+' {
                if plus.replace(column).is_some() {
                    return Err(SfenError::Promotion {
                        rank: letter,
                        column,
                    });
                }
                continue;
            }
            let kind = u8::try_from(found.to_ascii_uppercase())
                .ok()
                .and_then(PieceType::from_letter)
                .ok_or(SfenError::BoardCharacter {
                    rank: letter,
                    column,
                    found,
                })?;
            let kind = match plus.take() {
                Some(column) if !kind.can_promote() => {
                    return Err(SfenError::Promotion {
                        rank: letter,
                        column,
                    });
                }
                Some(_) => kind.promote(),
                None => kind,
            };
            let color = if found.is_ascii_uppercase() {
                Color::Black
            } else {
                Color::White
            };
            if files < 9 {
                let sq = Square::new(8 - files as u8, rank as u8);
                if kind == PieceType::King && self.kings[color.index()].replace(sq).is_some() {
                    return Err(SfenError::TwoKings { color, square: sq });
                }
                self.put(Piece::new(color, kind), sq);
            }
            files += 1;
        }
        if let Some(column) = plus {
            return Err(SfenError::Promotion {
                rank: letter,
                column,
            });
        }
        if files != 9 {
            return Err(SfenError::RankWidth {
                rank: letter,
                files: files.min(10),
            });
        }
        Ok(())
    }

    fn read_hands(&mut self, text: &str) -> Result<(), SfenError> {
        if text == "-" {
            return Ok(());
        }
        let mut counts = [[0u32; 8]; 2];
        let mut pending: Option<(usize, u32)> = None;
        for (column, found) in text.chars().enumerate().map(|(i, c)| (i + 1, c)) {
            if let Some(digit) = found.to_digit(10) {
                let (start, count) = pending.unwrap_or((column, 0));
                let count = count.saturating_mul(10).saturating_add(digit);
                if count == 0 {
                    return Err(SfenError::HandCount { column: start });
                }
                pending = Some((start, count));
                continue;
            }
            let kind = u8::try_from(found.to_ascii_uppercase())
                .ok()
                .and_then(PieceType::from_letter)
                .filter(|&kind| kind != PieceType::King)
                .ok_or(SfenError::HandCharacter { column, found })?;
            let color = if found.is_ascii_uppercase() {
                Color::Black
            } else {
                Color::White
            };
            let (_, count) = pending.take().unwrap_or((column, 1));
            let slot = &mut counts[color.index()][kind.index()];
            *slot = slot.saturating_add(count);
            if *slot > kind.total() {
                let (letter, total) = (kind.letter(), kind.total());
                return Err(SfenError::TooMany {
                    letter,
                    found: *slot,
                    total,
                });
            }
        }
        if let Some((column, _)) = pending {
            return Err(SfenError::HandCount { column });
        }
        for color in Color::ALL {
            let mut hand = Hand::EMPTY;
            for kind in PieceType::HAND {
                for _ in 0..counts[color.index()][kind.index()] {
                    hand.add(kind);
                }
            }
            self.state.hands[color.index()] = hand;
        }
        Ok(())
    }

    /// The rules a position must meet whatever led to it.
    fn check_rules(&self) -> Result<(), SfenError> {
        for kind in PieceType::ALL
            .into_iter()
            .filter(|kind| !kind.is_promoted())
        {
            let mut found = self.by_kind(kind).len();
            if kind.can_promote() {
                found += self.by_kind(kind.promote()).len();
            }
            if kind != PieceType::King {
                found += Color::ALL
                    .map(|color| self.hand(color).count(kind))
                    .iter()
                    .sum::<u32>();
            }
            let (letter, total) = (kind.letter(), kind.total());
            if found > total {
                return Err(SfenError::TooMany {
                    letter,
                    found,
                    total,
                });
            }
        }
        if self.kings == [None, None] {
            return Err(SfenError::NoKings);
        }
        for color in Color::ALL {
            let pawns = self.pieces(color, PieceType::Pawn);
            for file in 0..9 {
                if let Some(square) = (pawns & Bitboard::file(file)).into_iter().nth(1) {
                    return Err(SfenError::TwoPawns { color, square });
                }
            }
            let dead = pawns & Bitboard::far_ranks(color, 1);
            if let Some(square) = dead.first() {
                let rank = rank_of(square);
                return Err(SfenError::DeadPawn {
                    color,
                    square,
                    rank,
                });
            }
        }
        let waiting = !self.side;
        if let Some(king) = self.king(waiting)
            && self.is_attacked(self.side, king, self.occupied())
        {
            return Err(SfenError::OpponentInCheck {
                color: waiting,
                square: king,
            });
        }
        Ok(())
    }

    /// Works out everything that follows from board, hands and side to move.
    fn finish_setup(&mut self) {
        self.state.board_key = self.board_key_from_scratch();
        self.state.hand_key = zobrist::hands(self.state.hands);
        self.update_checks();
        self.filter.enter(self.state.board_key);
    }

    pub(super) fn board_key_from_scratch(&self) -> u64 {
        let side = if self.side == Color::White {
            zobrist::side()
        } else {
            0
        };
        self.occupied()
            .into_iter()
            .fold(side, |key, sq| key ^ zobrist::piece(self.piece_on(sq), sq))
    }

    /// The SFEN of the position: hands in the order R B G S N L P, the move number at the end.
    pub fn to_sfen(&self) -> String {
        let mut text = String::with_capacity(100);
        for rank in 0..9 {
            if rank > 0 {
                text.push('/');
            }
            let mut empty = 0;
            for file in (0..9).rev() {
                let piece = self.piece_on(Square::new(file, rank));
                if piece.is_none() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    let _ = write!(text, "{empty}");
                    empty = 0;
                }
                let _ = write!(text, "{piece}");
            }
            if empty > 0 {
                let _ = write!(text, "{empty}");
            }
        }
        text.push_str(if self.side == Color::Black {
            " b "
        } else {
            " w "
        });
        let start = text.len();
        for color in Color::ALL {
            for kind in [
                PieceType::Rook,
                PieceType::Bishop,
                PieceType::Gold,
                PieceType::Silver,
                PieceType::Knight,
                PieceType::Lance,
                PieceType::Pawn,
            ] {
                match self.hand(color).count(kind) {
                    0 => {}
                    1 => {
                        let _ = write!(text, "{}", Piece::new(color, kind));
                    }
                    count => {
                        let _ = write!(text, "{count}{}", Piece::new(color, kind));
                    }
                }
            }
        }
        if text.len() == start {
            text.push('-');
        }
        let _ = write!(text, " {}", self.game_ply);
        text
    }
}

/// At most 40 characters of a text, for messages.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn read_move_number(text: &str) -> Result<u32, SfenError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SfenError::MoveNumber(clip(text)));
    }
    if negative {
        return Ok(1);
    }
    // More digits than the number type holds is simply a large number.
    Ok(digits
        .parse()
        .unwrap_or(MAX_MOVE_NUMBER)
        .clamp(1, MAX_MOVE_NUMBER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn print_reads_back() {
        for sfen in [
            STARTPOS_SFEN,
            "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "8k/9/9/9/9/9/9/9/9 b R2GSr2b2g3s4n4l18p 12",
        ] {
            assert_eq!(Position::from_sfen(sfen).unwrap().to_sfen(), sfen);
        }
    }

    #[test]
    fn odd_but_good_text() {
        let sfen = |text: &str| Position::from_sfen(text).unwrap().to_sfen();
        assert_eq!(
            sfen("4k4/9/9/9/9/9/9/9/4K4 w p10P2r"),
            "4k4/9/9/9/9/9/9/9/4K4 w 10P2rp 1"
        );
        assert_eq!(
            sfen("4k4/9/9/9/9/9/9/9/4K4 b - -7"),
            "4k4/9/9/9/9/9/9/9/4K4 b - 1"
        );
        assert_eq!(
            sfen("4k4/9/9/9/9/9/9/9/4K4 b - 0"),
            "4k4/9/9/9/9/9/9/9/4K4 b - 1"
        );
        let huge = format!("4k4/9/9/9/9/9/9/9/4K4 b - {}", "9".repeat(40));
        assert_eq!(
            Position::from_sfen(&huge).unwrap().game_ply(),
            MAX_MOVE_NUMBER
        );
    }

    #[test]
    fn errors_name_place_and_rule() {
        let error = |text: &str| Position::from_sfen(text).unwrap_err();
        use SfenError::*;
        assert_eq!(error(""), Missing("board"));
        assert_eq!(error("9/9"), RankCount(2));
        let with = |row: &str| format!("4k4/9/{row}/9/9/9/9/9/4K4 b - 1");
        assert_eq!(
            error(&with("8")),
            RankWidth {
                rank: 'c',
                files: 8
            }
        );
        assert_eq!(
            error(&with("9p")),
            RankWidth {
                rank: 'c',
                files: 10
            }
        );
        assert_eq!(
            error(&with("99999999999")),
            RankWidth {
                rank: 'c',
                files: 10
            }
        );
        assert_eq!(
            error(&with("4x4")),
            BoardCharacter {
                rank: 'c',
                column: 2,
                found: 'x'
            }
        );
        assert_eq!(
            error(&with("4歩4")),
            BoardCharacter {
                rank: 'c',
                column: 2,
                found: '歩'
            }
        );
        assert_eq!(
            error(&with("4+G4")),
            Promotion {
                rank: 'c',
                column: 2
            }
        );
        assert_eq!(
            error(&with("4+4")),
            Promotion {
                rank: 'c',
                column: 2
            }
        );
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4"), Missing("side to move"));
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 x"), Side("x".into()));
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 b"), Missing("hands"));
        assert_eq!(
            error("4k4/9/9/9/9/9/9/9/4K4 b K"),
            HandCharacter {
                column: 1,
                found: 'K'
            }
        );
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 b 2"), HandCount { column: 1 });
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 b 0P"), HandCount { column: 1 });
        for (hands, found) in [("19P", 19), ("10P9P", 19), ("99999999999P", u32::MAX)] {
            let too_many = TooMany {
                letter: 'P',
                found,
                total: 18,
            };
            assert_eq!(error(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands}")), too_many);
        }
        assert_eq!(
            error("4k4/9/9/9/9/9/9/9/4K4 b 3R"),
            TooMany {
                letter: 'R',
                found: 3,
                total: 2
            }
        );
        assert_eq!(
            error("4k4/9/ppppppppp/9/9/9/9/9/4K4 b 10P 1"),
            TooMany {
                letter: 'P',
                found: 19,
                total: 18
            }
        );
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 b - x"), MoveNumber("x".into()));
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4 b - 1 x"), Trailing("x".into()));
        assert_eq!(
            error("3kk4/9/9/9/9/9/9/9/4K4 b - 1").to_string(),
            "SFEN board, rank a: `k` on 5a is a second king of white"
        );
        assert_eq!(error("9/9/9/9/9/9/9/9/9 b - 1"), NoKings);
        assert_eq!(
            error("4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1").to_string(),
            "SFEN board, rank d: `P` on 5d is a second unpromoted pawn of black on its file (nifu)"
        );
        let dead = error("P3k4/9/9/9/9/9/9/9/4K4 b - 1");
        assert!(matches!(dead, DeadPawn { rank: 'a', .. }));
        let dead = error("4k4/9/9/9/9/9/9/9/p3K4 b - 1");
        assert!(matches!(dead, DeadPawn { rank: 'i', .. }));
        assert!(Position::from_sfen("4k4/N8/9/9/9/9/9/9/l3K4 b - 1").is_ok());
        assert_eq!(
            error("4k4/9/9/9/4R4/9/9/9/3K5 b - 1").to_string(),
            "SFEN board, rank a: white is in check (`k` on 5a) but it is the other side's turn"
        );
    }
}
