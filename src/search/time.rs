//! Time management: plans the time for a move from the clock and adjusts it after each iteration.
//! <https://www.chessprogramming.org/Time_Management>
//!
//! A move has an *optimum*, at which the search stops if the best move is stable, and a *hard limit*,
//! which it never exceeds. Both leave a margin for network delay. On a server that charges whole seconds
//! the search goes on to the end of the second, which is free.
#![forbid(unsafe_code)]

use super::control::Control;
use super::limits::{Clock, Limits, SearchOptions};
use crate::position::Position;
use crate::types::Color;
use std::time::{Duration, Instant};

/// The time for a move, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TimeBudget {
    /// Used in full, however stable the best move is.
    minimum: u64,
    /// When to stop if the best move is stable; `None` to use all the time.
    optimum: Option<u64>,
    /// When to stop in any case.
    hard_limit: u64,
}

/// Longest time, in milliseconds, about three years: longer ones are clamped, so that sums stay in range.
const MAX_TIME: i64 = 100_000_000_000;
/// Minimum network delay, in milliseconds, even on one machine.
const MIN_DELAY: i64 = 5;
/// Longest optimum when there is only one legal move, in milliseconds.
const FORCED_MOVE_TIME: f64 = 500.0;

/// Plans the time for a move. `game_ply` counts from 1.
///
/// Main time and increment are spread over the moves still to come; once only byoyomi is left, all
/// of it is used.
fn plan(clock: &Clock, side: Color, game_ply: u32, options: &SearchOptions) -> TimeBudget {
    let clamp = |time: i64| time.clamp(-MAX_TIME, MAX_TIME);
    let increment = clamp(clock.increment[side.index()]).max(0);
    let byoyomi = clamp(clock.byoyomi).max(0);
    // The increment of this move can be used at once; the main time may be negative because of it.
    let main = (clamp(clock.time[side.index()]) + increment).max(0);
    let usable = usable(main + byoyomi, options);

    let moves = moves_to_go(
        game_ply,
        increment + byoyomi == 0,
        options.max_moves_to_draw,
    );
    let rounding_loss = if options.round_up_to_full_second {
        1000
    } else {
        0
    };
    let per_move = (increment + byoyomi - rounding_loss).max(0);
    let until_game_end = usable + per_move * (moves - 1);
    let last_main_time = byoyomi > 0 && main * 5 < byoyomi * 6;
    let (mut optimum, mut hard_limit) = if last_main_time || moves <= 1 {
        (usable, usable)
    } else {
        let share = until_game_end / moves;
        let factor = if increment + byoyomi > 0 { 5 } else { 3 };
        // Leaves main time for the rest of the game.
        let safe = byoyomi + main * 3 / 10 + increment / 2;
        (share, (share * factor).min(safe))
    };
    if options.ponder {
        optimum += optimum / 4;
    }
    optimum = optimum * (options.slow_mover as i64).clamp(1, 1000) / 100;
    let minimum = i64::try_from(options.minimum_thinking_time).unwrap_or(i64::MAX);
    let minimum = minimum.min(usable);
    hard_limit = hard_limit.clamp(1, usable).max(minimum);
    TimeBudget {
        minimum: minimum as u64,
        optimum: Some(optimum.max(minimum).clamp(1, hard_limit) as u64),
        hard_limit: hard_limit as u64,
    }
}

/// The longest time for a move by the clock, in milliseconds.
pub fn hard_limit(clock: &Clock, position: &Position, options: &SearchOptions) -> u64 {
    let (side, game_ply) = (position.side_to_move(), position.game_ply());
    plan(clock, side, game_ply, options).hard_limit
}

/// The available time less the worst network delay, which is kept in reserve. Once the clock is below
/// the reserve, only a fraction of it is used, so that increments refill the reserve.
fn usable(available: i64, options: &SearchOptions) -> i64 {
    let reserve = (options.network_delay2 as i64).clamp(MIN_DELAY, MAX_TIME);
    (available - reserve).max(available / 8).max(1)
}

/// The number of own moves to plan for.
fn moves_to_go(game_ply: u32, sudden_death: bool, max_moves: u32) -> i64 {
    let ply = i64::from(game_ply);
    let horizon = if sudden_death {
        200 - ply.min(40)
    } else {
        180 - ply.min(80)
    };
    let left = match max_moves {
        0 => i64::MAX,
        _ => (i64::from(max_moves) - ply + 2).max(2),
    };
    left.min(horizon) / 2
}

