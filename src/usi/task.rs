//! Work that the engine does on a thread of its own beside the search: mate search, perft, bench.
//! The main thread has to stay free to carry out commands.

use super::output::Output;
use super::report::{Answered, checkmate_line, nodes_per_second};
use crate::mate::{self, MateLimits};
use crate::position::{Position, perft};
use crate::types::Depth;
use crate::usi::bench;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Mate search recurses once per ply of lines that may be very long.
const STACK_SIZE: usize = 64 << 20;
/// Perft looks at the stop signal above subtrees of this many plies.
const UNINTERRUPTED_PLIES: u32 = 3;

/// How a task and the commands after it get along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Gives way to the next command, and ends by itself at last.
    Limited,
    /// Gives way to the next command, and does not end by itself.
    Endless,
    /// The next typed command and the end of the session wait for it, as people and scripts
    /// expect; a command of the protocol ends it.
    Patient,
}

/// A piece of work on its own thread.
pub struct Task {
    stop: Arc<AtomicBool>,
    manner: Manner,
    thread: JoinHandle<()>,
}

impl Task {
    /// Searches for a mate and prints exactly one `checkmate` line.
    pub fn mate(
        position: Position,
        limits: MateLimits,
        output: Output,
        answered: Answered,
    ) -> io::Result<Task> {
        let manner = if limits.nodes.is_none() && limits.time.is_none() {
            Manner::Endless
        } else {
            Manner::Limited
        };
        Task::start(manner, move |stop| {
            let outcome = mate::solve(&position, &limits, stop);
            answered.set();
            output.line(&checkmate_line(&outcome));
        })
    }

    /// Counts the lines of play of so many plies, move by move.
    pub fn perft(position: Position, depth: u32, output: Output) -> io::Result<Task> {
        Task::start(Manner::Patient, move |stop| {
            run_perft(position, depth, &output, stop)
        })
    }

    /// Runs the benchmark.
    pub fn bench(
        depth: Option<Depth>,
        threads: Option<usize>,
        hash: Option<usize>,
        output: Output,
    ) -> io::Result<Task> {
        Task::start(Manner::Patient, move |stop| {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = bench::run(&mut text, depth, threads, hash, stop);
            if text.is_empty() {
                output.info_string("bench: stopped");
            } else {
                output.line(String::from_utf8_lossy(&text).trim_end());
            }
        })
    }

    fn start(manner: Manner, work: impl FnOnce(&AtomicBool) + Send + 'static) -> io::Result<Task> {
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn({
            let stop = Arc::clone(&stop);
            move || work(&stop)
        })?;
        Ok(Task {
            stop,
            manner,
            thread,
        })
    }

    /// Whether it would go on without end.
    pub fn is_endless(&self) -> bool {
        self.manner == Manner::Endless
    }

    /// Whether the next typed command is to wait for it.
    pub fn is_patient(&self) -> bool {
        self.manner == Manner::Patient
    }

    /// Whether it has ended and printed its answer.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Makes it end soon; does not wait.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until it has ended and printed its answer.
    pub fn wait(self) {
        // A panic has been reported by its own thread.
        let _ = self.thread.join();
    }
}

fn run_perft(mut position: Position, depth: u32, output: &Output, stop: &AtomicBool) {
    let start = Instant::now();
    let mut total = 0;
    for &mv in position.legal_moves().iter() {
        position.do_move(mv);
        let nodes = stoppable_perft(&mut position, depth - 1, stop);
        position.undo_move(mv);
        let Some(nodes) = nodes else {
            output.info_string("perft: stopped");
            return;
        };
        output.line(&format!("{mv}: {nodes}"));
        total += nodes;
    }
    let time = start.elapsed().as_millis() as u64;
    let speed = nodes_per_second(total, time);
    output.line(&format!(
        "perft depth {depth} nodes {total} time {time} ms nps {speed}"
    ));
}

/// Perft that gives up when told to stop.
fn stoppable_perft(position: &mut Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED_PLIES {
        return Some(perft(position, depth));
    }
    let mut total = 0;
    for &mv in position.legal_moves().iter() {
        position.do_move(mv);
        let nodes = stoppable_perft(position, depth - 1, stop);
        position.undo_move(mv);
        total += nodes?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perft_counts_and_can_be_stopped() {
        let mut position = Position::startpos();
        let stop = AtomicBool::new(false);
        assert_eq!(stoppable_perft(&mut position, 4, &stop), Some(719_731));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(stoppable_perft(&mut position, 4, &stop), None);
    }

    #[test]
    fn a_stopped_task_ends() {
        let task = Task::perft(Position::startpos(), 20, Output::to(Box::new(io::sink())));
        let task = task.unwrap();
        task.stop();
        task.wait();
    }
}
