//! Switches for the selective parts of the search. A normal build has no switches: every test of
//! one is a constant. Tests and `tune` builds turn techniques off, to compare the search with
//! plain minimax and to measure what each technique is worth.
#![forbid(unsafe_code)]

use bitflags::bitflags;

bitflags! {
    /// A part of the search that can be left out without breaking it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Technique: u32 {
        /// Narrow windows at the root.
        const ASPIRATION = 1;
        /// Confirming scores that fail high at the root by a shallower search.
        const FAIL_HIGH_REDUCTION = 1 << 14;
        /// Cutting on values of the transposition table.
        const TABLE_CUTOFF = 1 << 1;
        /// Razoring.
        const RAZORING = 1 << 2;
        /// Futility pruning of the child node.
        const CHILD_FUTILITY = 1 << 3;
        /// Null move pruning.
        const NULL_MOVE = 1 << 4;
        /// Internal iterative reduction.
        const ITERATIVE_REDUCTION = 1 << 5;
        /// Late move pruning.
        const LATE_MOVE_PRUNING = 1 << 6;
        /// History pruning.
        const HISTORY_PRUNING = 1 << 7;
        /// Futility pruning of the parent node.
        const PARENT_FUTILITY = 1 << 8;
        /// Static exchange pruning.
        const EXCHANGE_PRUNING = 1 << 9;
        /// Singular extension, and what its search says otherwise.
        const SINGULAR = 1 << 15;
        /// Correction of the static evaluation by experience.
        const CORRECTION = 1 << 16;
        /// Looking for a mate in one.
        const MATE_IN_ONE = 1 << 17;
        /// Changing the depth of a reduced node by what its evaluation says.
        const HINDSIGHT = 1 << 18;
        /// ProbCut.
        const PROBCUT = 1 << 19;
        /// ProbCut by the transposition table alone.
        const SMALL_PROBCUT = 1 << 20;
        /// Futility pruning of captures.
        const CAPTURE_FUTILITY = 1 << 21;
        /// Late move reductions.
        const LATE_MOVE_REDUCTION = 1 << 11;
        /// Quiescence search; without it leaves get their static evaluation.
        const QUIESCENCE = 1 << 12;
        /// Delta pruning and the other limits of quiescence search.
        const DELTA_PRUNING = 1 << 13;
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

    /// Whether a technique is in use.
    #[inline(always)]
    pub const fn has(&self, _technique: Technique) -> bool {
        #[cfg(any(test, feature = "tune"))]
        return self.used.contains(_technique);
        #[cfg(not(any(test, feature = "tune")))]
        true
    }
}
