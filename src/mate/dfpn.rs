//! Depth-first proof-number search (df-pn).
//!
//! At a node the child that is easiest to settle is searched until it is no longer the easiest,
//! or until the node itself is settled or handed back by its parent's rule. The proof number of
//! a defender's node is the largest among its children plus one for each other child still open,
//! not their sum (weak proof numbers): a shogi problem reaches the same position in many ways,
//! and a sum would count its difficulty once for each.
#![forbid(unsafe_code)]

use super::budget::Budget;
use super::numbers::{INDEPENDENT, INFINITE, Numbers, Value};
use super::solver::{Ancestor, Solver};
use super::table::Entry;

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

impl Solver {
    /// Searches the current position until its numbers reach the limit.
    pub(super) fn search(&mut self, limit: Numbers, budget: &mut Budget) -> Value {
        let start = budget.nodes();
        let first = self.children.len();
        self.expand(budget);
        let value = loop {
            let summary = self.summary(first);
            if summary.value.numbers.reaches(limit) || budget.exhausted() {
                break summary.value;
            }
            let child_limit = summary.child_limit(limit);
            let child = first + summary.best;
            let mv = self.children[child].mv;
            self.enter(mv, budget);
            let known = self.known();
            self.children[child].value = match known {
                Some(value) if value.numbers.reaches(child_limit) => value,
                _ => self.search(child_limit, budget),
            };
            self.leave(mv);
        };
        self.children.truncate(first);
        self.store(value, budget.nodes() - start);
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
