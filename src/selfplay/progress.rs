//! What a run has come to, and the line that tells it.
#![forbid(unsafe_code)]

use super::play::Effort;
use super::settings::Goal;
use crate::data::{Game, GameResult};
use crate::types::Color;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Time between two lines on a terminal, where each takes the place of the one before.
const ON_TERMINAL: Duration = Duration::from_secs(1);
/// Time between two lines elsewhere.
const IN_LOG: Duration = Duration::from_secs(60);

/// Games counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games; side lines are none.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games won by Black, by White, and drawn.
    pub results: [u64; 3],
}

impl Tally {
    /// Counts a game or a side line.
    pub fn add(&mut self, game: &Game) {
        self.positions += game.searched() as u64;
        if game.is_side_line() {
            return;
        }
        self.games += 1;
        self.results[match game.result {
            GameResult::Win(Color::Black) => 0,
            GameResult::Win(Color::White) => 1,
            GameResult::Draw => 2,
        }] += 1;
    }

    /// The results in percent.
    pub fn balance(&self) -> String {
        let [black, white, draws] = self
            .results
            .map(|count| count as f64 * 100.0 / self.games.max(1) as f64);
        format!("black {black:.1}% white {white:.1}% draw {draws:.1}%")
    }
}

/// The progress line on standard error.
pub struct Progress {
    goal: Goal,
    start: Instant,
    /// What the file held at the start.
    before: Tally,
    shown: Instant,
    interval: Duration,
    on_terminal: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn new(goal: Goal, before: Tally) -> Progress {
        let now = Instant::now();
        let on_terminal = stderr().is_terminal();
        Progress {
            goal,
            start: now,
            before,
            shown: now,
            interval: if on_terminal { ON_TERMINAL } else { IN_LOG },
            on_terminal,
        }
    }

    /// Shows a line if it is time for one.
    pub fn update(&mut self, now: &Tally) {
        if self.shown.elapsed() < self.interval {
            return;
        }
        self.shown = Instant::now();
        let line = self.line(now, self.start.elapsed());
        // Nobody may be looking.
        let _ = if self.on_terminal {
            write!(stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(stderr(), "{line}")
        };
    }

    /// Shows what the run came to.
    pub fn finish(&self, now: &Tally, effort: Effort) {
        let time = self.start.elapsed();
        let seconds = time.as_secs_f64();
        let positions = now.positions - self.before.positions;
        let a_search = |sum: u64| sum as f64 / effort.searches.max(1) as f64;
        let clear = if self.on_terminal { "\r\x1b[K" } else { "" };
        // Nobody may be looking.
        let _ = writeln!(
            stderr(),
            "{clear}{}\n{positions} positions in {seconds:.1} s: {:.0} positions/s, \
             {:.0} nodes/s; {:.0} nodes and {:.1} plies a search",
            self.line(now, time),
            positions as f64 / seconds,
            effort.nodes as f64 / seconds,
            a_search(effort.nodes),
            a_search(effort.depths),
        );
    }

    fn line(&self, now: &Tally, time: Duration) -> String {
        let seconds = time.as_secs_f64().max(1e-9);
        let games = (now.games - self.before.games) as f64 / seconds;
        let positions = (now.positions - self.before.positions) as f64 / seconds;
        let (left, rate) = match self.goal {
            Goal::Games(goal) => (u64::from(goal).saturating_sub(now.games), games),
            Goal::Positions(goal) => (goal.saturating_sub(now.positions), positions),
            Goal::Never => (0, 0.0),
        };
        let left = if left > 0 && rate > 0.0 {
            format!("  left {}", clock((left as f64 / rate) as u64))
        } else {
            String::new()
        };
        format!(
            "games {}  positions {}  {positions:.0}/s  {}  time {}{left}",
            now.games,
            now.positions,
            now.balance(),
            clock(seconds as u64),
        )
    }
}

/// Hours, minutes and seconds.
fn clock(seconds: u64) -> String {
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_speed_results_and_what_is_left() {
        let before = Tally {
            games: 10,
            positions: 1000,
            results: [5, 4, 1],
        };
        let now = Tally {
            games: 20,
            positions: 3000,
            results: [10, 8, 2],
        };
        let line = |goal| Progress::new(goal, before).line(&now, Duration::from_secs(100));
        assert_eq!(
            line(Goal::Games(30)),
            "games 20  positions 3000  20/s  black 50.0% white 40.0% draw 10.0%  time 0:01:40  \
             left 0:01:40"
        );
        assert!(line(Goal::Positions(83_000)).ends_with("left 1:06:40"));
        assert!(line(Goal::Never).ends_with("time 0:01:40"));
    }
}
