//! Staged move picking: the TT move, then captures that lose nothing by SEE (good captures), quiet moves
//! by history, bad captures, bad quiets. A stage is generated only when the one before gave no cutoff.
//! <https://www.chessprogramming.org/Move_Ordering>
//!
//! There are no killer moves: like other strong shogi engines, Komaoto has replaced them by continuation
//! histories.
//!
//! Moves are scored while they are generated: a generator hands over all moves of a piece at once, so
//! the rows of the histories are looked up once per piece.
//!
//! The moves of all nodes of a line lie in one arena, those of a child behind those of its parent; a
//! picker truncates what its children left there when it is next called.
#![forbid(unsafe_code)]

use super::history::{Histories, LOW_PLIES, PawnRow, PieceTo};
use super::params;
use super::stack::Stack;
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, MoveSink, Position, see_value};
use crate::types::{Color, MAX_MOVES, Move, Piece, PieceType, Square, Value};

/// SEE loss up to which a quiet check is ordered as a check, in units of [`Value`].
const CHECK_TOLERANCE: Value = 75;
/// How many plies back the moves are whose continuation histories score quiet moves.
const SCORED_CONTINUATIONS: [usize; 5] = [1, 2, 3, 4, 6];
/// More than any history, so that captures come first among evasions.
const CAPTURES_FIRST: i32 = 1 << 20;

/// A move and its score, packed so that the largest number is the move to pick: the score in bits
/// 32-63, the complement of its place in the node's part of the arena in bits 16-31 (the first of equals
/// wins), the move in bits 0-15. Picking is then a maximum over integers, which vectorises.
#[derive(Clone, Copy, Debug)]
pub struct ScoredMove(i64);

impl ScoredMove {
    /// Packs a move with its score and its place in the node's part of the arena.
    #[inline(always)]
    pub fn new(mv: Move, score: i32, place: usize) -> ScoredMove {
        let place = i64::from(!(place as u16));
        ScoredMove(i64::from(score) << 32 | place << 16 | i64::from(mv.raw()))
    }

    #[inline(always)]
    fn mv(self) -> Move {
        Move::from_raw_unchecked(self.0 as u16)
    }

    #[inline(always)]
    fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    #[inline(always)]
    fn place(self) -> usize {
        usize::from(!((self.0 >> 16) as u16))
    }

    /// The move at another place.
    #[inline(always)]
    fn moved(self, place: usize) -> ScoredMove {
        ScoredMove(self.0 & !0xffff_0000 | i64::from(!(place as u16)) << 16)
    }
}

/// The arena that the pickers of a line share.
pub type MoveArena = Vec<ScoredMove>;

/// What a picker needs of its worker, passed to every call.
pub struct Context<'a> {
    /// The node's position.
    pub position: &'a Position,
    /// Which moves give check there.
    pub checks: &'a CheckInfo,
    /// The histories.
    pub history: &'a Histories,
    /// The line to the node.
    pub stack: &'a Stack,
    /// Plies from the root.
    pub ply: usize,
    /// Whether to generate needless non-promotions as well.
    pub all_moves: bool,
    /// The arena.
    pub arena: &'a mut MoveArena,
}

impl<'a> Context<'a> {
    /// The continuation history of the move played `back` plies ago.
    #[inline(always)]
    pub fn continuation(&self, back: usize) -> &'a PieceTo {
        let earlier = self.stack.before(self.ply, back);
        self.history.continuation(earlier.continuation)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    QsTtMove,
    QsGenerate,
    QsCaptures,
    Done,
}

/// A move generator with or without needless non-promotions.
macro_rules! generator {
    ($generate:ident) => {
        |position, all_moves, sink| match all_moves {
            true => position.$generate::<true>(sink),
            false => position.$generate::<false>(sink),
        }
    };
}

/// Gives the moves of one node, best guess first. All of them are legal, none comes twice.
pub struct MovePicker {
    stage: Stage,
    tt_move: Move,
    /// Where this node's moves begin in the arena.
    start: usize,
    /// The next move of the stage.
    next: usize,
    /// Behind the last move of the stage.
    end: usize,
    /// The next bad capture; bad captures are kept at `start`.
    bad_next: usize,
    /// Behind the last bad capture.
    bad_end: usize,
    skip_quiets: bool,
}

