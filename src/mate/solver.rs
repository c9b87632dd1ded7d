//! The solver as a whole: it looks for a mate, plays it out, and looks for a shorter one. It can be
//! left at any time and goes on from what its table knows.
#![forbid(unsafe_code)]

use super::MateOutcome;
use super::budget::Budget;
use super::expand::Child;
use super::line::Verified;
use super::numbers::{INDEPENDENT, Numbers};
use super::table::Table;
use crate::position::Position;
use crate::types::{Color, Hand, Move};

/// A position on the path from the root to the node being searched.
#[derive(Clone, Copy)]
pub(super) struct Ancestor {
    pub board_key: u64,
    /// The attacker's hand.
    pub hand: Hand,
    /// Key of all moves from the root to here.
    pub path_key: u64,
}

/// What the solver is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Searching, at first for any mate, then for one within the horizon.
    Searching,
    /// Playing out the mate that the search has proved.
    Verifying,
    /// There is no mate.
    Refuted,
    /// There is nothing more to be found.
    Finished,
}

/// A mate problem being solved.
pub(crate) struct Solver {
    pub(super) position: Position,
    pub(super) attacker: Color,
    /// The attacker's choice at the root; `None` for all checks.
    pub(super) first_moves: Option<Vec<Move>>,
    /// Plies a line may be long.
    pub(super) max_plies: usize,
    pub(super) table: Table,
    /// Positions from the root to the node being searched, both included.
    pub(super) path: Vec<Ancestor>,
    /// Longest line allowed, in plies from the root; `None` in the search without such a bound.
    pub(super) horizon: Option<u16>,
    /// Children of the nodes on the path, those of the deepest node last.
    pub(super) children: Vec<Child>,
    /// Room for a generator.
    pub(super) moves: Vec<Move>,
    /// Positions that end the game when reached once more, for what happened before the root.
    pub(super) finished: Vec<u64>,
    pub(super) verified: Verified,
    stage: Stage,
    /// The shortest mate so far.
    line: Vec<Move>,
}

impl Solver {
    /// A solver with so many megabytes of memory (one at least) that looks at lines of up to
    /// `max_plies`. It recurses once a ply.
    pub(crate) fn new(position: &Position, memory_mb: usize, max_plies: usize) -> Solver {
        let bytes = memory_mb.max(1).saturating_mul(1 << 20);
        let mut solver = Solver {
            position: position.clone(),
            attacker: position.side_to_move(),
            first_moves: None,
            max_plies,
            // A quarter is left to the walk that verifies a proof.
            table: Table::new(bytes / 4 * 3),
            path: Vec::new(),
            horizon: None,
            children: Vec::new(),
            moves: Vec::new(),
            finished: finished_positions(position),
            verified: Verified::new(bytes / 4),
            stage: Stage::Searching,
            line: Vec::new(),
        };
        solver.push_ancestor();
        solver
    }

    /// Turns to another problem.
    pub(crate) fn restart(&mut self, position: &Position) {
        self.position = position.clone();
        self.attacker = position.side_to_move();
        self.first_moves = None;
        self.table.clear();
        self.path.clear();
        self.horizon = None;
        self.finished = finished_positions(position);
        self.verified.clear();
        self.stage = Stage::Searching;
        self.line.clear();
        self.push_ancestor();
    }

    /// Leaves the attacker only these moves at the root.
    pub(crate) fn restrict(&mut self, first_moves: Vec<Move>) {
        self.first_moves = Some(first_moves);
    }

    /// Goes on until there is a mate, or none, or the budget is spent.
    pub(crate) fn solve(&mut self, budget: &mut Budget) {
        while self.line.is_empty() && !self.is_finished() && !budget.exhausted() {
            self.step(budget);
        }
    }

    /// Goes on from a mate until there is no shorter one or the budget is spent.
    pub(crate) fn shorten(&mut self, budget: &mut Budget) {
        while !self.line.is_empty() && !self.is_finished() && !budget.exhausted() {
            self.step(budget);
        }
    }

    /// Whether to go on would change nothing.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.stage, Stage::Refuted | Stage::Finished)
    }

    /// The shortest mate found so far against its longest defence; empty without one.
    pub(crate) fn line(&self) -> &[Move] {
        &self.line
    }

    /// What is known by now.
    pub(super) fn outcome(self) -> MateOutcome {
        if !self.line.is_empty() {
            MateOutcome::Mate(self.line)
        } else if self.stage == Stage::Refuted {
            MateOutcome::NoMate
        } else {
            MateOutcome::Timeout
        }
    }

    fn step(&mut self, budget: &mut Budget) {
        match self.stage {
            Stage::Searching => {
                let value = self.search(Numbers::UNBOUNDED, budget);
                if value.is_mate(true) {
                    self.verified.clear();
                    self.stage = Stage::Verifying;
                } else if value.is_refuted(true) {
                    let proven = self.horizon.is_none() && value.rests_on == INDEPENDENT;
                    self.stage = if proven {
                        Stage::Refuted
                    } else {
                        Stage::Finished
                    };
                }
            }
            Stage::Verifying => {
                let mate = self.verify(self.horizon.unwrap_or(u16::MAX), budget);
                let line = mate.and_then(|mate| self.play_out(mate));
                self.stage = match line {
                    Some(line) => {
                        self.horizon = (line.len() as u16).checked_sub(2);
                        self.line = line;
                        match self.horizon {
                            Some(_) => Stage::Searching,
                            None => Stage::Finished,
                        }
                    }
                    None if budget.exhausted() => Stage::Verifying,
                    // The mate is too large for the memory.
                    None => Stage::Finished,
                };
            }
            Stage::Refuted | Stage::Finished => {}
        }
    }

    /// Number of the current position on the path, 1 at the root.
    pub(super) fn depth(&self) -> u16 {
        // The path is no longer than `max_plies`.
        self.path.len() as u16
    }

    pub(super) fn attacker_to_move(&self) -> bool {
        self.position.side_to_move() == self.attacker
    }

    /// Plays a move on the path.
    pub(super) fn enter(&mut self, mv: Move, budget: &mut Budget) {
        budget.count();
        self.position.do_move(mv);
        self.push_ancestor();
    }

    /// Takes it back.
    pub(super) fn leave(&mut self, mv: Move) {
        self.path.pop();
        self.position.undo_move(mv);
    }

    fn push_ancestor(&mut self) {
        let path_key = self.path_key();
        self.path.push(Ancestor {
            board_key: self.position.board_key(),
            hand: self.position.hand(self.attacker),
            path_key,
        });
    }

    /// Key of the path to the current position, before that is on it.
    pub(super) fn path_key(&self) -> u64 {
        let before = self.path.last().map_or(0, |ancestor| ancestor.path_key);
        // Multiplying makes the key depend on the order of the positions.
        (before.rotate_left(23) ^ self.position.key()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Positions that have occurred three times in the game before the root, or more often.
pub(super) fn finished_positions(position: &Position) -> Vec<u64> {
    let mut game = position.clone();
    let moves: Vec<Move> = game.moves_played().collect();
    let mut keys = vec![game.key()];
    for &mv in moves.iter().rev() {
        game.undo_move(mv);
        keys.push(game.key());
    }
    keys.sort_unstable();
    let mut finished: Vec<u64> = keys
        .windows(3)
        .filter(|run| run[0] == run[2])
        .map(|run| run[0])
        .collect();
    finished.dedup();
    finished
}
