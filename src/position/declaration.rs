//! Entering king (入玉): winning by declaration (入玉宣言).
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks};
use crate::types::{Color, Move, PieceType, Square};
use std::fmt;
use std::str::FromStr;

/// The declaration rule in force. Names are the values of the USI option `EnteringKingRule`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnteringKingRule {
    /// No declaration.
    NoEnteringKing,
    /// 24-point rule (24点法): 31 points win.
    CSARule24,
    /// 24-point rule for handicap games: the pieces missing from the full set count for White.
    CSARule24H,
    /// 27-point rule (27点法): Black wins with 28 points, White with 27.
    #[default]
    CSARule27,
    /// 27-point rule for handicap games: the pieces missing from the full set count for White.
    CSARule27H,
    /// A king that reaches the enemy king's starting square wins (トライルール).
    TryRule,
}

use EnteringKingRule::*;

impl EnteringKingRule {
    /// Every rule, in the order of the option.
    pub const ALL: [EnteringKingRule; 6] = [
        NoEnteringKing,
        CSARule24,
        CSARule24H,
        CSARule27,
        CSARule27H,
        TryRule,
    ];
}

impl fmt::Display for EnteringKingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl FromStr for EnteringKingRule {
    type Err = ();
    fn from_str(text: &str) -> Result<EnteringKingRule, ()> {
        EnteringKingRule::ALL
            .into_iter()
            .find(|rule| rule.to_string().eq_ignore_ascii_case(text))
            .ok_or(())
    }
}

/// How the side to move wins by declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// It declares (`bestmove win`).
    Win,
    /// This king move wins (try rule).
    Try(Move),
}

/// Pieces in the enemy camp (敵陣), besides the king, that a declaration requires.
const MIN_PIECES_IN_CAMP: u32 = 10;
/// Points of a full set.
const TOTAL_POINTS: u32 = 54;

impl Position {
    /// How the side to move can win by declaration, if it can.
    #[inline]
    pub fn declaration_win(&self, rule: EnteringKingRule) -> Option<Declaration> {
        match rule {
            NoEnteringKing => None,
            TryRule => self.try_move().map(Declaration::Try),
            CSARule24 | CSARule24H | CSARule27 | CSARule27H => {
                let king = self.king(self.side)?;
                // Cheap test first: few kings ever enter.
                let entered = Bitboard::promotion_zone(self.side).contains(king);
                (entered && self.may_declare(rule)).then_some(Declaration::Win)
            }
        }
    }

    fn may_declare(&self, rule: EnteringKingRule) -> bool {
        let us = self.side;
        let camp = self.by_color(us) & Bitboard::promotion_zone(us);
        if self.in_check() || camp.len() - 1 < MIN_PIECES_IN_CAMP {
            return false;
        }
        let mut points = self.board_points(camp) + self.hand_points(us);
        if us == Color::White && matches!(rule, CSARule24H | CSARule27H) {
            let hands = self.hand_points(Color::Black) + self.hand_points(Color::White);
            points += TOTAL_POINTS - self.board_points(self.occupied()) - hands;
        }
        let needed = match (rule, us) {
            (CSARule24 | CSARule24H, _) => 31,
            (_, Color::Black) => 28,
            (_, Color::White) => 27,
        };
        points >= needed
    }

    fn board_points(&self, pieces: Bitboard) -> u32 {
        let kinds = pieces.into_iter().map(|sq| self.piece_on(sq).kind());
        kinds.map(points).sum()
    }

    fn hand_points(&self, color: Color) -> u32 {
        let hand = self.hand(color);
        PieceType::HAND
            .map(|kind| hand.count(kind) * points(kind))
            .iter()
            .sum()
    }

    /// The king move to the enemy king's starting square, if it is legal.
    fn try_move(&self) -> Option<Move> {
        let us = self.side;
        let king = self.king(us)?;
        let goal = Square::new(4, 0).relative(us);
        if !attacks::king(king).contains(goal) {
            return None;
        }
        let mv = Move::board(king, goal);
        self.is_legal(mv).then_some(mv)
    }
}

/// Points of a piece: 5 for bishops and rooks, promoted or not, none for the king, 1 for others.
fn points(kind: PieceType) -> u32 {
    match kind.demote() {
        PieceType::Bishop | PieceType::Rook => 5,
        PieceType::King => 0,
        _ => 1,
    }
}
