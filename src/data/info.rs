//! Statistics of files of games: `komaoto data info`.
#![forbid(unsafe_code)]

use super::calibration::Calibration;
use super::command::CommandError;
use super::error::DataProblem;
use super::files::GameInput;
use super::game::{Game, GameEnd, GameResult, Visited};
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::value;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

/// Edges of the ranges of scores, with their negatives.
const SCORES: [i32; 11] = [
    50,
    100,
    200,
    300,
    500,
    700,
    1000,
    1500,
    2000,
    3000,
    value::SUPERIOR,
];
/// Edges of the ranges of move numbers.
const MAX_PLY: i32 = 400;
const PLY_STEP: usize = 20;
/// Characters of the longest bar of a histogram.
const MAX_BAR: u64 = 40;
/// Positions remembered to find duplicates, at most.
const MAX_REMEMBERED: usize = 1 << 23;

/// How often a number fell into each of some ranges, and the mean of the points there.
#[derive(Default)]
struct Histogram {
    title: &'static str,
    /// The smallest number of each range but the first.
    edges: Vec<i32>,
    ranges: Vec<Range>,
}

#[derive(Clone, Copy, Default)]
struct Range {
    count: u64,
    /// How often the points are known, and their sum.
    known: u64,
    points: f64,
}

impl Histogram {
    /// Ranges that begin at these numbers, in ascending order, and one below them all.
    fn new(title: &'static str, edges: Vec<i32>) -> Histogram {
        Histogram {
            title,
            ranges: vec![Range::default(); edges.len() + 1],
            edges,
        }
    }

    fn add(&mut self, number: i32, points: Option<f64>) {
        let range = self.edges.partition_point(|&edge| edge <= number);
        let range = &mut self.ranges[range];
        range.count += 1;
        range.known += u64::from(points.is_some());
        range.points += points.unwrap_or(0.0);
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.ranges.iter().map(|range| range.count);
        let (total, most) = (counts.clone().sum(), counts.max().unwrap_or(0).max(1));
        let title = self.title;
        writeln!(f, "{title:>14}  positions      %  points")?;
        for (index, range) in self.ranges.iter().enumerate() {
            if range.count == 0 {
                continue;
            }
            let low = index.checked_sub(1).map(|low| self.edges[low].to_string());
            let high = self.edges.get(index).map(|high| (high - 1).to_string());
            let label = format!("{}..{}", low.unwrap_or_default(), high.unwrap_or_default());
            let points = match range.known {
                0 => "-".into(),
                known => format!("{:.1}%", range.points * 100.0 / known as f64),
            };
            let (count, share) = (range.count, percent(range.count, total));
            let bar = "#".repeat((count * MAX_BAR).div_ceil(most) as usize);
            writeln!(f, "{label:>14} {count:>10} {share:>6.2} {points:>7} {bar}")?;
        }
        Ok(())
    }
}

/// Counts positions that occurred before; beyond [`MAX_REMEMBERED`] only in a sample, chosen by key.
#[derive(Default)]
struct Duplicates {
    seen: HashSet<u64>,
    /// Keys with any of these bits are not in the sample.
    mask: u64,
    /// Positions of the sample, and how many of them were new.
    sampled: u64,
    new: u64,
}

impl Duplicates {
    fn add(&mut self, key: u64) {
        if key & self.mask != 0 {
            return;
        }
        self.sampled += 1;
        self.new += u64::from(self.seen.insert(key));
        if self.seen.len() > MAX_REMEMBERED {
            self.mask = self.mask << 1 | 1;
            self.seen.retain(|key| key & self.mask == 0);
        }
    }

