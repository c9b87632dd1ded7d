//! Quiescence search: captures only, all evasions when in check, until the position is quiet enough
//! to be evaluated. <https://www.chessprogramming.org/Quiescence_Search>
#![forbid(unsafe_code)]

use super::movepick::MovePicker;
use super::params;
use super::pvs::NodeType;
use super::tt::{Bound, DEPTH_EVAL, DEPTH_QS, TtEntry};
use super::worker::Worker;
use crate::position::see_value;
use crate::types::{Move, Value, value};

impl Worker {
    /// Searches captures until the position is quiet; returns the value for the side to move.
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

        // Step 1. Stop if the search or the game is over.
        if self.poll() {
            return value::DRAW;
        }
        if let Some(value) = self.terminal_value(ply) {
            return value;
        }
        if !self.is_selective() {
            return self.evaluator.evaluate(&self.position);
        }

        // Step 2. Transposition table.
        let in_check = self.position.in_check();
        if !in_check {
            self.evaluator.prepare(&self.position);
        }
        let tt_entry = self.tt_probe(ply);
        if !N::PV
            && let Some(tt) = &tt_entry
            && tt.depth >= DEPTH_QS
            && tt.cuts(beta)
        {
            return tt.value;
        }

        // Step 3. Mate in one.
        if tt_entry.is_none()
            && let Some(value) = self.mate_in_one::<N>(ply, DEPTH_QS)
        {
            return value;
        }

        // Step 4. Stand pat: the side to move need not capture. Not in check.
        let (raw_eval, static_eval, mut best_value) = if in_check {
            (value::NONE, value::NONE, -value::INFINITE)
        } else {
            self.evaluate(ply, tt_entry.as_ref())
        };
        if !in_check && best_value >= beta {
            let best_value = soften_fail_high(best_value, beta);
            if tt_entry.is_none() {
                let entry = TtEntry {
                    mv: Move::NONE,
                    value: best_value,
                    eval: raw_eval,
                    depth: DEPTH_EVAL,
                    bound: Bound::LOWER,
                };
                self.tt_store(ply, entry);
            }
            return best_value;
        }
        alpha = alpha.max(best_value);

        // Step 5. Captures, or all evasions when in check.
        let tt_move = self.legal_tt_move(tt_entry.as_ref());
        let checks = self.position.check_info();
        let mut picker = MovePicker::quiescence(tt_move, &self.position, &self.arena);
        let last_move = self.stack.before(ply, 1).mv;
        let (mut best_move, mut move_count) = (Move::NONE, 0);
        while let Some(mv) = self.next_move::<N>(&mut picker, &checks, ply) {
            move_count += 1;

            // Step 6. Prune once a move that is not mated is known.
            if !value::is_loss(best_value) {
                if in_check {
                    if !self.position.is_capture(mv) {
                        // One evasion is good enough; the quiet ones left are not searched.
                        picker.skip_quiets();
                        continue;
                    }
                } else if !self.position.gives_check(mv, &checks)
                    && (!last_move.is_some() || last_move.to() != mv.to())
                {
                    // Neither a check nor a recapture.
                    if move_count > params::qs_move_count() {
                        continue;
                    }
                    // Delta pruning: even winning the piece for nothing does not reach alpha, or
                    // the exchange wins too little. Neither counting promotions nor an exception
                    // for endgames gained strength.
                    // <https://www.chessprogramming.org/Delta_Pruning>
                    if !value::is_decisive(alpha) {
                        let base = static_eval + params::qs_delta_margin();
                        let bound = base + see_value(self.position.piece_on(mv.to()));
                        if bound <= alpha {
                            best_value = best_value.max(bound);
                            continue;
                        }
                        if !self.position.see_ge(mv, alpha - base) {
                            best_value = best_value.max(alpha.min(base));
                            continue;
                        }
                    }
                }
            }
            self.prefetch(mv);
            // SEE pruning of captures that lose too much.
            if !value::is_loss(best_value) && !self.position.see_ge(mv, -params::qs_see_margin()) {
                continue;
            }

            // Step 7. Play and search the move.
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

        // Step 8. No evasion is mate (詰み).
        if in_check && move_count == 0 {
            return value::mated_in(ply);
        }
        let mut bound = Bound::UPPER;
        if best_value >= beta {
            best_value = soften_fail_high(best_value, beta);
            bound = Bound::LOWER;
        }
        let tt_pv = N::PV || tt_entry.is_some_and(|tt| tt.is_pv());
        let entry = TtEntry {
            mv: best_move,
            value: best_value,
            eval: raw_eval,
            depth: DEPTH_QS,
            bound: bound.with_pv(tt_pv),
        };
        self.tt_store(ply, entry);
        best_value
    }
}

/// Halves the distance of a fail high to beta: a value above beta is unreliable here.
#[inline(always)]
fn soften_fail_high(value: Value, beta: Value) -> Value {
    if value::is_decisive(value) {
        value
    } else {
        (value + beta) / 2
    }
}
