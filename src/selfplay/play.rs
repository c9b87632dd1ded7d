//! Self-play games.
#![forbid(unsafe_code)]

use super::referee::{DECLARATION_RULE, Referee};
use crate::cli::{StableRng, stable_rng};
use crate::data::{Branch, Game, GameEnd, GameResult, ScoredMove};
use crate::eval::nnue::Network;
use crate::eval::units::ScoreUnit;
use crate::position::{Position, STARTPOS_SFEN};
use crate::search::{MemoryError, ScoreBound, SearchOptions, SearchResult, SingleSearcher};
use crate::types::{Depth, Move, Value, value};
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Number of random plies from the start position.
pub const OPENING_PLIES: RangeInclusive<u8> = 4..=14;
/// Number of random plies after a position of [`GameRules::openings`].
const BOOK_PLIES: RangeInclusive<u8> = 0..=6;
/// Openings whose first search scores beyond this are rejected, in centipawns.
pub const MAX_IMBALANCE: Value = 400;
/// Openings tried for a game before giving up.
const MAX_OPENINGS: usize = 1000;
/// Soft node limit of a search, in percent of the average nodes that it takes: the iteration in progress is
/// completed.
const SOFT_NODES: u64 = 54;
/// Least depth behind the score of a probe.
const MIN_PROBE_DEPTH: Depth = 2;
/// Minimum depth of TreeStrap positions, in plies.
const MIN_DEPTH: Depth = 3;

/// What decides a game, besides its number.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// Decides the openings, together with the number of the game.
    pub seed: u64,
    /// Average nodes per search, as the last iteration is completed.
    pub nodes: u64,
    /// The game is drawn after this many plies, the opening included.
    pub max_moves: u32,
    /// Positions that every other game starts from; if empty, all games start from the even start
    /// position.
    pub openings: Arc<[Position]>,
    /// A side line starts once in this many moves on average; 0: never. It begins with a random move and
    /// ends after as many moves on average; the game itself goes on without it. Side lines give positions
    /// after bad moves, which searches meet all the time.
    pub side_lines: u32,
    /// Maximum number of TreeStrap positions to keep per search.
    pub visits: u32,
    /// Positions to draw from those that each search evaluates, to be searched themselves: see
    /// [`Player::probe`].
    pub probes: u32,
    /// Average nodes of such a search.
    pub probe_nodes: u64,
    /// A game is adjudicated when searches agree on at least this score, in centipawns.
    pub adjudication: Value,
}

impl GameRules {
    /// Average nodes of all searches for a move.
    fn nodes_per_move(&self) -> u64 {
        self.nodes + u64::from(self.probes) * self.probe_nodes
    }
}

/// No opening gave a balanced game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "game {0}: none of {MAX_OPENINGS} openings led to a game with a first score within {MAX_IMBALANCE} \
     centipawns; see --openings and --max-moves"
)]
pub struct OpeningError(pub u32);

/// The cost of searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Searches.
    pub searches: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Sum of the depths of all searches, in plies.
    pub depths: u64,
}

impl Effort {
    /// Adds another effort.
    pub fn add(&mut self, other: Effort) {
        self.searches += other.searches;
        self.nodes += other.nodes;
        self.depths += other.depths;
    }
}

/// A game in progress.
#[derive(Clone)]
struct Line {
    game: Game,
    position: Position,
    referee: Referee,
}

impl Line {
    fn play(&mut self, mv: Move, score: Option<Value>) {
        if let Some(score) = score {
            self.referee.note_score(score, self.position.side_to_move());
        }
        let score = score.map(|score| score as i16);
        self.game.moves.push(ScoredMove { mv, score });
        self.position.do_move(mv);
    }

    /// Plays a random move; `None` if there is no legal one.
    fn play_random(&mut self, rng: &mut StableRng) -> Option<()> {
        let mv = *self.position.legal_moves().choose(rng)?;
        self.play(mv, None);
        Some(())
    }
}

/// Plays games, one after the other. A game depends only on the rules, the network and its number, neither
/// on the thread nor on earlier games.
pub struct Player {
    rules: GameRules,
    /// The unit of the scores of a search.
    unit: ScoreUnit,
    searcher: SingleSearcher,
    effort: Effort,
}

