//! Histories: statistics of how well moves have done, for move ordering, pruning and reductions, and
//! their updates. <https://www.chessprogramming.org/History_Heuristic>
#![forbid(unsafe_code)]

use super::params;
use super::pvs::Node;
use super::stack::Frame;
use super::worker::Worker;
use crate::bitboard::Bitboard;
use crate::memory::Table;
use crate::position::Position;
use crate::types::{Color, Depth, Move, Piece, PieceType, Square, Value, value};

/// A history entry with gravity: a bonus counts for less the nearer the value is to its limit, so it
/// never leaves `-LIMIT..=LIMIT`. <https://www.chessprogramming.org/History_Heuristic#History_Bonuses>
#[derive(Clone, Copy, Default, Debug)]
pub struct Stat<const LIMIT: i32>(i16);

impl<const LIMIT: i32> Stat<LIMIT> {
    /// The value, from `-LIMIT` to `LIMIT`.
    #[inline(always)]
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus, or a malus if negative.
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

/// Initial capture history.
const CAPTURE_START: i16 = -689;
/// Initial continuation history: below zero, as most moves fail.
const CONTINUATION_START: i16 = -530;
/// Initial pawn history.
const PAWN_START: i16 = -1238;

/// Entries of the pawn history, indexed by a hash of the pawn structure.
const PAWN_HISTORY_SIZE: usize = 512;
/// Plies from the root that have a history of their own.
pub const LOW_PLIES: usize = 5;

/// Butterfly history of one origin, or dropped piece type, by target.
pub type ButterflyRow = [Stat<BUTTERFLY_LIMIT>; Square::COUNT];
/// By side to move and origin, see [`Move::from_code`].
/// <https://www.chessprogramming.org/Butterfly_Boards>
type Butterfly = [[ButterflyRow; 88]; 2];
/// Capture history of one moved piece (as it stands after the move) by target and type of the
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

/// Index of the continuation history of an earlier move, by its piece (as it stands after the move) and
/// target. The default stands for no move and for the null move.
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

/// Index of a pawn structure in the pawn history.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PawnIndex(u16);

impl PawnIndex {
    /// Index in an empty frame of the search stack.
    pub const NONE: PawnIndex = PawnIndex(0);

