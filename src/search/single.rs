//! Single-threaded search for self-play: it runs on the calling thread, without clock or output, and
//! can record the nodes it visits as training positions.
#![forbid(unsafe_code)]

use super::control::Control;
use super::limits::{Limits, SearchOptions};
use super::pool::{MemoryError, root_moves};
use super::pvs::Node;
use super::report::{NullReport, ScoreBound};
use super::tt::{Bound, TranspositionTable};
use super::worker::{Job, MainThread, Worker};
use crate::eval::nnue::Network;
use crate::position::Position;
use crate::types::{Depth, Move, Value, value};
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

/// Hard node limit as a multiple of the soft one.
const HARD_LIMIT: u64 = 5;
/// Maximum number of visits recorded per search; later ones are dropped.
const MAX_VISITS: usize = 1 << 16;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The best move.
    pub mv: Move,
    /// Its score for the side to move, in the unit of the network.
    pub score: Value,
    /// Last completed iteration, in plies.
    pub depth: Depth,
    /// Nodes searched.
    pub nodes: u64,
}

/// A single-threaded searcher. A search depends only on the position and the moves that led to it, the
/// options, the limits, and the searches since [`SingleSearcher::clear`].
pub struct SingleSearcher {
    worker: Worker,
    tt: Arc<TranspositionTable>,
    options: SearchOptions,
    network: Arc<Network>,
}

impl SingleSearcher {
    /// A searcher with a hash table of `hash_mb` MB. Ignores the options `multi_pv` and `pv_interval`.
    ///
    /// # Errors
    /// When the hash table cannot be allocated.
    pub fn new(
        hash_mb: usize,
        network: Arc<Network>,
        options: SearchOptions,
    ) -> Result<SingleSearcher, MemoryError> {
        let tt = TranspositionTable::new(hash_mb).ok_or(MemoryError::Hash(hash_mb))?;
        Ok(SingleSearcher {
            worker: Worker::new(0),
            tt: Arc::new(tt),
            options: SearchOptions {
                multi_pv: 1,
                pv_interval: u64::MAX,
                ..options
            },
            network,
        })
    }

    /// Starts recording visits of nodes searched to a depth of at least `min_depth` plies.
    pub fn record_visits(&mut self, min_depth: Depth) {
        self.worker.visits = Some(Visits {
            min_depth,
            by_key: BTreeMap::new(),
        });
    }

    /// Takes the visits recorded in the last search: quiet positions below the root, each once.
    pub fn take_visits(&mut self) -> Vec<Visit> {
        let visits = self.worker.visits.as_mut();
        let by_key = visits.map(|visits| mem::take(&mut visits.by_key));
        by_key.unwrap_or_default().into_values().collect()
    }

    /// The principal variation of the last search.
    pub fn pv(&self) -> &[Move] {
        self.worker.root_moves.first().map_or(&[], |best| &best.pv)
    }

    /// From now on draws a sample of up to `size` positions that each search evaluates.
    pub fn sample_evaluated(&mut self, size: usize) {
        self.worker.sample = Some(EvaluatedSample {
            size,
            salt: 0,
            by_hash: BTreeMap::new(),
        });
    }

    /// Takes the sample of the last search, as lines of at least one move from its root.
    pub fn take_sample(&mut self) -> Vec<Box<[Move]>> {
        let sample = self.worker.sample.as_mut();
        let by_hash = sample.map(|sample| mem::take(&mut sample.by_hash));
        by_hash.unwrap_or_default().into_values().collect()
    }

    /// Clears the hash table and all histories.
    pub fn clear(&mut self) {
        self.tt.clear();
        self.worker.correction_history.clear();
        self.worker.history.clear();
    }

    /// Searches a position with a soft node limit: no iteration begins beyond it, and the one in
    /// progress is completed unless it takes five times as many nodes. `None` without a legal move.
    ///
    /// To compare versions of the search, use [`SingleSearcher::search_within`]: with a soft limit, a
    /// longer last iteration gets its nodes for free.
    ///
    /// The calling thread needs a stack of [`super::STACK_SIZE`] bytes.
    pub fn search(&mut self, position: &Position, nodes: u64) -> Option<SearchResult> {
        let limits = Limits {
            nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
            soft_nodes: Some(nodes),
            ..Limits::default()
        };
        self.run(position, &limits)
    }

