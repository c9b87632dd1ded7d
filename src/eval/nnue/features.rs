//! Input feature sets, one row of data each.
//!
//! A feature is a BonaPiece (see [`super::bona_piece`]) in a king bucket: the weights of a piece depend on
//! the square of the perspective's king.
#![forbid(unsafe_code)]

use super::bona_piece::{self, ENEMY_KING, FRIEND_KING};

/// How the square of the perspective's king selects the weights of a BonaPiece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingBuckets {
    /// A single bucket.
    One,
    /// One bucket for each square on files 1 to 5; the board is mirrored if the king is on the others.
    Mirrored,
    /// The bucket of each square on files 1 to 5, and the number of buckets; mirrored like
    /// [`KingBuckets::Mirrored`].
    Shared(&'static [u8; 45], usize),
    /// One bucket for each square.
    All,
}

/// Which BonaPieces the kings have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kings {
    /// None.
    Absent,
    /// Friend and enemy king have their own.
    Split,
    /// Both kings have those of the friend's king.
    Merged,
    /// Two features each: one merged and one split.
    Both,
}

/// How the attacks on the square of a piece select the weights of its feature. Pieces in hand are in the
/// first bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttackBuckets {
    /// A single bucket.
    One,
    /// Nine buckets: 0, 1 or 2 attacks (or more) by the perspective's side times those by the other. The
    /// features of a bucket are contiguous.
    BySide,
    /// 0 to `most` attacks (or more) by the piece's own side times those by the other. The buckets of a
    /// feature are contiguous.
    ByOwner {
        /// 1 or 2.
        most: u8,
        /// Whether kings are bucketed; if not, they are in the first bucket.
        kings: bool,
    },
}

impl AttackBuckets {
    /// Number of buckets.
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

/// Every piece but the kings, by the square of the perspective's king.
pub const HALF_KP: FeatureSet = row(
    "HalfKP(Friend)",
    0x5D69_D5B8,
    KingBuckets::All,
    Kings::Absent,
);

/// Every piece, without king buckets.
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

/// rshogi's feature sets with attack buckets, whose names end in their `EffectBucket=` in architecture
/// strings.
pub static ATTACK_FEATURE_SETS: [FeatureSet; 4] = [
    with_attacks("HalfKA_hm2+2x2fixed", 1, false),
    with_attacks("HalfKA_hm2+2x2bucketed", 1, true),
    with_attacks("HalfKA_hm2+3x3fixed", 2, false),
    with_attacks("HalfKA_hm2+3x3bucketed", 2, true),
];

/// The feature sets of the native format, whose hash is their number in files.
pub static NATIVE_FEATURE_SETS: [FeatureSet; 2] = [
    row("PS_hm", 1, KingBuckets::Shared(&[0; 45], 1), Kings::Split),
    row("PS_hm4", 2, KingBuckets::Shared(&SHELTERS, 4), Kings::Split),
];

/// King buckets: the four squares in the corner, the rest of the last two ranks, the two ranks before,
/// and the rest of the board.
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
    /// Number of BonaPieces in a king bucket.
    pub const fn stride(&self) -> usize {
        match self.kings {
            Kings::Absent => FRIEND_KING,
            Kings::Split => bona_piece::COUNT,
            Kings::Merged => ENEMY_KING,
            Kings::Both => bona_piece::COUNT + 81,
        }
    }

    /// Number of king buckets.
    pub const fn king_buckets(&self) -> usize {
        match self.king_buckets {
            KingBuckets::One => 1,
            KingBuckets::Mirrored => 45,
            KingBuckets::Shared(_, count) => count,
            KingBuckets::All => 81,
        }
    }

    /// The bucket of a king on a square, seen from its own side, and whether the board is mirrored.
    pub const fn king_bucket(&self, king: usize) -> (usize, bool) {
        // The square on files 1 to 5.
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

    /// Number of pairs of a king bucket and whether the board is mirrored.
    pub const fn views(&self) -> usize {
        match self.king_buckets {
            KingBuckets::One | KingBuckets::All => self.king_buckets(),
            KingBuckets::Mirrored | KingBuckets::Shared(..) => 2 * self.king_buckets(),
        }
    }

    /// Number of features.
    pub const fn dimensions(&self) -> usize {
        self.stride() * self.king_buckets() * self.attack_buckets.count()
    }

    /// The features of a piece missing from a full set, BonaPiece 0: those of every king bucket.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let stride = match self.attack_buckets {
            AttackBuckets::ByOwner { .. } => self.stride() * self.attack_buckets.count(),
            AttackBuckets::One | AttackBuckets::BySide => self.stride(),
        };
        (0..self.dimensions()).step_by(stride)
    }

    /// Whether a move of the perspective's king can change every feature.
    pub fn depends_on_king(&self) -> bool {
        self.king_buckets != KingBuckets::One
    }

    /// Whether a move can change features of pieces that stay, so that incremental updates do not pay.
    pub fn depends_on_attacks(&self) -> bool {
        self.attack_buckets != AttackBuckets::One
    }
}
