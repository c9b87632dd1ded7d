//! One game: where it began, every move with the score its search gave, and how it ended.
//!
//! As bytes, all numbers little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | u32 | number of the game in its run, from 0 |
//! | 4 | u8 | result: 0 drawn, 1 Black won, 2 White won |
//! | 5 | u8 | what ended it, see [`End`] |
//! | 6 | u8 | random plies at the start |
//! | 7 | u8 | length *n* of the start position's SFEN; 0 for the even start position |
//! | 8 | *n* bytes | SFEN |
//! | 8 + *n* | 4 bytes a ply | u16 move ([`Move::raw`]), i16 score ([`NO_SCORE`] for none) |
#![forbid(unsafe_code)]

use super::error::GameError;
use crate::position::Position;
use crate::types::{Color, Move};

/// Stored in place of a score for moves that were not searched.
const NO_SCORE: i16 = i16::MIN;
/// Bytes before the SFEN.
const FIXED: usize = 8;
/// Bytes of a ply.
const PER_PLY: usize = 4;

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// Nobody.
    Draw,
    /// This side.
    Win(Color),
}

impl GameResult {
    /// The result as a side sees it: 1 won, 0 drawn, -1 lost.
    pub fn for_side(self, side: Color) -> i8 {
        match self {
            GameResult::Draw => 0,
            GameResult::Win(winner) if winner == side => 1,
            GameResult::Win(_) => -1,
        }
    }

    /// The points that a side made of it, from 0 to 1.
    pub fn points_for(self, side: Color) -> f64 {
        f64::from(1 + self.for_side(side)) / 2.0
    }

    /// The result as a number: 0 drawn, 1 Black won, 2 White won.
    pub(super) fn code(self) -> u8 {
        match self {
            GameResult::Draw => 0,
            GameResult::Win(winner) => 1 + winner as u8,
        }
    }

    /// Reads back [`GameResult::code`].
    pub(super) fn from_code(code: u8) -> Option<GameResult> {
        Some(match code {
            0 => GameResult::Draw,
            1 => GameResult::Win(Color::Black),
            2 => GameResult::Win(Color::White),
            _ => return None,
        })
    }
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum End {
    /// Not known: the game comes from a format that does not say.
    Unknown = 0,
    /// The side to move has no legal move.
    Mate = 1,
    /// Fourth occurrence of a position (千日手).
    Repetition = 2,
    /// Fourth occurrence with perpetual check (連続王手の千日手): the checking side lost.
    PerpetualCheck = 3,
    /// The side to move declared a win (入玉宣言).
    Declaration = 4,
    /// The limit of moves was reached.
    MaxMoves = 5,
    /// Both sides' searches agreed on the winner for several moves.
    Adjudication = 6,
}

impl End {
    /// Every end, by code.
    pub const ALL: [End; 7] = [
        End::Unknown,
        End::Mate,
        End::Repetition,
        End::PerpetualCheck,
        End::Declaration,
        End::MaxMoves,
        End::Adjudication,
    ];

    /// A word or two for reports.
    pub const fn name(self) -> &'static str {
        match self {
            End::Unknown => "unknown",
            End::Mate => "mate",
            End::Repetition => "repetition",
            End::PerpetualCheck => "perpetual check",
            End::Declaration => "declaration",
            End::MaxMoves => "move limit",
            End::Adjudication => "adjudication",
        }
    }
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// Score of the search that chose it, from the view of the side to move, in the unit that the
    /// file's header names; mates as in [`crate::types::value`]. `None` for a move that no search
    /// chose.
    pub score: Option<i16>,
}

/// A move with what its game says about the position it was played in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The move.
    pub played: Played,
    /// The result of the game. `None` before a random move: what was known of a position says
    /// nothing of what such a move makes of it.
    pub result: Option<GameResult>,
}

