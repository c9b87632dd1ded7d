//! The solver and its stages: search for a mate, verify it, search for a shorter one. It can be
//! stopped at any node, and resumes with the results in its table.
#![forbid(unsafe_code)]

use super::dfpn::Child;
use super::proof_numbers::{PATH_INDEPENDENT, ProofNumbers};
use super::table::MateTable;
use super::verify::VerifiedMates;
use super::{MateOutcome, MateProgress, NodeBudget};
use crate::position::Position;
use crate::types::{Color, Hand, Move};
use std::time::Duration;

/// A position on the path from the root to the node being searched.
#[derive(Clone, Copy)]
pub(super) struct PathNode {
    pub board_key: u64,
    /// The attacker's hand.
    pub hand: Hand,
    /// Key of all positions from the root to this one.
    pub path_key: u64,
}

/// The next stage of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Search for a mate, within the length limit if there is one.
    Search,
    /// Verify the mate that the search has proven.
    Verify,
    /// Nothing: there is no mate.
    Disproven,
    /// Nothing: no shorter mate can be found.
    Finished,
}

/// A tsume solver for a position.
pub(crate) struct Solver {
    pub(super) position: Position,
    pub(super) attacker: Color,
    /// The attacker's moves at the root; `None` for all checks.
    pub(super) root_moves: Option<Vec<Move>>,
    /// The longest path, in nodes.
    pub(super) max_plies: usize,
    pub(super) table: MateTable,
    /// From the root to the node being searched, both included.
    pub(super) path: Vec<PathNode>,
    /// Most plies of a mate to search for; `None` until a first mate is found.
    pub(super) length_limit: Option<u16>,
    /// Children of all nodes on the path, those of the deepest last.
    pub(super) children: Vec<Child>,
    /// Buffer of the move generator.
    pub(super) moves: Vec<Move>,
    /// Keys that occurred three times before the root: a fourth time ends the game.
    pub(super) thrice_repeated: Vec<u64>,
    pub(super) verified: VerifiedMates,
    stage: Stage,
    /// The shortest mate so far.
    line: Vec<Move>,
}

impl Solver {
    /// A solver with `memory_mb` megabytes (at least 1) and lines of up to `max_plies`. It recurses
    /// once per ply.
    pub(crate) fn new(position: &Position, memory_mb: usize, max_plies: usize) -> Solver {
        let bytes = memory_mb.max(1).saturating_mul(1 << 20);
        let mut solver = Solver {
            position: position.clone(),
            attacker: position.side_to_move(),
            root_moves: None,
            max_plies,
            // A quarter is left for verification.
            table: MateTable::new(bytes / 4 * 3),
            path: Vec::new(),
            length_limit: None,
            children: Vec::new(),
            moves: Vec::new(),
            thrice_repeated: thrice_repeated(position),
            verified: VerifiedMates::new(bytes / 4),
            stage: Stage::Search,
            line: Vec::new(),
        };
        solver.push_path();
        solver
    }

    /// Starts over with another position.
    pub(crate) fn restart(&mut self, position: &Position) {
        self.position = position.clone();
        self.attacker = position.side_to_move();
        self.root_moves = None;
        self.table.clear();
        self.path.clear();
        self.length_limit = None;
        self.thrice_repeated = thrice_repeated(position);
        self.verified.clear();
        self.stage = Stage::Search;
        self.line.clear();
        self.push_path();
    }

    /// Restricts the attacker to these moves at the root.
    pub(crate) fn restrict(&mut self, root_moves: Vec<Move>) {
        self.root_moves = Some(root_moves);
    }

    /// Looks for mates of up to this many plies only; longer ones are left undecided.
    pub(super) fn limit_length(&mut self, plies: Option<u16>) {
        self.length_limit = plies;
    }

