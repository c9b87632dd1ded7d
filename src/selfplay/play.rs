//! One game of the engine against itself.
#![forbid(unsafe_code)]

use crate::cli::{StableRng, stable_rng};
use crate::data::{Branch, End, Game, GameResult, ScoredMove};
use crate::eval::nnue::Network;
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::search::{MemoryError, SearchOptions, SingleSearcher};
use crate::selfplay::referee::{DECLARATION, Referee};
use crate::types::{Depth, Value};
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// What decides a game, besides its number.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Decides the openings, together with the number of the game.
    pub seed: u64,
    /// Nodes of a search, in the mean: the iteration that is begun last is finished.
    pub nodes: u64,
    /// The game is drawn when this many plies were played, the opening included.
    pub max_moves: u32,
    /// Random plies at the start.
    pub opening: RangeInclusive<u8>,
    /// Positions that every other game starts from, with [`BOOK_PLIES`] random plies after them;
    /// none: all games start from the even start position.
    pub book: Arc<[Position]>,
    /// After the opening one move in so many is the start of a side line, in the mean; 0: none. A
    /// side line begins with a random move and is left after as many moves, in the mean; the game
    /// goes on as if nothing had been. Searches look at what becomes of bad moves too, and a network
    /// learns to judge that from no other positions.
    pub side_lines: u32,
    /// Of each search, what it found out about so many other positions is kept, at most.
    pub visits: u32,
    /// Openings whose first search gives a score beyond this are given up, in centipawns.
    pub balance: Value,
    /// A game is given to the side that every search of [`Rules::agreement`] plies in a row gives
    /// at least this score, in centipawns.
    pub adjudication: Value,
    /// See [`Rules::adjudication`].
    pub agreement: u32,
}

/// Random plies after a position of the book.
const BOOK_PLIES: RangeInclusive<u8> = 0..=6;
/// How much of the nodes of a search may be spent before its last iteration, in percent.
const SOFT_SHARE: u64 = 54;

/// Nodes of a search that were searched less deep, in plies, are not kept.
const LEAST_DEPTH: Depth = 3;

/// Openings that are tried for a game.
const MAX_OPENINGS: usize = 1000;

/// No opening was fit for a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "game {number}: {MAX_OPENINGS} openings were tried, and the first search found all of them more \
     than {balance} centipawns out of balance, or the game over: see --openings and --max-moves"
)]
pub struct PlayError {
    /// Number of the game.
    pub number: u32,
    /// See [`Rules::balance`].
    pub balance: Value,
}

/// Plays games, one after the other. A game is a pure function of the rules, its number and the
/// evaluation, whoever plays it and whatever was played before.
pub struct Player {
    rules: Rules,
    /// The unit of the search.
    unit: ScoreUnit,
    searcher: SingleSearcher,
    referee: Referee,
    effort: Effort,
}

/// What searches took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Searches.
    pub searches: u64,
    /// Nodes of all of them.
    pub nodes: u64,
    /// Depths of all of them, in plies.
    pub depths: u64,
}

impl Effort {
    /// Adds up two efforts.
    pub fn add(&mut self, other: Effort) {
        self.searches += other.searches;
        self.nodes += other.nodes;
        self.depths += other.depths;
    }
}

impl Player {
    /// A player with a network.
    ///
    /// # Errors
    /// When there is no memory for its hash table.
    pub fn new(rules: Rules, network: Arc<Network>) -> Result<Player, MemoryError> {
        let options = SearchOptions {
            max_moves_to_draw: rules.max_moves,
            draw_value: [0; 2],
            entering_king_rule: DECLARATION,
            ..SearchOptions::default()
        };
        let unit = network.unit();
        let mut searcher = SingleSearcher::new(hash_megabytes(rules.nodes), network, options)?;
        if rules.visits > 0 {
            searcher.record_visits(LEAST_DEPTH);
        }
        Ok(Player {
            searcher,
            referee: Referee::new(rules.max_moves, rules.adjudication, rules.agreement),
            unit,
            rules,
            effort: Effort::default(),
        })
    }

