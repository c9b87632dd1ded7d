//! Scores moves while they are generated.
//!
//! A generator hands over sets of moves of one piece. All that depends on the piece - the rows of
//! the histories, the squares where it gives check - is looked up once a set, and what is left
//! to do per move is little.
#![forbid(unsafe_code)]

use super::history::{ButterflyRow, Histories, LOW_PLIES, PawnRow, PieceTo};
use super::movepick::{Context, MoveArena, ScoredMove};
use super::params;
use crate::bitboard::Bitboard;
use crate::position::{CheckInfo, MoveSink, Position, see_value};
use crate::types::{Color, Move, Piece, PieceType, Square, Value};

/// Loss by exchange that a check may have and still be ordered as a check, in centipawns.
const CHECK_TOLERANCE: Value = 75;
/// Plies back of the moves that quiet moves are scored as sequels of.
const SCORED_CONTINUATIONS: [usize; 5] = [1, 2, 3, 4, 6];
/// More than any history, so that captures that answer a check come first.
const CAPTURES_FIRST: i32 = 1 << 20;

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
    pub hash_move: Move,
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
            if mv != self.hash_move {
                let place = self.arena.len() - self.start;
                self.arena.push(ScoredMove::new(mv, score(mv), place));
            }
        }
    }

    /// Writes one move.
    #[inline(always)]
    fn write_one(&mut self, piece: Piece, from: Square, mv: Move) {
        if mv != self.hash_move {
            let score = self.score.of(piece, Some(from))(mv);
            let place = self.arena.len() - self.start;
            self.arena.push(ScoredMove::new(mv, score, place));
        }
    }

    // The next three are not inlined: a generator calls them from many places, and is the largest
    // function of a search as it is.

    #[inline(never)]
    fn write_board(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
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

    #[inline(never)]
    fn write_steps(&mut self, step: i8, plain: Bitboard, promoting: Bitboard) {
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
    fn write_drops(&mut self, kind: PieceType, targets: Bitboard) {
        let piece = Piece::new(self.position.side_to_move(), kind);
        self.write(piece, None, targets, |to| Move::drop(kind, to));
    }
}

impl<S: Score> MoveSink for ScoringSink<'_, S> {
    #[inline(always)]
    fn piece_moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        if (plain | promoting).any() {
            self.write_board(from, plain, promoting);
        }
    }

    #[inline(always)]
    fn pawn_moves(&mut self, step: i8, plain: Bitboard, promoting: Bitboard) {
        self.write_steps(step, plain, promoting);
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceType, targets: Bitboard) {
        self.write_drops(kind, targets);
    }
}

/// Captures: the victim's value, helped by what such captures were worth before.
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

/// Quiet moves: what they and such sequels were worth before; checks that lose nothing earlier.
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
        let butterfly = butterfly_row(self.history, self.side, piece, from);
        let rows = self.continuations.map(|table| &table[piece.index()]);
        let pawns = &self.pawns[piece.index()];
        let low_ply = (self.ply < LOW_PLIES).then(|| {
            let row = self.history.low_ply_row(self.ply, from_code(piece, from));
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

/// Answers to a check: captures by the victim's value, then the others by history.
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
        let butterfly = butterfly_row(self.history, self.side, piece, from);
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

/// Butterfly history of the moves of one piece.
#[inline(always)]
fn butterfly_row(
    history: &Histories,
    side: Color,
    piece: Piece,
    from: Option<Square>,
) -> &ButterflyRow {
    history.butterfly_row(side, from_code(piece, from))
}

/// See [`Move::from_code`].
#[inline(always)]
fn from_code(piece: Piece, from: Option<Square>) -> usize {
    match from {
        Some(from) => from.index(),
        None => Move::drop_code(piece.kind()),
    }
}
