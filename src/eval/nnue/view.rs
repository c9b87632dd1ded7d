//! The active features of a position, and those that a move changes.
#![forbid(unsafe_code)]

use super::bona_piece::{self, ENEMY_KING, FRIEND_KING, HAND_END};
use super::features::{AttackBuckets, FeatureSet, Kings};
use crate::bitboard::attacks;
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// Most active features of a perspective: 40 pieces, and both kings twice.
const MAX_ACTIVE: usize = 42;
/// Most features that a move adds or removes.
const MAX_CHANGES: usize = 4;

/// Up to `N` feature indices, on the stack.
pub struct IndexList<const N: usize> {
    items: [u32; N],
    len: usize,
}

impl<const N: usize> IndexList<N> {
    /// Appends an index.
    #[inline(always)]
    pub fn push(&mut self, item: u32) {
        self.items[self.len] = item;
        self.len += 1;
    }

    /// The indices.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u32] {
        &self.items[..self.len]
    }
}

impl<const N: usize> Default for IndexList<N> {
    #[inline(always)]
    fn default() -> IndexList<N> {
        IndexList {
            items: [0; N],
            len: 0,
        }
    }
}

/// Maps BonaPieces to their mirrored or merged ones.
type Map = [u16; bona_piece::COUNT];

/// The map with or without mirroring of the board and merging of the kings.
const fn map(mirrored: bool, merged: bool) -> Map {
    let mut map = [0; bona_piece::COUNT];
    let mut i = 0;
    while i < bona_piece::COUNT {
        let mut number = i;
        if mirrored && i >= HAND_END {
            let (plane, sq) = ((i - HAND_END) / 81, (i - HAND_END) % 81);
            number = HAND_END + plane * 81 + (8 - sq / 9) * 9 + sq % 9;
        }
        if merged && number >= ENEMY_KING {
            number -= 81;
        }
        map[i] = number as u16;
        i += 1;
    }
    map
}

/// The maps by mirroring, then by merging.
static MAPS: [[Map; 2]; 2] = [
    [map(false, false), map(false, true)],
    [map(true, false), map(true, true)],
];

/// The features of a perspective while its king stays in its bucket.
pub struct View {
    /// Index of the king bucket, mirrored or not: less than [`FeatureSet::views`].
    pub number: usize,
    pub perspective: Color,
    kings: Kings,
    offset: u32,
    map: &'static Map,
}

impl View {
    /// The view of a perspective with its king on a square. A missing king is taken to stand on
    /// the first square.
    pub fn new(set: &FeatureSet, perspective: Color, king: Option<Square>) -> View {
        let king = king.map_or(0, |sq| sq.relative(perspective).index());
        let (bucket, mirrored) = set.king_bucket(king);
        let merged = matches!(set.kings, Kings::Merged | Kings::Both);
        View {
            number: bucket + if mirrored { set.king_buckets() } else { 0 },
            perspective,
            kings: set.kings,
            offset: (bucket * set.stride()) as u32,
            map: &MAPS[usize::from(mirrored)][usize::from(merged)],
        }
    }

    /// The feature of a BonaPiece, mirrored and merged as the set has it.
    #[inline(always)]
    pub fn feature(&self, number: usize) -> u32 {
        self.offset + u32::from(self.map[number])
    }

    /// The feature of the last of `count` pieces in hand.
    #[inline(always)]
    pub fn in_hand(&self, owner: Color, kind: PieceType, count: u32) -> u32 {
        self.feature(bona_piece::in_hand(self.perspective, owner, kind, count))
    }

    /// Adds the features of a piece on a square: one; for a king none, one or two.
    #[inline(always)]
    pub fn add_piece<const N: usize>(&self, piece: Piece, sq: Square, features: &mut IndexList<N>) {
        self.add(bona_piece::on_board(self.perspective, piece, sq), features);
    }

    /// Adds the features of a BonaPiece.
    #[inline(always)]
    fn add<const N: usize>(&self, number: usize, features: &mut IndexList<N>) {
        if number >= FRIEND_KING {
            match self.kings {
                Kings::Absent => return,
                Kings::Both => features.push((number + 81) as u32),
                Kings::Split | Kings::Merged => {}
            }
        }
        features.push(self.feature(number));
    }

    /// Adds the features that a move removes and adds to `changes`, given both hands after the move. The
    /// perspective's king must have stayed in its bucket.
    #[inline(always)]
    pub fn add_move(&self, dirty: &DirtyPieces, hands: &[Hand; 2], changes: &mut Changes) {
        let Changes { removed, added } = changes;
        let owner = dirty.after.color();
        let hand = hands[owner.index()];
        match dirty.from {
            Some(from) => self.add_piece(dirty.before, from, removed),
            None => {
                let kind = dirty.after.kind();
                removed.push(self.in_hand(owner, kind, hand.count(kind) + 1));
            }
        }
        self.add_piece(dirty.after, dirty.to, added);
        if dirty.captured.is_some() {
            self.add_piece(dirty.captured, dirty.to, removed);
            let kind = dirty.captured.kind().demote();
            added.push(self.in_hand(owner, kind, hand.count(kind)));
        }
    }
}

