//! Verification of a proof by playing it out against every defence, which also gives the mating
//! line.
#![forbid(unsafe_code)]

use super::NodeBudget;
use super::proof_numbers::ProofNumbers;
use super::solver::Solver;
use crate::types::Move;
use std::collections::HashMap;

/// Memory of a verified mate in bytes, including the overhead of the hash map.
const BYTES_PER_MATE: usize = 48;

/// Mates that have been played out against every defence, by position key.
pub(super) struct VerifiedMates {
    map: HashMap<u64, VerifiedMate>,
    capacity: usize,
}

/// A mate from a position.
#[derive(Clone, Copy)]
pub(super) struct VerifiedMate {
    /// Plies it takes.
    pub length: u16,
    /// The attacker's move, or the defender's longest defence; [`Move::NONE`] when mated.
    mv: Move,
}

impl VerifiedMates {
    pub(super) fn new(bytes: usize) -> VerifiedMates {
        VerifiedMates {
            map: HashMap::new(),
            capacity: bytes / BYTES_PER_MATE,
        }
    }

    /// Removes everything.
    pub(super) fn clear(&mut self) {
        self.map.clear();
    }

    /// Stores a mate unless a shorter one of its position is stored; returns the one kept. As
    /// lengths only decrease, every stored move leads to a position stored with fewer plies, even
    /// when verification revisits a position it has not finished.
    fn insert(&mut self, key: u64, mate: VerifiedMate) -> VerifiedMate {
        let kept = self.map.entry(key).or_insert(mate);
        if mate.length < kept.length {
            *kept = mate;
        }
        *kept
    }
}

impl Solver {
    /// Verifies that the current position is mate within `bound` plies.
    pub(super) fn verify(&mut self, bound: u16, budget: &mut NodeBudget) -> Option<VerifiedMate> {
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

    /// Follows the check with the shortest proven mate.
    fn verify_attack(&mut self, bound: u16, budget: &mut NodeBudget) -> Option<VerifiedMate> {
        let left = bound.checked_sub(1)?;
        let check = match self.proven_check(budget) {
            Some(check) => check,
            None => {
                // The table has overwritten the proof: search again.
                self.search(ProofNumbers::UNLIMITED, budget);
                self.proven_check(budget)?
            }
        };
        if budget.is_exhausted() {
            return None;
        }
        self.do_move(check, budget);
        let mated = self.verify(left, budget);
        self.undo_move(check);
        Some(VerifiedMate {
            length: mated?.length + 1,
            mv: check,
        })
    }

    /// The check with the shortest mate proven in the table.
    fn proven_check(&mut self, budget: &mut NodeBudget) -> Option<Move> {
        let first = self.children.len();
        self.expand(budget);
        let proven = self.children[first..]
            .iter()
            .filter(|child| child.result.is_proven(false))
            .min_by_key(|child| child.result.mate_length)
            .map(|child| child.mv);
        self.children.truncate(first);
        proven
    }

    /// Follows every defence.
    fn verify_defence(&mut self, bound: u16, budget: &mut NodeBudget) -> Option<VerifiedMate> {
        let mut defences = Vec::new();
        self.generate(&mut defences);
        let mut longest = VerifiedMate {
            length: 0,
            mv: Move::NONE,
        };
        for mv in defences {
            let left = bound.checked_sub(1)?;
            if budget.is_exhausted() {
                return None;
            }
            self.do_move(mv, budget);
            let mate = self.verify(left, budget);
            self.undo_move(mv);
            let length = mate?.length + 1;
            if length > longest.length {
                longest = VerifiedMate { length, mv };
            }
        }
        Some(longest)
    }

    /// The moves of a verified mate at the root.
    pub(super) fn mating_line(&self, mut mate: VerifiedMate) -> Option<Vec<Move>> {
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
