//! Iterative deepening: depth 1, 2, 3 and so on, each iteration ordering moves for the next, so
//! that there is an answer at any time. <https://www.chessprogramming.org/Iterative_Deepening>
#![forbid(unsafe_code)]

use super::report::{Info, ScoreBound};
use super::root::{self, RootMove};
use super::time::Stability;
use super::worker::Worker;
use crate::types::{Depth, Value, value};

/// Milliseconds after which failed aspiration windows are worth reporting.
const REPORT_FAILURES_AFTER: u64 = 3000;

impl Worker {
    /// Searches deeper and deeper until told to stop or the deepest iteration is done.
    pub fn iterate(&mut self) {
        let lines = self.options.multi_pv.clamp(1, self.root_moves.len());
        let mut last_change = 0;
        let mut last_reported = 0;
        for depth in 1..=self.max_depth {
            self.look_for_mate();
            if self.stopped {
                break;
            }
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
            }
            let before = self.root_moves[0].clone();
            self.best_move_changes /= 2.0;

            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspiration(depth);
                root::sort(&mut self.root_moves[..=pv_index]);
                if self.stopped {
                    break;
                }
            }
            self.pv_index = 0;
            if self.stopped {
                self.recover(&before);
                self.keep_mate();
                if self.control.is_stopped() {
                    break;
                }
                // The iteration was cut short for the mate.
                self.stopped = false;
            } else {
                self.completed_depth = depth;
            }
            if self.root_moves[0].mv != before.mv {
                last_change = depth;
            }
            if self.is_settled_by_mate(lines) {
                break;
            }
            let stability = self.stability(&before, depth - last_change);
            self.control.ask_patience(self.id, stability.patience());
            if self.main.is_some() {
                self.report_iteration(lines, &mut last_reported);
                let forced = self.root_moves.len() == 1;
                if let Some(main) = &mut self.main
                    && (main.time.after_iteration(&self.control, forced)
                        || main.soft_nodes.is_some_and(|limit| self.nodes >= limit))
                {
                    break;
                }
            }
        }
        self.pv_index = 0;
    }

    /// After an iteration that was cut short: a loss it seemed to find is not proven, as other
    /// moves were not looked at, so the move of the last full iteration stands.
    fn recover(&mut self, before: &RootMove) {
        let best = &self.root_moves[0];
        let doubtful = best.score == -value::INFINITE
            || value::is_loss(best.score) && best.bound != ScoreBound::Exact
            || value::is_loss(best.score) && best.mv == before.mv;
        if !doubtful || self.completed_depth == 0 {
            return;
        }
        if let Some(index) = self.root_moves.iter().position(|m| m.mv == before.mv) {
            self.root_moves[..=index].rotate_right(1);
            self.root_moves[0] = RootMove {
                nodes: self.root_moves[0].nodes,
                ..before.clone()
            };
        }
    }

    /// Whether the result is a mate that more depth could hardly shorten.
    fn is_settled_by_mate(&self, lines: usize) -> bool {
        let score = self.root_moves[0].score;
        lines == 1
            && score.abs() >= value::MATE_IN_MAX_PLY
            && self.root_depth > (value::MATE - score.abs()) * 5 / 2
    }

    fn stability(&self, before: &RootMove, settled: Depth) -> Stability {
        let best = &self.root_moves[0];
        let falling = if before.score == -value::INFINITE {
            0
        } else {
            before.score - best.score
        };
        Stability {
            falling: falling.clamp(-1000, 1000),
            settled,
            changes: self.best_move_changes,
            effort: best.nodes as f64 / self.nodes.max(1) as f64,
        }
    }

    /// Reports the lines of a finished iteration, unless the last report was a moment ago.
    fn report_iteration(&mut self, lines: usize, last_reported: &mut u64) {
        let Some(main) = &self.main else { return };
        let now = main.time.elapsed_ms();
        let due = now >= *last_reported + self.options.pv_interval;
        if due {
            *last_reported = now;
            self.report_lines(self.completed_depth, lines);
        }
    }

    /// Reports a score that fell outside its window, in long searches.
    pub(super) fn report_failure(&mut self, depth: Depth) {
        let Some(main) = &self.main else { return };
        if main.time.elapsed_ms() > REPORT_FAILURES_AFTER && self.options.multi_pv == 1 {
            self.report_lines(depth, 1);
        }
    }

    /// Reports the best lines.
    pub(super) fn report_lines(&mut self, depth: Depth, lines: usize) {
        self.reported_nodes = Some(self.nodes);
        let infos: Vec<Info> = (0..lines)
            .map(|i| self.line_info(i, depth, lines))
            .collect();
        if let Some(main) = &mut self.main {
            for info in &infos {
                main.report.info(info);
            }
        }
    }

    fn line_info(&self, index: usize, depth: Depth, lines: usize) -> Info {
        let root_move = &self.root_moves[index];
        // A line not reached by this iteration is reported as the last one left it.
        let (score, depth) = match (root_move.score, root_move.previous_score) {
            (score, _) if score != -value::INFINITE => (score, depth),
            (_, previous) if previous != -value::INFINITE => (previous, (depth - 1).max(1)),
            _ => (value::DRAW, depth.max(1)),
        };
        Info {
            depth,
            seldepth: root_move.seldepth.max(1),
            multi_pv: index + 1,
            lines,
            score,
            bound: root_move.bound,
            nodes: self.control.nodes(),
            time_ms: self.main.as_ref().map_or(0, |main| main.time.elapsed_ms()),
            hashfull: self.tt.hashfull(),
            pv: root_move.pv.clone(),
        }
    }

    /// The score of the best line, for the vote between threads and the decision to resign.
    pub(super) fn best_score(&self) -> Value {
        let best = &self.root_moves[0];
        if best.score != -value::INFINITE {
            best.score
        } else {
            best.previous_score
        }
    }
}