impl MovePicker {
    /// All moves of a node. The TT move must be legal or [`Move::NONE`].
    pub fn new(tt_move: Move, position: &Position, arena: &MoveArena) -> MovePicker {
        let stage = match (tt_move.is_some(), position.in_check()) {
            (true, _) => Stage::TtMove,
            (false, true) => Stage::GenerateEvasions,
            (false, false) => Stage::GenerateCaptures,
        };
        MovePicker::at(stage, tt_move, arena)
    }

    /// The moves of a quiescence node: captures, or all evasions when in check. Out of check a quiet
    /// TT move is left out, or quiescence search could go on without end.
    pub fn quiescence(tt_move: Move, position: &Position, arena: &MoveArena) -> MovePicker {
        if position.in_check() {
            return MovePicker::new(tt_move, position, arena);
        }
        if tt_move.is_some() && position.is_capture(tt_move) {
            MovePicker::at(Stage::QsTtMove, tt_move, arena)
        } else {
            MovePicker::at(Stage::QsGenerate, Move::NONE, arena)
        }
    }

    fn at(stage: Stage, tt_move: Move, arena: &MoveArena) -> MovePicker {
        let start = arena.len();
        MovePicker {
            stage,
            tt_move,
            start,
            next: start,
            end: start,
            bad_next: start,
            bad_end: start,
            skip_quiets: false,
        }
    }