/// Features that a move removes and adds.
#[derive(Default)]
pub struct Changes<const N: usize = MAX_CHANGES> {
    pub removed: IndexList<N>,
    pub added: IndexList<N>,
}

impl<const N: usize> Changes<N> {
    /// The update of an accumulator.
    #[inline(always)]
    pub fn as_update(&self) -> Update<'_> {
        Update {
            added: self.added.as_slice(),
            removed: self.removed.as_slice(),
        }
    }
}

/// An update of an accumulator: features to add and to remove.
#[derive(Clone, Copy)]
pub struct Update<'a> {
    pub added: &'a [u32],
    pub removed: &'a [u32],
}

/// The views of both perspectives for every square of their kings, precomputed.
pub struct Views(Box<[View]>);

impl Views {
    /// The views of a feature set.
    pub fn new(set: &FeatureSet) -> Views {
        let kings = || Square::all().map(Some).chain([None]);
        let views = Color::ALL
            .into_iter()
            .flat_map(|perspective| kings().map(move |king| View::new(set, perspective, king)));
        Views(views.collect())
    }

    /// The view of a perspective with its king on a square.
    #[inline(always)]
    pub fn get(&self, perspective: Color, king: Option<Square>) -> &View {
        let king = king.map_or(Square::COUNT, Square::index);
        &self.0[perspective.index() * (Square::COUNT + 1) + king]
    }
}

/// The active features of a position, side to move first, in a feature set that has `N` in every
/// position with both kings. `None` if a king is missing.
pub fn active_for_both<const N: usize>(
    set: &FeatureSet,
    position: &Position,
) -> Option<[[u16; N]; 2]> {
    let us = position.side_to_move();
    let mut both = [[0; N]; 2];
    for (out, perspective) in both.iter_mut().zip([us, !us]) {
        let list = active(set, perspective, position, None);
        let list: &[u32; N] = list.as_slice().try_into().ok()?;
        *out = list.map(|feature| feature as u16);
    }
    Some(both)
}

/// The active features of a perspective, without the piece on the square `without`.
pub fn active(
    set: &FeatureSet,
    perspective: Color,
    position: &Position,
    without: Option<Square>,
) -> IndexList<MAX_ACTIVE> {
    let view = View::new(set, perspective, position.king(perspective));
    let mut features = IndexList::default();
    if !set.depends_on_attacks() {
        bona_piece::for_each(perspective, position, without, |number, _| {
            view.add(number, &mut features);
        });
        return features;
    }
    let counts = AttackCounts::new(position, without);
    let buckets = set.attack_buckets.count();
    let features_of_bucket = (set.dimensions() / buckets) as u32;
    bona_piece::for_each(perspective, position, without, |number, sq| {
        if number >= FRIEND_KING && set.kings == Kings::Absent {
            return;
        }
        let feature = view.feature(number);
        let bucket = sq.map_or(0, |sq| {
            counts.bucket(set.attack_buckets, perspective, position, sq)
        });
        features.push(match set.attack_buckets {
            AttackBuckets::ByOwner { .. } => feature * buckets as u32 + bucket,
            _ => feature + features_of_bucket * bucket,
        });
    });
    features
}

/// How often each side attacks each square.
struct AttackCounts([[u8; Square::COUNT]; 2]);

impl AttackCounts {
    fn new(position: &Position, without: Option<Square>) -> AttackCounts {
        let mut counts = AttackCounts([[0; Square::COUNT]; 2]);
        let mut occupied = position.occupied();
        if let Some(sq) = without {
            occupied.toggle(sq);
        }
        for sq in occupied {
            let piece = position.piece_on(sq);
            for target in attacks::of(piece.kind(), piece.color(), sq, occupied) {
                counts.0[piece.color().index()][target.index()] += 1;
            }
        }
        counts
    }

    /// The bucket of the piece on a square.
    fn bucket(
        &self,
        buckets: AttackBuckets,
        perspective: Color,
        position: &Position,
        sq: Square,
    ) -> u32 {
        let piece = position.piece_on(sq);
        let (most, own) = match buckets {
            AttackBuckets::One => return 0,
            AttackBuckets::ByOwner { kings: false, .. } if piece.kind() == PieceType::King => {
                return 0;
            }
            AttackBuckets::BySide => (2, perspective),
            AttackBuckets::ByOwner { most, .. } => (most, piece.color()),
        };
        let count = |color: Color| u32::from(self.0[color.index()][sq.index()].min(most));
        u32::from(most + 1) * count(own) + count(!own)
    }
}
