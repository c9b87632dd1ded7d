//! The search threads.
//!
//! Lazy SMP: every thread runs the same search of the same root on its own; they help each other
//! only through the transposition table and what they learn of the evaluation's errors.
//! <https://www.chessprogramming.org/Lazy_SMP>
#![forbid(unsafe_code)]

use super::conclusion::{Finding, MainWork};
use super::control::Control;
use super::correction_history::CorrectionHistory;
use super::iterate::RootMove;
use super::limits::{Clock, Limits, SearchOptions};
use super::report::Report;
use super::time::TimeManager;
use super::tt::TranspositionTable;
use super::worker::{Job, MainDuties, Worker};
use crate::eval::Evaluator;
use crate::eval::nnue::{self, Network};
use crate::memory::exceeds_memory;
use crate::position::{Position, see_value};
use crate::types::{Depth, MAX_PLY, Move};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use thiserror::Error;

/// Stack of a search thread, in bytes: a line of [`MAX_PLY`] nodes takes a quarter of it in
/// unoptimised builds.
const STACK_SIZE: usize = 16 << 20;

/// The most threads a searcher takes.
pub const MAX_THREADS: usize = 1024;

/// Megabytes of the hash table before it is set.
pub const DEFAULT_HASH: usize = 256;

/// The hash table could not be allocated.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error("no memory for a hash table of {wanted} MB, {}", resort(*.wanted, *.kept))]
pub struct HashError {
    /// Megabytes asked for.
    pub wanted: usize,
    /// Megabytes of the table still in use.
    pub kept: usize,
}

/// Megabytes that a thread takes, mostly for its histories.
const THREAD_MEMORY: usize = 18;

/// There is no memory for so many threads.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error("no memory for {wanted} threads of {THREAD_MEMORY} MB, keeping {kept}")]
pub struct ThreadsError {
    /// Threads asked for.
    pub wanted: usize,
    /// Threads as before.
    pub kept: usize,
}

/// What is done where there is no memory for a table.
fn resort(wanted: usize, kept: usize) -> String {
    if kept == wanted {
        // There is none yet.
        "the next search will try smaller ones".into()
    } else {
        format!("keeping {kept} MB")
    }
}

/// Work for one thread: a search, and for the first thread what it does besides.
struct Assignment {
    job: Job,
    main: Option<MainWork>,
    /// Where helpers send what they found.
    findings: Sender<Finding>,
}

struct Thread {
    work: Sender<Assignment>,
    handle: Option<JoinHandle<()>>,
}

struct Running {
    control: Arc<Control>,
    done: Receiver<()>,
}

/// The search threads and what they share. All methods are called from one controlling thread;
/// the search itself runs on threads of its own.
pub struct Searcher {
    threads: Vec<Thread>,
    wanted_threads: usize,
    tt: Option<Arc<TranspositionTable>>,
    correction_history: Arc<CorrectionHistory>,
    hash_megabytes: usize,
    /// A search has written to the table.
    table_used: bool,
    network: Arc<Network>,
    /// The next search forgets the earlier ones.
    clear: bool,
    running: Option<Running>,
}

impl Searcher {
    /// One thread and the default hash table, nothing allocated before it is needed.
    pub fn new() -> Searcher {
        Searcher {
            threads: Vec::new(),
            wanted_threads: 1,
            tt: None,
            correction_history: Arc::new(CorrectionHistory::new()),
            hash_megabytes: DEFAULT_HASH,
            table_used: false,
            network: nnue::embedded(),
            clear: false,
            running: None,
        }
    }