    /// Skips the remaining quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, mut context: Context<'_>) -> Option<Move> {
        context.arena.truncate(self.end);
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = if context.position.in_check() {
                        Stage::GenerateEvasions
                    } else {
                        Stage::GenerateCaptures
                    };
                    return Some(self.tt_move);
                }
                Stage::QsTtMove => {
                    self.stage = Stage::QsGenerate;
                    return Some(self.tt_move);
                }
                Stage::GenerateCaptures | Stage::QsGenerate => {
                    let (position, history) = (context.position, context.history);
                    let score = CaptureScore { position, history };
                    self.generate(&mut context, score, generator!(generate_captures));
                    self.stage = if self.stage == Stage::QsGenerate {
                        Stage::QsCaptures
                    } else {
                        Stage::GoodCaptures
                    };
                }
                Stage::GoodCaptures => match self.next_good_capture(&mut context) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        let score = QuietScore::new(&context);
                        self.generate(&mut context, score, generator!(generate_quiets));
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(best) = self.pick(context.arena)
                    {
                        if best.score() >= params::order_good_quiet() {
                            return Some(best.mv());
                        }
                        self.put_back(best, context.arena);
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.bad_next < self.bad_end {
                        // Already sorted: they were set aside best first.
                        self.bad_next += 1;
                        return Some(context.arena[self.bad_next - 1].mv());
                    }
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => {
                    if !self.skip_quiets
                        && let Some(best) = self.pick(context.arena)
                    {
                        return Some(best.mv());
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateEvasions => {
                    let score = EvasionScore::new(&context);
                    self.generate(&mut context, score, generator!(generate_legal));
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.pick(context.arena) {
                    Some(best) if self.skip_quiets && !context.position.is_capture(best.mv()) => {}
                    Some(best) => return Some(best.mv()),
                    None => self.stage = Stage::Done,
                },
                Stage::QsCaptures => match self.pick(context.arena) {
                    Some(best) => return Some(best.mv()),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// The remaining move of the stage with the highest score. A selection sort, as most nodes need
    /// only a few moves.
    #[inline(always)]
    fn pick(&mut self, arena: &mut MoveArena) -> Option<ScoredMove> {
        let left = arena.get_mut(self.next..self.end)?;
        let first = *left.first()?;
        let best = ScoredMove(
            left.iter()
                .fold(i64::MIN, |best, scored| best.max(scored.0)),
        );
        // The first remaining move fills the gap.
        left[best.place() - (self.next - self.start)] = first.moved(best.place());
        self.next += 1;
        Some(best)
    }

    /// Undoes the last pick.
    fn put_back(&mut self, picked: ScoredMove, arena: &mut MoveArena) {
        self.next -= 1;
        arena[self.next] = picked.moved(self.next - self.start);
    }

    /// Generates and scores moves behind the bad captures; leaves out the TT move.
    #[inline(always)]
    fn generate<S: Score>(
        &mut self,
        context: &mut Context<'_>,
        score: S,
        generator: impl FnOnce(&Position, bool, &mut ScoringSink<'_, S>),
    ) {
        let arena = &mut *context.arena;
        arena.truncate(self.bad_end);
        arena.reserve(MAX_MOVES);
        let mut sink = ScoringSink {
            position: context.position,
            score,
            tt_move: self.tt_move,
            start: self.start,
            arena,
        };
        generator(context.position, context.all_moves, &mut sink);
        self.next = self.bad_end;
        self.end = context.arena.len();
    }

    /// The best remaining capture that passes SEE; bad captures are set aside.
    fn next_good_capture(&mut self, context: &mut Context<'_>) -> Option<Move> {
        while let Some(best) = self.pick(context.arena) {
            let tolerance = -best.score() / params::order_see_divisor();
            if context.position.see_ge(best.mv(), tolerance) {
                return Some(best.mv());
            }
            // Free, as everything before `next` has been returned.
            context.arena[self.bad_end] = best;
            self.bad_end += 1;
        }
        None
    }
}

/// How moves of a stage are scored.
pub trait Score {
    /// The scores of the moves of one piece, `piece` as it stands after the move; no origin is
    /// a drop.
    fn of(&self, piece: Piece, from: Option<Square>) -> impl Fn(Move) -> i32;
}

/// Writes moves with their scores to the arena.
pub struct ScoringSink<'a, S> {
    /// The node's position.
    pub position: &'a Position,
    /// How to score.
    pub score: S,
    /// The move to leave out.
    pub tt_move: Move,
    /// Where the node's moves begin in the arena.
    pub start: usize,
    /// The arena.
    pub arena: &'a mut MoveArena,
}

impl<S: Score> ScoringSink<'_, S> {
    /// Writes the moves of one piece to some squares.
    #[inline(always)]
    fn write(
        &mut self,
        piece: Piece,
        from: Option<Square>,
        targets: Bitboard,
        mv: impl Fn(Square) -> Move,
    ) {
        let score = self.score.of(piece, from);
        for to in targets {
            let mv = mv(to);
            if mv != self.tt_move {
                let place = self.arena.len() - self.start;
                self.arena.push(ScoredMove::new(mv, score(mv), place));
            }
        }
    }

    /// Writes one move.
    #[inline(always)]
    fn write_one(&mut self, piece: Piece, from: Square, mv: Move) {
        if mv != self.tt_move {
            let score = self.score.of(piece, Some(from))(mv);
            let place = self.arena.len() - self.start;
            self.arena.push(ScoredMove::new(mv, score, place));
        }
    }

    // Not inlined, like the methods of the sink: a generator calls them from many places and is the
    // largest function of the search without them.
    #[inline(never)]
    fn write_piece_moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        let piece = self.position.piece_on(from);
        if promoting.any() {
            let promoted = piece.promote();
            self.write(promoted, Some(from), promoting, |to| {
                Move::promotion(from, to)
            });
        }
        if plain.any() {
            self.write(piece, Some(from), plain, |to| Move::board(from, to));
        }
    }
}

impl<S: Score> MoveSink for ScoringSink<'_, S> {
    #[inline(always)]
    fn piece_moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        if (plain | promoting).any() {
            self.write_piece_moves(from, plain, promoting);
        }
    }

    #[inline(never)]
    fn pawn_moves(&mut self, step: i8, plain: Bitboard, promoting: Bitboard) {
        let pawn = Piece::new(self.position.side_to_move(), PieceType::Pawn);
        let promoted = pawn.promote();
        let origin =
            |to: Square| Square::from_index((to.index() as isize - step as isize) as usize);
        for to in promoting {
            let from = origin(to);
            self.write_one(promoted, from, Move::promotion(from, to));
        }
        for to in plain {
            let from = origin(to);
            self.write_one(pawn, from, Move::board(from, to));
        }
    }

    #[inline(never)]
    fn drops(&mut self, kind: PieceType, targets: Bitboard) {
        let piece = Piece::new(self.position.side_to_move(), kind);
        self.write(piece, None, targets, |to| Move::drop(kind, to));
    }
}

