//! Depth-first proof-number search (df-pn) and the expansion of its nodes.
//! <https://www.chessprogramming.org/Proof-Number_Search>
//!
//! A node searches its most-proving child until another child is most-proving or the node reaches
//! its own thresholds. Instead of the sum of the children's numbers, a node takes the largest plus
//! one for each other unsolved child (weak proof numbers): transpositions are frequent in shogi,
//! and the sum would count a position once for each of its move orders.
#![forbid(unsafe_code)]

use super::NodeBudget;
use super::proof_numbers::{DEPTH_LIMIT, DfpnResult, INFINITE, PATH_INDEPENDENT, ProofNumbers};
use super::solver::{PathNode, Solver};
use super::table::MateEntry;
use crate::position::{MoveCount, Repetition};
use crate::types::Move;

/// A move and the result of the position after it so far.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub mv: Move,
    pub result: DfpnResult,
}

/// The result of a node, backed up from its children.
struct Backup {
    result: DfpnResult,
    /// Index of the most-proving child.
    best: usize,
    /// The smallest `delta` of the other children.
    second_delta: u32,
    /// Number of unsolved children.
    unsolved: u32,
}

impl Backup {
    /// Thresholds of the most-proving child. Its `delta` may exceed the second-best by a quarter
    /// before the search switches, to avoid switching back and forth (the 1 + epsilon trick).
    fn child_thresholds(&self, thresholds: ProofNumbers) -> ProofNumbers {
        let switch = self.second_delta.saturating_add(self.second_delta / 4 + 1);
        ProofNumbers {
            phi: thresholds
                .delta
                .saturating_sub(self.unsolved - 1)
                .min(INFINITE),
            delta: thresholds.phi.min(switch),
        }
    }
}

impl Solver {
    /// Searches the current position until its numbers reach the thresholds.
    pub(super) fn search(
        &mut self,
        thresholds: ProofNumbers,
        budget: &mut NodeBudget,
    ) -> DfpnResult {
        let start = budget.nodes();
        let first = self.children.len();
        self.expand(budget);
        let result = loop {
            let backup = self.back_up(first);
            if backup.result.numbers.reach(thresholds) || budget.is_exhausted() {
                break backup.result;
            }
            let child_thresholds = backup.child_thresholds(thresholds);
            let child = first + backup.best;
            let mv = self.children[child].mv;
            self.do_move(mv, budget);
            self.children[child].result = match self.probe() {
                Some(result) if result.numbers.reach(child_thresholds) => result,
                _ => self.search(child_thresholds, budget),
            };
            self.undo_move(mv);
        };
        self.children.truncate(first);
        self.store(result, budget.nodes() - start);
        result
    }

    /// Backs up the results of the children from index `first` on.
    fn back_up(&self, first: usize) -> Backup {
        let children = &self.children[first..];
        let attacker_to_move = self.attacker_to_move();
        let (mut best, mut phi, mut second_delta) = (0, INFINITE, INFINITE);
        let (mut unsolved, mut max_phi) = (0, 0);
        // Of the children that solve the node: the shortest and longest mate, the largest and
        // smallest repetition depth.
        let (mut shortest, mut longest) = (u16::MAX, 0);
        let (mut deepest, mut shallowest) = (0, PATH_INDEPENDENT);
        for (index, Child { result, .. }) in children.iter().enumerate() {
            let numbers = result.numbers;
            if numbers.delta < phi {
                (second_delta, phi, best) = (phi, numbers.delta, index);
            } else {
                second_delta = second_delta.min(numbers.delta);
            }
            if numbers.delta == 0 {
                shortest = shortest.min(result.mate_length);
                deepest = deepest.max(result.repetition_depth);
            }
            if numbers.phi == 0 {
                longest = longest.max(result.mate_length);
                shallowest = shallowest.min(result.repetition_depth);
            } else {
                unsolved += 1;
                max_phi = max_phi.max(numbers.phi);
            }
        }
        let result = match (phi == 0, attacker_to_move) {
            (true, true) => DfpnResult::proven(true, shortest.saturating_add(1)),
            (true, false) => DfpnResult::disproven(false, self.close_repetition(deepest)),
            (false, true) if unsolved == 0 => {
                DfpnResult::disproven(true, self.close_repetition(shallowest))
            }
            (false, false) if unsolved == 0 => {
                let plies = if children.is_empty() { 0 } else { longest + 1 };
                DfpnResult::proven(false, plies)
            }
            _ => DfpnResult::unsolved(phi, max_phi.saturating_add(unsolved - 1)),
        };
        Backup {
            result,
            best,
            second_delta,
            unsolved,
        }
    }

    /// The repetition depth of a disproof of the current position. Repetitions of this position
    /// itself do not make it depend on the path.
    fn close_repetition(&self, repetition_depth: u16) -> u16 {
        if repetition_depth >= self.depth() {
            PATH_INDEPENDENT
        } else {
            repetition_depth
        }
    }

