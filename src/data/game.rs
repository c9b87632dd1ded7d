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
//!
//! With the highest bit of byte 5 set, a u16 with the number of plies stands before them, and behind
//! them follows what searches found out about other positions: for each search u16 index of its ply
//! from 0, u16 number of branches, and 5 bytes a branch: u8 level from 1 ([`Branch::level`]), in its
//! two highest bits the bound (0 exact, 1 at least, 2 at most), u16 move, i16 score.
#![forbid(unsafe_code)]

use super::error::GameError;
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::{Color, Move};

/// Stored in place of a score for moves that were not searched.
const NO_SCORE: i16 = i16::MIN;
/// Bytes before the SFEN.
const FIXED: usize = 8;
/// Bytes of a ply.
const PER_PLY: usize = 4;
/// Bytes of a branch.
const PER_BRANCH: usize = 5;
/// Set in the byte that tells the end of a game with branches.
const HAS_BRANCHES: u8 = 1 << 7;
/// The most bytes of a game that a record has room for.
const MAX_BYTES: usize = u16::MAX as usize;

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
    /// Nothing: a side line, which leaves a game with a random move and breaks off after a while. It
    /// has the number of its game and no result.
    SideLine = 7,
}

impl End {
    /// Every end, by code.
    pub const ALL: [End; 8] = [
        End::Unknown,
        End::Mate,
        End::Repetition,
        End::PerpetualCheck,
        End::Declaration,
        End::MaxMoves,
        End::Adjudication,
        End::SideLine,
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
            End::SideLine => "side line",
        }
    }
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// Score of the search that chose it, from the view of the side to move, in centipawns; mates as
    /// in [`crate::types::value`]. `None` for a move that no search chose.
    pub score: Option<i16>,
}

/// A move with what its game says about the position it was played in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The move.
    pub played: Played,
    /// The result of the game. `None` in side lines and before a random move: what was known of a
    /// position says nothing of what such a move makes of it.
    pub result: Option<GameResult>,
}

/// A position of a game, or one that a search in it came by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Of the game itself.
    Turn(Turn),
    /// One that a search came by.
    Branch {
        /// See [`Branch::found`].
        score: i16,
        /// Whether the score is no more than a bound.
        bound: ScoreBound,
    },
}

/// A move of a tree: what a search made in a position of the game found out about others. Branches
/// stand in the order of a walk through the tree, each before those that grow from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The move of the game that the search chose, counted from 0.
    pub index: u16,
    /// How many moves lead from the position of the game to the one after this move, from 1 to
    /// [`Branch::MAX_LEVEL`].
    pub level: u8,
    /// The move.
    pub mv: Move,
    /// What the search said about the position after it, as in [`Played::score`], for the side to
    /// move there. `None` for a move that only leads to others.
    pub found: Option<(i16, ScoreBound)>,
}

impl Branch {
    /// The longest way.
    pub const MAX_LEVEL: usize = 63;