/// Captures: the victim's value and capture history (MVV with history).
pub struct CaptureScore<'a> {
    /// The node's position.
    pub position: &'a Position,
    /// The histories.
    pub history: &'a Histories,
}

impl Score for CaptureScore<'_> {
    #[inline(always)]
    fn of(&self, piece: Piece, _: Option<Square>) -> impl Fn(Move) -> i32 {
        let row = self.history.capture_row(piece);
        move |mv| {
            let victim = self.position.piece_on(mv.to());
            params::order_victim() * see_value(victim)
                + row[mv.to().index()][victim.kind_index()].get()
        }
    }
}

/// Quiet moves: butterfly, pawn, low-ply and continuation history, and a bonus for safe checks.
pub struct QuietScore<'a> {
    position: &'a Position,
    checks: &'a CheckInfo,
    history: &'a Histories,
    side: Color,
    continuations: [&'a PieceTo; SCORED_CONTINUATIONS.len()],
    pawns: &'a PawnRow,
    ply: usize,
}

impl<'a> QuietScore<'a> {
    /// For the moves of a node.
    pub fn new(context: &Context<'a>) -> QuietScore<'a> {
        QuietScore {
            position: context.position,
            checks: context.checks,
            history: context.history,
            side: context.position.side_to_move(),
            continuations: SCORED_CONTINUATIONS.map(|back| context.continuation(back)),
            pawns: context
                .history
                .pawn_row(context.stack.at(context.ply).pawns),
            ply: context.ply,
        }
    }
}

impl Score for QuietScore<'_> {
    #[inline(always)]
    fn of(&self, piece: Piece, from: Option<Square>) -> impl Fn(Move) -> i32 {
        let from_code = from_code(piece, from);
        let butterfly = self.history.butterfly_row(self.side, from_code);
        let rows = self.continuations.map(|table| &table[piece.index()]);
        let pawns = &self.pawns[piece.index()];
        let low_ply = (self.ply < LOW_PLIES).then(|| {
            let row = self.history.low_ply_row(self.ply, from_code);
            (row, 8 / (1 + self.ply as i32))
        });
        let checks = self.checks.squares_from(from, piece.kind());
        move |mv| {
            let to = mv.to();
            let mut score = 2 * (butterfly[to.index()].get() + pawns[to.index()].get());
            if let Some((row, weight)) = low_ply {
                score += weight * row[to.index()].get();
            }
            for row in rows {
                score += row[to.index()].get();
            }
            if checks.contains(to) && self.position.see_ge(mv, -CHECK_TOLERANCE) {
                score += params::order_check();
            }
            score
        }
    }
}

/// Evasions: captures by the victim's value, then the others by history.
pub struct EvasionScore<'a> {
    position: &'a Position,
    history: &'a Histories,
    side: Color,
    continuation: &'a PieceTo,
}

impl<'a> EvasionScore<'a> {
    /// For the moves of a node.
    pub fn new(context: &Context<'a>) -> EvasionScore<'a> {
        EvasionScore {
            position: context.position,
            history: context.history,
            side: context.position.side_to_move(),
            continuation: context.continuation(1),
        }
    }
}

impl Score for EvasionScore<'_> {
    #[inline(always)]
    fn of(&self, piece: Piece, from: Option<Square>) -> impl Fn(Move) -> i32 {
        let butterfly = self
            .history
            .butterfly_row(self.side, from_code(piece, from));
        let row = &self.continuation[piece.index()];
        move |mv| {
            let to = mv.to();
            let victim = self.position.piece_on(to);
            if victim.is_some() {
                CAPTURES_FIRST + see_value(victim)
            } else {
                butterfly[to.index()].get() + row[to.index()].get()
            }
        }
    }
}

/// See [`Move::from_code`].
#[inline(always)]
fn from_code(piece: Piece, from: Option<Square>) -> usize {
    match from {
        Some(from) => from.index(),
        None => Move::drop_code(piece.kind()),
    }
}