    /// What the searches took since this was last asked.
    pub fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    /// Plays the game of this number; `None` when told to stop. Its side lines come first, the game
    /// itself last.
    ///
    /// # Errors
    /// When no opening is fit to be played on.
    pub fn play(&mut self, number: u32, stop: &AtomicBool) -> Result<Option<Vec<Game>>, PlayError> {
        let mut rng = stable_rng(self.rules.seed, number.into());
        self.searcher.clear();
        for _ in 0..MAX_OPENINGS {
            let mut game = Game {
                number,
                start: None,
                opening: 0,
                moves: Vec::with_capacity(self.rules.max_moves as usize),
                branches: Vec::new(),
                result: GameResult::Draw,
                end: End::Unknown,
            };
            let opening = self.opening(&mut rng, &mut game);
            let lines =
                opening.and_then(|position| self.finish(position, &mut rng, &mut game, stop));
            // Openings that are out of balance, or end the game, are replaced by others.
            if let Some(mut lines) = lines {
                lines.push(game);
                return Ok(Some(lines));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        Err(PlayError {
            number,
            balance: self.rules.balance,
        })
    }

    /// Plays a game on to its end; its side lines. `None` if it is none to keep.
    fn finish(
        &mut self,
        mut position: Position,
        rng: &mut StableRng,
        game: &mut Game,
        stop: &AtomicBool,
    ) -> Option<Vec<Game>> {
        let mut lines = Vec::new();
        loop {
            let is_first = game.moves.len() == usize::from(game.opening);
            if let Some((end, result)) = self.referee.ended(&position) {
                (game.end, game.result) = (end, result);
                return (!is_first).then_some(lines);
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let every = self.rules.side_lines as usize;
            if every > 0 && !is_first && rng.random_range(0..every) == 0 {
                let referee = self.referee.clone();
                lines.extend(self.side_line(position.clone(), rng, game, stop));
                self.referee = referee;
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
            }
            let score = self.search_move(&mut position, game)?;
            if is_first && score.abs() > self.rules.balance {
                return None;
            }
        }
    }

    /// Leaves a game with a random move, and looks what becomes of it. `None` if that ends the game.
    fn side_line(
        &mut self,
        mut position: Position,
        rng: &mut StableRng,
        game: &Game,
        stop: &AtomicBool,
    ) -> Option<Game> {
        // What the game itself tells is not told again.
        let unsearched = game
            .moves
            .iter()
            .map(|&ScoredMove { mv, .. }| ScoredMove { mv, score: None });
        let mut line = Game {
            moves: unsearched.collect(),
            start: game.start.clone(),
            branches: Vec::new(),
            end: End::SideLine,
            ..*game
        };
        self.random_move(&mut position, rng, &mut line);
        while self.referee.ended(&position).is_none() && !stop.load(Ordering::Relaxed) {
            self.search_move(&mut position, &mut line)?;
            if rng.random_range(0..self.rules.side_lines) == 0 {
                break;
            }
        }
        (line.searched() > 0).then_some(line)
    }

    /// Searches a position and plays the move found; its score in centipawns. `None` where there is no move.
    fn search_move(&mut self, position: &mut Position, game: &mut Game) -> Option<Value> {
        let found = self.searcher.search(position, self.soft_nodes())?;
        self.effort.add(Effort {
            searches: 1,
            nodes: found.nodes,
            depths: found.depth as u64,
        });
        self.keep_visits(game);
        let score = self.unit.to_centipawns(found.score);
        self.referee.scored(score, position.side_to_move());
        game.moves.push(ScoredMove {
            mv: found.mv,
            score: Some(score as i16),
        });
        position.do_move(found.mv);
        Some(score)
    }

    /// Keeps what the search of the next move found out about other positions: of very many, some.
    fn keep_visits(&mut self, game: &mut Game) {
        let most = self.rules.visits as usize;
        if most == 0 {
            return;
        }
        let index = game.moves.len() as u16;
        let mut visits = self.searcher.take_visits();
        // Random numbers of its own, so that the game is the same with and without.
        let mut rng = stable_rng(game.number.into(), index.into());
        let (kept, _) = visits.partial_shuffle(&mut rng, most);
        let ways = kept.iter().map(|visit| {
            let score = self.unit.to_centipawns(visit.score) as i16;
            (&*visit.line, score, visit.bound)
        });
        game.branches.extend(Branch::tree(index, ways));
    }

    /// Nodes after which a search begins no other iteration, so that it takes
    /// [`Rules::nodes`] in the mean.
    fn soft_nodes(&self) -> u64 {
        (self.rules.nodes * SOFT_SHARE / 100).max(1)
    }

    /// Sets a game up and plays its random moves; `None` if that is not possible.
    fn opening(&mut self, rng: &mut StableRng, game: &mut Game) -> Option<Position> {
        let book = &self.rules.book;
        let (mut position, plies) = if book.is_empty() || game.number.is_multiple_of(2) {
            (Position::startpos(), &self.rules.opening)
        } else {
            (book[rng.random_range(0..book.len())].clone(), &BOOK_PLIES)
        };
        game.opening = rng.random_range(plies.clone());
        let start = position.to_sfen();
        game.start = (start != Position::startpos().to_sfen()).then_some(start);
        self.referee.begin();
        for _ in 0..game.opening {
            if !self.random_move(&mut position, rng, game) {
                return None;
            }
        }
        Some(position)
    }

    /// Plays any legal move; whether there is one.
    fn random_move(
        &mut self,
        position: &mut Position,
        rng: &mut StableRng,
        game: &mut Game,
    ) -> bool {
        let Some(&mv) = position.legal_moves().choose(rng) else {
            return false;
        };
        game.moves.push(ScoredMove { mv, score: None });
        position.do_move(mv);
        true
    }
}

/// A table for all the nodes of a longish game, and no larger: it is cleared for every game, and a
/// small one stays in the cache.
fn hash_megabytes(nodes: u64) -> usize {
    const BYTES_A_NODE: u64 = 12;
    const SEARCHES: u64 = 150;
    let bytes = nodes
        .saturating_mul(BYTES_A_NODE * SEARCHES)
        .clamp(1 << 20, 16 << 20);
    (bytes.next_power_of_two() >> 20) as usize
}

#[cfg(test)]
mod tests;
