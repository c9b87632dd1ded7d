//! Iterative deepening: searches to depth 1, 2, 3 and so on, so that there is a best move at any time
//! and each iteration orders the moves of the next.
//! <https://www.chessprogramming.org/Iterative_Deepening>
//!
//! Each iteration starts from an aspiration window around the score of the last one, which gives more
//! cutoffs. When the score falls outside, the side that failed is widened step by step.
//! <https://www.chessprogramming.org/Aspiration_Windows>
#![forbid(unsafe_code)]

use super::params;
use super::pvs::Root;
use super::report::{Info, Progress, ScoreBound};
use super::time::Stability;
use super::worker::{MainThread, Worker};
use crate::types::{Depth, Move, Value, value};
use std::cmp::Reverse;

/// Milliseconds without output after which the progress is reported.
const PROGRESS_INTERVAL: u64 = 1000;
/// Milliseconds after which scores outside the aspiration window are reported.
const REPORT_FAILURES_AFTER: u64 = 3000;

/// A move at the root and what is known about it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Score of this iteration; `-INFINITE` unless it was the first or raised alpha.
    pub score: Value,
    /// Score of the previous iteration.
    pub previous_score: Value,
    /// Mean of the scores so far, the latest counting most: the centre of the next window.
    pub average_score: Value,
    /// Whether `score` is exact.
    pub bound: ScoreBound,
    /// Iteration of the last score and PV; 0 before there is one.
    pub depth: Depth,
    /// Deepest ply reached, quiescence included.
    pub seldepth: usize,
    /// Principal variation, the move itself first.
    pub pv: Vec<Move>,
    /// Nodes spent on the move in this search.
    pub nodes: u64,
}

impl RootMove {
    /// A move not searched yet.
    pub fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -value::INFINITE,
            previous_score: -value::INFINITE,
            average_score: -value::INFINITE,
            bound: ScoreBound::Exact,
            depth: 0,
            seldepth: 0,
            pv: vec![mv],
            nodes: 0,
        }
    }
}

/// Sorts root moves by score, best first; moves that were not shown to be better than another keep
/// the order of the last iteration.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| Reverse((m.score, m.previous_score)));
}

/// A window around an expected score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    alpha: Value,
    beta: Value,
    /// How far beyond the score the side that failed is moved.
    width: Value,
}

impl Window {
    /// The full window.
    const FULL: Window = Window {
        alpha: -value::INFINITE,
        beta: value::INFINITE,
        width: value::INFINITE,
    };

    fn around(center: Value, width: Value) -> Window {
        if value::is_decisive(center) {
            return Window::FULL;
        }
        Window {
            alpha: (center - width).max(-value::INFINITE),
            beta: (center + width).min(value::INFINITE),
            width,
        }
    }

    /// Lowers alpha after a fail low with `score`, and beta to the middle of the window: the true
    /// score is most likely below it.
    fn fail_low(&mut self, score: Value) {
        let alpha = score - self.width;
        self.beta = (self.alpha + self.beta) / 2;
        self.alpha = if value::is_loss(alpha) {
            -value::INFINITE
        } else {
            alpha
        };
        self.widen();
    }

    /// Raises beta after a fail high with `score`.
    fn fail_high(&mut self, score: Value) {
        let beta = score + self.width;
        self.beta = if value::is_win(beta) {
            value::INFINITE
        } else {
            beta
        };
        self.widen();
    }

    fn widen(&mut self) {
        self.width += self.width * params::aspiration_growth() / 100 + 1;
    }
}

