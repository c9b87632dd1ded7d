//! Histories: what moves have been worth in this search, for ordering, pruning and reducing.
//! <https://www.chessprogramming.org/History_Heuristic>
#![forbid(unsafe_code)]

use super::params;
use super::stack::Frame;
use super::zeroed::zeroed_slice;
use crate::position::Position;
use crate::types::{Color, Depth, Move, Piece, PieceType, Square};
use std::alloc::Layout;

/// A statistic that moves towards the bonuses it gets and never leaves `-LIMIT..=LIMIT`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stat<const LIMIT: i32>(i16);

impl<const LIMIT: i32> Stat<LIMIT> {
    /// The value.
    #[inline(always)]
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus that counts for less the nearer the value is to its limit.
    #[inline(always)]
    pub fn update(&mut self, bonus: i32) {
        const { assert!(LIMIT <= i16::MAX as i32) };
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let value = self.get();
        self.0 = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }
}

impl<const LIMIT: i32> From<i16> for Stat<LIMIT> {
    #[inline(always)]
    fn from(value: i16) -> Self {
        Stat(value)
    }
}

impl<const LIMIT: i32> From<Stat<LIMIT>> for i16 {
    #[inline(always)]
    fn from(stat: Stat<LIMIT>) -> i16 {
        stat.0
    }
}

/// Limit of the butterfly history.
const BUTTERFLY_LIMIT: i32 = 7183;
/// Limit of the capture history.
const CAPTURE_LIMIT: i32 = 10692;
/// Limit of the continuation history.
const CONTINUATION_LIMIT: i32 = 30_000;
/// Limit of the pawn history.
const PAWN_LIMIT: i32 = 8192;

/// What a capture is worth before anything is known of it.
const CAPTURE_START: i16 = -689;
/// What a sequel is worth before anything is known of it: most moves are no good.
const CONTINUATION_START: i16 = -530;
/// What a move is worth in a pawn structure before anything is known of it.
const PAWN_START: i16 = -1238;

/// Pawn structures that the pawn history tells apart.
const PAWN_PLACES: usize = 512;
/// Plies from the root that have a history of their own.
pub const LOW_PLIES: usize = 5;

/// Butterfly history of one origin (or dropped kind) by target.
pub type ButterflyRow = [Stat<BUTTERFLY_LIMIT>; Square::COUNT];
/// By side to move and origin, see [`Move::from_code`].
type Butterfly = [[ButterflyRow; 88]; 2];
/// Capture history of one moved piece (as it stands after the move) by target and kind of the
/// victim.
pub type CaptureRow = [[Stat<CAPTURE_LIMIT>; 16]; Square::COUNT];
/// By moved piece.
type Captures = [CaptureRow; Piece::COUNT];
/// By moved piece (as it stands after the move) and target, for one earlier move.
pub type PieceTo = [[Stat<CONTINUATION_LIMIT>; Square::COUNT]; Piece::COUNT];

/// By moved piece (as it stands after the move) and target, for one pawn structure.
pub type PawnRow = [[Stat<PAWN_LIMIT>; Square::COUNT]; Piece::COUNT];
/// Butterfly history of one ply near the root, by origin and target.
type LowPly = [ButterflyRow; 88];

/// Which earlier move a continuation history goes on from: a piece and its target. The default
/// stands for "no move" and for the null move.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ContinuationIndex(u16);

impl ContinuationIndex {
    /// No earlier move, or a null move.
    pub const NONE: ContinuationIndex = ContinuationIndex(0);

    /// The index of a move that leaves `piece` on `to`.
    #[inline(always)]
    pub fn new(piece: Piece, to: Square) -> ContinuationIndex {
        ContinuationIndex((piece.index() * Square::COUNT + to.index()) as u16)
    }
}

/// Place of a pawn structure in the pawn history.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PawnPlace(u16);

impl PawnPlace {
    /// No place in particular.
    pub const NONE: PawnPlace = PawnPlace(0);
}

/// The place of a position's pawns.
#[inline(always)]
pub fn pawn_place(position: &Position) -> PawnPlace {
    let pawns = position.by_kind(PieceType::Pawn);
    let place = super::correction::place([pawns, pawns & position.by_color(Color::Black)]);
    PawnPlace((place % PAWN_PLACES) as u16)
}

