//! From a proof to a line of moves: every proof is walked through against all defences.
#![forbid(unsafe_code)]

use super::budget::Budget;
use super::numbers::Numbers;
use super::solver::Solver;
use crate::types::Move;
use std::collections::HashMap;

/// Bytes a verified position takes, with what a hash map needs besides.
const VERIFIED_BYTES: usize = 48;

/// Positions from which the mate has been played out against every defence.
pub(super) struct Verified {
    map: HashMap<u64, Mate>,
    capacity: usize,
}

/// A mate that was played out.
#[derive(Clone, Copy)]
pub(super) struct Mate {
    /// Plies it takes.
    pub length: u16,
    /// The attacker's move, or the defender's longest defence; [`Move::NONE`] when mated.
    mv: Move,
}

impl Verified {
    pub(super) fn new(bytes: usize) -> Verified {
        Verified {
            map: HashMap::new(),
            capacity: bytes / VERIFIED_BYTES,
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.map.clear();
    }

    /// Keeps a mate unless a shorter one from the same position is known; returns the one kept.
    /// As lengths only fall, every move leads to a position kept with fewer plies, even when a
    /// walk comes back to a position that it is still busy with.
    fn insert(&mut self, key: u64, mate: Mate) -> Mate {
        let kept = self.map.entry(key).or_insert(mate);
        if mate.length < kept.length {
            *kept = mate;
        }
        *kept
    }
}

impl Solver {
    /// Plays out the mate from the current position, within `bound` plies.
    pub(super) fn verify(&mut self, bound: u16, budget: &mut Budget) -> Option<Mate> {
        let key = self.position.key();
        if let Some(&mate) = self.verified.map.get(&key)
            && mate.length <= bound
        {
            return Some(mate);
        }
        if self.path.len() >= self.max_plies || self.verified.map.len() >= self.verified.capacity {
            return None;
        }
        let mate = if self.attacker_to_move() {
            self.verify_attack(bound, budget)?
        } else {
            self.verify_defence(bound, budget)?
        };
        Some(self.verified.insert(key, mate))
    }

    /// Plays the check that mates soonest by what the table knows.
    fn verify_attack(&mut self, bound: u16, budget: &mut Budget) -> Option<Mate> {
        let left = bound.checked_sub(1)?;
        let check = match self.proven_check(budget) {
            Some(check) => check,
            None => {
                // The table has lost it: prove it again.
                self.search(Numbers::UNBOUNDED, budget);
                self.proven_check(budget)?
            }
        };
        if budget.exhausted() {
            return None;
        }
        self.enter(check, budget);
        let mated = self.verify(left, budget);
        self.leave(check);
        Some(Mate {
            length: mated?.length + 1,
            mv: check,
        })
    }

    /// A check proven to mate, the one with the shortest mate.
    fn proven_check(&mut self, budget: &mut Budget) -> Option<Move> {
        let first = self.children.len();
        self.expand(budget);
        let proven = self.children[first..]
            .iter()
            .filter(|child| child.value.is_mate(false))
            .min_by_key(|child| child.value.length)
            .map(|child| child.mv);
        self.children.truncate(first);
        proven
    }

    /// Plays every defence.
    fn verify_defence(&mut self, bound: u16, budget: &mut Budget) -> Option<Mate> {
        let mut defences = Vec::new();
        self.generate(&mut defences);
        let mut longest = Mate {
            length: 0,
            mv: Move::NONE,
        };
        for mv in defences {
            let left = bound.checked_sub(1)?;
            if budget.exhausted() {
                return None;
            }
            self.enter(mv, budget);
            let mate = self.verify(left, budget);
            self.leave(mv);
            let length = mate?.length + 1;
            if length > longest.length {
                longest = Mate { length, mv };
            }
        }
        Some(longest)
    }

    /// The moves of a verified mate from the root on.
    pub(super) fn play_out(&self, mut mate: Mate) -> Option<Vec<Move>> {
        let mut position = self.position.clone();
        let mut line = Vec::new();
        while mate.mv.is_some() {
            position.do_move(mate.mv);
            line.push(mate.mv);
            mate = *self.verified.map.get(&position.key())?;
        }
        Some(line)
    }
}
