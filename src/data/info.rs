//! What is in files of games: `komaoto data info`.
#![forbid(unsafe_code)]

use super::calibration::Calibration;
use super::error::{DataError, Problem};
use super::files::Input;
use super::game::{End, Game, GameResult, Seen};
use super::histogram::Histogram;
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::{Color, value};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// Borders of the ranges of scores.
const SCORES: [i32; 12] = [
    -value::SUPERIOR,
    -3000,
    -2000,
    -1500,
    -1000,
    -700,
    -500,
    -300,
    -200,
    -100,
    -50,
    0,
];
/// Borders of the ranges of move numbers.
const MOST_PLIES: i32 = 400;
const PLIES_STEP: usize = 20;
/// Positions remembered to find duplicates, at most.
const REMEMBERED: usize = 1 << 23;

/// Counts positions that were seen before. Of very many, a part chosen by the key.
struct Duplicates {
    seen: HashSet<u64>,
    /// Keys with any of these bits are left out.
    mask: u64,
    /// Positions looked at.
    looked: u64,
    /// How many of them were new.
    new: u64,
}

impl Duplicates {
    fn add(&mut self, key: u64) {
        if key & self.mask != 0 {
            return;
        }
        self.looked += 1;
        if self.seen.insert(key) {
            self.new += 1;
        }
        if self.seen.len() > REMEMBERED {
            self.mask = self.mask << 1 | 1;
            self.seen.retain(|key| key & self.mask == 0);
        }
    }

    fn percent(&self) -> f64 {
        (self.looked - self.new) as f64 * 100.0 / self.looked.max(1) as f64
    }
}

/// What was counted.
struct Report {
    games: u64,
    side_lines: u64,
    positions: u64,
    /// Other positions that searches came by, and how many of them with no more than a bound.
    visited: [u64; 2],
    in_check: u64,
    captures: u64,
    random_plies: u64,
    /// Won by Black, won by White, drawn.
    results: [u64; 3],
    ends: [u64; End::ALL.len()],
    scores: Histogram,
    /// Of the file being read.
    calibration: Calibration,
    plies: Histogram,
    duplicates: Duplicates,
}

impl Report {
    fn new() -> Report {
        let upper = SCORES[..SCORES.len() - 1].iter().rev().map(|score| -score);
        let scores = SCORES.into_iter().chain(upper).collect();
        Report {
            games: 0,
            side_lines: 0,
            positions: 0,
            visited: [0; 2],
            in_check: 0,
            captures: 0,
            random_plies: 0,
            results: [0; 3],
            ends: [0; End::ALL.len()],
            scores: Histogram::new("score", scores),
            calibration: Calibration::new(),
            plies: Histogram::new(
                "move",
                (PLIES_STEP as i32..=MOST_PLIES)
                    .step_by(PLIES_STEP)
                    .collect(),
            ),
            duplicates: Duplicates {
                seen: HashSet::new(),
                mask: 0,
                looked: 0,
                new: 0,
            },
        }
    }

    /// Counts a game.
    fn add(&mut self, game: &Game) -> Result<(), Problem> {
        if game.is_side_line() {
            self.side_lines += 1;
        } else {
            self.games += 1;
            self.random_plies += u64::from(game.opening);
            self.results[match game.result {
                GameResult::Win(Color::Black) => 0,
                GameResult::Win(Color::White) => 1,
                GameResult::Draw => 2,
            }] += 1;
            self.ends[game.end as usize] += 1;
        }
        let replayed = game.replay_with(|position, seen| match seen {
            Seen::Turn(turn) => {
                if let Some(score) = turn.played.score {
                    self.position(position, score, turn.result);
                    self.captures += u64::from(position.is_capture(turn.played.mv));
                }
            }
            Seen::Branch { bound, .. } => {
                self.visited[0] += 1;
                self.visited[1] += u64::from(bound != ScoreBound::Exact);
            }
        });
        replayed.map(|_| ()).map_err(|problem| Problem::Game {
            game: game.number,
            problem,
        })
    }

