//! What a search finds out about positions on its way, for whoever learns from it: every node that
//! was searched deep enough knows its value or a bound on it, which costs next to nothing.
//! TreeStrap, from Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", NIPS 2009.
#![forbid(unsafe_code)]

use super::pvs::Node;
use super::report::ScoreBound;
use super::tt::Bound;
use super::worker::Worker;
use crate::types::{Depth, Move, Value, value};
use std::collections::BTreeMap;

/// A position that a search came by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The moves that lead there from the root, at least one.
    pub line: Box<[Move]>,
    /// What its own search said, for the side to move there.
    pub score: Value,
    /// Whether it is no more than a bound.
    pub bound: ScoreBound,
}

/// Positions of a search that are kept: of a very long one, those that it comes by first.
const MOST: usize = 1 << 16;

/// The positions of a search so far.
pub(super) struct Visits {
    /// Nodes searched less deep are left out, in plies.
    least_depth: Depth,
    /// By their keys, each with the last word on it. In an order that is always the same.
    all: BTreeMap<u64, Visit>,
}

impl Visits {
    pub(super) fn new(least_depth: Depth) -> Visits {
        Visits {
            least_depth,
            all: BTreeMap::new(),
        }
    }

    /// Forgets the last search.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// The positions.
    pub(super) fn take(&mut self) -> Vec<Visit> {
        std::mem::take(&mut self.all).into_values().collect()
    }

    fn keep(&mut self, key: u64, visit: Visit) {
        if self.all.len() < MOST || self.all.contains_key(&key) {
            self.all.insert(key, visit);
        }
    }
}

impl Worker {
    /// Keeps what was found out about a node if it can be learnt from: a static evaluation cannot
    /// see what a check, a capture or a promotion will bring, and no game passes a turn.
    #[inline(always)]
    pub(super) fn note_visit(&mut self, node: &Node, best: Move, score: Value, bound: Bound) {
        if let Some(visits) = &self.visits
            && node.depth >= visits.least_depth
        {
            self.keep_visit(node, best, score, bound);
        }
    }

    #[cold]
    fn keep_visit(&mut self, node: &Node, best: Move, score: Value, bound: Bound) {
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
        let visit = Visit { line, score, bound };
        if let Some(visits) = &mut self.visits {
            visits.keep(self.position.key(), visit);
        }
    }
}