/// A game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// Its number in the run that generated it, from 0.
    pub number: u32,
    /// SFEN of the start position; `None` for the even start position.
    pub start: Option<String>,
    /// Random plies at the start, which no search chose.
    pub opening: u8,
    /// The moves, from the start position on.
    pub moves: Vec<Played>,
    /// Who won.
    pub result: GameResult,
    /// What ended it.
    pub end: End,
}

impl Game {
    /// The position the game starts from.
    ///
    /// # Errors
    /// When its SFEN cannot be read.
    pub fn start_position(&self) -> Result<Position, GameError> {
        let Some(sfen) = &self.start else {
            return Ok(Position::startpos());
        };
        Position::from_sfen(sfen).map_err(|error| GameError::Start {
            sfen: sfen.clone(),
            reason: error.to_string(),
        })
    }

    /// The moves with what the game says about their positions, random opening included
    /// ([`Played::score`] tells what was searched).
    pub fn turns(&self) -> impl Iterator<Item = Turn> {
        let random = self.moves.iter().rposition(|it| it.score.is_none());
        self.moves.iter().enumerate().map(move |(index, &played)| {
            let is_decided = random.is_none_or(|random| index > random);
            let result = is_decided.then_some(self.result);
            Turn { played, result }
        })
    }

    /// Plays the game through: `visit` sees every position with its turn. Returns the last position.
    ///
    /// # Errors
    /// When the start position cannot be read or a move is not legal; what came before was visited.
    pub fn replay(&self, mut visit: impl FnMut(&Position, Turn)) -> Result<Position, GameError> {
        let mut position = self.start_position()?;
        for (index, turn) in self.turns().enumerate() {
            let mv = turn.played.mv;
            if !position.is_legal(mv) {
                return Err(GameError::Illegal { ply: index + 1, mv });
            }
            visit(&position, turn);
            position.do_move(mv);
        }
        Ok(position)
    }

    /// Positions with a score.
    pub fn searched(&self) -> usize {
        self.moves
            .iter()
            .filter(|played| played.score.is_some())
            .count()
    }

    /// Appends the bytes of the game.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        let start = self.start.as_deref().unwrap_or("").as_bytes();
        debug_assert!(start.len() <= usize::from(u8::MAX));
        bytes.extend(self.number.to_le_bytes());
        bytes.extend([
            self.result.code(),
            self.end as u8,
            self.opening,
            start.len() as u8,
        ]);
        bytes.extend(start);
        for played in &self.moves {
            bytes.extend(played.mv.raw().to_le_bytes());
            bytes.extend(played.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
    }

    /// Reads back [`Game::encode`]. Does not look at the rules.
    ///
    /// # Errors
    /// What is not as it should be.
    pub(super) fn decode(bytes: &[u8]) -> Result<Game, &'static str> {
        let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED>() else {
            return Err("it is too short");
        };
        let [n0, n1, n2, n3, result, end, opening, sfen] = *fixed;
        let (sfen, plies) = rest
            .split_at_checked(usize::from(sfen))
            .ok_or("it is too short for its start position")?;
        let start = match sfen {
            [] => None,
            text => Some(
                String::from_utf8(text.to_vec()).map_err(|_| "its start position is no text")?,
            ),
        };
        let (plies, []) = plies.as_chunks::<PER_PLY>() else {
            return Err("its length is not that of whole moves");
        };
        let moves = plies.iter().map(|&[m0, m1, s0, s1]| {
            let score = i16::from_le_bytes([s0, s1]);
            Move::from_raw(u16::from_le_bytes([m0, m1]))
                .map(|mv| Played {
                    mv,
                    score: (score != NO_SCORE).then_some(score),
                })
                .ok_or("it holds a move that is none")
        });
        Ok(Game {
            number: u32::from_le_bytes([n0, n1, n2, n3]),
            start,
            opening,
            moves: moves.collect::<Result<_, _>>()?,
            result: GameResult::from_code(result).ok_or("its result is none")?,
            end: *End::ALL
                .get(usize::from(end))
                .ok_or("what ended it is not known")?,
        })
    }
}
