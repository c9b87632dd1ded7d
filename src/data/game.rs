//! A game: its start position, every move with the score of the search that chose it, and its end.
//!
//! As bytes, all numbers little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | u32 | number of the game in its run, from 0 |
//! | 4 | u8 | result: 0 drawn, 1 Black won, 2 White won |
//! | 5 | u8 | what ended it, see [`GameEnd`]; the highest bit is set if there are branches |
//! | 6 | u8 | random plies at the start |
//! | 7 | u8 | length *n* of the SFEN of the start position; 0 for the even start position |
//! | 8 | *n* bytes | SFEN |
//! | 8 + *n* | u16 | with branches only: number of plies |
//! | | 4 bytes a ply | u16 move ([`Move::raw`]), i16 score ([`NO_SCORE`] for none) |
//! | | | branches |
//!
//! Branches lead to TreeStrap positions: positions in the tree of a search, with their scores. Each search
//! with branches has the u16 index of its ply from 0, the u16 number of branches, and 5 bytes a branch:
//! u8 level from 1 ([`Branch::level`]) with the bound in its two highest bits (0 exact, 1 lower,
//! 2 upper), u16 move, i16 score.
#![forbid(unsafe_code)]

use super::bytes::ByteReader;
use super::error::DataProblem;
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::{Color, Move};

/// Stored in place of a score for moves that were not searched.
const NO_SCORE: i16 = i16::MIN;
/// Bytes of a ply.
const PLY_BYTES: usize = 4;
/// Bytes of a branch.
pub(super) const BRANCH_BYTES: usize = 5;
/// Set in the byte with the [`GameEnd`] of a game that has branches.
const HAS_BRANCHES: u8 = 1 << 7;
/// The most bytes of a game that a record has room for.
pub(super) const MAX_BYTES: usize = u16::MAX as usize;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// Nobody won.
    Draw,
    /// This side won.
    Win(Color),
}

impl GameResult {
    /// The result for a side: 1 won, 0 drawn, -1 lost.
    pub fn for_side(self, side: Color) -> i8 {
        match self {
            GameResult::Draw => 0,
            GameResult::Win(winner) if winner == side => 1,
            GameResult::Win(_) => -1,
        }
    }

    /// The points of a side: 1, 0.5 or 0.
    pub fn points_for(self, side: Color) -> f64 {
        f64::from(1 + self.for_side(side)) / 2.0
    }

    /// The result as a number: 0 drawn, 1 Black won, 2 White won.
    pub fn code(self) -> u8 {
        match self {
            GameResult::Draw => 0,
            GameResult::Win(winner) => 1 + winner as u8,
        }
    }

    /// Reads back [`GameResult::code`].
    pub(super) fn from_code(code: u8) -> Result<GameResult, &'static str> {
        Ok(match code {
            0 => GameResult::Draw,
            1 => GameResult::Win(Color::Black),
            2 => GameResult::Win(Color::White),
            _ => return Err("invalid result"),
        })
    }
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GameEnd {
    /// Unknown: the game comes from a format that does not say.
    Unknown = 0,
    /// The side to move has no legal move.
    Mate = 1,
    /// Fourth occurrence of a position (千日手).
    Repetition = 2,
    /// Fourth occurrence with perpetual check (連続王手の千日手): the checking side lost.
    PerpetualCheck = 3,
    /// The side to move declared a win (入玉宣言).
    Declaration = 4,
    /// The move limit was reached.
    MaxMoves = 5,
    /// The searches of both sides agreed on the winner for several moves.
    Adjudication = 6,
    /// Nothing: a side line, which leaves a game with a random move and breaks off after a while. It
    /// has the number of its game and no result.
    SideLine = 7,
}

impl GameEnd {
    /// Every end, by code, with its name in reports.
    pub const ALL: [(GameEnd, &str); 8] = [
        (GameEnd::Unknown, "unknown"),
        (GameEnd::Mate, "mate"),
        (GameEnd::Repetition, "repetition"),
        (GameEnd::PerpetualCheck, "perpetual check"),
        (GameEnd::Declaration, "declaration"),
        (GameEnd::MaxMoves, "move limit"),
        (GameEnd::Adjudication, "adjudication"),
        (GameEnd::SideLine, "side line"),
    ];
}

/// A move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Score of the search that chose it, for the side to move, in centipawns; mates as in
    /// [`crate::types::value`]. `None` for a random move.
    pub score: Option<i16>,
}

impl ScoredMove {
    fn encode(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.mv.raw().to_le_bytes());
        bytes.extend(self.score.unwrap_or(NO_SCORE).to_le_bytes());
    }

    fn decode(bytes: &mut ByteReader) -> Result<ScoredMove, &'static str> {
        let mv = Move::from_raw(bytes.u16()?).ok_or("invalid move")?;
        let score = Some(bytes.i16()?).filter(|&score| score != NO_SCORE);
        Ok(ScoredMove { mv, score })
    }
}

