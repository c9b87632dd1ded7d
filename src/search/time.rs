//! Time management: how long to think, decided from the clock before the search and corrected
//! after each iteration.
//!
//! A move has an *optimum*, at which the search stops if all is calm, and a *maximum*, which it
//! never exceeds. Both leave a margin for the way to the server; a server that charges whole
//! seconds makes the rest of a second free, so the search goes on to its end.
#![forbid(unsafe_code)]

use super::control::Control;
use super::limits::{Clock, Limits, SearchOptions};
use crate::types::Color;
use std::time::{Duration, Instant};

/// Milliseconds to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Before which the search does not stop, however calm it is.
    pub minimum: u64,
    /// When to stop if all is calm.
    pub optimum: u64,
    /// When to stop at the latest.
    pub maximum: u64,
}

/// Longest time kept in calculations: about three years.
const LONGEST: i64 = 100_000_000_000;

/// Plans the time for a move.
///
/// `ply` is the number of the move in the game. Main time and increment are spread over the moves
/// still to come; once only byoyomi is left, all of it is spent.
pub fn budget(clock: &Clock, side: Color, ply: u32, options: &SearchOptions) -> Budget {
    let clamp = |time: i64| time.clamp(-LONGEST, LONGEST);
    let increment = clamp(clock.increment[side.index()]).max(0);
    let byoyomi = clamp(clock.byoyomi).max(0);
    // The increment of this move can be spent at once; the main time sent may be negative for it.
    let main = (clamp(clock.time[side.index()]) + increment).max(0);
    let available = main + byoyomi;
    let spendable = spendable(available, options);

    let moves = moves_to_go(ply, increment + byoyomi == 0, options.max_moves_to_draw);
    let per_second_loss = if options.round_up_to_full_second {
        1000
    } else {
        0
    };
    // All the time until the end of the game.
    let per_move = (increment + byoyomi - per_second_loss).max(0);
    let estimate = spendable + per_move * (moves - 1);
    let final_push = byoyomi > 0 && main * 5 < byoyomi * 6;
    let (mut optimum, mut maximum) = if final_push || moves <= 1 {
        (spendable, spendable)
    } else {
        let share = estimate / moves;
        let factor = if increment + byoyomi > 0 { 5 } else { 3 };
        // Never so much of the main time that an accident could not be survived.
        (
            share,
            (share * factor).min(byoyomi + main * 3 / 10 + increment / 2),
        )
    };
    if options.ponder {
        optimum += optimum / 4;
    }
    optimum = optimum * (options.slow_mover as i64).clamp(1, 1000) / 100;
    let minimum =
        i64::try_from(options.minimum_thinking_time).map_or(spendable, |it| it.min(spendable));
    maximum = maximum.clamp(1, spendable).max(minimum);
    optimum = optimum.max(minimum).clamp(1, maximum);
    Budget {
        minimum: minimum as u64,
        optimum: optimum as u64,
        maximum: maximum as u64,
    }
}

/// Milliseconds that an answer may take on its way even on the same machine.
const LEAST_DELAY: i64 = 5;

/// What may be spent of the time there is: all but the worst delay, which is kept as a reserve. A
/// clock that has run into the reserve is played with a fraction of it, so that increments fill
/// it up again.
fn spendable(available: i64, options: &SearchOptions) -> i64 {
    let reserve = (options.network_delay2 as i64).clamp(LEAST_DELAY, LONGEST);
    (available - reserve).max(available / 8).max(1)
}

/// Own moves to plan for.
fn moves_to_go(ply: u32, sudden_death: bool, max_moves: u32) -> i64 {
    let ply = i64::from(ply);
    let horizon = if sudden_death {
        200 - ply.min(40)
    } else {
        180 - ply.min(80)
    };
    let left = if max_moves > 0 {
        (i64::from(max_moves) - ply + 2).max(2)
    } else {
        i64::MAX
    };
    left.min(horizon) / 2
}

/// Watches the clock of one search.
pub struct TimeManager {
    start: Instant,
    /// From where `Budget` counts: the start, or the ponder hit.
    turn_start: Instant,
    clock: Option<Clock>,
    movetime: Option<u64>,
    budget: Option<Budget>,
    /// A stop already decided on, in milliseconds from `turn_start`.
    search_end: Option<u64>,
    waiting_for_hit: bool,
    side: Color,
    ply: u32,
    options: SearchOptions,
}

/// What the iterations so far say about how settled the choice is.
#[derive(Clone, Copy, Debug)]
pub struct Stability {
    /// How far the score fell since the last iteration, in centipawns; negative if it rose.
    pub falling: i32,
    /// Iterations since the best move last changed.
    pub settled: i32,
    /// Recent changes of the best move, halved every iteration.
    pub changes: f64,
    /// Share of the nodes spent on the best move, 0 to 1.
    pub effort: f64,
}

impl Stability {
    /// Factor by which unsettled iterations lengthen and settled ones shorten the optimum.
    pub fn patience(&self) -> f64 {
        let falling = (1.0 + f64::from(self.falling) / 120.0).clamp(0.6, 1.7);
        let settled = 1.25 - 0.05 * f64::from(self.settled.clamp(0, 10));
        let changes = 1.0 + 0.6 * self.changes;
        let effort = 1.45 - 0.75 * self.effort;
        falling * settled * changes * effort
    }
}

impl TimeManager {
    /// Starts the clock of a search. A ponder search has no limit until it is hit.
    pub fn new(
        limits: &Limits,
        side: Color,
        ply: u32,
        options: &SearchOptions,
        start: Instant,
    ) -> TimeManager {
        let mut manager = TimeManager {
            start,
            turn_start: start,
            clock: limits.clock,
            movetime: limits.movetime,
            budget: None,
            search_end: None,
            waiting_for_hit: limits.ponder,
            side,
            ply,
            options: options.clone(),
        };
        if !limits.ponder && !limits.infinite {
            manager.plan();
        }
        manager
    }

