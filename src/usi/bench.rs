//! `bench`: searches a fixed set of positions to a fixed depth. With one thread the node count is
//! a checksum of the search: it changes with the behaviour of the search, not with its speed or
//! structure.

use crate::position::Position;
use crate::search::{
    BestMove, Info, Limits, MemoryError, Report, ScoreBound, SearchOptions, Searcher,
};
use crate::types::Depth;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The positions, one SFEN per line.
const POSITIONS: &str = include_str!("../../positions/bench.sfen");
/// Default depth, in plies.
const DEFAULT_DEPTH: Depth = 10;
/// Default hash table, in MB.
const DEFAULT_HASH: usize = 16;
/// How often to check the stop flag during a search.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The results of a run.
#[derive(Debug, Default)]
pub struct BenchSummary {
    positions: usize,
    nodes: u64,
    time: Duration,
    /// For each depth from 1, nodes and time until it was reached, summed over the positions.
    depths: Vec<(u64, Duration)>,
}

impl BenchSummary {
    /// Adds the iterations and the time of one search.
    fn add(&mut self, iterations: &[Info], time: Duration) {
        self.positions += 1;
        self.time += time;
        self.nodes += iterations.last().map_or(0, |info| info.progress.nodes);
        // The last line may come again, with a ponder move.
        for info in iterations
            .chunk_by(|a, b| a.depth == b.depth)
            .map(|same| &same[0])
        {
            if info.bound == ScoreBound::Exact {
                let depths = self.depths.len().max(info.depth as usize);
                self.depths.resize(depths, (0, Duration::ZERO));
                let (nodes, time) = &mut self.depths[info.depth as usize - 1];
                *nodes += info.progress.nodes;
                *time += Duration::from_millis(info.progress.time_ms);
            }
        }
    }

    /// The mean factor of nodes from one depth to the next, over the second half of the depths.
    fn branching_factor(&self) -> f64 {
        let middle = self.depths.len() / 2;
        match &self.depths[middle..] {
            [(from, _), .., (to, _)] if *from > 0 => {
                let plies = self.depths.len() - 1 - middle;
                (*to as f64 / *from as f64).powf(1.0 / plies as f64)
            }
            _ => 1.0,
        }
    }
}

/// The lines that `bench` prints, `Bench: <nodes>` last.
impl fmt::Display for BenchSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, (nodes, time)) in (1..).zip(&self.depths) {
            let time = time.as_millis();
            writeln!(f, "depth {depth:2}  nodes {nodes:10}  time {time:6} ms")?;
        }
        let seconds = self.time.as_secs_f64().max(1e-9);
        writeln!(f, "positions {}", self.positions)?;
        writeln!(f, "branching factor {:.2}", self.branching_factor())?;
        writeln!(f, "nodes {}", self.nodes)?;
        writeln!(f, "time {} ms", self.time.as_millis())?;
        writeln!(f, "nps {:.0}", self.nodes as f64 / seconds)?;
        write!(f, "Bench: {}", self.nodes)
    }
}

/// Sends every completed iteration to a channel.
struct Iterations(Sender<Info>);

impl Report for Iterations {
    fn info(&mut self, info: &Info) {
        // The receiver lives until the search is over.
        let _ = self.0.send(info.clone());
    }
    fn best_move(&mut self, _: BestMove) {}
}

/// Searches every position with cleared hash table and histories. `None` when stopped.
///
/// # Errors
/// When there is not enough memory for the threads or the hash table.
pub fn run(
    depth: Option<Depth>,
    threads: Option<usize>,
    hash: Option<usize>,
    stop: &AtomicBool,
) -> Result<Option<BenchSummary>, MemoryError> {
    let mut searcher = Searcher::new();
    searcher.set_threads(threads.unwrap_or(1))?;
    searcher.set_hash(hash.unwrap_or(DEFAULT_HASH))?;
    let limits = Limits {
        depth: depth.or(Some(DEFAULT_DEPTH)),
        ..Limits::default()
    };
    let options = SearchOptions {
        pv_interval: 0,
        ..SearchOptions::default()
    };
    let mut summary = BenchSummary::default();
    for position in positions() {
        searcher.clear();
        let (sender, iterations) = channel();
        let (start, report) = (Instant::now(), Box::new(Iterations(sender)));
        searcher.go(&position, limits.clone(), &options, report);
        let iterations = collect(&iterations, &searcher, stop);
        searcher.wait();
        if stop.load(Relaxed) {
            return Ok(None);
        }
        summary.add(&iterations, start.elapsed());
    }
    Ok(Some(summary))
}

/// Collects the iterations of a search until it ends; stops it when the stop flag is set.
fn collect(iterations: &Receiver<Info>, searcher: &Searcher, stop: &AtomicBool) -> Vec<Info> {
    let mut collected = Vec::new();
    loop {
        if stop.load(Relaxed) {
            searcher.stop();
        }
        match iterations.recv_timeout(POLL_INTERVAL) {
            Ok(info) => collected.push(info),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return collected,
        }
    }
}

/// The positions of the benchmark.
fn positions() -> impl Iterator<Item = Position> {
    POSITIONS
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .filter_map(|line| Position::from_sfen(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_set_can_be_read() {
        let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
        let count = lines.count();
        assert!(count >= 50);
        assert_eq!(positions().count(), count);
    }

    #[test]
    fn the_node_count_is_the_same_every_time() {
        let stop = AtomicBool::new(false);
        let nodes = || run(Some(4), None, Some(4), &stop).unwrap().unwrap().nodes;
        let first = nodes();
        assert!(first > 10_000);
        assert_eq!(nodes(), first);
    }

    #[test]
    fn a_stopped_bench_has_no_figures() {
        let stopped = run(Some(60), None, Some(1), &AtomicBool::new(true));
        assert!(stopped.unwrap().is_none());
    }
}