/// Plies back of the earlier moves that continuation histories look at, with the weight of an
/// update in 1024ths.
pub const CONTINUATIONS: [(usize, i32); 6] =
    [(1, 1157), (2, 648), (3, 288), (4, 576), (5, 140), (6, 441)];
/// Added to every update of the nearest of them.
const SEQUEL_BIAS: i32 = 88;
/// How many of the nearest of them are looked at in check.
const CONTINUATIONS_IN_CHECK: usize = 2;

/// All histories of one thread.
pub struct Histories {
    butterfly: Box<Butterfly>,
    captures: Box<Captures>,
    continuation: Box<[PieceTo]>,
    pawns: Box<[PawnRow]>,
    low_ply: Box<[LowPly; LOW_PLIES]>,
}

impl Histories {
    /// Empty histories.
    pub fn new() -> Histories {
        Histories {
            butterfly: boxed(),
            captures: boxed(),
            low_ply: boxed(),
            pawns: vec![[[Stat::default(); Square::COUNT]; Piece::COUNT]; PAWN_PLACES]
                .into_boxed_slice(),
            // Without memory there is nothing to go on with, as for every other allocation.
            continuation: zeroed_slice(Piece::COUNT * Square::COUNT)
                .unwrap_or_else(|| std::alloc::handle_alloc_error(Layout::new::<PieceTo>())),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.butterfly
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(Stat::default());
        self.captures
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(Stat(CAPTURE_START));
        self.continuation
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(Stat(CONTINUATION_START));
        self.pawns
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(Stat(PAWN_START));
        self.forget_low_plies();
    }

    /// Begins a new search: what was learnt near the old root is forgotten, and the butterfly
    /// history counts for less than what will be learnt.
    pub fn begin(&mut self) {
        self.forget_low_plies();
        for stat in self.butterfly.as_flattened_mut().as_flattened_mut() {
            stat.0 = (stat.get() * params::history_kept() / 1024) as i16;
        }
    }

    fn forget_low_plies(&mut self) {
        self.low_ply
            .as_flattened_mut()
            .as_flattened_mut()
            .fill(Stat::default());
    }

    /// Butterfly history of a quiet move.
    #[inline(always)]
    pub fn butterfly(&self, side: Color, mv: Move) -> i32 {
        self.butterfly[side.index()][mv.from_code()][mv.to().index()].get()
    }

    /// Butterfly history of the quiet moves of one origin, see [`Move::from_code`].
    #[inline(always)]
    pub fn butterfly_row(&self, side: Color, from_code: usize) -> &ButterflyRow {
        &self.butterfly[side.index()][from_code]
    }

    /// Capture history of one piece as it stands after the move.
    #[inline(always)]
    pub fn capture_row(&self, piece: Piece) -> &CaptureRow {
        &self.captures[piece.index()]
    }

    /// Capture history: `piece` as it stands after the move.
    #[inline(always)]
    pub fn capture(&self, piece: Piece, to: Square, victim: Piece) -> i32 {
        self.captures[piece.index()][to.index()][victim.kind_index()].get()
    }

    /// The history of quiet moves in one pawn structure, see [`pawn_place`].
    #[inline(always)]
    pub fn pawn_row(&self, place: PawnPlace) -> &PawnRow {
        &self.pawns[usize::from(place.0)]
    }

    /// The history of the quiet moves of one origin at a ply below [`LOW_PLIES`].
    #[inline(always)]
    pub fn low_ply_row(&self, ply: usize, from_code: usize) -> &ButterflyRow {
        &self.low_ply[ply][from_code]
    }

    /// The continuation history of one earlier move.
    #[inline(always)]
    pub fn continuation(&self, index: ContinuationIndex) -> &PieceTo {
        &self.continuation[usize::from(index.0)]
    }

    /// Rewards or punishes a quiet move.
    pub fn update_quiet(
        &mut self,
        side: Color,
        mv: Move,
        piece: Piece,
        line: &[Frame],
        bonus: i32,
    ) {
        self.update_butterfly(side, mv, bonus);
        self.update_continuation(piece, mv.to(), line, bonus);
        let frame = &line[line.len() - 1];
        self.update_pawn(frame.pawns, piece, mv.to(), bonus * 7 / 8);
        let ply = line.len() - 1 - super::stack::PAD;
        if ply < LOW_PLIES {
            self.low_ply[ply][mv.from_code()][mv.to().index()].update(bonus * 3 / 4);
        }
    }

    /// Rewards or punishes a quiet move in a pawn structure.
    #[inline]
    pub fn update_pawn(&mut self, place: PawnPlace, piece: Piece, to: Square, bonus: i32) {
        self.pawns[usize::from(place.0)][piece.index()][to.index()].update(bonus);
    }

    /// Rewards or punishes a quiet move for itself.
    #[inline]
    pub fn update_butterfly(&mut self, side: Color, mv: Move, bonus: i32) {
        self.butterfly[side.index()][mv.from_code()][mv.to().index()].update(bonus);
    }

    /// Rewards or punishes a move as the sequel of those before it; `line` ends with the frame
    /// of the node where it was played.
    pub fn update_continuation(&mut self, piece: Piece, to: Square, line: &[Frame], bonus: i32) {
        let in_check = line[line.len() - 1].in_check;
        let reach = if in_check {
            CONTINUATIONS_IN_CHECK
        } else {
            CONTINUATIONS.len()
        };
        for &(back, weight) in &CONTINUATIONS[..reach] {
            let earlier = line[line.len() - 1 - back].continuation;
            if earlier != ContinuationIndex::default() {
                self.continuation[usize::from(earlier.0)][piece.index()][to.index()]
                    .update(bonus * weight / 1024 + if back == 1 { SEQUEL_BIAS } else { 0 });
            }
        }
    }

    /// Rewards or punishes a capture.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: Piece, bonus: i32) {
        self.captures[piece.index()][to.index()][victim.kind_index()].update(bonus);
    }
}

