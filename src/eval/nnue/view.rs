//! How a perspective sees the board: the numbering of the features of a set.
//!
//! Everything starts from one number for each piece and place, here called a plane square: pieces
//! in hand below [`HAND_END`], pieces on the board by plane and square above it, kings last. A
//! perspective sees its own pieces as friends and the board from its own side.
#![forbid(unsafe_code)]

use super::effects::{EffectClasses, Effects};
use super::features::{FeatureSet, Kings};
use super::list::List;
use crate::position::{DirtyPieces, Position};
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// First number of a board plane; pieces in hand lie below.
const HAND_END: usize = 90;
/// Squares of the friend's king.
pub(super) const FRIEND_KING: usize = 1548;
/// Squares of the enemy's king.
pub(super) const ENEMY_KING: usize = 1629;
/// How many plane squares there are.
pub(super) const PLANE_SQUARES: usize = 1710;
/// Pieces of a set without the kings.
const PIECES: usize = 38;
/// Most features active at once.
const MAX_ACTIVE: usize = 42;
/// Most features a move adds or removes.
const MAX_CHANGES: usize = 4;

/// A plane square by piece (as Black sees it), square and perspective: the first number of the
/// piece's plane.
const PLANES: [u16; Piece::COUNT] = {
    // In the order of the files: P L N S G B +B R +R K.
    const ORDER: [usize; 15] = [0, 0, 1, 2, 3, 5, 7, 4, 9, 4, 4, 4, 4, 6, 8];
    let mut planes = [0; Piece::COUNT];
    let mut kind = 1;
    while kind < 15 {
        let base = (HAND_END + 162 * ORDER[kind]) as u16;
        planes[kind] = base;
        planes[16 + kind] = base + 81;
        kind += 1;
    }
    planes
};

/// First numbers of the pieces in hand, friend then enemy, by kind.
const HANDS: [[u16; 8]; 2] = [
    [0, 1, 39, 49, 59, 79, 85, 69],
    [0, 20, 44, 54, 64, 82, 88, 74],
];

/// The number of a piece on a square.
#[inline(always)]
fn on_board(perspective: Color, piece: Piece, sq: Square) -> usize {
    // Another colour's view exchanges friend and enemy.
    let piece = piece.index() ^ (perspective.index() << 4);
    usize::from(PLANES[piece]) + sq.relative(perspective).index()
}

/// The number of a piece in hand, of which the hand holds `count` with it.
#[inline(always)]
fn in_hand(perspective: Color, owner: Color, kind: PieceType, count: u32) -> usize {
    let enemy = usize::from(owner != perspective);
    usize::from(HANDS[enemy][kind.index() & 7]) + count as usize - 1
}

/// What becomes of the plane squares in a feature set.
type Map = [u16; PLANE_SQUARES];

