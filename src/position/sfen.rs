//! SFEN: parsing, with errors that name the place and the rule, and printing.
#![forbid(unsafe_code)]

use super::{Position, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Piece, PieceType, Square};
use std::fmt;
use thiserror::Error;

/// The even start position (平手).
pub const STARTPOS_SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Larger move numbers are clamped to this.
const MAX_MOVE_NUMBER: u32 = 1_000_000;

/// Pieces of a set besides the kings.
const PIECES: u32 = 38;

/// Hand pieces in the order in which an SFEN lists them.
pub(crate) const HAND_ORDER: [PieceType; 7] = {
    use PieceType::*;
    [Rook, Bishop, Gold, Silver, Knight, Lance, Pawn]
};

/// What is wrong with an SFEN. Ranks are given by letter; columns count the characters of a rank or
/// of the hands, from 1.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum SfenError {
    /// The named field is missing.
    #[error("SFEN: the {0} field is missing")]
    Missing(&'static str),
    /// There is text after the move number.
    #[error("SFEN: unexpected `{0}` after the move number")]
    Trailing(String),
    /// The board has this number of ranks instead of nine.
    #[error("SFEN board: {0} ranks, expected 9")]
    RankCount(usize),
    /// A rank has this number of files instead of nine.
    #[error("SFEN board, rank {0}: {1} files, expected 9")]
    RankWidth(char, usize),
    /// A character in a rank, at this column, that is neither a piece nor a count.
    #[error("SFEN board, rank {0}, character {1}: `{2}` is not a piece or a count 1-9")]
    BoardCharacter(char, usize, char),
    /// A plus sign in a rank, at this column, that is not followed by a piece that can promote.
    #[error("SFEN board, rank {0}, character {1}: `+` is not followed by P, L, N, S, B or R")]
    Promotion(char, usize),
    /// The side to move is neither `b` nor `w`.
    #[error("SFEN side to move: `{0}` is not `b` or `w`")]
    Side(String),
    /// A character in the hands, at this column, that is neither a piece nor part of a count.
    #[error("SFEN hands, character {0}: `{1}` is not a piece that can be in hand")]
    HandCharacter(usize, char),
    /// A count in the hands, at this column, that is zero or not followed by a piece.
    #[error("SFEN hands, character {0}: the count is zero or not followed by a piece")]
    HandCount(usize),
    /// The move number is not a number.
    #[error("SFEN move number: `{0}` is not a number")]
    MoveNumber(String),
    /// More pieces of a kind, promoted and in hand included, than in a full set.
    #[error("SFEN: {1} pieces of kind {letter}, a set has {total}", letter = .0.letter(), total = .0.total())]
    TooMany(PieceType, u32),
    /// More pieces of a kind, promoted and in hand included, than a hand can hold.
    #[error("SFEN: {1} pieces of kind {letter}, at most {capacity} can be handled", letter = .0.letter(), capacity = Hand::capacity(*.0))]
    TooManyInHand(PieceType, u32),
    /// More pieces besides the kings than a set has.
    #[error("SFEN: {0} pieces besides the kings, a set has {PIECES}")]
    TooManyPieces(u32),
    /// One side has two kings.
    #[error("SFEN board: `{king}` on {1} is a second king of {0}", king = Piece::new(*.0, PieceType::King))]
    TwoKings(Color, Square),
    /// Neither side has a king. One may be missing, as in mate problems (詰将棋).
    #[error("SFEN: no king on the board")]
    NoKings,
    /// Two unpromoted pawns of a side on one file (二歩).
    #[error("SFEN board: `{pawn}` on {1} is a second pawn on its file (nifu)", pawn = Piece::new(*.0, PieceType::Pawn))]
    TwoPawns(Color, Square),
    /// A pawn that could never move (行き所のない駒). Lances and knights set up so are accepted:
    /// problem positions contain them, and they can do nothing but be captured.
    #[error(
        "SFEN board, rank {rank}: `{pawn}` on {1} could never move",
        rank = char::from(b'a' + .1.rank()),
        pawn = Piece::new(*.0, PieceType::Pawn)
    )]
    DeadPawn(Color, Square),
    /// The side that has just moved is in check.
    #[error("SFEN board: {0} is in check (king on {1}) but it is the other side's turn")]
    OpponentInCheck(Color, Square),
}