/// A zeroed table on the heap, without a copy of it on the stack first.
fn boxed<T: Copy + Default, const A: usize, const B: usize, const C: usize>()
-> Box<[[[T; A]; B]; C]> {
    let rows = vec![[[T::default(); A]; B]; C].into_boxed_slice();
    rows.try_into()
        .unwrap_or_else(|_| unreachable!("the slice has C rows"))
}

/// Bonus of a move that was best at this depth.
#[inline(always)]
pub fn bonus(depth: Depth) -> i32 {
    (params::bonus_scale() * depth - params::bonus_offset()).clamp(0, params::bonus_max())
}

/// Malus of a move that was tried before the best one at this depth.
#[inline(always)]
pub fn malus(depth: Depth) -> i32 {
    (params::malus_scale() * depth - params::malus_offset()).clamp(0, params::malus_max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn statistics_stay_within_their_limit() {
        let mut stat = Stat::<7183>::default();
        let mut seed = 1u64;
        for _ in 0..1_000_000 {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            stat.update((seed >> 40) as i32 % 40_000 - 20_000);
            assert!(stat.get().abs() <= 7183);
        }
        for _ in 0..100 {
            stat.update(i32::MAX);
        }
        assert_eq!(stat.get(), 7183);
    }

    #[test]
    fn bonuses_grow_with_depth_and_stop() {
        for depth in 0..200 {
            assert!((0..=params::bonus_max()).contains(&bonus(depth)));
            assert!(bonus(depth) <= bonus(depth + 1) && malus(depth) <= malus(depth + 1));
        }
    }

    #[test]
    fn no_two_moves_share_a_place() {
        let drops = PieceType::HAND.map(Move::drop_code);
        let codes: HashSet<usize> = (0..Square::COUNT).chain(drops).collect();
        assert_eq!(codes.len(), Square::COUNT + drops.len());
        assert!(codes.iter().all(|&code| code < 88));
        for kind in PieceType::HAND {
            let drop = Move::drop(kind, Square::from_index(40));
            assert_eq!(drop.from_code(), Move::drop_code(kind));
        }
        let pieces = Color::ALL.into_iter().flat_map(|color| {
            let kinds = PieceType::ALL.into_iter();
            kinds.map(move |kind| Piece::new(color, kind))
        });
        let squares = (0..Square::COUNT).map(Square::from_index);
        let indices: Vec<u16> = pieces
            .flat_map(|piece| {
                squares
                    .clone()
                    .map(move |to| ContinuationIndex::new(piece, to).0)
            })
            .collect();
        let distinct: HashSet<u16> = indices.iter().copied().collect();
        assert_eq!(distinct.len(), indices.len());
        assert!(!distinct.contains(&ContinuationIndex::NONE.0));
    }
}
