//! What a network looks at: one row of data for each input feature set.
//!
//! A feature set says which of the plane squares (see [`super::view`]) count, and in how many
//! copies: one for each square of the perspective's king, or for each of its 45 squares up to
//! mirroring, or a single one.
#![forbid(unsafe_code)]

use super::effects::EffectClasses;
use super::view::{ENEMY_KING, FRIEND_KING, PLANE_SQUARES};

/// Copies of the piece features by the square of the perspective's king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Buckets {
    /// One copy, whatever the king does.
    One,
    /// One for each square of the king's half; a king in the other half mirrors the board.
    Mirrored,
    /// Several squares of the king's half share one: the copy of each of the 45, counted from 0,
    /// and how many copies there are. Mirrors like [`Buckets::Mirrored`].
    Shared(&'static [u8; 45], usize),
    /// One for each square.
    All,
}

/// How kings appear among the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kings {
    /// Not at all.
    Absent,
    /// Each on a plane of its own.
    Split,
    /// Both on one plane.
    Merged,
    /// Both on one plane, and each on one of its own.
    Both,
}

/// An input feature set.
#[derive(Debug)]
pub(super) struct FeatureSet {
    /// Its name in files.
    pub name: &'static str,
    /// Its hash in files.
    pub hash: u32,
    pub buckets: Buckets,
    pub kings: Kings,
    /// Copies of each feature by how often either side attacks its square. A move then changes
    /// features far and wide.
    pub effects: EffectClasses,
}

const fn row(name: &'static str, hash: u32, buckets: Buckets, kings: Kings) -> FeatureSet {
    FeatureSet {
        name,
        hash,
        buckets,
        kings,
        effects: EffectClasses::One,
    }
}

/// The pieces but for the kings, by the square of the perspective's king.
#[rustfmt::skip]
pub(super) const HALF_KP: FeatureSet =
    row("HalfKP(Friend)", 0x5D69_D5B8, Buckets::All, Kings::Absent);

/// Every piece once, whatever the kings do.
pub(super) const K_P: FeatureSet = row("K+P", 0x3F57_17FF, Buckets::One, Kings::Split);

/// Every piece by the square of the perspective's king, mirrored.
#[rustfmt::skip]
pub(super) const HALF_KA_HM2: FeatureSet =
    row("HalfKA_hm2(Friend)", 0x7F23_4CB8, Buckets::Mirrored, Kings::Merged);

/// Every feature set that can be read.
#[rustfmt::skip]
pub(super) static FEATURE_SETS: [FeatureSet; 9] = [
    HALF_KP,
    row("HalfKP_vm(Friend)", 0x0B6B_1D9A, Buckets::Mirrored, Kings::Absent),
    K_P,
    row("K+A2", 0x97D5_765E, Buckets::One, Kings::Both),
    row("HalfKA1(Friend)", 0x5F13_4CB8, Buckets::All, Kings::Split),
    row("HalfKA2(Friend)", 0x5F23_4CB8, Buckets::All, Kings::Merged),
    row("HalfKA_hm1(Friend)", 0x7F13_4CB8, Buckets::Mirrored, Kings::Split),
    HALF_KA_HM2,
    FeatureSet {
        effects: EffectClasses::BySide,
        ..row("HalfKPE9(Friend)", 0x5D69_D5B8, Buckets::All, Kings::Absent)
    },
];

/// A feature set of rshogi's, by the attacks of a piece's own side and the other.
const fn by_owner(name: &'static str, most: u8, kings: bool) -> FeatureSet {
    FeatureSet {
        effects: EffectClasses::ByOwner { most, kings },
        ..row(name, 0, Buckets::Mirrored, Kings::Merged)
    }
}

/// The feature sets with copies by attacks that rshogi has, whose names end as files call them
/// (`EffectBucket=2x2fixed`).
pub(super) static EFFECT_SETS: [FeatureSet; 4] = [
    by_owner("HalfKA_hm2+2x2fixed", 1, false),
    by_owner("HalfKA_hm2+2x2bucketed", 1, true),
    by_owner("HalfKA_hm2+3x3fixed", 2, false),
    by_owner("HalfKA_hm2+3x3bucketed", 2, true),
];

/// The feature sets of Komaoto's own networks, by the hash that is their number in files.
#[rustfmt::skip]
pub(super) static OWN_FEATURE_SETS: [FeatureSet; 2] = [
    row("PS_hm", 1, Buckets::Shared(&[0; 45], 1), Kings::Split),
    row("PS_hm4", 2, Buckets::Shared(&SHELTERS, 4), Kings::Split),
];

/// Own kings in the corner, on the two ranks beside it, on the two before, and beyond.
const SHELTERS: [u8; 45] = {
    let mut copies = [3; 45];
    let mut i = 0;
    while i < 45 {
        let (file, rank) = (i / 9, i % 9);
        if rank >= 7 {
            copies[i] = if file < 2 { 0 } else { 1 };
        } else if rank >= 5 {
            copies[i] = 2;
        }
        i += 1;
    }
    copies
};

impl FeatureSet {
    /// Features of one copy.
    pub const fn stride(&self) -> usize {
        match self.kings {
            Kings::Absent => FRIEND_KING,
            Kings::Split => PLANE_SQUARES,
            Kings::Merged => ENEMY_KING,
            Kings::Both => PLANE_SQUARES + 81,
        }
    }

    /// Copies of the piece features.
    pub const fn copies(&self) -> usize {
        match self.buckets {
            Buckets::One => 1,
            Buckets::Mirrored => 45,
            Buckets::Shared(_, copies) => copies,
            Buckets::All => 81,
        }
    }

    /// The copy for a king on a square as its perspective sees it, and whether the board is
    /// mirrored.
    pub const fn place(&self, king: usize) -> (usize, bool) {
        // The same square of the king's half.
        let (half, mirrored) = match king {
            0..45 => (king, false),
            _ => ((8 - king / 9) * 9 + king % 9, true),
        };
        match self.buckets {
            Buckets::One => (0, false),
            Buckets::Mirrored => (half, mirrored),
            Buckets::Shared(copy, _) => (copy[half] as usize, mirrored),
            Buckets::All => (king, false),
        }
    }

    /// How many ways of seeing the board there are: copies, twice if mirrored.
    pub const fn views(&self) -> usize {
        match self.buckets {
            Buckets::One | Buckets::All => self.copies(),
            Buckets::Mirrored | Buckets::Shared(..) => 2 * self.copies(),
        }
    }

    /// Features of the set.
    pub const fn dimensions(&self) -> usize {
        self.stride() * self.copies() * self.effects.count()
    }

    /// The features that stand for a missing piece, one for each square of the king.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let stride = match self.effects {
            EffectClasses::ByOwner { .. } => self.stride() * self.effects.count(),
            EffectClasses::One | EffectClasses::BySide => self.stride(),
        };
        (0..self.dimensions()).step_by(stride)
    }

    /// Whether a piece with this plane square is among the features.
    pub fn counts(&self, number: usize) -> bool {
        number < FRIEND_KING || self.kings != Kings::Absent
    }

    /// Whether moves of the perspective's king can change every feature.
    pub fn depends_on_king(&self) -> bool {
        self.buckets != Buckets::One
    }
}