impl Player {
    /// A player with a network.
    ///
    /// # Errors
    /// When its hash table cannot be allocated.
    pub fn new(rules: GameRules, network: Arc<Network>) -> Result<Player, MemoryError> {
        let options = SearchOptions {
            max_moves_to_draw: rules.max_moves,
            draw_value: [0; 2],
            entering_king_rule: DECLARATION_RULE,
            ..SearchOptions::default()
        };
        let unit = network.unit();
        let mut searcher =
            SingleSearcher::new(hash_megabytes(rules.nodes_per_move()), network, options)?;
        if rules.visits > 0 {
            searcher.record_visits(MIN_DEPTH);
        }
        if rules.probes > 0 {
            searcher.sample_evaluated(rules.probes as usize);
        }
        Ok(Player {
            rules,
            unit,
            searcher,
            effort: Effort::default(),
        })
    }

    /// The effort of the searches since the last call.
    pub fn take_effort(&mut self) -> Effort {
        std::mem::take(&mut self.effort)
    }

    /// Plays the game of this number; `None` when stopped. Its side lines come first, the game itself
    /// last.
    ///
    /// # Errors
    /// When no opening gives a balanced game.
    pub fn play(
        &mut self,
        number: u32,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Game>>, OpeningError> {
        let mut rng = stable_rng(self.rules.seed, number.into());
        self.searcher.clear();
        for _ in 0..MAX_OPENINGS {
            let line = self.opening(number, &mut rng);
            let games = line.and_then(|line| self.finish(line, &mut rng, stop));
            if games.is_some() || stop.load(Ordering::Relaxed) {
                return Ok(games);
            }
        }
        Err(OpeningError(number))
    }

    /// A game after its random moves; `None` if they end the game.
    fn opening(&self, number: u32, rng: &mut StableRng) -> Option<Line> {
        let book = &self.rules.openings;
        let (position, plies) = if book.is_empty() || number.is_multiple_of(2) {
            (Position::startpos(), OPENING_PLIES)
        } else {
            (book.choose(rng)?.clone(), BOOK_PLIES)
        };
        let start = position.to_sfen();
        let mut line = Line {
            game: Game {
                number,
                start: (start != STARTPOS_SFEN).then_some(start),
                opening: rng.random_range(plies),
                moves: Vec::with_capacity(self.rules.max_moves as usize),
                branches: Vec::new(),
                result: GameResult::Draw,
                end: GameEnd::Unknown,
            },
            position,
            referee: Referee::new(self.rules.max_moves, self.rules.adjudication),
        };
        for _ in 0..line.game.opening {
            line.play_random(rng)?;
        }
        Some(line)
    }

    /// Plays a game to its end; returns it behind its side lines. `None` if it is stopped, not balanced
    /// or over after the opening.
    fn finish(
        &mut self,
        mut line: Line,
        rng: &mut StableRng,
        stop: &AtomicBool,
    ) -> Option<Vec<Game>> {
        let mut games = Vec::new();
        loop {
            let is_first = line.game.moves.len() == usize::from(line.game.opening);
            if let Some(verdict) = line.referee.verdict(&line.position) {
                (line.game.end, line.game.result) = verdict;
                games.push(line.game);
                return (!is_first).then_some(games);
            }
            if !is_first && self.chooses_side_line(rng) {
                games.extend(self.side_line(line.clone(), rng, stop));
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let score = self.search_move(&mut line)?;
            if is_first && score.abs() > MAX_IMBALANCE {
                return None;
            }
        }
    }

    /// Whether to start or end a side line here.
    fn chooses_side_line(&self, rng: &mut StableRng) -> bool {
        let every = self.rules.side_lines;
        every > 0 && rng.random_range(0..every) == 0
    }

    /// Leaves a game with a random move and plays on for a while. `None` if that ends the game.
    fn side_line(
        &mut self,
        mut line: Line,
        rng: &mut StableRng,
        stop: &AtomicBool,
    ) -> Option<Game> {
        line.game.end = GameEnd::SideLine;
        // The game itself keeps these scores and branches.
        line.game.branches.clear();
        line.game.moves.iter_mut().for_each(|it| it.score = None);
        line.play_random(rng)?;
        while line.referee.verdict(&line.position).is_none() && !stop.load(Ordering::Relaxed) {
            self.search_move(&mut line)?;
            if self.chooses_side_line(rng) {
                break;
            }
        }
        (line.game.searched() > 0).then_some(line.game)
    }

    /// Searches a position and plays the best move; returns its score in centipawns. `None` if there is
    /// no legal move.
    fn search_move(&mut self, line: &mut Line) -> Option<Value> {
        let found = self.search(&line.position, self.rules.nodes)?;
        self.keep_branches(line);
        let score = self.unit.to_centipawns(found.score);
        line.play(found.mv, Some(score));
        Some(score)
    }

    /// Searches a position with this many nodes on average.
    fn search(&mut self, position: &Position, nodes: u64) -> Option<SearchResult> {
        let soft_nodes = (nodes * SOFT_NODES / 100).max(1);
        let found = self.searcher.search(position, soft_nodes)?;
        self.effort.add(Effort {
            searches: 1,
            nodes: found.nodes,
            depths: found.depth as u64,
        });
        Some(found)
    }

    /// Keeps positions of the search of the next move: probes, and TreeStrap positions, of very many a
    /// random sample.
    fn keep_branches(&mut self, line: &mut Line) {
        let index = line.game.moves.len() as u16;
        let mut visits = self.searcher.take_visits();
        // A generator of its own, so that the game does not depend on `visits`.
        let mut rng = stable_rng(line.game.number.into(), index.into());
        let (kept, _) = visits.partial_shuffle(&mut rng, self.rules.visits as usize);
        let unit = self.unit;
        let kept = kept.iter().map(|visit| {
            let score = unit.to_centipawns(visit.score) as i16;
            (&*visit.line, score, visit.bound)
        });
        let sample = self.searcher.take_sample();
        let root = &line.position;
        let probes = sample
            .into_iter()
            .filter_map(|moves| self.probe(root, moves.into_vec()));
        let probes: Vec<_> = probes.collect();
        let probes = probes
            .iter()
            .map(|(moves, score)| (&**moves, *score, ScoreBound::Exact));
        // Where both have a position, the first counts: the exact score.
        let tree = Branch::tree(index, probes.chain(kept));
        line.game.branches.extend(tree);
    }

    /// Searches a position that the search of the game evaluated, on the hash table that it left. Such
    /// positions are what the network is asked about, and few are like those of games.
    ///
    /// Returns the moves to the position and its score in centipawns; if it is not quiet, those of the
    /// first quiet position of its principal variation. `None` if there is none near, or the score is
    /// decisive.
    fn probe(&mut self, root: &Position, mut moves: Vec<Move>) -> Option<(Vec<Move>, i16)> {
        let mut position = root.clone();
        for &mv in &moves {
            position.do_move(mv);
        }
        let found = self.search(&position, self.rules.probe_nodes)?;
        if value::is_decisive(found.score) {
            return None;
        }
        let mut score = self.unit.to_centipawns(found.score) as i16;
        let mut depth = found.depth;
        for &mv in self.searcher.pv() {
            if depth < MIN_PROBE_DEPTH {
                break;
            }
            if !position.in_check() && !position.is_capture(mv) && !mv.is_promotion() {
                return Some((moves, score));
            }
            position.do_move(mv);
            moves.push(mv);
            (score, depth) = (-score, depth - 1);
        }
        None
    }
}

/// A hash table for all nodes of a longish game, and no larger: it is cleared for every game, and a small
/// one stays in the cache.
pub(super) fn hash_megabytes(nodes_per_move: u64) -> usize {
    const BYTES_PER_NODE: u64 = 12;
    const MOVES: u64 = 150;
    let bytes = nodes_per_move
        .saturating_mul(BYTES_PER_NODE * MOVES)
        .clamp(1 << 20, 16 << 20);
    (bytes.next_power_of_two() >> 20) as usize
}
