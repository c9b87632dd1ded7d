//! Input feature sets, one row of data each.
//!
//! A feature is a BonaPiece (see [`super::bona_piece`]) in a king bucket: the network has weights of
//! its own for each piece and place by where the perspective's king stands.
#![forbid(unsafe_code)]

use super::bona_piece::{self, ENEMY_KING, FRIEND_KING};

/// How the square of the perspective's king chooses among the weights of a BonaPiece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingBuckets {
    /// One bucket, whatever the king does.
    One,
    /// One for each square of the king's half; a king in the other half mirrors the board.
    Mirrored,
    /// The bucket of each square of the king's half, and how many there are; mirrors likewise.
    Shared(&'static [u8; 45], usize),
    /// One for each square.
    All,
}

/// How kings appear among the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kings {
    /// Not at all.
    Absent,
    /// Each with numbers of its own.
    Split,
    /// Both with those of the friend's king.
    Merged,
    /// Both with those of the friend's king, and each with numbers of its own.
    Both,
}

/// How the attacks on the square of a piece choose among the weights of its feature. Pieces in hand
/// have the first bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttackBuckets {
    /// One bucket: attacks do not matter.
    One,
    /// Nine: up to two attacks of the perspective's side, times up to two of the other. The features
    /// of a bucket lie side by side.
    BySide,
    /// Up to `most` attacks of the piece's own side, times as many of the other. The buckets of a
    /// feature lie side by side.
    ByOwner {
        /// 1 or 2.
        most: u8,
        /// Whether kings have more than the first bucket.
        kings: bool,
    },
}

impl AttackBuckets {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            AttackBuckets::One => 1,
            AttackBuckets::BySide => 9,
            AttackBuckets::ByOwner { most, .. } => (most as usize + 1).pow(2),
        }
    }
}

/// An input feature set.
#[derive(Debug)]
pub struct FeatureSet {
    /// Its name in files.
    pub name: &'static str,
    /// Its hash in files.
    pub hash: u32,
    pub king_buckets: KingBuckets,
    pub kings: Kings,
    pub attack_buckets: AttackBuckets,
}

const fn row(name: &'static str, hash: u32, king_buckets: KingBuckets, kings: Kings) -> FeatureSet {
    FeatureSet {
        name,
        hash,
        king_buckets,
        kings,
        attack_buckets: AttackBuckets::One,
    }
}

/// The pieces but for the kings, by the square of the perspective's king.
pub const HALF_KP: FeatureSet = row(
    "HalfKP(Friend)",
    0x5D69_D5B8,
    KingBuckets::All,
    Kings::Absent,
);

/// Every piece once, whatever the kings do.
pub const K_P: FeatureSet = row("K+P", 0x3F57_17FF, KingBuckets::One, Kings::Split);

/// Every piece by the square of the perspective's king, mirrored.
pub const HALF_KA_HM2: FeatureSet = row(
    "HalfKA_hm2(Friend)",
    0x7F23_4CB8,
    KingBuckets::Mirrored,
    Kings::Merged,
);

/// The feature sets of YaneuraOu.
pub static FEATURE_SETS: [FeatureSet; 9] = [
    HALF_KP,
    row(
        "HalfKP_vm(Friend)",
        0x0B6B_1D9A,
        KingBuckets::Mirrored,
        Kings::Absent,
    ),
    K_P,
    row("K+A2", 0x97D5_765E, KingBuckets::One, Kings::Both),
    row(
        "HalfKA1(Friend)",
        0x5F13_4CB8,
        KingBuckets::All,
        Kings::Split,
    ),
    row(
        "HalfKA2(Friend)",
        0x5F23_4CB8,
        KingBuckets::All,
        Kings::Merged,
    ),
    row(
        "HalfKA_hm1(Friend)",
        0x7F13_4CB8,
        KingBuckets::Mirrored,
        Kings::Split,
    ),
    HALF_KA_HM2,
    FeatureSet {
        attack_buckets: AttackBuckets::BySide,
        ..row(
            "HalfKPE9(Friend)",
            0x5D69_D5B8,
            KingBuckets::All,
            Kings::Absent,
        )
    },
];

