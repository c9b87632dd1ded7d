//! The children of a node, and what is known of them before they are searched.
#![forbid(unsafe_code)]

use super::budget::Budget;
use super::numbers::{CUT_OFF, INDEPENDENT, Value};
use super::solver::Solver;
use crate::position::{MoveCount, Repetition};
use crate::types::Move;

/// A move and what is known of the position behind it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub mv: Move,
    pub value: Value,
}

impl Solver {
    /// Appends the children of the current position, up to the first that settles it for good.
    pub(super) fn expand(&mut self, budget: &mut Budget) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.generate(&mut moves);
        for &mv in &moves {
            let value = self.assess(mv, budget);
            self.children.push(Child { mv, value });
            if value.numbers.delta == 0 && value.rests_on == INDEPENDENT {
                break;
            }
        }
        self.moves = moves;
    }

    /// The moves the problem allows: checks for the attacker, everything for the defender.
    pub(super) fn generate(&self, moves: &mut Vec<Move>) {
        if self.attacker_to_move() {
            let info = self.position.check_info();
            self.position.generate_checks::<true>(&info, moves);
            if self.path.len() == 1
                && let Some(first_moves) = &self.first_moves
            {
                moves.retain(|mv| first_moves.contains(mv));
            }
        } else {
            self.position.generate_legal::<true>(moves);
        }
    }

    /// What is known of the position after a move.
    fn assess(&mut self, mv: Move, budget: &mut Budget) -> Value {
        if budget.exhausted() {
            return Value::open(1, 1);
        }
        budget.count();
        self.position.do_move(mv);
        let value = self
            .refuted_by_rule()
            .or_else(|| self.known())
            .unwrap_or_else(|| self.first_estimate());
        self.position.undo_move(mv);
        value
    }

    /// Number on the path of a position just reached that is not on it yet, or of the one that
    /// is its end already.
    fn depth_reached(&self) -> u16 {
        let on_path = self
            .path
            .last()
            .is_some_and(|last| last.board_key == self.position.board_key());
        self.depth() + u16::from(!on_path)
    }

    /// Whether the position just reached fails for the attacker whatever may follow.
    fn refuted_by_rule(&self) -> Option<Value> {
        let attacker_to_move = self.attacker_to_move();
        if self.path.len() >= self.max_plies {
            return Some(Value::refuted(attacker_to_move, CUT_OFF));
        }
        if attacker_to_move && self.plies_left(self.depth() + 1) == Some(0) {
            return Some(Value::refuted(true, INDEPENDENT));
        }
        if !self.finished.is_empty() && self.finished.contains(&self.position.key()) {
            return Some(Value::refuted(attacker_to_move, INDEPENDENT));
        }
        // A search with a horizon ends without this.
        if self.horizon.is_none() {
            self.returns_to()
                .map(|depth| Value::refuted(attacker_to_move, depth))
        } else {
            None
        }
    }

    /// The position of the path that the one just reached repeats, or falls short of: the same
    /// board with the attacker holding no more than before. What mates now would have mated then.
    fn returns_to(&self) -> Option<u16> {
        if self.position.repetition(self.path.len() + 1) == Repetition::None {
            return None;
        }
        let board_key = self.position.board_key();
        let hand = self.position.hand(self.attacker);
        self.path
            .iter()
            .rposition(|earlier| earlier.board_key == board_key && earlier.hand.dominates(hand))
            .map(|index| index as u16 + 1)
    }

    /// What the table knows of the current position.
    pub(super) fn known(&self) -> Option<Value> {
        let attacker_to_move = self.attacker_to_move();
        let hand = self.position.hand(self.attacker);
        let depth = self.depth_reached();
        if let Some(left) = self.plies_left(depth) {
            // Settled without a horizon is settled with one, unless the mate takes too long.
            let found = self
                .table
                .find(self.position.board_key(), hand, attacker_to_move);
            if let Some(entry) = found
                && (entry.value.is_refuted(attacker_to_move)
                    || entry.value.is_mate(attacker_to_move) && entry.value.length <= left)
            {
                return Some(entry.value);
            }
        }
        let found = self
            .table
            .find(self.table_key(depth), hand, attacker_to_move)?;
        if found.has_path_entry && !found.value.numbers.is_solved() {
            let path_key = match self.path.last() {
                Some(last) if depth == self.depth() => last.path_key,
                _ => self.path_key(),
            };
            if let Some(entry) = self.table.get(path_key, hand) {
                return Some(entry.value);
            }
        }
        Some(found.value)
    }

    /// Key under which the table keeps the current position. With a horizon, what is true of a
    /// position depends on the plies left.
    pub(super) fn table_key(&self, depth: u16) -> u64 {
        let left = self.plies_left(depth).map_or(0, |left| u64::from(left) + 1);
        self.position.board_key() ^ left.wrapping_mul(0xd1b5_4a32_d192_ed03)
    }

    /// Plies that may still be played from a position of the path, if they are bounded.
    fn plies_left(&self, depth: u16) -> Option<u16> {
        Some((self.horizon? + 1).saturating_sub(depth))
    }

    /// Numbers of a position never seen before. The fewer moves a side has, the sooner it fails;
    /// with none at all it has failed.
    fn first_estimate(&self) -> Value {
        let attacker_to_move = self.attacker_to_move();
        let mut count = MoveCount::default();
        if attacker_to_move {
            let info = self.position.check_info();
            self.position.generate_checks::<true>(&info, &mut count);
        } else {
            self.position.generate_legal::<true>(&mut count);
        }
        match (count.0, attacker_to_move) {
            (0, true) => Value::refuted(true, INDEPENDENT),
            (0, false) => Value::mate(false, 0),
            (moves, _) => Value::open(1, moves as u32),
        }
    }
}
