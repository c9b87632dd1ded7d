//! `bench`: searches a fixed set of positions to a fixed depth. With one thread the node count is
//! a checksum of everything the search does: a change of behaviour changes it, a change of speed
//! or structure does not.
#![forbid(unsafe_code)]

use crate::position::Position;
use crate::search::{
    Answer, HashError, Info, Limits, Report, ScoreBound, SearchOptions, Searcher, ThreadsError,
};
use crate::types::Depth;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The positions, one SFEN a line.
const POSITIONS: &str = include_str!("../../positions/bench.sfen");

/// Depth unless another is asked for, in plies.
const DEFAULT_DEPTH: Depth = 10;
/// Hash table unless another size is asked for, in megabytes.
const DEFAULT_HASH: usize = 16;
/// How often to look at the stop signal during a search.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// What a run adds up to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Positions searched.
    pub positions: usize,
    /// Nodes of all searches: one for each move played in search or quiescence search.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
    /// For each depth from 1, nodes and time until it was reached, all positions together.
    pub depths: Vec<(u64, Duration)>,
}

impl Summary {
    /// Nodes for one ply more, as the mean factor over the last iterations.
    pub fn branching_factor(&self) -> f64 {
        let first = self.depths.len() / 2;
        match (self.depths.get(first), self.depths.last()) {
            (Some(&(from, _)), Some(&(to, _))) if from > 0 && self.depths.len() > first + 1 => {
                let plies = (self.depths.len() - 1 - first) as f64;
                (to as f64 / from as f64).powf(1.0 / plies)
            }
            _ => 1.0,
        }
    }

    /// Adds the iterations and the time of one search.
    fn add(&mut self, iterations: &[Info], time: Duration) {
        self.positions += 1;
        self.time += time;
        self.nodes += iterations.last().map_or(0, |info| info.nodes);
        for info in iterations {
            if info.bound != ScoreBound::Exact {
                continue;
            }
            let index = info.depth as usize - 1;
            if self.depths.len() <= index {
                self.depths.resize(index + 1, (0, Duration::ZERO));
            }
            self.depths[index].0 += info.nodes;
            self.depths[index].1 += Duration::from_millis(info.time_ms);
        }
    }
}

/// Sends on every finished iteration.
struct Iterations(Sender<Info>);

impl Report for Iterations {
    fn info(&mut self, info: &Info) {
        // The receiver lives until the search is over.
        let _ = self.0.send(info.clone());
    }
    fn answer(&mut self, _: Answer) {}
}

/// There is no memory to measure with.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum MeasureError {
    /// For the threads.
    #[error("no memory for {} threads", .0.wanted)]
    Threads(#[from] ThreadsError),
    /// For the hash table.
    #[error("no memory for a hash table of {} MB", .0.wanted)]
    Hash(#[from] HashError),
}

/// Searches every position of the set, from a cleared state each. `None` when told to stop.
///
/// # Errors
/// When there is no memory for the threads or the hash table.
pub fn measure(
    depth: Depth,
    threads: usize,
    hash: usize,
    stop: &AtomicBool,
) -> Result<Option<Summary>, MeasureError> {
    let mut searcher = Searcher::new();
    searcher.set_threads(threads)?;
    searcher.set_hash(hash)?;
    let options = SearchOptions {
        pv_interval: 0,
        ..SearchOptions::default()
    };
    let mut summary = Summary::default();
    for position in positions() {
        searcher.clear();
        let (sender, iterations) = channel();
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        let start = Instant::now();
        searcher.go(&position, limits, &options, Box::new(Iterations(sender)));
        let iterations = collect(&iterations, &searcher, stop);
        searcher.wait();
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        summary.add(&iterations, start.elapsed());
    }
    Ok(Some(summary))
}

/// Takes in the iterations of a search until it ends; passes the stop signal on.
fn collect(iterations: &Receiver<Info>, searcher: &Searcher, stop: &AtomicBool) -> Vec<Info> {
    let mut collected = Vec::new();
    loop {
        if stop.load(Ordering::Relaxed) {
            searcher.stop();
        }
        match iterations.recv_timeout(STOP_INTERVAL) {
            Ok(info) => collected.push(info),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return collected,
        }
    }
}

/// The positions of the set.
pub fn positions() -> impl Iterator<Item = Position> {
    POSITIONS
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .filter_map(|line| Position::from_sfen(line).ok())
}

/// Runs the benchmark and prints its figures, `Bench: <nodes>` last; nothing when told to stop.
///
/// # Errors
/// When the output cannot be written.
pub fn run(
    out: &mut impl Write,
    depth: Option<Depth>,
    threads: Option<usize>,
    hash: Option<usize>,
    stop: &AtomicBool,
) -> io::Result<()> {
    let hash = hash.unwrap_or(DEFAULT_HASH);
    let threads = threads.unwrap_or(1);
    let summary = match measure(depth.unwrap_or(DEFAULT_DEPTH), threads, hash, stop) {
        Ok(Some(summary)) => summary,
        Ok(None) => return Ok(()),
        Err(error) => return writeln!(out, "bench: {error}"),
    };
    for (i, (nodes, time)) in summary.depths.iter().enumerate() {
        writeln!(
            out,
            "depth {:2}  nodes {nodes:10}  time {:6} ms",
            i + 1,
            time.as_millis()
        )?;
    }
    let seconds = summary.time.as_secs_f64();
    writeln!(out, "positions {}", summary.positions)?;
    writeln!(out, "branching factor {:.2}", summary.branching_factor())?;
    writeln!(out, "nodes {}", summary.nodes)?;
    writeln!(out, "time {} ms", summary.time.as_millis())?;
    writeln!(out, "nps {:.0}", summary.nodes as f64 / seconds.max(1e-9))?;
    writeln!(out, "Bench: {}", summary.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_set_can_be_read() {
        let lines = POSITIONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .count();
        assert!(lines >= 50);
        assert_eq!(positions().count(), lines);
    }

    #[test]
    fn the_node_count_is_the_same_every_time() {
        let stop = AtomicBool::new(false);
        let nodes = || measure(4, 1, 4, &stop).unwrap().unwrap().nodes;
        let first = nodes();
        assert!(first > 10_000);
        assert_eq!(nodes(), first);
    }

    #[test]
    fn a_stopped_bench_prints_nothing() {
        let mut text = Vec::new();
        run(&mut text, Some(60), None, Some(1), &AtomicBool::new(true)).unwrap();
        assert!(text.is_empty());
    }
}
