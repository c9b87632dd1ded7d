//! Repetition (千日手): the fourth occurrence of a position, perpetual check (連続王手の千日手), and
//! the superior and inferior positions (優等局面, 劣等局面) that the search uses.
#![forbid(unsafe_code)]

use super::{Position, State};
use crate::types::Color;
use std::fmt;

/// The result of a repetition for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// No repetition that counts.
    None,
    /// A repetition without perpetual check.
    Draw,
    /// Perpetual check by the opponent, who loses.
    Win,
    /// Perpetual check by the side to move, which loses.
    Loss,
    /// The board of an earlier position with more pieces in hand (優等局面).
    Superior,
    /// The board of an earlier position with fewer pieces in hand (劣等局面).
    Inferior,
}

/// The result of a game by the repetition rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameRepetition {
    /// No position has occurred four times.
    None,
    /// Drawn by the fourth occurrence of a position.
    Draw,
    /// This side lost by perpetual check.
    Loses(Color),
}

impl fmt::Display for GameRepetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameRepetition::None => f.write_str("none"),
            GameRepetition::Draw => f.write_str("draw"),
            GameRepetition::Loses(color) => write!(f, "{color} loses"),
        }
    }
}

/// Occurrences of a position that end the game.
const OCCURRENCES: usize = 4;

/// Counts the board keys of all positions since the start, by their low bits. A count of one proves
/// that the board is new, which saves nearly every node the search through earlier states.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct RepetitionFilter(Box<[u16; RepetitionFilter::SIZE]>);

impl RepetitionFilter {
    const SIZE: usize = 8192;

    pub(super) fn new() -> RepetitionFilter {
        RepetitionFilter(Box::new([0; RepetitionFilter::SIZE]))
    }

    #[inline(always)]
    fn slot(&mut self, key: u64) -> &mut u16 {
        &mut self.0[key as usize % RepetitionFilter::SIZE]
    }

    /// Counts a new board.
    #[inline(always)]
    pub(super) fn push(&mut self, key: u64) {
        let slot = self.slot(key);
        *slot = slot.wrapping_add(1);
    }

    /// Uncounts a board.
    #[inline(always)]
    pub(super) fn pop(&mut self, key: u64) {
        let slot = self.slot(key);
        *slot = slot.wrapping_sub(1);
    }

    #[inline(always)]
    fn may_repeat(&self, key: u64) -> bool {
        self.0[key as usize % RepetitionFilter::SIZE] > 1
    }
}

impl Position {
    /// The repetition at a search node `ply` plies below the root.
    ///
    /// A repetition of a position below the root counts at once, one of the root or a position
    /// before it at the fourth occurrence. Superior and inferior positions count below the root
    /// only.
    #[inline]
    pub fn repetition(&self, ply: usize) -> Repetition {
        if !self.repetition_filter.may_repeat(self.state.board_key) {
            return Repetition::None;
        }
        self.search_repetition(ply)
    }

    #[cold]
    fn search_repetition(&self, ply: usize) -> Repetition {
        let us = self.side.index();
        let hand = self.state.hands[us];
        let mut occurrences = 1;
        for distance in (2..=self.state.plies_from_null as usize).step_by(2) {
            let earlier = &self.state_stack[self.state_stack.len() - distance];
            if earlier.board_key != self.state.board_key {
                continue;
            }
            let before = earlier.hands[us];
            if before == hand {
                occurrences += 1;
                if distance < ply || occurrences == OCCURRENCES {
                    return self.repeated(distance);
                }
            } else if distance < ply {
                if hand.dominates(before) {
                    return Repetition::Superior;
                }
                if before.dominates(hand) {
                    return Repetition::Inferior;
                }
            }
        }
        Repetition::None
    }

    /// The result of repeating the position `distance` plies ago.
    fn repeated(&self, distance: usize) -> Repetition {
        match self.state.perpetual_checker(distance / 2) {
            None => Repetition::Draw,
            Some(loser) if loser == self.side => Repetition::Loss,
            Some(_) => Repetition::Win,
        }
    }

    /// The result of the game by the repetition rule. The first fourth occurrence of a position
    /// ends it, whatever was played afterwards.
    pub fn game_repetition(&self) -> GameRepetition {
        let states: Vec<_> = self.state_stack.iter().chain([&self.state]).collect();
        for (now, state) in states.iter().enumerate() {
            let same = |&earlier: &usize| {
                states[earlier].board_key == state.board_key && states[earlier].hands == state.hands
            };
            if let Some(first) = (0..now).rev().filter(same).nth(OCCURRENCES - 2) {
                return match state.perpetual_checker((now - first) / 2) {
                    None => GameRepetition::Draw,
                    Some(loser) => GameRepetition::Loses(loser),
                };
            }
        }
        GameRepetition::None
    }
}

impl State {
    /// The side whose last `moves` moves all gave check (連続王手), unless those of both sides did.
    fn perpetual_checker(&self, moves: usize) -> Option<Color> {
        match self
            .continuous_checks
            .map(|checks| usize::from(checks) >= moves)
        {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        }
    }
}