    /// The state of the search.
    pub(super) fn progress(&self, time: Duration, nodes: u64) -> MateProgress<'_> {
        MateProgress {
            time,
            nodes,
            hashfull: self.table.hashfull(),
            line: &self.line,
        }
    }

    /// Searches until a mate is verified or disproven, or the budget is exhausted.
    pub(crate) fn solve(&mut self, budget: &mut NodeBudget) {
        while self.line.is_empty() && !self.is_finished() && !budget.is_exhausted() {
            self.advance(budget);
        }
    }

    /// Searches for shorter mates until there are none or the budget is exhausted.
    pub(crate) fn shorten(&mut self, budget: &mut NodeBudget) {
        while !self.line.is_empty() && !self.is_finished() && !budget.is_exhausted() {
            self.advance(budget);
        }
    }

    /// Whether the search is complete.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.stage, Stage::Disproven | Stage::Finished)
    }

    /// The shortest mate so far, against its longest defence; empty without one.
    pub(crate) fn line(&self) -> &[Move] {
        &self.line
    }

    pub(super) fn outcome(self) -> MateOutcome {
        if !self.line.is_empty() {
            MateOutcome::Mate(self.line)
        } else if self.stage == Stage::Disproven {
            MateOutcome::NoMate
        } else {
            MateOutcome::Timeout
        }
    }

    fn advance(&mut self, budget: &mut NodeBudget) {
        match self.stage {
            Stage::Search => {
                let result = self.search(ProofNumbers::UNLIMITED, budget);
                if result.is_proven(true) {
                    self.verified.clear();
                    self.stage = Stage::Verify;
                } else if result.is_disproven(true) {
                    let disproven =
                        self.length_limit.is_none() && result.repetition_depth == PATH_INDEPENDENT;
                    self.stage = if disproven {
                        Stage::Disproven
                    } else {
                        Stage::Finished
                    };
                }
            }
            Stage::Verify => {
                let mate = self.verify(self.length_limit.unwrap_or(u16::MAX), budget);
                let line = mate.and_then(|mate| self.mating_line(mate));
                self.stage = match line {
                    Some(line) => {
                        self.length_limit = (line.len() as u16).checked_sub(2);
                        self.line = line;
                        match self.length_limit {
                            Some(_) => Stage::Search,
                            None => Stage::Finished,
                        }
                    }
                    None if budget.is_exhausted() => Stage::Verify,
                    // The mate does not fit in memory.
                    None => Stage::Finished,
                };
            }
            Stage::Disproven | Stage::Finished => {}
        }
    }

    /// Depth of the last node on the path, 1 at the root.
    pub(super) fn depth(&self) -> u16 {
        // No path is longer than `max_plies`.
        self.path.len() as u16
    }

    pub(super) fn attacker_to_move(&self) -> bool {
        self.position.side_to_move() == self.attacker
    }

    /// Plays a move and adds the position to the path.
    pub(super) fn do_move(&mut self, mv: Move, budget: &mut NodeBudget) {
        budget.count();
        self.position.do_move(mv);
        self.push_path();
    }

    pub(super) fn undo_move(&mut self, mv: Move) {
        self.path.pop();
        self.position.undo_move(mv);
    }

    fn push_path(&mut self) {
        self.path.push(PathNode {
            board_key: self.position.board_key(),
            hand: self.position.hand(self.attacker),
            path_key: self.path_key(),
        });
    }

    /// Key of the path with the current position, which is not on it yet, at its end.
    pub(super) fn path_key(&self) -> u64 {
        let before = self.path.last().map_or(0, |node| node.path_key);
        // Rotation and multiplication make the order of the positions count.
        (before.rotate_left(23) ^ self.position.key()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Keys of the game that have occurred three times or more.
pub(super) fn thrice_repeated(position: &Position) -> Vec<u64> {
    let mut keys: Vec<u64> = position.game_keys().collect();
    keys.sort_unstable();
    let mut repeated: Vec<u64> = keys
        .windows(3)
        .filter(|run| run[0] == run[2])
        .map(|run| run[0])
        .collect();
    repeated.dedup();
    repeated
}