    /// Searches a position with a depth and a hard node limit.
    pub fn search_within(
        &mut self,
        position: &Position,
        depth: Depth,
        nodes: u64,
    ) -> Option<SearchResult> {
        let limits = Limits {
            depth: Some(depth),
            nodes: Some(nodes),
            ..Limits::default()
        };
        self.run(position, &limits)
    }

    fn run(&mut self, position: &Position, limits: &Limits) -> Option<SearchResult> {
        let root_moves = root_moves(position, &[], &self.options);
        if root_moves.is_empty() {
            return None;
        }
        if let Some(visits) = &mut self.worker.visits {
            visits.by_key.clear();
        }
        if let Some(sample) = &mut self.worker.sample {
            sample.by_hash.clear();
            sample.salt = position.key();
        }
        self.tt.next_generation();
        self.worker.begin(Job {
            tt: Arc::clone(&self.tt),
            correction_history: Arc::clone(&self.worker.correction_history),
            network: Arc::clone(&self.network),
            control: Arc::new(Control::new(1, false)),
            position: position.clone(),
            root_moves,
            depth: limits.max_depth(),
            options: self.options.clone(),
            clear: false,
        });
        let (now, report) = (Instant::now(), Box::new(NullReport));
        let main = MainThread::new(position, limits, &self.options, now, report);
        self.worker.main = Some(main);
        self.worker.iterate();
        let score = match self.worker.best_score() {
            // Stopped before any root move had a score.
            score if score == -value::INFINITE => value::DRAW,
            score => score,
        };
        Some(SearchResult {
            mv: self.worker.root_moves[0].mv,
            score,
            depth: self.worker.completed_depth,
            nodes: self.worker.nodes,
        })
    }
}

/// A node visited by a search, with its value or a bound on it: a training position that costs no
/// search of its own (TreeStrap: Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search",
/// NIPS 2009).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The moves from the root, at least one.
    pub line: Box<[Move]>,
    /// The score of the node's search, for the side to move there.
    pub score: Value,
    /// Whether the score is exact or a bound.
    pub bound: ScoreBound,
}

/// The visits of a search.
pub(super) struct Visits {
    min_depth: Depth,
    /// The last visit of each position, by position key; sorted, so that the order is reproducible.
    by_key: BTreeMap<u64, Visit>,
}

/// A sample of the positions that a search evaluates, each equally likely however often it is evaluated:
/// those with the smallest hashes (bottom-k sampling).
pub(super) struct EvaluatedSample {
    size: usize,
    /// Makes the samples of successive searches, which evaluate many positions again, independent.
    salt: u64,
    by_hash: BTreeMap<u64, Box<[Move]>>,
}

impl Worker {
    /// Draws the position of a node that is about to be evaluated, or not.
    #[inline(always)]
    pub(super) fn sample_evaluated(&mut self, ply: usize) {
        if self.sample.is_some() {
            self.sample_position(ply);
        }
    }