impl Position {
    /// The even start position.
    pub fn startpos() -> Position {
        match Position::from_sfen(STARTPOS_SFEN) {
            Ok(position) => position,
            Err(_) => unreachable!("the start position is well formed"),
        }
    }

    /// Parses the SFEN of a position that a game can reach: board, side to move, hands, and an optional
    /// move number (default 1). The pieces in hand may come in any order. A move number out of range is
    /// clamped.
    ///
    /// # Errors
    /// See [`SfenError`].
    pub fn from_sfen(text: &str) -> Result<Position, SfenError> {
        let (position, irregularities) = Position::from_any_sfen(text)?;
        irregularities.into_iter().next().map_or(Ok(position), Err)
    }

    /// Parses the SFEN of any position that can be searched, as boards edited in a GUI are, and what is
    /// irregular about it: two pawns on a file, a pawn that could never move, more pieces of a kind than a
    /// set has, no king.
    ///
    /// # Errors
    /// Any other [`SfenError`].
    pub fn from_any_sfen(text: &str) -> Result<(Position, Vec<SfenError>), SfenError> {
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
        position.complete()
    }

    /// A position from its parts.
    ///
    /// # Errors
    /// When it breaks a rule, see [`SfenError`].
    pub(crate) fn from_parts(
        board: &[Piece; Square::COUNT],
        hands: [Hand; 2],
        side: Color,
        game_ply: u32,
    ) -> Result<Position, SfenError> {
        let mut position = Position::empty();
        for sq in Square::all().filter(|sq| board[sq.index()].is_some()) {
            position.put(board[sq.index()], sq);
        }
        position.state.hands = hands;
        position.side = side;
        position.game_ply = game_ply;
        let (position, irregularities) = position.complete()?;
        irregularities.into_iter().next().map_or(Ok(position), Err)
    }

    /// Checks the rules, and computes what follows from board, hands and side to move.
    fn complete(mut self) -> Result<(Position, Vec<SfenError>), SfenError> {
        let irregularities = self.check_rules()?;
        self.state.board_key = self.compute_board_key();
        self.state.hand_key = zobrist::hands(self.state.hands);
        self.update_checks();
        self.repetition_filter.push(self.state.board_key);
        Ok((self, irregularities))
    }

