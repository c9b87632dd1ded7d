//! Entering king (入玉): winning by declaration.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks};
use crate::types::{Color, Move, PieceType, Square};
use std::fmt;
use std::str::FromStr;

/// Which declaration rule is in force; the names are those of the USI option `EnteringKingRule`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnteringKingRule {
    /// Nobody may declare.
    NoEnteringKing,
    /// 24 points: a side wins with 31.
    CSARule24,
    /// 24 points in handicap games: the pieces White gave count for White.
    CSARule24H,
    /// 27 points: Black wins with 28, White with 27.
    #[default]
    CSARule27,
    /// 27 points in handicap games: the pieces White gave count for White.
    CSARule27H,
    /// Reaching the square where the enemy king starts wins.
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

    /// The name of the rule as the option spells it.
    pub const fn name(self) -> &'static str {
        match self {
            NoEnteringKing => "NoEnteringKing",
            CSARule24 => "CSARule24",
            CSARule24H => "CSARule24H",
            CSARule27 => "CSARule27",
            CSARule27H => "CSARule27H",
            TryRule => "TryRule",
        }
    }
}

impl fmt::Display for EnteringKingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EnteringKingRule {
    type Err = ();
    fn from_str(text: &str) -> Result<EnteringKingRule, ()> {
        EnteringKingRule::ALL
            .into_iter()
            .find(|rule| rule.name().eq_ignore_ascii_case(text))
            .ok_or(())
    }
}

/// How the side to move wins by declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// It declares (`bestmove win`).
    Win,
    /// It plays this king move (try rule).
    Try(Move),
}

/// Own pieces in the enemy camp, the king aside, that a declaration needs.
const PIECES_IN_CAMP: u32 = 10;
/// All points on board and in hands of an even game.
const POINTS: u32 = 54;

impl Position {
    /// How the side to move may win by declaration now, if it may.
    #[inline]
    pub fn declaration_win(&self, rule: EnteringKingRule) -> Option<Declaration> {
        match rule {
            NoEnteringKing => None,
            TryRule => self.try_move().map(Declaration::Try),
            CSARule24 | CSARule24H | CSARule27 | CSARule27H => {
                let king = self.king(self.side)?;
                // Few kings ever get there: everything else is looked at only then.
                let entered = Bitboard::promotion_zone(self.side).contains(king);
                (entered && self.may_declare(rule)).then_some(Declaration::Win)
            }
        }
    }

    fn may_declare(&self, rule: EnteringKingRule) -> bool {
        let us = self.side;
        let camp = self.by_color(us) & Bitboard::promotion_zone(us);
        if self.in_check() || camp.len() - 1 < PIECES_IN_CAMP {
            return false;
        }
        let handicap = if us == Color::White && matches!(rule, CSARule24H | CSARule27H) {
            self.points_given()
        } else {
            0
        };
        let needed = match (rule, us) {
            (CSARule24 | CSARule24H, _) => 31,
            (_, Color::Black) => 28,
            (_, Color::White) => 27,
        };
        self.declaration_points(us) + handicap >= needed
    }

    /// Points of a side's pieces in the enemy camp and in hand: 5 for bishops and rooks, promoted
    /// or not, 1 for everything else, none for the king.
    fn declaration_points(&self, us: Color) -> u32 {
        let camp = self.by_color(us) & Bitboard::promotion_zone(us);
        let big = camp & (self.diagonal_sliders() | self.straight_sliders());
        let king = camp & self.by_kind(PieceType::King);
        let on_board = camp.len() - king.len() + 4 * big.len();
        let in_hand: u32 = PieceType::HAND
            .into_iter()
            .map(|kind| self.hand(us).count(kind) * points(kind))
            .sum();
        on_board + in_hand
    }

    /// Points of the pieces that are missing from a full set: in a handicap game, those White gave.
    fn points_given(&self) -> u32 {
        let on_board: u32 = self
            .occupied()
            .into_iter()
            .map(|sq| points(self.piece_on(sq).kind()))
            .sum();
        let in_hands: u32 = Color::ALL
            .into_iter()
            .flat_map(|color| {
                PieceType::HAND
                    .into_iter()
                    .map(move |kind| self.hand(color).count(kind) * points(kind))
            })
            .sum();
        POINTS.saturating_sub(on_board + in_hands)
    }

    /// The legal king move to the square where the enemy king starts.
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

/// Points of a piece.
fn points(kind: PieceType) -> u32 {
    match kind.demote() {
        PieceType::Bishop | PieceType::Rook => 5,
        PieceType::King => 0,
        _ => 1,
    }
}