/// A position of a game: the move played there, and the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamePosition {
    /// The move played.
    pub played: ScoredMove,
    /// The result of the game. `None` in side lines and before a random move, which says nothing about
    /// the position.
    pub result: Option<GameResult>,
}

/// A position visited while a game is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visited {
    /// One of the game itself.
    Game(GamePosition),
    /// A TreeStrap position.
    TreeStrap {
        /// What the search says about it, as in [`ScoredMove::score`].
        score: i16,
        /// Whether the score is only a bound.
        bound: ScoreBound,
    },
}

/// A move of the tree of TreeStrap positions of a search. Branches stand in the order of a walk through
/// the tree, parents first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Index of the move of the game that the search chose, from 0.
    pub index: u16,
    /// Depth in the tree: moves from the position of the search to the one after this move, from 1 to
    /// [`Branch::MAX_LEVEL`].
    pub level: u8,
    /// The move.
    pub mv: Move,
    /// What the search says about the position after the move, for the side to move there. `None` for a
    /// move that only leads to others.
    pub score: Option<(i16, ScoreBound)>,
}

impl Branch {
    /// The greatest depth.
    pub const MAX_LEVEL: usize = 63;

    /// The branches of a tree, from its lines, each with the score at its end. Lines that are too long
    /// are left out.
    pub fn tree<'a>(
        index: u16,
        lines: impl Iterator<Item = (&'a [Move], i16, ScoreBound)>,
    ) -> Vec<Branch> {
        let mut lines: Vec<_> = lines
            .filter(|(line, ..)| (1..=Branch::MAX_LEVEL).contains(&line.len()))
            .collect();
        // A line comes before those that continue it.
        lines.sort_by_cached_key(|(line, ..)| line.iter().map(|mv| mv.raw()).collect::<Vec<_>>());
        let mut branches = Vec::new();
        let mut before: &[Move] = &[];
        for (line, score, bound) in lines {
            let pairs = line.iter().zip(before);
            let common = pairs.take_while(|(a, b)| a == b).count();
            for (level, &mv) in line.iter().enumerate().skip(common) {
                branches.push(Branch {
                    index,
                    level: level as u8 + 1,
                    mv,
                    score: (level + 1 == line.len()).then_some((score, bound)),
                });
            }
            before = line;
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
    /// Random plies at the start.
    pub opening: u8,
    /// The moves, from the start position on.
    pub moves: Vec<ScoredMove>,
    /// TreeStrap positions of the searches, in the order of the moves they chose.
    pub branches: Vec<Branch>,
    /// Who won.
    pub result: GameResult,
    /// What ended it.
    pub end: GameEnd,
}

impl Game {
    /// The position the game starts from.
    ///
    /// # Errors
    /// When its SFEN is invalid.
    pub fn start_position(&self) -> Result<Position, DataProblem> {
        let Some(sfen) = &self.start else {
            return Ok(Position::startpos());
        };
        Position::from_sfen(sfen)
            .map_err(|error| self.problem(format!("invalid start position `{sfen}`: {error}")))
    }

    /// What the game says about its positions, random plies included.
    pub fn positions(&self) -> impl Iterator<Item = GamePosition> {
        let random = self.moves.iter().rposition(|it| it.score.is_none());
        self.moves.iter().enumerate().map(move |(index, &played)| {
            let is_decided = !self.is_side_line() && random.is_none_or(|random| index > random);
            let result = is_decided.then_some(self.result);
            GamePosition { played, result }
        })
    }

    /// Replays the game: `visit` sees each position of the game, followed by the TreeStrap positions of
    /// its search. Returns the last position.
    ///
    /// # Errors
    /// When the start position or a move is not legal; what comes before it was visited.
    pub fn replay(
        &self,
        mut visit: impl FnMut(&Position, Visited),
    ) -> Result<Position, DataProblem> {
        let mut position = self.start_position()?;
        let mut branches = self.branches.iter().peekable();
        for (index, it) in self.positions().enumerate() {
            let ply = index + 1;
            let mv = it.played.mv;
            if !position.is_legal(mv) {
                return Err(self.problem(format!("illegal move {ply}, {mv}")));
            }
            visit(&position, Visited::Game(it));
            let mut line: Vec<Move> = Vec::new();
            while let Some(branch) = branches.next_if(|it| usize::from(it.index) == index) {
                while line.len() >= usize::from(branch.level) {
                    line.pop().into_iter().for_each(|mv| position.undo_move(mv));
                }
                let mv = branch.mv;
                if !position.is_legal(mv) {
                    let problem =
                        format!("illegal move {mv} in the TreeStrap positions of move {ply}");
                    return Err(self.problem(problem));
                }
                position.do_move(mv);
                line.push(mv);
                if let Some((score, bound)) = branch.score {
                    visit(&position, Visited::TreeStrap { score, bound });
                }
            }
            line.into_iter().rev().for_each(|mv| position.undo_move(mv));
            position.do_move(mv);
        }
        Ok(position)
    }

    /// A problem with this game.
    pub(super) fn problem(&self, problem: String) -> DataProblem {
        DataProblem::Game {
            game: self.number,
            problem,
        }
    }

    /// Whether it is only a side line of a game, see [`GameEnd::SideLine`].
    pub fn is_side_line(&self) -> bool {
        self.end == GameEnd::SideLine
    }

    /// Positions with a score.
    pub fn searched(&self) -> usize {
        self.moves.iter().filter(|it| it.score.is_some()).count()
    }

    /// TreeStrap positions.
    pub fn treestrap(&self) -> usize {
        self.branches.iter().filter(|it| it.score.is_some()).count()
    }

    /// Converts the scores of a game in a file with another unit to centipawns.
    pub(super) fn convert_scores(&mut self, unit: ScoreUnit) {
        let of_moves = self.moves.iter_mut().filter_map(|it| it.score.as_mut());
        let of_branches = self.branches.iter_mut().filter_map(|it| it.score.as_mut());
        for score in of_moves.chain(of_branches.map(|(score, _)| score)) {
            *score = unit.to_centipawns((*score).into()) as i16;
        }
    }

    /// Appends the bytes of the game. When there is no room in [`MAX_BYTES`] for all branches, those of
    /// every second search are kept, or every third, and so on: no part of a game is preferred.
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
        self.moves.iter().for_each(|it| it.encode(bytes));
        let room = MAX_BYTES.saturating_sub(bytes.len() - first);
        let trees = || self.branches.chunk_by(|a, b| a.index == b.index);
        let fits = |every: usize| {
            let taken = trees().skip(every - 1).step_by(every);
            let lengths = taken.map(|tree| 4 + tree.len() * BRANCH_BYTES);
            lengths.sum::<usize>() <= room
        };
        let count = trees().count();
        let every = (1..=count).find(|&every| fits(every)).unwrap_or(count + 1);
        // Beginning with number `every - 1`, a first search that is too large leaves room for the others.
        for tree in trees().skip(every - 1).step_by(every) {
            bytes.extend(tree[0].index.to_le_bytes());
            bytes.extend((tree.len() as u16).to_le_bytes());
            for branch in tree {
                let bound = branch.score.map_or(0, |(_, bound)| bound as u8);
                bytes.push(branch.level | bound << 6);
                ScoredMove {
                    mv: branch.mv,
                    score: branch.score.map(|(score, _)| score),
                }
                .encode(bytes);
            }
        }
    }

    /// Reads back [`Game::encode`]. Whether moves are legal is not checked.
    ///
    /// # Errors
    /// What is invalid.
    pub(super) fn decode(bytes: &[u8]) -> Result<Game, &'static str> {
        let mut bytes = ByteReader {
            rest: bytes,
            truncated: "truncated game",
        };
        let number = bytes.u32()?;
        let [result, end, opening, sfen] = [bytes.u8()?, bytes.u8()?, bytes.u8()?, bytes.u8()?];
        let sfen = std::str::from_utf8(bytes.take(sfen.into())?);
        let sfen = sfen.map_err(|_| "invalid UTF-8 in the start position")?;
        let plies = match end & HAS_BRANCHES {
            0 if !bytes.rest.len().is_multiple_of(PLY_BYTES) => return Err("truncated move"),
            0 => bytes.rest.len() / PLY_BYTES,
            _ => bytes.u16()?.into(),
        };
        let moves = (0..plies).map(|_| ScoredMove::decode(&mut bytes));
        Ok(Game {
            number,
            start: (!sfen.is_empty()).then(|| sfen.into()),
            opening,
            moves: moves.collect::<Result<_, _>>()?,
            branches: decode_branches(&mut bytes, plies)?,
            result: GameResult::from_code(result)?,
            end: GameEnd::ALL
                .get(usize::from(end & !HAS_BRANCHES))
                .ok_or("unknown end of the game")?
                .0,
        })
    }
}

/// Reads the branches of a game of `plies` plies.
fn decode_branches(bytes: &mut ByteReader, plies: usize) -> Result<Vec<Branch>, &'static str> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut next = 0;
    while !bytes.rest.is_empty() {
        let index = bytes.u16()?;
        if !(next..plies).contains(&index.into()) {
            return Err("branches out of order");
        }
        next = usize::from(index) + 1;
        let mut above = 0;
        for _ in 0..bytes.u16()? {
            let byte = bytes.u8()?;
            let bound = ScoreBound::ALL.get(usize::from(byte >> 6));
            let bound = *bound.ok_or("invalid bound of a branch")?;
            let level = byte & Branch::MAX_LEVEL as u8;
            if level == 0 || level > above + 1 {
                return Err("branch without parent");
            }
            above = level;
            let ScoredMove { mv, score } = ScoredMove::decode(bytes)?;
            branches.push(Branch {
                index,
                level,
                mv,
                score: score.map(|score| (score, bound)),
            });
        }
    }
    Ok(branches)
}
