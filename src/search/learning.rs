//! What the histories learn from a node: which moves were good, and which were not.
//! <https://www.chessprogramming.org/History_Heuristic#Update>
#![forbid(unsafe_code)]

use super::history::{self, ContinuationIndex};
use super::move_loop::Candidate;
use super::params;
use super::pvs::Node;
use super::stack::Frame;
use super::tried::TriedMoves;
use super::worker::Worker;
use crate::types::{Depth, Move, Piece, PieceType, Value, value};

impl Worker {
    /// The best move of a node is rewarded, those tried before it are punished.
    pub(super) fn learn_from_best(
        &mut self,
        node: &Node,
        best: Move,
        quiets: &TriedMoves,
        captures: &TriedMoves,
    ) {
        let mut bonus = history::bonus(node.depth);
        if best == node.tt_move {
            bonus += params::bonus_tt_move();
        }
        let before = self.stack.before(node.ply, 1).history;
        bonus = (bonus + before / params::bonus_before()).max(0);
        let malus = history::malus(node.depth);
        if self.position.is_capture(best) {
            self.update_capture(best, bonus * params::capture_bonus() / 1024);
        } else {
            self.reward_quiet(node.ply, best, bonus * params::quiet_bonus() / 1024);
            // The later a move came, the less was expected of it.
            let mut malus = malus;
            for &mv in quiets.iter() {
                self.reward_quiet(node.ply, mv, -malus);
                malus = malus * params::malus_decay() / 1024;
            }
        }
        for &mv in captures.iter() {
            self.update_capture(mv, -malus * params::capture_malus() / 1024);
        }
        // A quiet move of the opponent that is refuted though it came first was no good sequel.
        let previous = *self.stack.before(node.ply, 1);
        let expected = 1 + usize::from(previous.known);
        if previous.move_count == expected && is_quiet(&previous) {
            self.update_previous_sequel(node.ply, -malus * params::refuted_malus() / 1024);
        }
    }

    /// All moves failed low: the opponent's last move was a good one.
    pub(super) fn learn_from_fail_low(&mut self, node: &Node, best_value: Value) {
        let previous = *self.stack.before(node.ply, 1);
        if node.ply == 0 || !previous.capture && !is_quiet(&previous) {
            return;
        }
        let to = previous.mv.to();
        let piece = self.position.piece_on(to);
        if previous.capture {
            let victim = self.position.captured();
            self.history
                .update_capture(piece, to, victim, params::fail_low_capture());
            return;
        }
        let mut scale = params::fail_low_base() + (params::fail_low_depth() * node.depth).min(500);
        if previous.move_count > 8 {
            scale += params::fail_low_late();
        }
        if !node.in_check && best_value <= node.static_eval - params::fail_low_margin() {
            scale += params::fail_low_drop();
        }
        if !previous.in_check
            && previous.static_eval != value::NONE
            && best_value <= -previous.static_eval - params::fail_low_margin()
        {
            scale += params::fail_low_rise();
        }
        scale -= previous.history / 100;
        let bonus = history::bonus(node.depth) * scale.max(0) / 1024;
        self.update_previous_sequel(node.ply, bonus * 3 / 8);
        self.update_previous_butterfly(node.ply, bonus / 4);
        if moves_no_pawn(piece, previous.mv) {
            let pawns = self.stack.at(node.ply).pawns;
            self.history.update_pawn(pawns, piece, to, bonus);
        }
    }

    /// The table cuts a node because of a quiet move: good for it, and bad for an early quiet move
    /// of the opponent.
    pub(super) fn learn_from_table(&mut self, ply: usize, mv: Move, depth: Depth) {
        self.reward_quiet(
            ply,
            mv,
            history::bonus(depth) * params::quiet_bonus() / 1024,
        );
        let previous = *self.stack.before(ply, 1);
        if previous.move_count <= 3 && is_quiet(&previous) {
            self.update_previous_sequel(ply, -params::table_malus());
        }
    }

    /// How the evaluation changed says whether the opponent's last quiet move was a good one.
    #[inline(always)]
    pub(super) fn learn_from_evaluation(&mut self, node: &Node) {
        let previous = self.stack.before(node.ply, 1);
        if node.in_check
            || previous.in_check
            || previous.static_eval == value::NONE
            || !is_quiet(previous)
        {
            return;
        }
        let gain = -(previous.static_eval + node.static_eval);
        let bonus = gain.clamp(-params::eval_gain_low(), params::eval_gain_high())
            + params::eval_gain_offset();
        let mv = previous.mv;
        self.update_previous_butterfly(node.ply, bonus * params::eval_gain_scale());
        let piece = self.position.piece_on(mv.to());
        if node.entry.is_none() && moves_no_pawn(piece, mv) {
            let pawns = self.stack.at(node.ply).pawns;
            let bonus = bonus * params::eval_gain_pawns();
            self.history.update_pawn(pawns, piece, mv.to(), bonus);
        }
    }

    /// A reduced move beat alpha: it is better than its place in the order.
    pub(super) fn learn_from_research(&mut self, ply: usize, mv: &Candidate) {
        // The move has been played, so the piece stands on its target.
        let piece = self.position.piece_on(mv.mv.to());
        let line = self.stack.line(ply);
        self.history
            .update_continuation(piece, mv.mv.to(), line, params::research_bonus());
    }

    /// Rewards a quiet move of a node, or punishes it.
    #[inline]
    fn reward_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let (side, piece) = (
            self.position.side_to_move(),
            self.position.moved_piece_after(mv),
        );
        self.history
            .update_quiet(side, mv, piece, self.stack.line(ply), bonus);
    }

    #[inline]
    fn update_capture(&mut self, mv: Move, bonus: i32) {
        let victim = self.position.piece_on(mv.to());
        self.history
            .update_capture(self.position.moved_piece_after(mv), mv.to(), victim, bonus);
    }

    /// Rewards or punishes the move that led to a node as a sequel of those before it.
    #[inline]
    fn update_previous_sequel(&mut self, ply: usize, bonus: i32) {
        let to = self.stack.before(ply, 1).mv.to();
        let piece = self.position.piece_on(to);
        let line = self.stack.line(ply - 1);
        self.history.update_continuation(piece, to, line, bonus);
    }

    /// Rewards or punishes the move that led to a node for itself.
    #[inline]
    fn update_previous_butterfly(&mut self, ply: usize, bonus: i32) {
        let mv = self.stack.before(ply, 1).mv;
        let side = !self.position.side_to_move();
        self.history.update_butterfly(side, mv, bonus);
    }
}

/// Whether a move leaves the pawns as they were, so that what is learnt of it in the structure
/// after it is true of the one before.
#[inline(always)]
fn moves_no_pawn(piece: Piece, mv: Move) -> bool {
    piece.kind() != PieceType::Pawn && !mv.is_promotion()
}

/// Whether the move played from a node is quiet, and no null move.
#[inline(always)]
fn is_quiet(frame: &Frame) -> bool {
    !frame.capture && frame.continuation != ContinuationIndex::NONE
}