/// A feature set of rshogi's with attack buckets.
const fn with_attacks(name: &'static str, most: u8, kings: bool) -> FeatureSet {
    FeatureSet {
        attack_buckets: AttackBuckets::ByOwner { most, kings },
        ..row(name, 0, KingBuckets::Mirrored, Kings::Merged)
    }
}

/// The feature sets that rshogi has besides, whose names end as its files call the attack buckets
/// (`EffectBucket=2x2fixed`).
pub static ATTACK_FEATURE_SETS: [FeatureSet; 4] = [
    with_attacks("HalfKA_hm2+2x2fixed", 1, false),
    with_attacks("HalfKA_hm2+2x2bucketed", 1, true),
    with_attacks("HalfKA_hm2+3x3fixed", 2, false),
    with_attacks("HalfKA_hm2+3x3bucketed", 2, true),
];

/// The feature sets of the native format, by the hash that is their number in files.
pub static NATIVE_FEATURE_SETS: [FeatureSet; 2] = [
    row("PS_hm", 1, KingBuckets::Shared(&[0; 45], 1), Kings::Split),
    row("PS_hm4", 2, KingBuckets::Shared(&SHELTERS, 4), Kings::Split),
];

/// Own kings in the corner, on the two ranks beside it, on the two before, and beyond.
const SHELTERS: [u8; 45] = {
    let mut buckets = [3; 45];
    let mut i = 0;
    while i < 45 {
        let (file, rank) = (i / 9, i % 9);
        if rank >= 7 {
            buckets[i] = if file < 2 { 0 } else { 1 };
        } else if rank >= 5 {
            buckets[i] = 2;
        }
        i += 1;
    }
    buckets
};

impl FeatureSet {
    /// BonaPieces of one king bucket.
    pub const fn stride(&self) -> usize {
        match self.kings {
            Kings::Absent => FRIEND_KING,
            Kings::Split => bona_piece::COUNT,
            Kings::Merged => ENEMY_KING,
            Kings::Both => bona_piece::COUNT + 81,
        }
    }

    /// How many king buckets there are.
    pub const fn king_buckets(&self) -> usize {
        match self.king_buckets {
            KingBuckets::One => 1,
            KingBuckets::Mirrored => 45,
            KingBuckets::Shared(_, count) => count,
            KingBuckets::All => 81,
        }
    }

    /// The bucket of a king on a square as its perspective sees it, and whether the board is mirrored.
    pub const fn king_bucket(&self, king: usize) -> (usize, bool) {
        // The same square of the king's half.
        let (half, mirrored) = match king {
            0..45 => (king, false),
            _ => ((8 - king / 9) * 9 + king % 9, true),
        };
        match self.king_buckets {
            KingBuckets::One => (0, false),
            KingBuckets::Mirrored => (half, mirrored),
            KingBuckets::Shared(bucket, _) => (bucket[half] as usize, mirrored),
            KingBuckets::All => (king, false),
        }
    }

    /// How many pairs of a king bucket and mirrored or not there are.
    pub const fn views(&self) -> usize {
        match self.king_buckets {
            KingBuckets::One | KingBuckets::All => self.king_buckets(),
            KingBuckets::Mirrored | KingBuckets::Shared(..) => 2 * self.king_buckets(),
        }
    }

    /// How many features there are.
    pub const fn dimensions(&self) -> usize {
        self.stride() * self.king_buckets() * self.attack_buckets.count()
    }

    /// The features of a missing piece, BonaPiece 0, one for each king bucket and more for the attack
    /// buckets.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let stride = match self.attack_buckets {
            AttackBuckets::ByOwner { .. } => self.stride() * self.attack_buckets.count(),
            AttackBuckets::One | AttackBuckets::BySide => self.stride(),
        };
        (0..self.dimensions()).step_by(stride)
    }

    /// Whether moves of the perspective's king can change every feature.
    pub fn depends_on_king(&self) -> bool {
        self.king_buckets != KingBuckets::One
    }

    /// Whether a move changes features far and wide, so that there is nothing to update by increments.
    pub fn depends_on_attacks(&self) -> bool {
        self.attack_buckets != AttackBuckets::One
    }
}