    fn percent(&self) -> f64 {
        percent(self.sampled - self.new, self.sampled)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

/// What was counted.
#[derive(Default)]
struct DataReport {
    games: u64,
    side_lines: u64,
    positions: u64,
    treestrap: u64,
    /// How many of the TreeStrap positions have only a bound.
    bounds: u64,
    in_check: u64,
    captures: u64,
    random_plies: u64,
    /// By [`GameResult::code`]: drawn, won by Black, won by White.
    results: [u64; 3],
    ends: [u64; GameEnd::ALL.len()],
    scores: Histogram,
    plies: Histogram,
    duplicates: Duplicates,
}

impl DataReport {
    fn new() -> DataReport {
        let negative = SCORES.into_iter().rev().map(|score| -score);
        let scores = negative.chain([0]).chain(SCORES).collect();
        let plies = (PLY_STEP as i32..=MAX_PLY).step_by(PLY_STEP).collect();
        DataReport {
            scores: Histogram::new("score", scores),
            plies: Histogram::new("move", plies),
            ..DataReport::default()
        }
    }

    fn add(&mut self, game: &Game, calibration: &mut Calibration) -> Result<(), DataProblem> {
        if game.is_side_line() {
            self.side_lines += 1;
        } else {
            self.games += 1;
            self.random_plies += u64::from(game.opening);
            self.results[usize::from(game.result.code())] += 1;
            self.ends[game.end as usize] += 1;
        }
        game.replay(|position, visited| match visited {
            Visited::Game(it) => {
                if let Some(score) = it.played.score {
                    self.add_position(position, score.into(), it.result, calibration);
                    self.captures += u64::from(position.is_capture(it.played.mv));
                }
            }
            Visited::TreeStrap { bound, .. } => {
                self.treestrap += 1;
                self.bounds += u64::from(bound != ScoreBound::Exact);
            }
        })?;
        Ok(())
    }

    fn add_position(
        &mut self,
        position: &Position,
        score: i32,
        result: Option<GameResult>,
        calibration: &mut Calibration,
    ) {
        let points = result.map(|result| result.points_for(position.side_to_move()));
        self.positions += 1;
        self.in_check += u64::from(position.in_check());
        self.scores.add(score, points);
        if let Some(points) = points {
            calibration.add(score, points);
        }
        let ply = position.game_ply().min(MAX_PLY as u32);
        self.plies.add(ply as i32, points);
        self.duplicates.add(position.key());
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let per_game = |count: u64| count as f64 / self.games.max(1) as f64;
        let [draws, black, white] = self.results.map(|count| percent(count, self.games));
        writeln!(out, "games {}", self.games)?;
        if self.side_lines > 0 {
            let count = self.side_lines;
            writeln!(out, "side lines {count}, counted with their games below")?;
        }
        writeln!(
            out,
            "positions {} with a score, {:.1} a game; {:.1} random plies a game before them",
            self.positions,
            per_game(self.positions),
            per_game(self.random_plies)
        )?;
        if self.treestrap > 0 {
            writeln!(
                out,
                "TreeStrap positions {}, {:.1} a search, {:.1}% of them with only a bound",
                self.treestrap,
                self.treestrap as f64 / self.positions.max(1) as f64,
                percent(self.bounds, self.treestrap)
            )?;
        }
        writeln!(
            out,
            "in check {:.1}%, capture played {:.1}%, duplicates {:.2}%",
            percent(self.in_check, self.positions),
            percent(self.captures, self.positions),
            self.duplicates.percent()
        )?;
        writeln!(
            out,
            "results black {black:.1}% white {white:.1}% draw {draws:.1}%"
        )?;
        let ends = GameEnd::ALL.iter().zip(self.ends);
        let ends = ends
            .filter(|(_, count)| *count > 0)
            .map(|((_, end), count)| {
                let share = percent(count, self.games);
                format!("{end} {share:.1}%")
            });
        writeln!(out, "ended by {}", ends.collect::<Vec<_>>().join(", "))?;
        writeln!(out, "\n{}\n{}", self.scores, self.plies)
    }
}

/// Prints statistics of some files, all together.
///
/// # Errors
/// When one cannot be read to its end, or the output cannot be written.
pub fn info(paths: &[PathBuf], out: &mut impl Write) -> Result<(), CommandError> {
    let mut report = DataReport::new();
    for path in paths {
        let (games, positions) = (report.games, report.positions);
        let mut input = GameInput::open(path)?;
        writeln!(out, "{}", path.display())?;
        if let Some(header) = input.header() {
            for line in header.text().lines() {
                writeln!(out, "  {line}")?;
            }
        }
        // One for each file, as their networks may differ.
        let mut calibration = Calibration::new();
        while let Some(game) = input.next().transpose()? {
            let added = report.add(&game, &mut calibration);
            added.map_err(|problem| input.error(problem))?;
        }
        let (games, positions) = (report.games - games, report.positions - positions);
        writeln!(out, "  {games} games, {positions} positions")?;
        if let Some(scale) = calibration.scale() {
            writeln!(out, "  {scale:.0} cp = 73 % expected score (fitted)")?;
        }
        if input.is_torn() {
            let offset = input.offset();
            writeln!(out, "  the last game is truncated, from byte {offset}")?;
        }
    }
    Ok(report.print(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_counted_in_a_sample_as_in_the_whole() {
        let mut duplicates = Duplicates::default();
        for round in 0..2 {
            for number in 0..100_000u64 {
                duplicates.add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7);
                duplicates.mask = 3 * round;
            }
        }
        let percent = duplicates.percent();
        assert!((percent - 20.0).abs() < 1.0, "{percent}");
    }

    #[test]
    fn numbers_fall_in_their_ranges() {
        let mut histogram = Histogram::new("score", vec![-10, 0, 10]);
        for (number, points) in [
            (-11, 0.0),
            (-10, 0.0),
            (-1, 1.0),
            (0, 0.5),
            (10, 1.0),
            (99, 1.0),
        ] {
            histogram.add(number, Some(points));
        }
        let text = histogram.to_string();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let bar = "#".repeat(40);
        assert_eq!(lines[0], ["score", "positions", "%", "points"]);
        assert_eq!(lines[1][..4], ["..-11", "1", "16.67", "0.0%"]);
        assert_eq!(lines[2], ["-10..-1", "2", "33.33", "50.0%", &bar]);
        assert_eq!(lines[3][..2], ["0..9", "1"]);
        assert_eq!(lines[4], ["10..", "2", "33.33", "100.0%", &bar]);
    }
}