/// How stable the best move is after some iterations.
#[derive(Clone, Copy, Debug)]
pub struct Stability {
    /// Fall of the score since the previous iteration, in units of
    /// [`Value`](crate::types::Value); negative if it rose.
    pub falling: i32,
    /// Iterations since the best move last changed.
    pub settled: i32,
    /// Changes of the best move, halved every iteration.
    pub changes: f64,
    /// Share of the nodes spent on the best move, 0 to 1.
    pub effort: f64,
}

impl Stability {
    /// The factor by which to multiply the optimum time: less for a stable best move.
    pub fn time_factor(&self) -> f64 {
        let falling = (1.0 + f64::from(self.falling) / 120.0).clamp(0.6, 1.7);
        let settled = 1.25 - 0.05 * f64::from(self.settled.clamp(0, 10));
        let changes = 1.0 + 0.6 * self.changes;
        let effort = 1.45 - 0.75 * self.effort;
        falling * settled * changes * effort
    }
}

/// Decides when to stop a search by time.
pub struct TimeManager {
    start: Instant,
    /// When the clock started to run: at the start, or at the ponder hit.
    clock_start: Instant,
    clock: Option<Clock>,
    movetime: Option<u64>,
    /// `None` for no time limit, as before the ponder hit.
    budget: Option<TimeBudget>,
    /// The end of a second that is charged anyway, in milliseconds from `clock_start`.
    rounded_end: Option<u64>,
    pondering: bool,
    side: Color,
    game_ply: u32,
    options: SearchOptions,
}

impl TimeManager {
    /// The time manager of a search that began at `start`. A ponder search has no time limit until
    /// the ponder hit.
    pub fn new(
        position: &Position,
        limits: &Limits,
        options: &SearchOptions,
        start: Instant,
    ) -> TimeManager {
        let mut manager = TimeManager {
            start,
            clock_start: start,
            clock: limits.clock,
            movetime: limits.movetime,
            budget: None,
            rounded_end: None,
            pondering: limits.ponder,
            side: position.side_to_move(),
            game_ply: position.game_ply(),
            options: options.clone(),
        };
        if !limits.ponder && !limits.infinite {
            manager.plan();
        }
        manager
    }

    /// Milliseconds since the search began.
    pub fn elapsed_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// Whether the hard limit is reached.
    pub fn is_up(&mut self, control: &Control) -> bool {
        self.check_ponder_hit(control);
        let Some(budget) = self.budget else {
            return false;
        };
        let limit = self.rounded_end.unwrap_or(budget.hard_limit);
        self.clock_start.elapsed() >= Duration::from_millis(limit)
    }

    /// Whether to stop after an iteration, by the time factors of all threads. `forced` is whether
    /// there is only one legal move.
    pub fn is_up_after_iteration(&mut self, control: &Control, forced: bool) -> bool {
        self.check_ponder_hit(control);
        let Some(TimeBudget {
            minimum,
            optimum: Some(optimum),
            hard_limit,
        }) = self.budget
        else {
            return false;
        };
        if self.rounded_end.is_some() {
            return false;
        }
        let mut wanted = optimum as f64;
        if optimum < hard_limit {
            wanted *= control.time_factor();
            if forced {
                wanted = wanted.min(FORCED_MOVE_TIME);
            }
        }
        // Time spent pondering counts here, but not for the clock.
        if self.elapsed_ms() < (wanted as u64).clamp(minimum, hard_limit) {
            return false;
        }
        if !self.options.round_up_to_full_second {
            return true;
        }
        let now = self.clock_start.elapsed().as_millis() as u64;
        let end = round_up(now, self.options.network_delay, hard_limit);
        self.rounded_end = Some(end);
        now >= end
    }

    /// Milliseconds by which the hard limit of the clock has passed.
    pub fn lateness(&self) -> u64 {
        let limit = match (self.clock, self.budget) {
            (Some(_), Some(budget)) => self.rounded_end.unwrap_or(budget.hard_limit),
            _ => return 0,
        };
        let elapsed = self.clock_start.elapsed().as_millis() as u64;
        elapsed.saturating_sub(limit)
    }

    fn plan(&mut self) {
        self.budget = match (self.movetime, &self.clock) {
            (Some(time), _) => Some(TimeBudget {
                minimum: 0,
                optimum: None,
                hard_limit: time,
            }),
            (None, Some(clock)) => Some(plan(clock, self.side, self.game_ply, &self.options)),
            (None, None) => None,
        };
    }

    /// Starts the clock after a ponder hit.
    fn check_ponder_hit(&mut self, control: &Control) {
        if self.pondering
            && !control.is_pondering()
            && let Some(hit) = control.ponder_hit()
        {
            self.pondering = false;
            self.clock_start = hit.at;
            self.clock = hit.clock.or(self.clock);
            self.plan();
        }
    }
}