    /// Appends the children of the current position, up to the first that solves it on every path.
    pub(super) fn expand(&mut self, budget: &mut NodeBudget) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.generate(&mut moves);
        for &mv in &moves {
            let result = self.initial_child_result(mv, budget);
            self.children.push(Child { mv, result });
            if result.numbers.delta == 0 && result.repetition_depth == PATH_INDEPENDENT {
                break;
            }
        }
        self.moves = moves;
    }

    /// The moves of the current position: checks for the attacker, all moves for the defender.
    pub(super) fn generate(&self, moves: &mut Vec<Move>) {
        if self.attacker_to_move() {
            let info = self.position.check_info();
            self.position.generate_checks::<true>(&info, moves);
            if self.path.len() == 1
                && let Some(root_moves) = &self.root_moves
            {
                moves.retain(|mv| root_moves.contains(mv));
            }
        } else {
            self.position.generate_legal::<true>(moves);
        }
    }

    /// The result of the position after a move before it is searched.
    fn initial_child_result(&mut self, mv: Move, budget: &mut NodeBudget) -> DfpnResult {
        if budget.is_exhausted() {
            return DfpnResult::unsolved(1, 1);
        }
        budget.count();
        self.position.do_move(mv);
        let result = self
            .disproven_by_rule()
            .or_else(|| self.probe())
            .unwrap_or_else(|| self.initial_result());
        self.position.undo_move(mv);
        result
    }

    /// A disproof of the position just reached, by the rules of the game or the limits of the
    /// search.
    fn disproven_by_rule(&self) -> Option<DfpnResult> {
        let attacker_to_move = self.attacker_to_move();
        if self.path.len() >= self.max_plies {
            return Some(DfpnResult::disproven(attacker_to_move, DEPTH_LIMIT));
        }
        let too_long = attacker_to_move && self.plies_left(self.depth() + 1) == Some(0);
        if too_long || self.thrice_repeated.contains(&self.position.key()) {
            return Some(DfpnResult::disproven(attacker_to_move, PATH_INDEPENDENT));
        }
        // A limit on the length ends every line, repetitions or not.
        if self.length_limit.is_some() {
            return None;
        }
        self.repeated_depth()
            .map(|depth| DfpnResult::disproven(attacker_to_move, depth))
    }

    /// Depth of the node on the path that the position just reached repeats, or repeats with less
    /// in the attacker's hand: if that mated, the earlier node would have mated sooner.
    fn repeated_depth(&self) -> Option<u16> {
        if self.position.repetition(self.path.len() + 1) == Repetition::None {
            return None;
        }
        let board_key = self.position.board_key();
        let hand = self.position.hand(self.attacker);
        self.path
            .iter()
            .rposition(|node| node.board_key == board_key && node.hand.dominates(hand))
            .map(|index| index as u16 + 1)
    }

    /// The heuristic result of a new position: the fewer moves a side has, the easier it is to
    /// prove that it fails. Without any it has failed.
    fn initial_result(&self) -> DfpnResult {
        let attacker_to_move = self.attacker_to_move();
        let mut count = MoveCount::default();
        if attacker_to_move {
            let info = self.position.check_info();
            self.position.generate_checks::<true>(&info, &mut count);
        } else {
            self.position.generate_legal::<true>(&mut count);
        }
        match (count.0, attacker_to_move) {
            (0, true) => DfpnResult::disproven(true, PATH_INDEPENDENT),
            (0, false) => DfpnResult::proven(false, 0),
            (moves, _) => DfpnResult::unsolved(1, moves as u32),
        }
    }

    /// The result of the current position in the table.
    fn probe(&self) -> Option<DfpnResult> {
        let attacker_to_move = self.attacker_to_move();
        let hand = self.position.hand(self.attacker);
        // A child that is being expanded is not on the path yet.
        let last = self.path.last();
        let on_path = last.filter(|node| node.board_key == self.position.board_key());
        let depth = self.depth() + u16::from(on_path.is_none());
        if let Some(left) = self.plies_left(depth) {
            // What is solved without a length limit is solved with one, unless the mate is too
            // long.
            let board_key = self.position.board_key();
            let entry = self.table.probe(board_key, hand, attacker_to_move);
            if let Some(MateEntry { result, .. }) = entry
                && (result.is_disproven(attacker_to_move)
                    || result.is_proven(attacker_to_move) && result.mate_length <= left)
            {
                return Some(result);
            }
        }
        let key = self.table_key(depth);
        let entry = self.table.probe(key, hand, attacker_to_move)?;
        if entry.has_path_entry && !entry.result.numbers.is_solved() {
            let path_key = on_path.map_or_else(|| self.path_key(), |node| node.path_key);
            if let Some(entry) = self.table.probe_exact(path_key, hand) {
                return Some(entry.result);
            }
        }
        Some(entry.result)
    }

    /// Stores the result of a search of the current position, which took `work` nodes.
    fn store(&mut self, result: DfpnResult, work: u64) {
        let Some(&PathNode { hand, path_key, .. }) = self.path.last() else {
            return;
        };
        let key = self.table_key(self.depth());
        let old = self.table.probe_exact(key, hand);
        let old_work = old.map_or(0, |entry| u64::from(entry.work));
        let mut entry = MateEntry {
            key,
            hand,
            result,
            work: (old_work + work).clamp(1, u64::from(u32::MAX)) as u32,
            has_path_entry: old.is_some_and(|entry| entry.has_path_entry),
        };
        if result.is_disproven(self.attacker_to_move())
            && result.repetition_depth != PATH_INDEPENDENT
        {
            self.table.store(MateEntry {
                key: path_key,
                ..entry
            });
            entry.has_path_entry = true;
            entry.result = old.map_or(DfpnResult::unsolved(1, 1), |entry| entry.result);
        }
        self.table.store(entry);
    }

    /// Key of the current position in the table. With a length limit, the result depends on the
    /// plies left.
    fn table_key(&self, depth: u16) -> u64 {
        let left = self.plies_left(depth).map_or(0, |left| u64::from(left) + 1);
        self.position.board_key() ^ left.wrapping_mul(0xd1b5_4a32_d192_ed03)
    }

    /// Plies that a line may still have at a depth, if its length is limited.
    fn plies_left(&self, depth: u16) -> Option<u16> {
        Some((self.length_limit? + 1).saturating_sub(depth))
    }
}