    /// Changes the number of threads (1..=[`MAX_THREADS`]). Waits for a running search, which
    /// should have been stopped.
    ///
    /// # Errors
    /// When the machine has not the memory for them; there are then as many as before.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadsError> {
        self.wait();
        let wanted = threads.clamp(1, MAX_THREADS);
        if exceeds_memory(wanted * THREAD_MEMORY) {
            let kept = self.wanted_threads;
            return Err(ThreadsError { wanted, kept });
        }
        self.wanted_threads = wanted;
        self.threads.truncate(wanted);
        Ok(())
    }

    /// Changes the size of the hash table, in megabytes, and clears it. Waits for a running
    /// search, which should have been stopped.
    ///
    /// # Errors
    /// When the memory is not to be had; the old table stays.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), HashError> {
        self.wait();
        let megabytes = megabytes.max(1);
        if self.tt.is_some() && megabytes == self.hash_megabytes {
            return Ok(());
        }
        let error = HashError {
            wanted: megabytes,
            kept: self.hash_megabytes,
        };
        if exceeds_memory(megabytes) {
            return Err(error);
        }
        let table = TranspositionTable::new(megabytes).ok_or(error)?;
        self.tt = Some(Arc::new(table));
        self.table_used = false;
        self.hash_megabytes = megabytes;
        Ok(())
    }

    /// Changes the network and forgets what was learnt with another one. Waits for a running search,
    /// which should have been stopped.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.clear();
        self.network = network;
    }

    /// Forgets everything learnt from earlier searches (`usinewgame`).
    pub fn clear(&mut self) {
        self.wait();
        self.clear = true;
        self.correction_history.clear();
        if std::mem::take(&mut self.table_used) {
            // Fresh pages from the system cost less than wiping the old ones; those go first, so
            // that there is never memory for two tables in use.
            self.tt = None;
            self.table();
        }
    }

    /// The table, made now if there is none.
    fn table(&mut self) -> Arc<TranspositionTable> {
        let table = self.tt.take().unwrap_or_else(|| {
            // The memory was there before and may be gone: less is better than none.
            let sizes = std::iter::successors(Some(self.hash_megabytes), |&size| Some(size / 2));
            let table = sizes
                .take_while(|&size| size > 0)
                .find_map(TranspositionTable::new);
            Arc::new(table.unwrap_or_else(TranspositionTable::placeholder))
        });
        Arc::clone(self.tt.insert(table))
    }

    /// Makes everything ready that a search needs, so that `go` starts at once (`isready`).
    pub fn prepare(&mut self) {
        self.wait();
        self.table();
        self.start_threads();
    }

    /// Starts a search and returns at once. A search still running is stopped and answered first.
    pub fn go(
        &mut self,
        position: &Position,
        limits: Limits,
        options: &SearchOptions,
        report: Box<dyn Report>,
    ) {
        let start = Instant::now();
        self.stop();
        self.prepare();
        let tt = self.table();
        tt.next_generation();
        self.table_used = true;
        let threads = self.wanted_threads;
        let control = Arc::new(Control::new(threads, limits.ponder));
        let (findings, received) = channel();
        let (done, is_done) = channel();
        let side = position.side_to_move();
        let mut main = Some(MainWork {
            duties: MainDuties {
                time: TimeManager::new(&limits, side, position.game_ply(), options, start),
                nodes: limits.nodes,
                soft_nodes: None,
                report,
            },
            helpers: threads - 1,
            findings: received,
            infinite: limits.infinite,
            declaration: position.declaration_win(options.entering_king_rule),
            done,
        });
        let root_moves = root_moves(position, &limits.searchmoves, options);
        for id in 0..threads {
            let job = Job {
                tt: Arc::clone(&tt),
                correction_history: Arc::clone(&self.correction_history),
                control: Arc::clone(&control),
                position: position.clone(),
                root_moves: root_moves.clone(),
                depth: limits
                    .depth
                    .unwrap_or(Depth::MAX)
                    .clamp(1, MAX_PLY as Depth - 1),
                options: options.clone(),
                network: Arc::clone(&self.network),
                clear: self.clear,
            };
            let assignment = Assignment {
                job,
                main: main.take(),
                findings: findings.clone(),
            };
            // A thread that could not be started is not missed unless it is the first.
            let _ = self.threads[id].work.send(assignment);
        }
        self.clear = false;
        self.running = Some(Running {
            control,
            done: is_done,
        });
    }

    /// Starts the threads that are wanted and not there yet, and waits until they are ready.
    fn start_threads(&mut self) {
        let (ready, is_ready) = channel();
        for id in self.threads.len()..self.wanted_threads {
            let (work, assignments) = channel();
            let ready = ready.clone();
            let handle = thread::Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || run_thread(id, &assignments, ready))
                .ok();
            self.threads.push(Thread { work, handle });
        }
        drop(ready);
        // The channel closes when every thread has let go of its end.
        let _ = is_ready.recv();
    }

    /// Whether a search is running, pondering or waiting for `stop`.
    pub fn is_searching(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| !running.control.is_finished())
    }

    /// Makes a running search answer at once; does not wait for the answer.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The expected move was played: the ponder search becomes an ordinary one, with the clock
    /// given now or with that of its `go`. Nothing happens unless it is pondering.
    pub fn ponderhit(&self, clock: Option<Clock>) {
        if let Some(running) = &self.running {
            running.control.ponder_hit(clock);
        }
    }

    /// Waits until the running search has answered.
    pub fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            // Nothing is ever sent: the channel closes when the search is over.
            let _ = running.done.recv();
        }
    }

    /// A readable account of the static evaluation.
    pub fn explain_eval(&mut self, position: &Position) -> String {
        let mut evaluator = Evaluator::new(Arc::clone(&self.network));
        evaluator.reset(position);
        evaluator.explain(position)
    }
}

impl Default for Searcher {
    fn default() -> Searcher {
        Searcher::new()
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // Closing the channel ends the thread.
        self.work = channel().0;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// The root moves asked for, captures of valuable pieces first.
pub(super) fn root_moves(
    position: &Position,
    searchmoves: &[Move],
    options: &SearchOptions,
) -> Vec<RootMove> {
    let mut moves: Vec<Move> = Vec::new();
    if options.generate_all_legal_moves {
        position.generate_legal::<true>(&mut moves);
    } else {
        position.generate_legal::<false>(&mut moves);
    }
    let asked: Vec<Move> = searchmoves
        .iter()
        .copied()
        .filter(|&mv| position.is_legal(mv))
        .collect();
    if !asked.is_empty() {
        moves = asked;
    }
    moves.sort_by_key(|mv| -see_value(position.piece_on(mv.to())));
    moves.into_iter().map(RootMove::new).collect()
}

/// A search thread: takes one assignment after the other until its channel closes.
fn run_thread(id: usize, assignments: &Receiver<Assignment>, ready: Sender<()>) {
    let mut worker = Worker::new(id);
    drop(ready);
    while let Ok(Assignment {
        job,
        main,
        findings,
    }) = assignments.recv()
    {
        worker.begin(job);
        match main {
            Some(work) => {
                drop(findings);
                worker.run_main(work);
            }
            None => {
                if !worker.root_moves.is_empty() {
                    worker.iterate();
                    // The first thread may have gone without waiting; then nobody needs this.
                    let _ = findings.send(worker.finding());
                }
                worker.release();
            }
        }
    }
}