    /// The branches of a tree, from the ways through it, each with what was found at its end. Ways
    /// that are too long are left out.
    pub fn tree<'a>(
        index: u16,
        ways: impl Iterator<Item = (&'a [Move], i16, ScoreBound)>,
    ) -> Vec<Branch> {
        let mut ways: Vec<_> = ways
            .filter(|(way, ..)| (1..=Branch::MAX_LEVEL).contains(&way.len()))
            .collect();
        // A way comes before those that go on from its end.
        ways.sort_by_cached_key(|(way, ..)| way.iter().map(|mv| mv.raw()).collect::<Vec<_>>());
        let mut branches = Vec::new();
        let mut before: &[Move] = &[];
        for (way, score, bound) in ways {
            let pairs = way.iter().zip(before);
            let common = pairs.take_while(|(a, b)| a == b).count();
            for (level, &mv) in way.iter().enumerate().skip(common) {
                branches.push(Branch {
                    index,
                    level: level as u8 + 1,
                    mv,
                    found: (level + 1 == way.len()).then_some((score, bound)),
                });
            }
            before = way;
        }
        branches
    }
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
    /// What searches found out about other positions, in the order of the moves they chose.
    pub branches: Vec<Branch>,
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
            let is_decided = !self.is_side_line() && random.is_none_or(|random| index > random);
            let result = is_decided.then_some(self.result);
            Turn { played, result }
        })
    }

    /// Plays the game through: `visit` sees every position with its turn. Returns the last position.
    ///
    /// # Errors
    /// When the start position cannot be read or a move is not legal; what came before was visited.
    pub fn replay(&self, mut visit: impl FnMut(&Position, Turn)) -> Result<Position, GameError> {
        self.replay_with(|position, seen| {
            if let Seen::Turn(turn) = seen {
                visit(position, turn);
            }
        })
    }

    /// The same, where `visit` sees the positions of [`Game::branches`] as well, those of a search
    /// after the position it was made in.
    ///
    /// # Errors
    /// As above, and when a branch is not legal.
    pub fn replay_with(
        &self,
        mut visit: impl FnMut(&Position, Seen),
    ) -> Result<Position, GameError> {
        let mut position = self.start_position()?;
        let mut branches = self.branches.iter().peekable();
        for (index, turn) in self.turns().enumerate() {
            let ply = index + 1;
            let mv = turn.played.mv;
            if !position.is_legal(mv) {
                return Err(GameError::Illegal { ply, mv });
            }
            visit(&position, Seen::Turn(turn));
            let mut way: Vec<Move> = Vec::new();
            while let Some(branch) = branches.next_if(|it| usize::from(it.index) == index) {
                while way.len() >= usize::from(branch.level) {
                    way.pop().into_iter().for_each(|mv| position.undo_move(mv));
                }
                let mv = branch.mv;
                if !position.is_legal(mv) {
                    return Err(GameError::IllegalBranch { ply, mv });
                }
                position.do_move(mv);
                way.push(mv);
                if let Some((score, bound)) = branch.found {
                    visit(&position, Seen::Branch { score, bound });
                }
            }
            way.into_iter().rev().for_each(|mv| position.undo_move(mv));
            position.do_move(mv);
        }
        Ok(position)
    }

    /// Whether it is no game of its own, see [`End::SideLine`].
    pub fn is_side_line(&self) -> bool {
        self.end == End::SideLine
    }

    /// Converts the scores of a game in a file with another unit to centipawns.
    pub(super) fn convert_scores(&mut self, unit: ScoreUnit) {
        let of_moves = self.moves.iter_mut().filter_map(|it| it.score.as_mut());
        let of_branches = self.branches.iter_mut().filter_map(|it| it.found.as_mut());
        for score in of_moves.chain(of_branches.map(|(score, _)| score)) {
            *score = unit.to_centipawns((*score).into()) as i16;
        }
    }

    /// Positions with a score.
    pub fn searched(&self) -> usize {
        self.moves
            .iter()
            .filter(|played| played.score.is_some())
            .count()
    }

    /// Appends the bytes of the game. When there is no room in [`MAX_BYTES`] for all branches, those
    /// of every second search are, or every third, and so on: all parts of a game are worth the same.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        let first = bytes.len();
        let start = self.start.as_deref().unwrap_or("").as_bytes();
        debug_assert!(start.len() <= usize::from(u8::MAX));
        let has_branches = !self.branches.is_empty();
        bytes.extend(self.number.to_le_bytes());
        bytes.extend([
            self.result.code(),
            self.end as u8 | if has_branches { HAS_BRANCHES } else { 0 },
            self.opening,
            start.len() as u8,
        ]);
        bytes.extend(start);
        if has_branches {
            bytes.extend((self.moves.len() as u16).to_le_bytes());
        }
        for played in &self.moves {
            bytes.extend(played.mv.raw().to_le_bytes());
            bytes.extend(played.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
        let room = MAX_BYTES.saturating_sub(bytes.len() - first);
        let trees = || self.branches.chunk_by(|a, b| a.index == b.index);
        let fits = |every: usize| {
            let taken = trees().skip(every - 1).step_by(every);
            let lengths = taken.map(|tree| 4 + tree.len() * PER_BRANCH);
            lengths.sum::<usize>() <= room
        };
        let count = trees().count();
        let every = (1..=count).find(|&every| fits(every)).unwrap_or(count + 1);
        // The first is not among those of every second, so that one too large spoils nothing.
        for tree in trees().skip(every - 1).step_by(every) {
            bytes.extend(tree[0].index.to_le_bytes());
            bytes.extend((tree.len() as u16).to_le_bytes());
            for branch in tree {
                let (score, bound) = branch.found.unwrap_or((NO_SCORE, ScoreBound::Exact));
                bytes.push(branch.level | (bound as u8) << 6);
                bytes.extend(branch.mv.raw().to_le_bytes());
                bytes.extend(score.to_le_bytes());
            }
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
        let (plies, rest) = match plies.split_first_chunk() {
            Some((&count, rest)) if end & HAS_BRANCHES != 0 => rest
                .split_at_checked(usize::from(u16::from_le_bytes(count)) * PER_PLY)
                .ok_or("it is too short for its moves")?,
            _ => (plies, [].as_slice()),
        };
        let (plies, []) = plies.as_chunks::<PER_PLY>() else {
            return Err("its length is not that of whole moves");
        };
        let branches = branches(rest, plies.len())?;
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
            branches,
            result: GameResult::from_code(result).ok_or("its result is none")?,
            end: *End::ALL
                .get(usize::from(end & !HAS_BRANCHES))
                .ok_or("what ended it is not known")?,
        })
    }
}

/// Reads the branches of a game of so many plies.
fn branches(mut bytes: &[u8], plies: usize) -> Result<Vec<Branch>, &'static str> {
    const CUT: &str = "it is too short for its branches";
    let mut branches: Vec<Branch> = Vec::new();
    let mut next = 0;
    while let Some((&[i0, i1, c0, c1], rest)) = bytes.split_first_chunk() {
        let index = u16::from_le_bytes([i0, i1]);
        if usize::from(index) < next || usize::from(index) >= plies {
            return Err("its branches are out of order");
        }
        next = usize::from(index) + 1;
        let length = usize::from(u16::from_le_bytes([c0, c1])) * PER_BRANCH;
        let (tree, rest) = rest.split_at_checked(length).ok_or(CUT)?;
        bytes = rest;
        let mut above = 0;
        for &[level, m0, m1, s0, s1] in tree.as_chunks::<PER_BRANCH>().0 {
            let score = i16::from_le_bytes([s0, s1]);
            let bound = match level >> 6 {
                0 => ScoreBound::Exact,
                1 => ScoreBound::Lower,
                2 => ScoreBound::Upper,
                _ => return Err("a bound of a branch is none"),
            };
            let level = level & Branch::MAX_LEVEL as u8;
            if level == 0 || level > above + 1 {
                return Err("a branch grows from nowhere");
            }
            above = level;
            branches.push(Branch {
                index,
                level,
                mv: Move::from_raw(u16::from_le_bytes([m0, m1]))
                    .ok_or("it holds a move that is none")?,
                found: (score != NO_SCORE).then_some((score, bound)),
            });
        }
    }
    if bytes.is_empty() {
        Ok(branches)
    } else {
        Err(CUT)
    }
}

#[cfg(test)]
mod tests;