    fn read_board(&mut self, text: &str) -> Result<(), SfenError> {
        let count = text.split('/').count();
        if count != 9 {
            return Err(SfenError::RankCount(count));
        }
        for (rank, row) in (0..).zip(text.split('/')) {
            self.read_rank(rank, row)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, rank: u8, row: &str) -> Result<(), SfenError> {
        let letter = char::from(b'a' + rank);
        let mut files = 0;
        // Column of a plus sign whose piece is still to come.
        let mut plus = None;
        for (column, found) in (1..).zip(row.chars()) {
            let piece = Piece::from_letter(found);
            if let Some(plus) = plus
                && !piece.is_some_and(|piece| piece.kind().can_promote())
            {
                return Err(SfenError::Promotion(letter, plus));
            }
            match (piece, found) {
                (Some(mut piece), _) => {
                    if plus.take().is_some() {
                        piece = piece.promote();
                    }
                    if files < 9 {
                        self.put(piece, Square::new(8 - files, rank));
                    }
                    files = files.saturating_add(1);
                }
                (None, '1'..='9') => files = files.saturating_add(found as u8 - b'0'),
                (None, '+') => plus = Some(column),
                (None, _) => return Err(SfenError::BoardCharacter(letter, column, found)),
            }
        }
        if let Some(plus) = plus {
            return Err(SfenError::Promotion(letter, plus));
        }
        if files != 9 {
            return Err(SfenError::RankWidth(letter, files.into()));
        }
        Ok(())
    }

    fn read_hands(&mut self, text: &str) -> Result<(), SfenError> {
        if text == "-" {
            return Ok(());
        }
        // Column and value of a count whose piece is still to come.
        let mut pending: Option<(usize, u32)> = None;
        for (column, found) in (1..).zip(text.chars()) {
            if let Some(digit) = found.to_digit(10) {
                let (start, count) = pending.unwrap_or((column, 0));
                let count = count.saturating_mul(10).saturating_add(digit);
                if count == 0 {
                    return Err(SfenError::HandCount(start));
                }
                pending = Some((start, count));
                continue;
            }
            let piece = Piece::from_letter(found)
                .filter(|piece| piece.kind() != PieceType::King)
                .ok_or(SfenError::HandCharacter(column, found))?;
            let (_, count) = pending.take().unwrap_or((column, 1));
            let kind = piece.kind();
            let hand = &mut self.state.hands[piece.color().index()];
            let held = hand.count(kind).saturating_add(count);
            if held > Hand::capacity(kind) {
                return Err(SfenError::TooManyInHand(kind, held));
            }
            (0..count).for_each(|_| hand.add(kind));
        }
        match pending {
            Some((start, _)) => Err(SfenError::HandCount(start)),
            None => Ok(()),
        }
    }

    /// Finds the kings, and checks the rules: an error when the position cannot be searched, else what is
    /// irregular about it.
    fn check_rules(&mut self) -> Result<Vec<SfenError>, SfenError> {
        let mut irregularities = Vec::new();
        for color in Color::ALL {
            let kings = self.pieces(color, PieceType::King);
            if let Some(second) = kings.into_iter().nth(1) {
                return Err(SfenError::TwoKings(color, second));
            }
            self.kings[color.index()] = kings.first();
            let pawns = self.pieces(color, PieceType::Pawn);
            let doubled =
                (0..9).filter_map(|file| (pawns & Bitboard::file(file)).into_iter().nth(1));
            irregularities.extend(doubled.map(|second| SfenError::TwoPawns(color, second)));
            let dead = (pawns & Bitboard::far_ranks(color, 1)).into_iter();
            irregularities.extend(dead.map(|dead| SfenError::DeadPawn(color, dead)));
        }
        if self.kings == [None, None] {
            irregularities.push(SfenError::NoKings);
        }
        let mut total = 0;
        for kind in PieceType::HAND {
            let on_board = self.by_kind(kind) | self.by_kind(kind.promote());
            let in_hands = Color::ALL.map(|color| self.hand(color).count(kind));
            let found = on_board.len() + in_hands[0] + in_hands[1];
            total += found;
            if found > Hand::capacity(kind) {
                return Err(SfenError::TooManyInHand(kind, found));
            } else if found > kind.total() {
                irregularities.push(SfenError::TooMany(kind, found));
            }
        }
        if total > PIECES {
            return Err(SfenError::TooManyPieces(total));
        }
        let opponent = !self.side;
        if let Some(king) = self.king(opponent)
            && self.attackers_to(self.side, king, self.occupied()).any()
        {
            return Err(SfenError::OpponentInCheck(opponent, king));
        }
        Ok(irregularities)
    }

    /// The SFEN: hands in the order R B G S N L P, the move number at the end.
    pub fn to_sfen(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Position {
    /// Prints the SFEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 0..9 {
            if rank > 0 {
                f.write_str("/")?;
            }
            let mut empty = 0;
            for file in (0..9).rev() {
                let piece = self.piece_on(Square::new(file, rank));
                if piece.is_none() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                write!(f, "{piece}")?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
        }
        f.write_str(match self.side {
            Color::Black => " b ",
            Color::White => " w ",
        })?;
        if Color::ALL.iter().all(|&color| self.hand(color).is_empty()) {
            f.write_str("-")?;
        }
        for color in Color::ALL {
            for kind in HAND_ORDER {
                let piece = Piece::new(color, kind);
                match self.hand(color).count(kind) {
                    0 => {}
                    1 => write!(f, "{piece}")?,
                    count => write!(f, "{count}{piece}")?,
                }
            }
        }
        write!(f, " {}", self.game_ply)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn read_move_number(text: &str) -> Result<u32, SfenError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SfenError::MoveNumber(clip(text)));
    }
    if text.starts_with('-') {
        return Ok(1);
    }
    // What has more digits than the type can hold is out of range too.
    let number: u32 = digits.parse().unwrap_or(MAX_MOVE_NUMBER);
    Ok(number.clamp(1, MAX_MOVE_NUMBER))
}

/// The first 40 characters, for error messages.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
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
    fn hands_in_any_order_and_odd_move_numbers_are_read() {
        const BOARD: &str = "4k4/9/9/9/9/9/9/9/4K4";
        let huge = "9".repeat(40);
        for (text, expected) in [
            ("w p10P2r", "w 10P2rp 1"),
            ("b - -7", "b - 1"),
            ("b - 0", "b - 1"),
            ("b - +5", "b - 5"),
            (&format!("b - {huge}"), "b - 1000000"),
        ] {
            let position = Position::from_sfen(&format!("{BOARD} {text}")).unwrap();
            assert_eq!(position.to_sfen(), format!("{BOARD} {expected}"));
        }
    }