    /// The index of a position's pawns.
    #[inline(always)]
    pub fn of(position: &Position) -> PawnIndex {
        let pawns = position.by_kind(PieceType::Pawn);
        let hash = hash_sets([pawns, pawns & position.by_color(Color::Black)]);
        PawnIndex((hash % PAWN_HISTORY_SIZE) as u16)
    }
}

/// Hashes bitboards to 13 bits. The multiplications are independent and run in parallel.
#[inline(always)]
pub(super) fn hash_sets<const N: usize>(sets: [Bitboard; N]) -> usize {
    const FACTORS: [u64; 8] = [
        0x9e37_79b9_7f4a_7c15,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x27d4_eb2f_1656_67c5,
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
    ];
    let mut sum = 0u64;
    // An index loop: as chained iterators it is not unrolled, which shows in the profile.
    let mut i = 0;
    while i < N {
        let bits = sets[i].bits();
        sum = sum.wrapping_add((bits as u64).wrapping_mul(FACTORS[2 * i]));
        sum ^= ((bits >> 64) as u64).wrapping_mul(FACTORS[2 * i + 1]);
        i += 1;
    }
    (sum ^ sum >> 29).wrapping_mul(FACTORS[0]) as usize >> 51
}

/// The earlier moves whose continuation histories are updated: how many plies back, and the weight of
/// the update in 1024ths.
pub const CONTINUATIONS: [(usize, i32); 6] =
    [(1, 1157), (2, 648), (3, 288), (4, 576), (5, 140), (6, 441)];
/// Added to every update of the continuation history of the last move.
const CONTINUATION_BIAS: i32 = 88;
/// How many continuation histories, the nearest, are updated in check.
const CONTINUATIONS_IN_CHECK: usize = 2;

/// All histories of one thread.
pub struct Histories {
    butterfly: Box<Butterfly>,
    captures: Box<Captures>,
    continuation: Table<PieceTo>,
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
            pawns: vec![[[Stat::default(); Square::COUNT]; Piece::COUNT]; PAWN_HISTORY_SIZE]
                .into_boxed_slice(),
            continuation: Table::filled(
                Piece::COUNT * Square::COUNT,
                [[Stat::default(); Square::COUNT]; Piece::COUNT],
            ),
        }
    }

    /// Resets all histories to their initial values.
    pub fn clear(&mut self) {
        fill(&mut self.butterfly[..], Stat::default());
        fill(&mut self.captures[..], Stat(CAPTURE_START));
        fill(&mut self.continuation, Stat(CONTINUATION_START));
        fill(&mut self.pawns, Stat(PAWN_START));
        fill(&mut self.low_ply[..], Stat::default());
    }

    /// Begins a search: clears the low-ply history and decays the butterfly history.
    pub fn begin(&mut self) {
        fill(&mut self.low_ply[..], Stat::default());
        for stat in self.butterfly.as_flattened_mut().as_flattened_mut() {
            stat.0 = (stat.get() * params::butterfly_decay() / 1024) as i16;
        }
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

    /// The history of quiet moves in one pawn structure.
    #[inline(always)]
    pub fn pawn_row(&self, index: PawnIndex) -> &PawnRow {
        &self.pawns[usize::from(index.0)]
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

    /// Updates the pawn history of a quiet move.
    #[inline]
    pub fn update_pawn(&mut self, index: PawnIndex, piece: Piece, to: Square, bonus: i32) {
        self.pawns[usize::from(index.0)][piece.index()][to.index()].update(bonus);
    }

    /// Updates the butterfly history of a quiet move.
    #[inline]
    pub fn update_butterfly(&mut self, side: Color, mv: Move, bonus: i32) {
        self.butterfly[side.index()][mv.from_code()][mv.to().index()].update(bonus);
    }

    /// Updates the continuation histories of a move; `line` ends with the frame of the node where it
    /// was played.
    pub fn update_continuation(&mut self, piece: Piece, to: Square, line: &[Frame], bonus: i32) {
        let last = line.len() - 1;
        let reach = if line[last].in_check {
            CONTINUATIONS_IN_CHECK
        } else {
            CONTINUATIONS.len()
        };
        for &(back, weight) in &CONTINUATIONS[..reach] {
            let earlier = line[last - back].continuation;
            if earlier != ContinuationIndex::NONE {
                let bias = if back == 1 { CONTINUATION_BIAS } else { 0 };
                self.continuation[usize::from(earlier.0)][piece.index()][to.index()]
                    .update(bonus * weight / 1024 + bias);
            }
        }
    }

    /// Updates the capture history.
    pub fn update_capture(&mut self, piece: Piece, to: Square, victim: Piece, bonus: i32) {
        self.captures[piece.index()][to.index()][victim.kind_index()].update(bonus);
    }
}

/// Fills a two-dimensional table.
fn fill<T: Copy, const A: usize, const B: usize>(table: &mut [[[T; A]; B]], value: T) {
    table.as_flattened_mut().as_flattened_mut().fill(value);
}

/// A zeroed table, allocated on the heap without passing through the stack.
fn boxed<T: Copy + Default, const A: usize, const B: usize, const C: usize>()
-> Box<[[[T; A]; B]; C]> {
    let rows = vec![[[T::default(); A]; B]; C].into_boxed_slice();
    rows.try_into()
        .unwrap_or_else(|_| unreachable!("the slice has C rows"))
}

/// Bonus of the best move of a node, by its depth.
#[inline(always)]
fn bonus(depth: Depth) -> i32 {
    (params::bonus_scale() * depth - params::bonus_offset()).clamp(0, params::bonus_max())
}

/// Malus of a move searched before the best move of a node, by the depth of the node.
#[inline(always)]
fn malus(depth: Depth) -> i32 {
    (params::malus_scale() * depth - params::malus_offset()).clamp(0, params::malus_max())
}

/// Moves of a node searched before its best move, in search order. Moves beyond the capacity are dropped.
pub(super) struct TriedMoves {
    moves: [Move; TriedMoves::CAPACITY],
    len: usize,
}

impl TriedMoves {
    const CAPACITY: usize = 32;

    /// An empty list.
    #[inline(always)]
    pub(super) fn new() -> TriedMoves {
        TriedMoves {
            moves: [Move::NONE; TriedMoves::CAPACITY],
            len: 0,
        }
    }

    /// Adds a move unless the list is full.
    #[inline(always)]
    pub(super) fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    #[inline(always)]
    fn iter(&self) -> std::slice::Iter<'_, Move> {
        self.moves[..self.len].iter()
    }
}

impl Worker {
    /// Updates the histories of a node with a best move: a bonus for it, a malus for the moves tried
    /// before it.
    pub(super) fn update_histories(
        &mut self,
        node: &Node,
        best_move: Move,
        quiets: &TriedMoves,
        captures: &TriedMoves,
    ) {
        let previous = *self.stack.before(node.ply, 1);
        let mut bonus = bonus(node.depth);
        if best_move == node.tt_move {
            bonus += params::bonus_tt_move();
        }
        bonus = (bonus + previous.history / params::bonus_previous_history()).max(0);
        let malus = malus(node.depth);
        if self.position.is_capture(best_move) {
            self.update_capture(best_move, bonus * params::bonus_capture() / 1024);
        } else {
            self.update_quiet(node.ply, best_move, bonus * params::bonus_quiet() / 1024);
            // The later a move came, the less was expected of it.
            let mut malus = malus;
            for &mv in quiets.iter() {
                self.update_quiet(node.ply, mv, -malus);
                malus = malus * params::malus_decay() / 1024;
            }
        }
        for &mv in captures.iter() {
            self.update_capture(mv, -malus * params::malus_capture() / 1024);
        }
        // A quiet move of the opponent that is refuted though it came first.
        if previous.move_count == 1 + usize::from(previous.tt_hit) && previous.is_quiet() {
            let malus = malus * params::malus_refuted_first() / 1024;
            self.update_previous_continuation(node.ply, -malus);
        }
    }

