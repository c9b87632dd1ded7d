//! Quiescence search: only captures, until the position is calm enough to be evaluated; every
//! answer when in check. <https://www.chessprogramming.org/Quiescence_Search>
#![forbid(unsafe_code)]

use super::move_pruning::Verdict;
use super::movepick::MovePicker;
use super::node::NodeType;
use super::params;
use super::tt::{Bound, DEPTH_EVAL, DEPTH_QS, Entry};
use super::worker::Worker;
use crate::position::see_value;
use crate::types::{Move, Value, value};

impl Worker {
    /// Value of a node for the side to move once captures are played out.
    pub(super) fn quiescence<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        debug_assert!(alpha < beta && (N::PV || alpha + 1 == beta));
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.poll() {
            return value::DRAW;
        }

        // Step 1. The rules may have ended the game.
        if let Some(value) = self.terminal_value(ply) {
            return value;
        }

        if !self.is_selective() {
            return self.evaluator.evaluate(&self.position);
        }

        // Step 2. Transposition table.
        let (key, side) = (self.position.key(), self.position.side_to_move());
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
        let entry = self.tt.probe(key, side, ply);
        if !N::PV
            && let Some(entry) = &entry
            && entry.depth >= DEPTH_QS
            && entry.cuts(beta)
        {
            return entry.value;
        }

        // Step 3. Mate in one.
        if entry.is_none()
            && let Some(value) = self.mate_in_one::<N>(ply, DEPTH_QS)
        {
            return value;
        }

        // Step 4. Stand pat: the side to move need not capture. In check it has no such choice.
        let in_check = self.position.in_check();
        let (raw_eval, static_eval, mut best_value) = if in_check {
            (value::NONE, value::NONE, -value::INFINITE)
        } else {
            let evaluation = self.evaluate(entry.as_ref());
            (evaluation.raw, evaluation.corrected, evaluation.refined)
        };
        if !in_check && best_value >= beta {
            if !value::is_decisive(best_value) {
                best_value = (best_value + beta) / 2;
            }
            if entry.is_none() {
                let stored = Entry {
                    mv: Move::NONE,
                    value: best_value,
                    eval: raw_eval,
                    depth: DEPTH_EVAL,
                    bound: Bound::LOWER,
                };
                self.tt.store(key, side, ply, stored);
            }
            return best_value;
        }
        alpha = alpha.max(best_value);

        // Step 5. Captures, or every move when in check.
        let tt_move = self.stored_move(entry.as_ref());
        let checks = self.position.check_info();
        let mut picker = MovePicker::quiescence(tt_move, &self.position, &self.arena);
        let last_move = self.stack.before(ply, 1).mv;
        let mut best_move = Move::NONE;
        let mut number = 0;
        while let Some(mv) = self.next_move::<N>(&mut picker, &checks, ply) {
            number += 1;

            // Step 6. Skip what promises nothing, once a move that is no loss is known.
            let is_saved = !value::is_loss(best_value);
            if is_saved && in_check {
                if !self.position.is_capture(mv) {
                    // Some answer is good enough; the quiet ones left are not looked at.
                    picker.skip_quiets();
                    continue;
                }
            } else if is_saved
                && !self.position.gives_check(mv, &checks)
                && (!last_move.is_some() || last_move.to() != mv.to())
            {
                // Neither a check nor a recapture.
                match self.prune_capture(mv, number, static_eval, alpha) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::Futile(bound) => {
                        best_value = best_value.max(bound);
                        continue;
                    }
                }
            }
            self.prefetch(mv);
            if is_saved && !self.position.see_ge(mv, -params::qsearch_see()) {
                continue;
            }

            // Step 7. Play and search it.
            self.do_move(ply, mv);
            let value = -self.quiescence::<N>(ply + 1, -beta, -alpha);
            self.undo_move(mv);
            if self.stopped {
                return value::DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }

        // Step 8. In check without an answer is mate (詰み).
        if in_check && number == 0 {
            return value::mated_in(ply);
        }
        if best_value >= beta && !value::is_decisive(best_value) {
            best_value = (best_value + beta) / 2;
        }
        let bound = if best_value >= beta {
            Bound::LOWER
        } else {
            Bound::UPPER
        };
        let pv = N::PV || entry.is_some_and(|entry| entry.is_pv());
        let bound = if pv { bound | Bound::PV } else { bound };
        let stored = Entry {
            mv: best_move,
            value: best_value,
            eval: raw_eval,
            depth: DEPTH_QS,
            bound,
        };
        self.tt.store(key, side, ply, stored);
        best_value
    }
    /// Whether a capture that gives no check and takes nothing back is worth playing. `number` is
    /// its place in the order, from 1.
    ///
    /// Delta pruning: even winning the piece for nothing does not reach alpha, or the exchange wins
    /// too little. Not in check and not near mate. The gain of promoting is left out and endgames
    /// are no exception: in shogi both were measured to be worth nothing.
    /// <https://www.chessprogramming.org/Delta_Pruning>
    #[inline(always)]
    fn prune_capture(&self, mv: Move, number: usize, static_eval: Value, alpha: Value) -> Verdict {
        if number > params::qsearch_moves() as usize {
            return Verdict::Skip;
        }
        if value::is_decisive(alpha) {
            return Verdict::Search;
        }
        let victim = see_value(self.position.piece_on(mv.to()));
        let base = static_eval + params::delta_margin();
        if base + victim <= alpha {
            Verdict::Futile(base + victim)
        } else if !self.position.see_ge(mv, alpha - base) {
            Verdict::Futile(alpha.min(base))
        } else {
            Verdict::Search
        }
    }
}
