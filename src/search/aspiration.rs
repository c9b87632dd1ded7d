//! Aspiration windows: a search that expects the score to stay near that of the last iteration
//! cuts off more. When the score falls outside, only the side that failed is widened, by and by.
//! <https://www.chessprogramming.org/Aspiration_Windows>
#![forbid(unsafe_code)]

use super::node::Root;
use super::params;
use super::root;
use super::worker::Worker;
use crate::types::{Depth, Value, value};

/// A window around an expected score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    alpha: Value,
    beta: Value,
    /// Distance to the next bound on a failed side.
    width: Value,
}

impl Window {
    /// Everything.
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

    /// The score is at most `score`, which is not above alpha. Beta comes down to the old middle:
    /// nothing suggests that the score lies above it.
    fn fail_low(&mut self, score: Value) {
        self.beta = (self.alpha + self.beta) / 2;
        self.alpha = self.lowest(score - self.width);
        self.widen();
    }

    /// The score is at least `score`, which is not below beta.
    fn fail_high(&mut self, score: Value) {
        let beta = score + self.width;
        self.beta = if value::is_win(beta) {
            value::INFINITE
        } else {
            beta
        };
        self.widen();
    }

    fn lowest(&self, alpha: Value) -> Value {
        if value::is_loss(alpha) {
            -value::INFINITE
        } else {
            alpha
        }
    }

    fn widen(&mut self) {
        self.width += self.width * params::aspiration_growth() / 100 + 1;
    }
}

impl Worker {
    /// Searches the root to a depth, from a window around the expected score of the line.
    pub(super) fn aspiration(&mut self, depth: Depth) {
        let center = self.root_moves[self.pv_index].average_score;
        let known = depth >= params::aspiration_depth() && center != -value::INFINITE;
        // Threads start from different widths, so that they do not all do the same.
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
            root::sort(&mut self.root_moves[self.pv_index..]);
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
            self.report_failure(depth);
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