    #[cold]
    fn sample_position(&mut self, ply: usize) {
        let Some(sample) = &mut self.sample else {
            return;
        };
        let hash = (self.position.key() ^ sample.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let is_full = sample.by_hash.len() >= sample.size;
        if is_full
            && sample
                .by_hash
                .last_key_value()
                .is_none_or(|(&last, _)| hash >= last)
        {
            return;
        }
        let line: Box<[Move]> = (0..ply).map(|ply| self.stack.at(ply).mv).collect();
        // A null move is no move of a game.
        if line.is_empty() || line.contains(&Move::NULL) {
            return;
        }
        sample.by_hash.insert(hash, line);
        if sample.by_hash.len() > sample.size {
            sample.by_hash.pop_last();
        }
    }

    /// Records a node if visits are recorded and it was searched deep enough.
    #[inline(always)]
    pub(super) fn record_visit(&mut self, node: &Node, best: Move, score: Value, bound: Bound) {
        if let Some(visits) = &self.visits
            && node.depth >= visits.min_depth
        {
            self.record_quiet_visit(node, best, score, bound);
        }
    }

    /// Skips nodes in check and nodes whose best move is a capture or promotion, which a static
    /// evaluation cannot judge, and lines with null moves.
    #[cold]
    fn record_quiet_visit(&mut self, node: &Node, best: Move, score: Value, bound: Bound) {
        let is_quiet = !node.in_check
            && !(best.is_some() && (best.is_promotion() || self.position.is_capture(best)));
        let line: Box<[Move]> = (0..node.ply).map(|ply| self.stack.at(ply).mv).collect();
        if !is_quiet || line.is_empty() || value::is_decisive(score) || line.contains(&Move::NULL) {
            return;
        }
        let bound = match bound {
            Bound::LOWER => ScoreBound::Lower,
            Bound::UPPER => ScoreBound::Upper,
            _ => ScoreBound::Exact,
        };
        let (key, visit) = (self.position.key(), Visit { line, score, bound });
        if let Some(Visits { by_key, .. }) = &mut self.visits
            && (by_key.len() < MAX_VISITS || by_key.contains_key(&key))
        {
            by_key.insert(key, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::ScoreBound;
    use super::*;
    use crate::eval::nnue::embedded;

    fn searcher() -> SingleSearcher {
        SingleSearcher::new(1, embedded(), SearchOptions::default()).unwrap()
    }

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    #[test]
    fn a_cleared_searcher_repeats_itself() {
        let mut searcher = searcher();
        let start = Position::startpos();
        let first = searcher.search(&start, 3000).unwrap();
        assert!(first.nodes >= 3000 && first.nodes <= 3000 * HARD_LIMIT);
        assert!(first.depth >= 3);
        assert_ne!(searcher.search(&start, 3000).unwrap().nodes, first.nodes);
        searcher.clear();
        assert_eq!(searcher.search(&start, 3000).unwrap(), first);
    }

    #[test]
    fn limits_of_depth_and_nodes_are_kept() {
        let mut searcher = searcher();
        let start = Position::startpos();
        let shallow = searcher.search_within(&start, 3, u64::MAX).unwrap();
        assert_eq!(shallow.depth, 3);
        let result = searcher.search_within(&start, Depth::MAX, 3000).unwrap();
        assert_eq!(result.nodes, 3000);
        assert!(start.is_legal(result.mv));
        assert!(!value::is_decisive(result.score));
        // The first iteration is always finished.
        searcher.clear();
        let result = searcher.search_within(&start, Depth::MAX, 1).unwrap();
        assert_eq!(result.depth, 1);
    }

    #[test]
    fn visits_are_quiet_positions_each_once() {
        let mut searcher = searcher();
        // With captures, checks and promotions at hand.
        let root =
            position("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        let line = |visit: &Visit| {
            let mut position = root.clone();
            for &mv in &visit.line {
                assert!(position.is_legal(mv));
                position.do_move(mv);
            }
            position
        };
        searcher.search(&root, 3000).unwrap();
        assert!(searcher.take_visits().is_empty(), "not recorded");
        searcher.clear();
        searcher.record_visits(2);
        searcher.search(&root, 3000).unwrap();
        let visits = searcher.take_visits();
        assert!(visits.len() > 30, "{}", visits.len());
        let mut keys = std::collections::HashSet::new();
        for visit in &visits {
            let position = line(visit);
            assert!(!position.in_check() && position.has_legal_move());
            assert!(!value::is_decisive(visit.score));
            assert!(keys.insert(position.key()));
        }
        for bound in ScoreBound::ALL {
            assert!(visits.iter().any(|visit| visit.bound == bound), "{bound:?}");
        }
        searcher.clear();
        searcher.search(&root, 3000).unwrap();
        assert_eq!(searcher.take_visits(), visits);
        // The deeper, the fewer.
        searcher.record_visits(4);
        searcher.clear();
        searcher.search(&root, 3000).unwrap();
        let deep = searcher.take_visits();
        assert!(!deep.is_empty() && deep.len() < visits.len());
    }

    #[test]
    fn mates_are_found_and_a_mated_side_has_no_move() {
        let mut searcher = searcher();
        let result = searcher.search(&position("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), 500);
        let result = result.unwrap();
        assert_eq!(result.mv, Move::from_usi("G*5b").unwrap());
        assert_eq!(result.score, value::mate_in(1));
        let mated = position("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
        assert_eq!(searcher.search(&mated, 500), None);
    }
}