    fn position(&mut self, position: &Position, score: i16, result: Option<GameResult>) {
        let side = position.side_to_move();
        let points = result.map(|result| result.points_for(side));
        self.positions += 1;
        self.in_check += u64::from(position.in_check());
        self.scores.add(score.into(), points);
        if let Some(points) = points {
            self.calibration.add(score.into(), points);
        }
        self.plies
            .add(position.game_ply().min(MOST_PLIES as u32) as i32, points);
        self.duplicates.add(position.key());
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let of_games = |count: u64| count as f64 * 100.0 / self.games.max(1) as f64;
        let of_positions = |count: u64| count as f64 * 100.0 / self.positions.max(1) as f64;
        let a_game = |count: u64| count as f64 / self.games.max(1) as f64;
        let [black, white, draws] = self.results.map(of_games);
        writeln!(out, "games {}", self.games)?;
        if self.side_lines > 0 {
            writeln!(
                out,
                "side lines {}, counted with their games below",
                self.side_lines
            )?;
        }
        writeln!(
            out,
            "positions {} with a score, {:.1} a game; {:.1} random plies a game before them",
            self.positions,
            a_game(self.positions),
            a_game(self.random_plies)
        )?;
        if self.visited[0] > 0 {
            let [visited, bounds] = self.visited;
            writeln!(
                out,
                "{visited} other positions that searches came by, {:.1} a search, {:.1}% of them with a \
                 bound only",
                of_positions(visited) / 100.0,
                bounds as f64 * 100.0 / visited as f64
            )?;
        }
        writeln!(
            out,
            "in check {:.1}%, capture played {:.1}%, seen before {:.2}%",
            of_positions(self.in_check),
            of_positions(self.captures),
            self.duplicates.percent()
        )?;
        writeln!(
            out,
            "results black {black:.1}% white {white:.1}% draw {draws:.1}%"
        )?;
        let ends = End::ALL
            .iter()
            .zip(self.ends)
            .filter(|(_, count)| *count > 0);
        let ends = ends.map(|(end, count)| format!("{} {:.1}%", end.name(), of_games(count)));
        writeln!(out, "ended by {}", ends.collect::<Vec<_>>().join(", "))?;
        writeln!(out, "\n{}\n{}", self.scores, self.plies)
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum InfoError {
    /// A file.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Standard output.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Prints what is in some files, all together.
///
/// # Errors
/// When one cannot be read to its end, or the output cannot be written.
pub fn info(paths: &[PathBuf], out: &mut impl Write) -> Result<(), InfoError> {
    let mut report = Report::new();
    for path in paths {
        let (games, positions) = (report.games, report.positions);
        let mut input = Input::open(path)?;
        writeln!(out, "{}", path.display())?;
        if let Some(header) = input.header() {
            for line in header.text().lines() {
                writeln!(out, "  {line}")?;
            }
        }
        let mut offset = input.offset();
        while let Some(game) = input.next() {
            let added = report.add(&game?);
            added.map_err(|problem| DataError::new(path, offset, problem))?;
            offset = input.offset();
        }
        let (games, positions) = (report.games - games, report.positions - positions);
        writeln!(out, "  {games} games, {positions} positions")?;
        // Of each file: their evaluations may differ.
        let calibration = std::mem::replace(&mut report.calibration, Calibration::new());
        if let Some(scale) = calibration.scale() {
            writeln!(
                out,
                "  a score of {scale:.0} makes 73.1% of the points (fitted)"
            )?;
        }
        if input.is_torn() {
            writeln!(
                out,
                "  a last game was cut short while it was written, from byte {offset}"
            )?;
        }
    }
    Ok(report.print(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_counted_in_a_part_as_in_the_whole() {
        let mut duplicates = Duplicates {
            seen: HashSet::new(),
            mask: 0,
            looked: 0,
            new: 0,
        };
        for round in 0..2 {
            for number in 0..100_000u64 {
                duplicates.add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7);
                duplicates.mask = 3 * round;
            }
        }
        assert!(
            (duplicates.percent() - 20.0).abs() < 1.0,
            "{}",
            duplicates.percent()
        );
    }
}
