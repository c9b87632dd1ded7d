//! Proof and disproof numbers, and the results of positions.
#![forbid(unsafe_code)]

/// Infinity: the proof number of what is disproven. The numbers of unsolved positions stay below
/// it.
pub(super) const INFINITE: u32 = 1 << 30;

/// Proof numbers from the side to move's view, as Nagai's df-pn has them: `phi` is the effort to
/// prove that the side to move reaches its goal, `delta` that it does not. For the attacker they
/// are the proof and the disproof number, for the defender the disproof and the proof number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ProofNumbers {
    pub phi: u32,
    pub delta: u32,
}

impl ProofNumbers {
    /// The side to move reaches its goal.
    pub(super) const WIN: ProofNumbers = ProofNumbers {
        phi: 0,
        delta: INFINITE,
    };
    /// The side to move does not reach its goal.
    pub(super) const LOSS: ProofNumbers = ProofNumbers {
        phi: INFINITE,
        delta: 0,
    };
    /// Thresholds that no unsolved position reaches.
    pub(super) const UNLIMITED: ProofNumbers = ProofNumbers {
        phi: INFINITE,
        delta: INFINITE,
    };

    pub(super) fn is_solved(self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Whether a search with these thresholds is finished.
    pub(super) fn reach(self, thresholds: ProofNumbers) -> bool {
        self.is_solved() || self.phi >= thresholds.phi || self.delta >= thresholds.delta
    }
}

/// Repetition depth of a disproof that holds on every path.
pub(super) const PATH_INDEPENDENT: u16 = u16::MAX;

/// Repetition depth of a disproof that only the maximum depth of the search allows. No node has
/// this depth, so it never becomes independent of the path.
pub(super) const DEPTH_LIMIT: u16 = 0;

/// The result of a position so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DfpnResult {
    pub numbers: ProofNumbers,
    /// For a proof: an upper bound on the plies to mate.
    pub mate_length: u16,
    /// For a disproof: the depth, 1 at the root, of the shallowest node on the path that it
    /// repeats; [`PATH_INDEPENDENT`] or [`DEPTH_LIMIT`].
    pub repetition_depth: u16,
}

impl DfpnResult {
    /// Neither proven nor disproven.
    pub(super) fn unsolved(phi: u32, delta: u32) -> DfpnResult {
        DfpnResult {
            numbers: ProofNumbers {
                phi: phi.min(INFINITE - 1),
                delta: delta.min(INFINITE - 1),
            },
            mate_length: 0,
            repetition_depth: PATH_INDEPENDENT,
        }
    }

    /// The attacker mates within `mate_length` plies.
    pub(super) fn proven(attacker_to_move: bool, mate_length: u16) -> DfpnResult {
        DfpnResult {
            numbers: if attacker_to_move {
                ProofNumbers::WIN
            } else {
                ProofNumbers::LOSS
            },
            mate_length,
            repetition_depth: PATH_INDEPENDENT,
        }
    }

    /// The attacker does not mate.
    pub(super) fn disproven(attacker_to_move: bool, repetition_depth: u16) -> DfpnResult {
        DfpnResult {
            repetition_depth,
            ..DfpnResult::proven(!attacker_to_move, 0)
        }
    }

    pub(super) fn is_proven(&self, attacker_to_move: bool) -> bool {
        self.numbers == DfpnResult::proven(attacker_to_move, 0).numbers
    }

    pub(super) fn is_disproven(&self, attacker_to_move: bool) -> bool {
        self.is_proven(!attacker_to_move)
    }
}
