//! Long work other than the search, each on its own thread: mate search, perft, bench.

use super::bench;
use super::output::Output;
use super::report::{checkmate_line, mate_info_line, nodes_per_second};
use crate::mate::{self, MateLimits, MateProgress};
use crate::position::{Position, perft};
use crate::types::Depth;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Stack of a task, in bytes: mate search recurses once per ply of very long lines.
const STACK_SIZE: usize = 64 << 20;
/// Perft checks the stop flag above subtrees of this many plies.
const UNINTERRUPTED_PLIES: u32 = 3;

/// When a task ends, and what later commands do to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TaskKind {
    /// Ends by itself; the next USI command stops it.
    Limited,
    /// Does not end by itself; the next USI command stops it.
    Endless,
    /// Ends by itself. Debug commands and the end of the session wait for it, as scripts expect; a USI
    /// command stops it.
    Blocking,
}

/// Work on a thread of its own.
pub struct Task {
    kind: TaskKind,
    stop: Arc<AtomicBool>,
    started: Instant,
    /// Set just before the answer is printed: a client that has read the answer finds the engine idle.
    answered: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Task {
    /// Searches for a mate and prints exactly one `checkmate` line.
    pub fn mate(position: Position, limits: MateLimits, output: Output) -> io::Result<Task> {
        let kind = match (limits.nodes, limits.time) {
            (None, None) => TaskKind::Endless,
            _ => TaskKind::Limited,
        };
        Task::spawn(kind, move |stop, answered| {
            let mut report = |progress: &MateProgress| output.line(&mate_info_line(progress));
            let outcome = mate::solve(&position, &limits, stop, &mut report);
            answered.store(true, Relaxed);
            output.line(&checkmate_line(&outcome));
        })
    }

    /// Runs perft, printing the count of each move.
    pub fn perft(position: Position, depth: u32, output: Output) -> io::Result<Task> {
        Task::spawn(TaskKind::Blocking, move |stop, _| {
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
        Task::spawn(TaskKind::Blocking, move |stop, _| {
            match bench::run(depth, threads, hash, stop) {
                Ok(Some(summary)) => output.line(&summary.to_string()),
                Ok(None) => output.info_string("bench: stopped"),
                Err(error) => output.info_string(&format!("bench: {error}")),
            }
        })
    }

    fn spawn(
        kind: TaskKind,
        work: impl FnOnce(&AtomicBool, &AtomicBool) + Send + 'static,
    ) -> io::Result<Task> {
        let (stop, answered) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let thread = thread::Builder::new().stack_size(STACK_SIZE).spawn({
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            move || work(&stop, &answered)
        })?;
        Ok(Task {
            kind,
            stop,
            started: Instant::now(),
            answered,
            thread,
        })
    }

    /// Whether it only ends when stopped.
    pub fn is_endless(&self) -> bool {
        self.kind == TaskKind::Endless
    }

    /// Whether the next debug command has to wait for it.
    pub fn is_blocking(&self) -> bool {
        self.kind == TaskKind::Blocking
    }

    /// Whether it is a mate search that has not answered.
    pub fn is_searching(&self) -> bool {
        !self.is_blocking() && !self.answered.load(Relaxed)
    }

    /// Time since it began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it has neither ended nor answered.
    pub fn is_running(&self) -> bool {
        !self.answered.load(Relaxed) && !self.is_finished()
    }

    /// Whether it was told to end.
    pub fn is_stopping(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether it has ended and printed its answer.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Tells it to end; does not wait.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
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
            return output.info_string("perft: stopped");
        };
        output.line(&format!("{mv}: {nodes}"));
        total += nodes;
    }
    let time = start.elapsed().as_millis() as u64;
    let nps = nodes_per_second(total, time);
    output.line(&format!(
        "perft depth {depth} nodes {total} time {time} ms nps {nps}"
    ));
}

/// Perft that checks the stop flag; `None` when stopped.
fn stoppable_perft(position: &mut Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Relaxed) {
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
        stop.store(true, Relaxed);
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
