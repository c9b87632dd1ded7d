//! Switches for the parts of the search. A normal build has no switches: every test of one is a
//! constant. Tests and `tune` builds turn techniques off, to compare the search with plain minimax
//! and to measure what each technique is worth (`komaoto ablation`).
#![forbid(unsafe_code)]

use bitflags::bitflags;
#[cfg(feature = "tune")]
use std::sync::LazyLock;

bitflags! {
    /// A part of the search that can be left out without breaking it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Technique: u64 {
        // The root.
        /// Narrow windows at the root.
        const ASPIRATION = 1;
        /// Confirming scores that fail high at the root by a shallower search.
        const FAIL_HIGH_REDUCTION = 1 << 1;

        // What is known without searching.
        /// Cutting on values of the transposition table.
        const TABLE_CUTOFF = 1 << 2;
        /// Trying the move of the transposition table first.
        const TABLE_MOVE = 1 << 3;
        /// Values of the transposition table in place of the static evaluation.
        const TABLE_EVALUATION = 1 << 4;
        /// Mate distance pruning.
        const MATE_DISTANCE = 1 << 5;
        /// Looking for a mate in one.
        const MATE_IN_ONE = 1 << 6;
        /// Looking for longer mates by checks at the root.
        const ROOT_MATE = 1 << 43;
        /// Correction of the static evaluation by experience.
        const CORRECTION = 1 << 7;
        /// Asking whether the side to move is improving.
        const IMPROVING = 1 << 8;
        /// Changing the depth of a reduced node by what its evaluation says.
        const HINDSIGHT = 1 << 9;

        // Pruning of nodes.
        /// Razoring.
        const RAZORING = 1 << 10;
        /// Futility pruning of the child node (reverse futility pruning).
        const CHILD_FUTILITY = 1 << 11;
        /// Null move pruning.
        const NULL_MOVE = 1 << 12;
        /// Internal iterative reduction.
        const ITERATIVE_REDUCTION = 1 << 13;
        /// ProbCut.
        const PROBCUT = 1 << 14;
        /// ProbCut by the transposition table alone.
        const SMALL_PROBCUT = 1 << 15;

        // Pruning of moves.
        /// Leaving out promotions not made that hardly ever matter.
        const UNLIKELY_MOVES = 1 << 16;
        /// Late move pruning.
        const LATE_MOVE_PRUNING = 1 << 17;
        /// History pruning.
        const HISTORY_PRUNING = 1 << 18;
        /// Futility pruning of the parent node, for quiet moves.
        const PARENT_FUTILITY = 1 << 19;
        /// The same for captures.
        const CAPTURE_FUTILITY = 1 << 20;
        /// Static exchange pruning.
        const EXCHANGE_PRUNING = 1 << 21;
        /// Pruning no quiet moves on the last iteration's line.
        const FOLLOWING_LINE = 1 << 22;

        // Depth of moves.
        /// Singular extension, and what its search says otherwise.
        const SINGULAR = 1 << 23;
        /// Singular extension by more than one ply.
        const MULTIPLE_EXTENSION = 1 << 24;
        /// Cutting a node where singular search finds several good moves.
        const MULTI_CUT = 1 << 25;
        /// Searching a move less deep where singular search finds others as good.
        const NEGATIVE_EXTENSION = 1 << 26;
        /// Late move reductions.
        const LATE_MOVE_REDUCTION = 1 << 27;
        /// Reducing more in expected cut nodes.
        const CUT_NODE_REDUCTION = 1 << 28;
        /// Reducing less on lines that once were principal variations.
        const LINE_REDUCTION = 1 << 29;
        /// Reducing by history.
        const HISTORY_REDUCTION = 1 << 30;

        // Order of moves. A history that is switched off learns nothing.
        /// Butterfly history.
        const BUTTERFLY_HISTORY = 1 << 31;
        /// Capture history.
        const CAPTURE_HISTORY = 1 << 32;
        /// Continuation history.
        const CONTINUATION_HISTORY = 1 << 33;
        /// Pawn history.
        const PAWN_HISTORY = 1 << 34;
        /// History of the plies near the root.
        const LOW_PLY_HISTORY = 1 << 35;
        /// Quiet checks before other quiet moves.
        const CHECK_ORDERING = 1 << 36;
        /// Captures that lose by exchange after quiet moves.
        const EXCHANGE_ORDERING = 1 << 37;

        // Leaves.
        /// Quiescence search; without it leaves get their static evaluation.
        const QUIESCENCE = 1 << 38;
        /// Delta pruning in quiescence search.
        const DELTA_PRUNING = 1 << 39;
        /// Static exchange pruning in quiescence search.
        const QUIESCENCE_EXCHANGE = 1 << 40;
        /// The limit of captures tried in quiescence search.
        const QUIESCENCE_LIMIT = 1 << 41;
        /// Leaving out quiet answers to a check in quiescence search.
        const QUIESCENCE_EVASIONS = 1 << 42;
    }
}

/// The techniques in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Techniques {
    #[cfg(any(test, feature = "tune"))]
    used: Technique,
}

impl Techniques {
    /// All of them.
    pub const ALL: Techniques = Techniques {
        #[cfg(any(test, feature = "tune"))]
        used: Technique::all(),
    };

    /// All but these.
    #[cfg(any(test, feature = "tune"))]
    pub const fn without(left_out: Technique) -> Techniques {
        Techniques {
            used: Technique::all().difference(left_out),
        }
    }

    /// Turns techniques on or off.
    #[cfg(feature = "tune")]
    pub fn set(&mut self, techniques: Technique, on: bool) {
        self.used.set(techniques, on);
    }

    /// Whether a technique is in use.
    #[inline(always)]
    pub const fn has(&self, _technique: Technique) -> bool {
        #[cfg(any(test, feature = "tune"))]
        return self.used.contains(_technique);
        #[cfg(not(any(test, feature = "tune")))]
        true
    }
}

/// What the names of all techniques begin with.
#[cfg(feature = "tune")]
pub const PREFIX: &str = "Technique_";

/// Every technique by the name of its option, as `Technique_NullMove`.
#[cfg(feature = "tune")]
pub fn named() -> &'static [(String, Technique)] {
    static NAMED: LazyLock<Vec<(String, Technique)>> = LazyLock::new(|| {
        let names = Technique::all().iter_names();
        names
            .map(|(name, technique)| (PREFIX.to_string() + &camel_case(name), technique))
            .collect()
    });
    &NAMED
}

/// `NULL_MOVE` as `NullMove`.
#[cfg(feature = "tune")]
fn camel_case(name: &str) -> String {
    let words = name.split('_');
    words
        .map(|word| word[..1].to_string() + &word[1..].to_ascii_lowercase())
        .collect()
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;

    #[test]
    fn every_technique_has_a_name_and_a_bit_of_its_own() {
        let all = named();
        assert_eq!(all.len(), Technique::all().bits().count_ones() as usize);
        assert!(all.iter().all(|(_, one)| one.bits().is_power_of_two()));
        assert!(all.contains(&("Technique_NullMove".into(), Technique::NULL_MOVE)));
    }

    #[test]
    fn techniques_are_turned_off_and_on_one_by_one() {
        let mut techniques = Techniques::ALL;
        techniques.set(Technique::NULL_MOVE, false);
        assert_eq!(techniques, Techniques::without(Technique::NULL_MOVE));
        techniques.set(Technique::NULL_MOVE, true);
        assert_eq!(techniques, Techniques::ALL);
    }
}