/// The end of the second that a move of `now` milliseconds is charged for, less the network delay, in
/// milliseconds.
fn round_up(now: u64, delay: u64, hard_limit: u64) -> u64 {
    let charged = (now + delay).div_ceil(1000).max(1) * 1000;
    charged.saturating_sub(delay).max(now).min(hard_limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(time: i64, increment: i64, byoyomi: i64) -> Clock {
        Clock {
            time: [time, 0],
            increment: [increment, 0],
            byoyomi,
        }
    }

    /// Optimum and hard limit of Black's move at a ply.
    fn budget(clock: &Clock, game_ply: u32) -> (u64, u64) {
        let budget = plan(clock, Color::Black, game_ply, &SearchOptions::default());
        (budget.optimum.unwrap(), budget.hard_limit)
    }

    #[test]
    fn never_more_than_there_is() {
        for time in [
            -5000,
            0,
            1,
            10,
            50,
            99,
            100,
            500,
            1000,
            10_000,
            3_600_000,
            i64::MAX,
        ] {
            for increment in [0, 1, 10, 100, 5000, i64::MAX] {
                for byoyomi in [0, 1, 50, 100, 1000, 60_000, i64::MAX] {
                    for ply in [1, 40, 200, 100_000] {
                        let clock = clock(time, increment, byoyomi);
                        let (optimum, hard_limit) = budget(&clock, ply);
                        let have = (time as i128 + increment as i128).max(0) + byoyomi as i128;
                        assert!(1 <= optimum && optimum <= hard_limit);
                        assert!(hard_limit as i128 <= have.max(1), "{hard_limit} of {have}");
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_alone_is_spent() {
        let (optimum, hard_limit) = budget(&clock(0, 0, 1000), 30);
        assert_eq!(optimum, hard_limit);
        assert!((900..1000).contains(&hard_limit));
    }

    #[test]
    fn a_negative_main_time_counts_against_the_increment() {
        let (optimum, hard_limit) = budget(&clock(-3000, 5000, 0), 30);
        assert!(hard_limit <= 2000 && optimum > 200);
    }

    #[test]
    fn short_clocks_are_survived() {
        // A game of 1 s + 10 ms: whatever the moves take, the clock never runs out.
        let mut left = 1000;
        for ply in (1..400).step_by(2) {
            let (_, hard_limit) = budget(&clock(left, 10, 0), ply);
            left -= hard_limit as i64 - 10;
            assert!(left > 0, "ply {ply}");
        }
    }

    #[test]
    fn increments_fill_up_the_reserve() {
        // Every answer is 3 ms late: with 10 ms a move there is still a reserve after 300 moves.
        let mut left = 1000;
        for ply in (1..600).step_by(2) {
            let (optimum, _) = budget(&clock(left, 10, 0), ply);
            left += 10 - optimum as i64 - 3;
        }
        assert!(left > 30, "{left} ms left");
    }

    #[test]
    fn the_minimum_time_is_used_however_stable_the_best_move() {
        let options = SearchOptions {
            minimum_thinking_time: 2500,
            ..SearchOptions::default()
        };
        let limits = Limits {
            clock: Some(clock(100_000, 0, 0)),
            ..Limits::default()
        };
        let control = Control::new(1, false);
        control.set_time_factor(0, 0.1);
        for (passed, ends) in [(1, false), (2, false), (3, true)] {
            let start = Instant::now()
                .checked_sub(Duration::from_secs(passed))
                .expect("the clock runs for longer");
            let mut manager = TimeManager::new(&Position::startpos(), &limits, &options, start);
            assert_eq!(
                manager.is_up_after_iteration(&control, true),
                ends,
                "{passed} s"
            );
        }
    }

    #[test]
    fn lateness_counts_from_the_hard_limit_of_the_clock() {
        let start = Instant::now()
            .checked_sub(Duration::from_secs(3))
            .expect("the clock runs for longer");
        let lateness = |limits: &Limits| {
            let options = SearchOptions::default();
            TimeManager::new(&Position::startpos(), limits, &options, start).lateness()
        };
        let by_clock = Limits {
            clock: Some(clock(0, 0, 1000)),
            ..Limits::default()
        };
        assert!((2000..2200).contains(&lateness(&by_clock)));
        let by_nodes = Limits {
            nodes: Some(1),
            ..Limits::default()
        };
        assert_eq!(lateness(&by_nodes), 0);
    }

    #[test]
    fn whole_seconds_are_used_up() {
        assert_eq!(round_up(1200, 120, 10_000), 1880);
        assert_eq!(round_up(1900, 120, 10_000), 2880);
        assert_eq!(round_up(5, 120, 700), 700);
    }
}
