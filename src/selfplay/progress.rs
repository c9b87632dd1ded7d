//! Results and speed of a run, and the progress line.
#![forbid(unsafe_code)]

use super::play::Effort;
use super::settings::Goal;
use crate::cli::console::{ProgressLine, clock};
use crate::data::Game;
use std::time::{Duration, Instant};

/// Interval between lines of progress in a log.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Counts of games, positions and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games, not counting side lines.
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games by [`crate::data::GameResult::code`]: drawn, won by Black, won by White.
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
        self.results[usize::from(game.result.code())] += 1;
    }

    /// The results in percent.
    pub fn balance(&self) -> String {
        let [draws, black, white] = self
            .results
            .map(|count| count as f64 * 100.0 / self.games.max(1) as f64);
        format!("black {black:.1}% white {white:.1}% draw {draws:.1}%")
    }
}

/// The progress of a run on standard error.
pub struct Progress {
    goal: Goal,
    start: Instant,
    /// What the file held before the run.
    before: Tally,
    line: ProgressLine,
}

impl Progress {
    /// Starts the clock.
    pub fn new(goal: Goal, before: Tally) -> Progress {
        Progress {
            goal,
            start: Instant::now(),
            before,
            line: ProgressLine::new(LOG_INTERVAL),
        }
    }

    /// Shows a line if it is time for one.
    pub fn update(&mut self, now: &Tally) {
        let (goal, before, time) = (self.goal, &self.before, self.start.elapsed());
        self.line.update(|| line(goal, before, now, time));
    }

    /// Shows the totals and the speed of the run.
    pub fn finish(&self, now: &Tally, effort: Effort) {
        let time = self.start.elapsed();
        let seconds = time.as_secs_f64();
        let positions = now.positions - self.before.positions;
        let per_search = |sum: u64| sum as f64 / effort.searches.max(1) as f64;
        self.line.keep(format_args!(
            "{}\n{positions} positions in {seconds:.1} s: {:.0} positions/s, {:.0} nodes/s; \
             {:.0} nodes/search, depth {:.1}",
            line(self.goal, &self.before, now, time),
            positions as f64 / seconds,
            effort.nodes as f64 / seconds,
            per_search(effort.nodes),
            per_search(effort.depths),
        ));
    }
}

fn line(goal: Goal, before: &Tally, now: &Tally, time: Duration) -> String {
    let seconds = time.as_secs_f64().max(1e-9);
    let games = (now.games - before.games) as f64 / seconds;
    let positions = (now.positions - before.positions) as f64 / seconds;
    let (left, rate) = match goal {
        Goal::Games(goal) => (u64::from(goal).saturating_sub(now.games), games),
        Goal::Positions(goal) => (goal.saturating_sub(now.positions), positions),
        Goal::Never => (0, 0.0),
    };
    let left = match left > 0 && rate > 0.0 {
        true => {
            let left = Duration::try_from_secs_f64(left as f64 / rate);
            format!("  left {}", clock(left.unwrap_or(Duration::MAX)))
        }
        false => String::new(),
    };
    format!(
        "games {}  positions {}  {positions:.0}/s  {}  time {}{left}",
        now.games,
        now.positions,
        now.balance(),
        clock(time),
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
            results: [1, 5, 4],
        };
        let now = Tally {
            games: 20,
            positions: 3000,
            results: [2, 10, 8],
        };
        let line = |goal| super::line(goal, &before, &now, Duration::from_secs(100));
        assert_eq!(
            line(Goal::Games(30)),
            "games 20  positions 3000  20/s  black 50.0% white 40.0% draw 10.0%  time 0:01:40  \
             left 0:01:40"
        );
        assert!(line(Goal::Positions(83_000)).ends_with("left 1:06:40"));
        assert!(line(Goal::Never).ends_with("time 0:01:40"));
    }
}
