//! Proof and disproof numbers, and what is known of a position.
#![forbid(unsafe_code)]

/// A number that cannot be reached any more. Unsolved positions stay below it.
pub(super) const INFINITE: u32 = 1 << 30;

/// Proof numbers seen from the side to move: `phi` measures how hard it is to show that the mover
/// gets its way, `delta` that it does not. For the attacker these are proof and disproof number,
/// for the defender the other way round, so one rule joins the numbers of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub phi: u32,
    pub delta: u32,
}

impl Numbers {
    /// The mover gets its way.
    pub(super) const WON: Numbers = Numbers {
        phi: 0,
        delta: INFINITE,
    };
    /// The mover does not.
    pub(super) const LOST: Numbers = Numbers {
        phi: INFINITE,
        delta: 0,
    };
    /// Numbers that no unsolved position reaches.
    pub(super) const UNBOUNDED: Numbers = Numbers {
        phi: INFINITE,
        delta: INFINITE,
    };

    pub(super) fn is_solved(self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Whether a search with these limits has done its work.
    pub(super) fn reaches(self, limit: Numbers) -> bool {
        self.is_solved() || self.phi >= limit.phi || self.delta >= limit.delta
    }
}

/// What a refutation rests on when it needs nothing of the path.
pub(super) const INDEPENDENT: u16 = u16::MAX;

/// What a refutation rests on when the longest line allowed was too short. No position of a path
/// has this number, so nothing lifts the reservation.
pub(super) const CUT_OFF: u16 = 0;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub numbers: Numbers,
    /// Of a proof: plies to the mate at most.
    pub length: u16,
    /// Of a refutation: the number, counted from 1 at the root, of the earliest position on the
    /// path that it takes for refuted; [`INDEPENDENT`] or [`CUT_OFF`].
    pub rests_on: u16,
}

impl Value {
    /// Not decided.
    pub(super) fn open(phi: u32, delta: u32) -> Value {
        Value {
            numbers: Numbers {
                phi: phi.min(INFINITE - 1),
                delta: delta.min(INFINITE - 1),
            },
            length: 0,
            rests_on: INDEPENDENT,
        }
    }

    /// The attacker mates within `length` plies.
    pub(super) fn mate(attacker_to_move: bool, length: u16) -> Value {
        Value {
            numbers: if attacker_to_move {
                Numbers::WON
            } else {
                Numbers::LOST
            },
            length,
            rests_on: INDEPENDENT,
        }
    }

    /// The attacker does not mate.
    pub(super) fn refuted(attacker_to_move: bool, rests_on: u16) -> Value {
        Value {
            numbers: if attacker_to_move {
                Numbers::LOST
            } else {
                Numbers::WON
            },
            length: 0,
            rests_on,
        }
    }

    pub(super) fn is_mate(&self, attacker_to_move: bool) -> bool {
        self.numbers == Value::mate(attacker_to_move, 0).numbers
    }

    pub(super) fn is_refuted(&self, attacker_to_move: bool) -> bool {
        self.is_mate(!attacker_to_move)
    }
}
