//! How long the solver may go on.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nodes between two looks at the clock and at the stop flag.
const POLL_NODES: u64 = 256;

/// Counts nodes and says when to stop. A node is a move played on the board.
pub(super) struct Budget<'a> {
    nodes: u64,
    limit: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    interrupted: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(nodes: Option<u64>, time: Option<Duration>, stop: &'a AtomicBool) -> Self {
        let mut budget = Budget {
            nodes: 0,
            limit: nodes.unwrap_or(u64::MAX),
            // A time beyond what the clock can express is no limit.
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            stop,
            interrupted: false,
        };
        budget.poll();
        budget
    }

    /// Nodes so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the solver has to come to an end.
    #[inline]
    pub(super) fn exhausted(&self) -> bool {
        self.interrupted || self.nodes >= self.limit
    }

    /// Counts a node.
    #[inline]
    pub(super) fn count(&mut self) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_NODES) {
            self.poll();
        }
    }

    /// Allows `nodes` more from here on, as far as the limit permits; returns the limit to
    /// [`Budget::restore`] afterwards.
    pub(super) fn restrict(&mut self, nodes: u64) -> u64 {
        let limit = self.limit;
        self.limit = limit.min(self.nodes.saturating_add(nodes));
        limit
    }

    /// Puts back the limit that was in force.
    pub(super) fn restore(&mut self, limit: u64) {
        self.limit = limit;
    }

    #[cold]
    fn poll(&mut self) {
        self.interrupted |= self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|end| Instant::now() >= end);
    }
}
