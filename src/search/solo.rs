//! Short searches on the calling thread, one after the other: no thread to hand a position to, no
//! clock, no output. For whoever plays games by the thousand.
#![forbid(unsafe_code)]

use super::control::Control;
use super::limits::{Limits, SearchOptions};
use super::pool::{HashError, root_moves};
use super::report::{Answer, Info, Report};

use super::time::TimeManager;
use super::treestrap::{Visit, Visits};
use super::tt::TranspositionTable;
use super::worker::{Job, MainDuties, Worker};
use crate::eval::nnue::Network;
use crate::position::Position;
use crate::types::{Depth, MAX_PLY, Move, Value, value};
use std::sync::Arc;
use std::time::Instant;

/// A search may take so many times the nodes asked for before it is cut short.
const HARD_LIMIT: u64 = 5;

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The best move.
    pub mv: Move,
    /// Its score, for the side to move.
    pub score: Value,
    /// The last iteration that was finished.
    pub depth: Depth,
    /// Nodes searched.
    pub nodes: u64,
}

/// A searcher without threads. A search is a pure function of the position with its history, the
/// options, and the searches since [`Solo::clear`].
pub struct Solo {
    worker: Worker,
    tt: Arc<TranspositionTable>,
    options: SearchOptions,
    network: Arc<Network>,
}

impl Solo {
    /// A searcher with a hash table of so many megabytes, on a network. Only the first
    /// line is looked at, whatever `multi_pv` says.
    ///
    /// # Errors
    /// When there is no memory for the table.
    pub fn new(
        megabytes: usize,
        network: Arc<Network>,
        options: SearchOptions,
    ) -> Result<Solo, HashError> {
        let table = TranspositionTable::new(megabytes).ok_or(HashError {
            wanted: megabytes,
            kept: 0,
        })?;
        Ok(Solo {
            worker: Worker::new(0),
            tt: Arc::new(table),
            options: SearchOptions {
                multi_pv: 1,
                pv_interval: u64::MAX,
                ..options
            },
            network,
        })
    }

    /// From now on notes what searches find out about other positions than the root that they
    /// search at least this deep, in plies.
    pub fn note_visits(&mut self, least_depth: Depth) {
        self.worker.visits = Some(Visits::new(least_depth));
    }

    /// The quiet positions that the last search came by, each once.
    pub fn take_visits(&mut self) -> Vec<Visit> {
        self.worker.visits.as_mut().map_or(Vec::new(), Visits::take)
    }

    /// Forgets the searches so far.
    pub fn clear(&mut self) {
        self.tt.clear();
        self.worker.correction_history.clear();
        self.worker.forget();
    }

    /// Searches a position: an iteration begins only while fewer than `nodes` nodes were searched,
    /// and is then finished, unless it takes very long. `None` when there is no legal move.
    ///
    /// Not for comparing searches: what makes the last iteration longer gets its nodes for nothing.
    /// [`Solo::search_within`] is.
    ///
    /// A search uses as much of the stack as one of the threads of [`super::Searcher`].
    pub fn search(&mut self, position: &Position, nodes: u64) -> Option<Found> {
        let hard = nodes.saturating_mul(HARD_LIMIT);
        self.run(position, MAX_PLY as Depth - 1, hard, Some(nodes))
    }

    /// Searches a position to a depth, with no more than so many nodes.
    pub fn search_within(
        &mut self,
        position: &Position,
        depth: Depth,
        nodes: u64,
    ) -> Option<Found> {
        self.run(position, depth, nodes, None)
    }