/// The map with or without mirroring and merging of the kings' planes.
const fn map(mirrored: bool, merged: bool) -> Map {
    let mut map = [0; PLANE_SQUARES];
    let mut i = 0;
    while i < PLANE_SQUARES {
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

/// By mirroring and merging.
static MAPS: [[Map; 2]; 2] = [
    [map(false, false), map(false, true)],
    [map(true, false), map(true, true)],
];

/// How a perspective sees the board while its king stays where it is.
pub(super) struct View {
    /// What tells it from the other views of the perspective: see [`FeatureSet::views`].
    pub number: usize,
    pub perspective: Color,
    kings: Kings,
    offset: u32,
    map: &'static Map,
}

impl View {
    /// The view of a perspective with its king on a square. A missing king is taken to stand on
    /// the first square.
    #[inline]
    pub fn new(set: &FeatureSet, perspective: Color, king: Option<Square>) -> View {
        let king = king.map_or(0, |sq| sq.relative(perspective).index());
        let (copy, mirrored) = set.place(king);
        let merged = matches!(set.kings, Kings::Merged | Kings::Both);
        View {
            number: copy + if mirrored { set.copies() } else { 0 },
            perspective,
            kings: set.kings,
            offset: (copy * set.stride()) as u32,
            map: &MAPS[usize::from(mirrored)][usize::from(merged)],
        }
    }

    /// Adds the features of a piece on a square.
    #[inline(always)]
    pub fn add_piece<const N: usize>(&self, piece: Piece, sq: Square, features: &mut List<N>) {
        let number = on_board(self.perspective, piece, sq);
        if number < FRIEND_KING {
            features.push(self.feature(number));
        } else {
            self.add_king(number, features);
        }
    }

    /// The feature of the last of so many pieces in hand.
    #[inline(always)]
    pub fn in_hand(&self, owner: Color, kind: PieceType, count: u32) -> u32 {
        self.feature(in_hand(self.perspective, owner, kind, count))
    }

    /// Adds the features of a king by its plane square.
    #[inline(always)]
    fn add_king<const N: usize>(&self, number: usize, features: &mut List<N>) {
        match self.kings {
            Kings::Absent => return,
            Kings::Both => features.push((number + 81) as u32),
            Kings::Split | Kings::Merged => {}
        }
        features.push(self.feature(number));
    }

    /// The feature of a plane square that counts in the set.
    #[inline(always)]
    pub fn feature(&self, number: usize) -> u32 {
        self.offset + u32::from(self.map[number])
    }

    /// The feature of a piece on a square, if pieces of the kind count in the set.
    #[inline(always)]
    fn on_board(&self, piece: Piece, sq: Square) -> u32 {
        self.feature(on_board(self.perspective, piece, sq))
    }

    /// What a move changes, given both hands after it: features removed and added. The king of
    /// the perspective has not moved, or it does not matter.
    #[inline(always)]
    pub fn changes(&self, dirty: &DirtyPieces, hands: &[Hand; 2]) -> Changes {
        let mut changes = Changes::default();
        let Changes { removed, added } = &mut changes;
        let &DirtyPieces {
            from,
            to,
            before,
            after,
            captured,
        } = dirty;
        let owner = after.color();
        let in_hand = |kind, count| self.in_hand(owner, kind, count);
        let hand = |kind| hands[owner.index()].count(kind);
        let Some(from) = from else {
            removed.push(in_hand(after.kind(), hand(after.kind()) + 1));
            added.push(self.on_board(after, to));
            return changes;
        };
        if after.kind() == PieceType::King {
            self.add_king(on_board(self.perspective, before, from), removed);
            self.add_king(on_board(self.perspective, after, to), added);
        } else {
            removed.push(self.on_board(before, from));
            added.push(self.on_board(after, to));
        }
        if captured.is_some() {
            removed.push(self.on_board(captured, to));
            let kind = captured.kind().demote();
            added.push(in_hand(kind, hand(kind)));
        }
        changes
    }
}

/// Features that a move removes and adds.
#[derive(Default)]
pub(super) struct Changes {
    pub removed: List<MAX_CHANGES>,
    pub added: List<MAX_CHANGES>,
}

/// The views of both perspectives for every square of their kings.
pub(super) struct Views(Box<[View]>);

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

/// Calls `visit` with the plane square of every piece, and where it stands unless it is in hand;
/// the piece on a square of choice is passed over. Each missing piece counts as plane square 0.
pub(super) fn for_each_piece(
    perspective: Color,
    position: &Position,
    without: Option<Square>,
    mut visit: impl FnMut(usize, Option<Square>),
) {
    let mut missing = PIECES;
    for sq in position.occupied() {
        let piece = position.piece_on(sq);
        if Some(sq) != without {
            visit(on_board(perspective, piece, sq), Some(sq));
            missing -= usize::from(piece.kind() != PieceType::King);
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            let count = position.hand(owner).count(kind);
            for i in 1..=count {
                visit(in_hand(perspective, owner, kind, i), None);
            }
            missing -= count as usize;
        }
    }
    for _ in 0..missing {
        visit(0, None);
    }
}

/// Pieces of a set that are neither on the board nor in hand.
pub(super) fn missing(position: &Position) -> usize {
    let mut missing = 0;
    for_each_piece(Color::Black, position, None, |number, _| {
        missing += usize::from(number == 0);
    });
    missing
}

/// The features of a position for the side to move, then for the other side, in a set in which
/// there are as many as pieces. `None` unless both kings are there.
pub(super) fn active_for_both<const N: usize>(
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

/// All features active for a perspective, but for the piece on a square of choice.
pub(super) fn active(
    set: &FeatureSet,
    perspective: Color,
    position: &Position,
    without: Option<Square>,
) -> List<MAX_ACTIVE> {
    let view = View::new(set, perspective, position.king(perspective));
    let mut features = List::new();
    if set.effects == EffectClasses::One {
        for_each_piece(perspective, position, without, |number, _| {
            if number < FRIEND_KING {
                features.push(view.feature(number));
            } else {
                view.add_king(number, &mut features);
            }
        });
        return features;
    }
    let effects = Effects::new(position, without);
    let classes = set.effects.count();
    let copy = (set.dimensions() / classes) as u32;
    for_each_piece(perspective, position, without, |number, sq| {
        if set.counts(number) {
            let feature = view.feature(number);
            let class = sq.map_or(0, |sq| {
                effects.class(set.effects, perspective, position, sq)
            });
            features.push(match set.effects {
                EffectClasses::ByOwner { .. } => feature * classes as u32 + class,
                _ => feature + copy * class,
            });
        }
    });
    features
}
