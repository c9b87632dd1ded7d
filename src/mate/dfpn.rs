//! Depth-first proof-number search (df-pn).
//!
//! At a node the child that is easiest to settle is searched until it is no longer the easiest,
//! or until the node itself is settled or handed back by its parent's rule. The proof number of
//! a defender's node is the largest among its children plus one for each other child still open,
//! not their sum (weak proof numbers): a shogi problem reaches the same position in many ways,
//! and a sum would count its difficulty once for each.
#![forbid(unsafe_code)]

use super::MateOutcome;
use super::budget::Budget;
use super::expand::Child;
use super::line::Verified;
use super::numbers::{INDEPENDENT, INFINITE, Numbers, Value};
use super::table::{Entry, Table};
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

/// A mate problem being solved.
pub(super) struct Solver<'a> {
    pub(super) position: Position,
    pub(super) attacker: Color,
    pub(super) budget: Budget<'a>,
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
}

/// What the children of a node add up to.
struct Summary {
    value: Value,
    /// The child to search next, an index into the node's children.
    best: usize,
    /// Smallest `delta` of the other children.
    second: u32,
    /// Children still open.
    open: u32,
}

impl<'a> Solver<'a> {
    pub(super) fn new(position: &Position, memory_mb: usize, budget: Budget<'a>) -> Solver<'a> {
        let bytes = memory_mb.max(1).saturating_mul(1 << 20);
        let mut solver = Solver {
            position: position.clone(),
            attacker: position.side_to_move(),
            budget,
            // A quarter is left to the walk that verifies a proof.
            table: Table::new(bytes / 4 * 3),
            path: Vec::new(),
            horizon: None,
            children: Vec::new(),
            moves: Vec::new(),
            finished: finished_positions(position),
            verified: Verified::new(bytes / 4),
        };
        solver.push_ancestor();
        solver
    }

    /// Solves the problem.
    pub(super) fn solve(mut self) -> MateOutcome {
        let value = self.search(Numbers::UNBOUNDED);
        if value.is_mate(true) {
            self.line().map_or(MateOutcome::Timeout, MateOutcome::Mate)
        } else if value.is_refuted(true) && value.rests_on == INDEPENDENT {
            MateOutcome::NoMate
        } else {
            MateOutcome::Timeout
        }
    }

    /// Number of the current position on the path, 1 at the root.
    pub(super) fn depth(&self) -> u16 {
        // The path is shorter than `MAX_PLIES`.
        self.path.len() as u16
    }

    pub(super) fn attacker_to_move(&self) -> bool {
        self.position.side_to_move() == self.attacker
    }

    /// Plays a move on the path.
    pub(super) fn enter(&mut self, mv: Move) {
        self.budget.count();
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

    /// Searches the current position until its numbers reach the limit.
    pub(super) fn search(&mut self, limit: Numbers) -> Value {
        let start = self.budget.nodes();
        let first = self.children.len();
        self.expand();
        let value = loop {
            let summary = self.summary(first);
            if summary.value.numbers.reaches(limit) || self.budget.exhausted() {
                break summary.value;
            }
            let child_limit = summary.child_limit(limit);
            let child = first + summary.best;
            let mv = self.children[child].mv;
            self.enter(mv);
            let known = self.known();
            self.children[child].value = match known {
                Some(value) if value.numbers.reaches(child_limit) => value,
                _ => self.search(child_limit),
            };
            self.leave(mv);
        };
        self.children.truncate(first);
        self.store(value, self.budget.nodes() - start);
        value
    }

    /// Joins the children from `first` on.
    fn summary(&self, first: usize) -> Summary {
        let children = &self.children[first..];
        let attacker_to_move = self.attacker_to_move();
        let mut summary = Summary {
            value: Value::open(0, 0),
            best: 0,
            second: INFINITE,
            open: 0,
        };
        let (mut phi, mut hardest) = (INFINITE, 0);
        // Over the children that settle the node: the shortest and longest mate, the least and
        // most that a refutation rests on.
        let (mut shortest, mut longest) = (u16::MAX, 0);
        let (mut weakest, mut strongest) = (INDEPENDENT, 0);
        for (index, child) in children.iter().enumerate() {
            let Numbers {
                phi: child_phi,
                delta,
            } = child.value.numbers;
            if delta < phi {
                (summary.second, phi, summary.best) = (phi, delta, index);
            } else {
                summary.second = summary.second.min(delta);
            }
            if delta == 0 {
                shortest = shortest.min(child.value.length);
                strongest = strongest.max(child.value.rests_on);
            }
            if child_phi == 0 {
                longest = longest.max(child.value.length);
                weakest = weakest.min(child.value.rests_on);
            } else {
                summary.open += 1;
                hardest = hardest.max(child_phi);
            }
        }
        let rests_on = if phi == 0 { strongest } else { weakest };
        summary.value = match (phi == 0, attacker_to_move) {
            (true, true) => Value::mate(true, shortest.saturating_add(1)),
            (true, false) => Value::refuted(false, self.lift(rests_on)),
            (false, true) if summary.open == 0 => Value::refuted(true, self.lift(rests_on)),
            (false, false) if summary.open == 0 => {
                let plies = if children.is_empty() { 0 } else { longest + 1 };
                Value::mate(false, plies)
            }
            _ => Value::open(phi, hardest.saturating_add(summary.open - 1)),
        };
        summary
    }

    /// What a refutation of the current position rests on, when its own return to itself is
    /// left out: if every line comes back to it at best, it is refuted.
    fn lift(&self, rests_on: u16) -> u16 {
        if rests_on >= self.depth() {
            INDEPENDENT
        } else {
            rests_on
        }
    }

    /// Writes what a search of the current position found to the table.
    fn store(&mut self, value: Value, work: u64) {
        let Some(&Ancestor { hand, path_key, .. }) = self.path.last() else {
            return;
        };
        let key = self.table_key(self.depth());
        let old = self.table.get(key, hand);
        let old_work = old.map_or(0, |entry| u64::from(entry.work));
        let mut entry = Entry {
            key,
            hand: hand.raw(),
            value,
            work: (old_work + work).clamp(1, u64::from(u32::MAX)) as u32,
            has_path_entry: old.is_some_and(|entry| entry.has_path_entry),
        };
        if value.is_refuted(self.attacker_to_move()) && value.rests_on != INDEPENDENT {
            self.table.put(Entry {
                key: path_key,
                ..entry
            });
            entry.has_path_entry = true;
            entry.value = old.map_or(Value::open(1, 1), |entry| entry.value);
        }
        self.table.put(entry);
    }
}

impl Summary {
    /// The limit for the search of the best child: until another child is the better choice, or
    /// the node reaches its own limit. Staying a quarter longer than needed with one child saves
    /// walking to and fro between two (the 1 + epsilon trick).
    fn child_limit(&self, limit: Numbers) -> Numbers {
        Numbers {
            phi: limit.delta.saturating_sub(self.open - 1).min(INFINITE),
            delta: limit
                .phi
                .min(self.second.saturating_add(self.second / 4 + 1)),
        }
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