impl Worker {
    /// Searches deeper and deeper until stopped or the maximum depth is done.
    pub fn iterate(&mut self) {
        let lines = self.pv_lines();
        let mut last_change = 0;
        let mut last_reported = None;
        for depth in 1..=self.max_depth {
            self.look_for_mate();
            if self.stopped {
                break;
            }
            self.root_depth = depth;
            let before = self.root_moves[0].clone();
            for root_move in &mut self.root_moves {
                root_move.previous_score = root_move.score;
                // What the last iteration thought of a move must not win an interrupted one.
                root_move.score = -value::INFINITE;
            }
            self.best_move_changes /= 2.0;

            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspiration_search(depth);
                sort(&mut self.root_moves[..=pv_index]);
                if self.stopped {
                    break;
                }
            }
            self.pv_index = 0;
            if self.stopped {
                self.reject_unproven_loss(&before);
                self.keep_mate();
                if self.control.is_stopped() {
                    break;
                }
                // The iteration was interrupted for a mate found by the solver.
                self.stopped = false;
            } else {
                self.completed_depth = depth;
            }
            if self.root_moves[0].mv != before.mv {
                last_change = depth;
            }
            if self.is_settled_by_mate() {
                break;
            }
            let stability = self.stability(&before, depth - last_change);
            self.control
                .set_time_factor(self.id, stability.time_factor());
            if self.main.is_some() {
                self.report_iteration(&mut last_reported);
                let forced = self.root_moves.len() == 1;
                if let Some(main) = &mut self.main
                    && (main.time.is_up_after_iteration(&self.control, forced)
                        || main.soft_nodes.is_some_and(|limit| self.nodes >= limit))
                {
                    break;
                }
            }
        }
        self.pv_index = 0;
    }

    /// Searches the root to a depth, from a window around the expected score of the line.
    fn aspiration_search(&mut self, depth: Depth) {
        let center = self.root_moves[self.pv_index].average_score;
        let known = depth >= params::aspiration_depth() && center != -value::INFINITE;
        // Threads start from different widths, so that their searches diverge.
        let width = params::aspiration_width() + (self.id % 8) as Value;
        let mut window = if known {
            Window::around(center, width)
        } else {
            Window::FULL
        };
        let mut fail_highs = 0;
        loop {
            // A score that keeps failing high is soon confirmed by a shallower search.
            let searched = (depth - fail_highs).max(1);
            self.root_delta = window.beta - window.alpha;
            let score = self.pvs::<Root>(0, window.alpha, window.beta, searched, false);
            sort(&mut self.root_moves[self.pv_index..]);
            if self.stopped {
                return;
            }
            if score <= window.alpha {
                window.fail_low(score);
                fail_highs = 0;
            } else if score >= window.beta {
                window.fail_high(score);
                fail_highs += Depth::from(self.is_selective());
            } else {
                return;
            }
            self.report_failure();
        }
    }

    /// Restores the best move of the last completed iteration if an interrupted one leaves a loss as
    /// its best score: the moves that might avoid the loss have not been searched.
    fn reject_unproven_loss(&mut self, before: &RootMove) {
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

    /// Whether the best score is a mate that more depth would hardly shorten.
    fn is_settled_by_mate(&self) -> bool {
        let score = self.root_moves[0].score;
        self.pv_lines() == 1
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

    /// Reports the lines of a completed iteration: of the first one, and then unless the last report is more
    /// recent than `PvInterval`.
    fn report_iteration(&mut self, last_reported: &mut Option<u64>) {
        let Some(main) = &self.main else { return };
        let now = main.time.elapsed_ms();
        if last_reported.is_none_or(|last| now >= last + self.options.pv_interval) {
            *last_reported = Some(now);
            self.report_lines();
        }
    }

    /// Reports a fail low or fail high, in long searches only. Not a loss: as long as it is unproven, the
    /// best move of the last iteration may come back.
    fn report_failure(&mut self) {
        let Some(main) = &self.main else { return };
        if main.time.elapsed_ms() > REPORT_FAILURES_AFTER
            && self.options.multi_pv == 1
            && !value::is_loss(self.root_moves[0].score)
        {
            self.report_lines();
        }
    }

    /// Number of PVs to search and report (MultiPV).
    fn pv_lines(&self) -> usize {
        self.options.multi_pv.clamp(1, self.root_moves.len())
    }

    /// Reports the best lines; without any, the progress of the search.
    pub(super) fn report_lines(&mut self) {
        let lines = self.pv_lines();
        self.reported_nodes = Some(self.nodes);
        let progress = self.progress();
        let infos: Vec<Info> = (0..lines)
            .filter_map(|i| self.line_info(i, lines, progress))
            .collect();
        if let Some(main) = &mut self.main {
            main.last_output = progress.time_ms;
            for info in &infos {
                main.report.info(info);
            }
            if infos.is_empty() {
                main.report.progress(&progress);
            }
        }
    }

    /// Reports the progress of a long iteration.
    pub(super) fn report_progress(&mut self) {
        let is_due =
            |main: &MainThread| main.time.elapsed_ms() >= main.last_output + PROGRESS_INTERVAL;
        if !self.main.as_ref().is_some_and(is_due) {
            return;
        }
        let progress = self.progress();
        if let Some(main) = &mut self.main {
            main.last_output = progress.time_ms;
            main.report.progress(&progress);
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            nodes: self.control.nodes(),
            time_ms: self.main.as_ref().map_or(0, |main| main.time.elapsed_ms()),
            hashfull: self.tt.hashfull(),
        }
    }

    /// A line, unless it has no score yet. One that this iteration has not reached keeps the score and depth
    /// of the last one.
    fn line_info(&self, index: usize, lines: usize, progress: Progress) -> Option<Info> {
        let root_move = &self.root_moves[index];
        let scores = [root_move.score, root_move.previous_score];
        let score = scores
            .into_iter()
            .find(|&score| score != -value::INFINITE)?;
        Some(Info {
            depth: root_move.depth.max(1),
            seldepth: root_move.seldepth.max(1),
            multi_pv: index + 1,
            lines,
            score,
            bound: root_move.bound,
            progress,
            pv: root_move.pv.clone(),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_failed_side_widens() {
        let mut window = Window::around(100, 20);
        assert_eq!((window.alpha, window.beta), (80, 120));
        window.fail_high(125);
        assert_eq!((window.alpha, window.beta), (80, 145));
        let width = window.width;
        assert!(width > 20);
        window.fail_low(70);
        assert_eq!((window.alpha, window.beta), (70 - width, 112));
    }

    #[test]
    fn the_window_opens_before_mate() {
        let mut window = Window::around(100, 20);
        window.fail_high(value::SUPERIOR - 5);
        assert_eq!(window.beta, value::INFINITE);
        window.fail_low(-value::SUPERIOR + 5);
        assert_eq!(window.alpha, -value::INFINITE);
        assert_eq!(Window::around(value::MATE - 3, 20), Window::FULL);
    }

    #[test]
    fn every_failure_ends_in_time() {
        let mut window = Window::around(0, 10);
        let mut steps = 0;
        while window.beta < value::INFINITE {
            window.fail_high(window.beta);
            steps += 1;
        }
        assert!(steps < 40);
    }
}
