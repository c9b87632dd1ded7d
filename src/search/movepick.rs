//! Staged move picking: the hash move before anything is generated, then captures that lose
//! nothing by exchange, then quiet moves by history, then losing captures, then quiet moves that
//! history speaks against. Each stage is generated only when the one before gave no cutoff.
//!
//! There are no killer slots: continuation histories order quiet moves by what they answer, and no
//! strong shogi engine of today keeps killers beside them.
//!
//! The moves of all nodes of a line lie in one arena, those of a child behind those of its
//! parent; a picker cuts off what children left there whenever it is asked again.
#![forbid(unsafe_code)]

use super::history::{Histories, PieceTo};
use super::params;
use super::scoring::{CaptureScore, EvasionScore, QuietScore, Score, ScoringSink};
use super::stack::Stack;
use crate::position::{CheckInfo, Position};
use crate::types::{MAX_MOVES, Move};

/// A move and what speaks for it, packed so that the largest number is the move to pick: the
/// score in bits 32-63, the complement of its place in the arena in bits 16-31 (the first of
/// equals wins), the move in bits 0-15. Picking is then a maximum over plain numbers, which
/// compilers turn into vector code.
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

    /// The same move at another place.
    #[inline(always)]
    fn moved(self, place: usize) -> ScoredMove {
        ScoredMove(self.0 & !0xffff_0000 | i64::from(!(place as u16)) << 16)
    }
}

/// The arena the pickers of a line share.
pub type MoveArena = Vec<ScoredMove>;

/// What a picker needs to see of its worker; handed to every call.
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
    /// Whether needless non-promotions are asked for.
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
    HashMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    QsHashMove,
    QsGenerate,
    QsCaptures,
    Done,
}

/// Gives the moves of one node, best guess first. All of them are legal, none comes twice.
pub struct MovePicker {
    stage: Stage,
    hash_move: Move,
    /// Where this node's moves begin in the arena.
    start: usize,
    /// The next move of the stage.
    next: usize,
    /// Behind the last move of the stage.
    end: usize,
    /// The next losing capture; they are kept at `start`.
    bad_next: usize,
    /// Behind the last of them.
    bad_end: usize,
    skip_quiets: bool,
}

impl MovePicker {
    /// All moves of a node. The hash move must be legal or [`Move::NONE`].
    pub fn new(hash_move: Move, position: &Position, arena: &MoveArena) -> MovePicker {
        let stage = match (hash_move.is_some(), position.in_check()) {
            (true, _) => Stage::HashMove,
            (false, true) => Stage::GenerateEvasions,
            (false, false) => Stage::GenerateCaptures,
        };
        MovePicker::at(stage, hash_move, arena)
    }

    /// The moves of a quiescence node: captures, or everything when in check. A hash move that
    /// is neither is left out, or quiet moves could follow each other without end.
    pub fn quiescence(hash_move: Move, position: &Position, arena: &MoveArena) -> MovePicker {
        if position.in_check() {
            return MovePicker::new(hash_move, position, arena);
        }
        if hash_move.is_some() && position.is_capture(hash_move) {
            MovePicker::at(Stage::QsHashMove, hash_move, arena)
        } else {
            MovePicker::at(Stage::QsGenerate, Move::NONE, arena)
        }
    }

    fn at(stage: Stage, hash_move: Move, arena: &MoveArena) -> MovePicker {
        let start = arena.len();
        MovePicker {
            stage,
            hash_move,
            start,
            next: start,
            end: start,
            bad_next: start,
            bad_end: start,
            skip_quiets: false,
        }
    }

    /// Leaves out the quiet moves still to come.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub fn next(&mut self, mut context: Context<'_>) -> Option<Move> {
        context.arena.truncate(self.end);
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = if context.position.in_check() {
                        Stage::GenerateEvasions
                    } else {
                        Stage::GenerateCaptures
                    };
                    return Some(self.hash_move);
                }
                Stage::QsHashMove => {
                    self.stage = Stage::QsGenerate;
                    return Some(self.hash_move);
                }
                Stage::GenerateCaptures | Stage::QsGenerate => {
                    self.generate_captures(&mut context);
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
                        self.generate_quiets(&mut context);
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
                        // They were set aside in order of their scores.
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
                    self.generate_evasions(&mut context);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => loop {
                    match self.pick(context.arena) {
                        Some(best)
                            if self.skip_quiets && !context.position.is_capture(best.mv()) => {}
                        Some(best) => return Some(best.mv()),
                        None => {
                            self.stage = Stage::Done;
                            break;
                        }
                    }
                },
                Stage::QsCaptures => match self.pick(context.arena) {
                    Some(best) => return Some(best.mv()),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// The move of the stage with the highest score among those left. Few moves of a node are ever
    /// asked for, so sorting all would be wasted.
    #[inline(always)]
    fn pick(&mut self, arena: &mut MoveArena) -> Option<ScoredMove> {
        let left = arena.get_mut(self.next..self.end)?;
        let first = *left.first()?;
        let best = ScoredMove(
            left.iter()
                .fold(i64::MIN, |best, scored| best.max(scored.0)),
        );
        // The first of those left takes the place of the one that leaves.
        left[best.place() - (self.next - self.start)] = first.moved(best.place());
        self.next += 1;
        Some(best)
    }

    /// Undoes the last pick.
    fn put_back(&mut self, picked: ScoredMove, arena: &mut MoveArena) {
        self.next -= 1;
        arena[self.next] = picked.moved(self.next - self.start);
    }

    /// Lets `generate` write scored moves behind those kept, all but the hash move.
    #[inline(always)]
    fn fill<S: Score>(
        &mut self,
        arena: &mut MoveArena,
        position: &Position,
        score: S,
        generate: impl FnOnce(&mut ScoringSink<'_, S>),
    ) {
        arena.truncate(self.bad_end);
        arena.reserve(MAX_MOVES);
        generate(&mut ScoringSink {
            position,
            score,
            hash_move: self.hash_move,
            start: self.start,
            arena,
        });
        self.next = self.bad_end;
        self.end = arena.len();
    }

    fn generate_captures(&mut self, context: &mut Context<'_>) {
        let position = context.position;
        let score = CaptureScore {
            position,
            history: context.history,
        };
        let all = context.all_moves;
        self.fill(context.arena, position, score, |sink| {
            if all {
                position.generate_captures::<true>(sink);
            } else {
                position.generate_captures::<false>(sink);
            }
        });
    }

    fn generate_quiets(&mut self, context: &mut Context<'_>) {
        let position = context.position;
        let score = QuietScore::new(context);
        let all = context.all_moves;
        self.fill(context.arena, position, score, |sink| {
            if all {
                position.generate_quiets::<true>(sink);
            } else {
                position.generate_quiets::<false>(sink);
            }
        });
    }

    fn generate_evasions(&mut self, context: &mut Context<'_>) {
        let position = context.position;
        let score = EvasionScore::new(context);
        let all = context.all_moves;
        self.fill(context.arena, position, score, |sink| {
            if all {
                position.generate_legal::<true>(sink);
            } else {
                position.generate_legal::<false>(sink);
            }
        });
    }

    /// The best capture left that does not lose by exchange; losing ones are set aside.
    fn next_good_capture(&mut self, context: &mut Context<'_>) -> Option<Move> {
        while let Some(best) = self.pick(context.arena) {
            let tolerance = -best.score() / params::order_see_divisor();
            if context.position.see_ge(best.mv(), tolerance) {
                return Some(best.mv());
            }
            // The place is free: everything before `next` has been given out.
            context.arena[self.bad_end] = best;
            self.bad_end += 1;
        }
        None
    }
}