    /// All moves failed low: a bonus for the opponent's last move.
    pub(super) fn update_on_fail_low(&mut self, node: &Node, best_value: Value) {
        let previous = *self.stack.before(node.ply, 1);
        if node.ply == 0 || !previous.capture && !previous.is_quiet() {
            return;
        }
        let to = previous.mv.to();
        let piece = self.position.piece_on(to);
        if previous.capture {
            let victim = self.position.captured();
            let bonus = params::fail_low_capture();
            self.history.update_capture(piece, to, victim, bonus);
            return;
        }
        let mut scale = params::fail_low_base() + (params::fail_low_depth() * node.depth).min(500);
        if previous.move_count > 8 {
            scale += params::fail_low_late();
        }
        let margin = params::fail_low_margin();
        if !node.in_check && best_value <= node.static_eval - margin {
            scale += params::fail_low_below_eval();
        }
        if !previous.in_check
            && previous.static_eval != value::NONE
            && best_value <= -previous.static_eval - margin
        {
            scale += params::fail_low_below_previous_eval();
        }
        scale -= previous.history / 100;
        let bonus = bonus(node.depth) * scale.max(0) / 1024;
        self.update_previous_continuation(node.ply, bonus * 3 / 8);
        self.update_previous_butterfly(node.ply, bonus / 4);
        self.update_previous_pawn(node.ply, bonus);
    }

    /// A TT cutoff by a quiet move: a bonus for that move, and a malus for the opponent's last move if
    /// it was an early quiet one.
    pub(super) fn update_on_tt_cutoff(&mut self, ply: usize, tt_move: Move, depth: Depth) {
        self.update_quiet(ply, tt_move, bonus(depth) * params::bonus_quiet() / 1024);
        let previous = self.stack.before(ply, 1);
        if previous.move_count <= 3 && previous.is_quiet() {
            self.update_previous_continuation(ply, -params::malus_tt_cutoff());
        }
    }

    /// A bonus or malus for the opponent's last move if quiet, by what it gained in static evaluation.
    /// Not in check.
    #[inline(always)]
    pub(super) fn update_on_static_eval(&mut self, node: &Node) {
        let previous = self.stack.before(node.ply, 1);
        if previous.in_check || previous.static_eval == value::NONE || !previous.is_quiet() {
            return;
        }
        let gain = -(previous.static_eval + node.static_eval);
        let bonus = gain.clamp(-params::eval_gain_low(), params::eval_gain_high())
            + params::eval_gain_offset();
        self.update_previous_butterfly(node.ply, bonus * params::eval_gain_butterfly());
        if node.tt_entry.is_none() {
            self.update_previous_pawn(node.ply, bonus * params::eval_gain_pawn());
        }
    }

    /// A reduced move beat alpha: a bonus, as it was ordered too late. The move is on the board.
    pub(super) fn update_on_research(&mut self, ply: usize, mv: Move) {
        let piece = self.position.piece_on(mv.to());
        let line = self.stack.line(ply);
        self.history
            .update_continuation(piece, mv.to(), line, params::bonus_lmr_research());
    }

    /// Updates all histories of a quiet move of a node.
    #[inline]
    fn update_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let (piece, to) = (self.position.moved_piece_after(mv), mv.to());
        let history = &mut self.history;
        history.update_butterfly(self.position.side_to_move(), mv, bonus);
        history.update_continuation(piece, to, self.stack.line(ply), bonus);
        history.update_pawn(self.stack.at(ply).pawns, piece, to, bonus * 7 / 8);
        if ply < LOW_PLIES {
            history.low_ply[ply][mv.from_code()][to.index()].update(bonus * 3 / 4);
        }
    }

    #[inline]
    fn update_capture(&mut self, mv: Move, bonus: i32) {
        let victim = self.position.piece_on(mv.to());
        self.history
            .update_capture(self.position.moved_piece_after(mv), mv.to(), victim, bonus);
    }

    /// Updates the continuation histories of the move that led to a node.
    #[inline]
    fn update_previous_continuation(&mut self, ply: usize, bonus: i32) {
        let to = self.stack.before(ply, 1).mv.to();
        let piece = self.position.piece_on(to);
        let line = self.stack.line(ply - 1);
        self.history.update_continuation(piece, to, line, bonus);
    }

    /// Updates the butterfly history of the move that led to a node.
    #[inline]
    fn update_previous_butterfly(&mut self, ply: usize, bonus: i32) {
        let mv = self.stack.before(ply, 1).mv;
        let side = !self.position.side_to_move();
        self.history.update_butterfly(side, mv, bonus);
    }

    /// Updates the pawn history of the move that led to a node, unless it changed the pawn structure:
    /// the index at hand is that of the structure after the move.
    #[inline]
    fn update_previous_pawn(&mut self, ply: usize, bonus: i32) {
        let mv = self.stack.before(ply, 1).mv;
        let piece = self.position.piece_on(mv.to());
        if piece.kind() != PieceType::Pawn && !mv.is_promotion() {
            let pawns = self.stack.at(ply).pawns;
            self.history.update_pawn(pawns, piece, mv.to(), bonus);
        }
    }
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
