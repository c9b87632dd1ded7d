//! How long the solver may go on.
#![forbid(unsafe_code)]

/// Nodes between two questions whether to go on.
const POLL_NODES: u64 = 256;

/// Counts nodes and says when to stop. A node is a move played on the board.
pub(crate) struct Budget<'a> {
    nodes: u64,
    limit: u64,
    /// Told the nodes so far, says whether to stop.
    interrupt: &'a mut dyn FnMut(u64) -> bool,
    interrupted: bool,
}

impl<'a> Budget<'a> {
    /// So many nodes, unless interrupted before, which is asked at once and then now and again.
    pub(crate) fn new(limit: u64, interrupt: &'a mut dyn FnMut(u64) -> bool) -> Budget<'a> {
        let interrupted = interrupt(0);
        Budget {
            nodes: 0,
            limit,
            interrupt,
            interrupted,
        }
    }

    /// Nodes so far.
    pub(crate) fn nodes(&self) -> u64 {
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
            self.interrupted |= (self.interrupt)(self.nodes);
        }
    }

    /// Allows `nodes` more from here on at most.
    pub(super) fn restrict(&mut self, nodes: u64) {
        self.limit = self.limit.min(self.nodes.saturating_add(nodes));
    }
}