    #[test]
    fn errors_name_place_and_rule() {
        use SfenError::*;
        let error = |text: &str| Position::from_sfen(text).unwrap_err();
        assert_eq!(error(""), Missing("board"));
        assert_eq!(error("9/9"), RankCount(2));
        for (rank, expected) in [
            ("8", RankWidth('c', 8)),
            ("9p", RankWidth('c', 10)),
            ("99999999999", RankWidth('c', 99)),
            ("4x4", BoardCharacter('c', 2, 'x')),
            ("4歩4", BoardCharacter('c', 2, '歩')),
            ("4+G4", Promotion('c', 2)),
            ("4+4", Promotion('c', 2)),
            ("4++P3", Promotion('c', 2)),
            ("8+", Promotion('c', 2)),
        ] {
            assert_eq!(
                error(&format!("4k4/9/{rank}/9/9/9/9/9/4K4 b - 1")),
                expected
            );
        }
        assert_eq!(error("4k4/9/9/9/9/9/9/9/4K4"), Missing("side to move"));
        for (text, expected) in [
            ("x", Side("x".into())),
            ("b", Missing("hands")),
            ("b K", HandCharacter(1, 'K')),
            ("b 2", HandCount(1)),
            ("b 0P", HandCount(1)),
            ("b 19P", TooMany(PieceType::Pawn, 19)),
            ("b 10P9P", TooMany(PieceType::Pawn, 19)),
            ("b 99999999999P", TooManyInHand(PieceType::Pawn, u32::MAX)),
            ("b 3R", TooMany(PieceType::Rook, 3)),
            ("b 4R", TooManyInHand(PieceType::Rook, 4)),
            ("b 7G7S7N7L11P", TooManyPieces(39)),
            ("b - x", MoveNumber("x".into())),
            ("b - 1 x", Trailing("x".into())),
        ] {
            assert_eq!(error(&format!("4k4/9/9/9/9/9/9/9/4K4 {text}")), expected);
        }
        for (board, message) in [
            (
                "4k4/9/ppppppppp/9/9/9/9/9/4K4 b 10P 1",
                "SFEN: 19 pieces of kind P, a set has 18",
            ),
            (
                "3kk4/9/9/9/9/9/9/9/4K4 b - 1",
                "SFEN board: `k` on 6a is a second king of white",
            ),
            ("9/9/9/9/9/9/9/9/9 b - 1", "SFEN: no king on the board"),
            (
                "4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1",
                "SFEN board: `P` on 5d is a second pawn on its file (nifu)",
            ),
            (
                "4k4/9/9/9/9/9/9/9/p3K4 b - 1",
                "SFEN board, rank i: `p` on 9i could never move",
            ),
            (
                "4k4/9/9/9/4R4/9/9/9/3K5 b - 1",
                "SFEN board: white is in check (king on 5a) but it is the other side's turn",
            ),
        ] {
            assert_eq!(error(board).to_string(), message);
        }
        assert!(Position::from_sfen("4k4/N8/9/9/9/9/9/9/l3K4 b - 1").is_ok());
    }
}