    fn plan(&mut self) {
        self.budget = match (self.movetime, &self.clock) {
            (Some(time), _) => Some(Budget {
                minimum: 0,
                optimum: u64::MAX,
                maximum: time,
            }),
            (None, Some(clock)) => Some(budget(clock, self.side, self.ply, &self.options)),
            (None, None) => None,
        };
    }

    /// Milliseconds since the search began.
    pub fn elapsed_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    fn turn_elapsed(&self) -> Duration {
        self.turn_start.elapsed()
    }

    /// Takes note of a ponder hit.
    fn notice_hit(&mut self, control: &Control) {
        if self.waiting_for_hit
            && !control.is_pondering()
            && let Some(hit) = control.hit()
        {
            self.waiting_for_hit = false;
            self.turn_start = hit.at;
            self.clock = hit.clock.or(self.clock);
            self.plan();
        }
    }

    /// Whether the search must end now.
    pub fn is_up(&mut self, control: &Control) -> bool {
        self.notice_hit(control);
        let Some(budget) = self.budget else {
            return false;
        };
        let limit = self.search_end.unwrap_or(budget.maximum);
        self.turn_elapsed() >= Duration::from_millis(limit)
    }

    /// Called after each iteration: decides whether another one is worth its time, which all
    /// threads have a say in. The search may have to go on to the end of a second that is charged
    /// anyway. `forced` is whether there is only one legal move.
    pub fn after_iteration(&mut self, control: &Control, forced: bool) -> bool {
        self.notice_hit(control);
        let Some(budget) = self.budget else {
            return false;
        };
        if budget.optimum == u64::MAX || self.search_end.is_some() {
            return false;
        }
        let mut wanted = budget.optimum as f64;
        if budget.optimum < budget.maximum {
            wanted *= control.patience();
            if forced {
                wanted = wanted.min(500.0);
            }
        }
        let wanted = (wanted as u64).clamp(budget.minimum, budget.maximum);
        // Time spent pondering counts for the choice, not for the clock.
        if self.elapsed_ms() < wanted {
            return false;
        }
        let now = self.turn_elapsed().as_millis() as u64;
        if !self.options.round_up_to_full_second {
            return true;
        }
        let end = round_up(now, self.options.network_delay, budget.maximum);
        self.search_end = Some(end);
        now >= end
    }
}

/// The end of the second that a move of `now` milliseconds is charged for, less the delay.
fn round_up(now: u64, delay: u64, maximum: u64) -> u64 {
    let charged = (now + delay).div_ceil(1000).max(1) * 1000;
    charged.saturating_sub(delay).max(now).min(maximum)
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

    fn plan(time: i64, increment: i64, byoyomi: i64) -> Budget {
        budget(
            &clock(time, increment, byoyomi),
            Color::Black,
            30,
            &SearchOptions::default(),
        )
    }

    #[test]
    fn never_more_than_there_is() {
        let options = SearchOptions::default();
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
                        let plan = budget(&clock, Color::Black, ply, &options);
                        let have = (time as i128 + increment as i128).max(0) + byoyomi as i128;
                        assert!(plan.optimum >= 1 && plan.optimum <= plan.maximum);
                        assert!(plan.maximum as i128 <= have.max(1), "{plan:?} of {have}");
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_alone_is_spent() {
        let plan = plan(0, 0, 1000);
        assert_eq!(plan.optimum, plan.maximum);
        assert!(plan.maximum >= 900 && plan.maximum < 1000);
    }

    #[test]
    fn a_negative_main_time_counts_against_the_increment() {
        let plan = plan(-3000, 5000, 0);
        assert!(plan.maximum <= 2000 && plan.optimum > 200);
    }

    #[test]
    fn short_clocks_are_survived() {
        // A game of 1 s + 10 ms: whatever the moves take, the clock never runs out.
        let options = SearchOptions::default();
        let mut left = 1000;
        for ply in (1..400).step_by(2) {
            let plan = budget(&clock(left, 10, 0), Color::Black, ply, &options);
            left -= plan.maximum as i64 - 10;
            assert!(left > 0, "ply {ply}");
        }
    }

    #[test]
    fn increments_fill_up_the_reserve() {
        // Every answer is 3 ms late: with 10 ms a move there is still a reserve after 300 moves.
        let options = SearchOptions::default();
        let mut left = 1000;
        for ply in (1..600).step_by(2) {
            let plan = budget(&clock(left, 10, 0), Color::Black, ply, &options);
            left += 10 - plan.optimum as i64 - 3;
        }
        assert!(left > 30, "{left} ms left");
    }

    #[test]
    fn the_least_time_is_kept_however_calm_the_search() {
        let options = SearchOptions {
            minimum_thinking_time: 2500,
            ..SearchOptions::default()
        };
        let limits = Limits {
            clock: Some(clock(100_000, 0, 0)),
            ..Limits::default()
        };
        let control = Control::new(1, false);
        control.ask_patience(0, 0.1);
        for (passed, ends) in [(1, false), (2, false), (3, true)] {
            let start = Instant::now()
                .checked_sub(Duration::from_secs(passed))
                .expect("the clock runs for longer");
            let mut manager = TimeManager::new(&limits, Color::Black, 30, &options, start);
            assert_eq!(manager.after_iteration(&control, true), ends, "{passed} s");
        }
    }

    #[test]
    fn whole_seconds_are_used_up() {
        assert_eq!(round_up(1200, 120, 10_000), 1880);
        assert_eq!(round_up(1900, 120, 10_000), 2880);
        assert_eq!(round_up(5, 120, 700), 700);
    }
}