    fn run(
        &mut self,
        position: &Position,
        depth: Depth,
        nodes: u64,
        soft_nodes: Option<u64>,
    ) -> Option<Found> {
        let root_moves = root_moves(position, &[], &self.options);
        if root_moves.is_empty() {
            return None;
        }
        if let Some(visits) = &mut self.worker.visits {
            visits.clear();
        }
        self.tt.next_generation();
        self.worker.begin(Job {
            tt: Arc::clone(&self.tt),
            correction_history: Arc::clone(&self.worker.correction_history),
            control: Arc::new(Control::new(1, false)),
            position: position.clone(),
            root_moves,
            depth: depth.clamp(1, MAX_PLY as Depth - 1),
            options: self.options.clone(),
            network: Arc::clone(&self.network),
            clear: false,
        });
        let side = position.side_to_move();
        let limits = Limits::default();
        let now = Instant::now();
        self.worker.main = Some(MainDuties {
            time: TimeManager::new(&limits, side, position.game_ply(), &self.options, now),
            nodes: Some(nodes),
            soft_nodes,
            report: Box::new(Silence),
        });
        self.worker.iterate();
        // Not even the first iteration may have come to a score.
        let score = self.worker.best_score();
        let score = if score == -value::INFINITE {
            value::DRAW
        } else {
            score
        };
        Some(Found {
            mv: self.worker.root_moves[0].mv,
            score,
            depth: self.worker.completed_depth,
            nodes: self.worker.nodes,
        })
    }
}

/// Nobody listens.
struct Silence;

impl Report for Silence {
    fn info(&mut self, _: &Info) {}
    fn answer(&mut self, _: Answer) {}
}

#[cfg(test)]
mod tests {
    use super::super::report::ScoreBound;
    use super::*;
    use crate::eval::nnue::embedded;

    fn solo() -> Solo {
        Solo::new(1, embedded(), SearchOptions::default()).unwrap()
    }

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    #[test]
    fn a_cleared_searcher_repeats_itself() {
        let mut solo = solo();
        let start = Position::startpos();
        let first = solo.search(&start, 3000).unwrap();
        assert!(first.nodes >= 3000 && first.nodes <= 3000 * HARD_LIMIT);
        assert!(first.depth >= 3);
        assert_ne!(solo.search(&start, 3000).unwrap().nodes, first.nodes);
        solo.clear();
        assert_eq!(solo.search(&start, 3000).unwrap(), first);
    }

    #[test]
    fn limits_of_depth_and_nodes_are_kept() {
        let mut solo = solo();
        let start = Position::startpos();
        let shallow = solo.search_within(&start, 3, u64::MAX).unwrap();
        assert_eq!(shallow.depth, 3);
        for nodes in [1, 10, 3000] {
            let found = solo.search_within(&start, Depth::MAX, nodes).unwrap();
            assert_eq!(found.nodes, nodes);
            assert!(start.is_legal(found.mv));
            assert!(!value::is_decisive(found.score));
        }
    }

    #[test]
    fn visits_are_quiet_positions_each_once() {
        let mut solo = solo();
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
        solo.search(&root, 3000).unwrap();
        assert!(solo.take_visits().is_empty(), "nobody asked");
        solo.clear();
        solo.note_visits(2);
        solo.search(&root, 3000).unwrap();
        let visits = solo.take_visits();
        assert!(visits.len() > 30, "{}", visits.len());
        let mut keys = std::collections::HashSet::new();
        for visit in &visits {
            let position = line(visit);
            assert!(!position.in_check() && position.has_legal_move());
            assert!(!value::is_decisive(visit.score));
            assert!(keys.insert(position.key()));
        }
        for bound in [ScoreBound::Exact, ScoreBound::Lower, ScoreBound::Upper] {
            assert!(visits.iter().any(|visit| visit.bound == bound), "{bound:?}");
        }
        solo.clear();
        solo.search(&root, 3000).unwrap();
        assert_eq!(solo.take_visits(), visits);
        // The deeper, the fewer.
        solo.note_visits(4);
        solo.clear();
        solo.search(&root, 3000).unwrap();
        let deep = solo.take_visits();
        assert!(!deep.is_empty() && deep.len() < visits.len());
    }

    #[test]
    fn mates_are_found_and_a_mated_side_has_no_move() {
        let mut solo = solo();
        let found = solo.search(&position("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), 500);
        let found = found.unwrap();
        assert_eq!(found.mv, Move::from_usi("G*5b").unwrap());
        assert_eq!(found.score, value::mate_in(1));
        let mated = position("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
        assert_eq!(solo.search(&mated, 500), None);
    }
}
