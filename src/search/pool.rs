//! The search threads: a `go` becomes a [`Job`] for each thread, and the main thread answers.
//!
//! Lazy SMP: all threads search the same root independently and share only the transposition table
//! and the correction history. The main thread watches the limits, reports, and lets all threads vote
//! on the best move.
//! <https://www.chessprogramming.org/Lazy_SMP>
#![forbid(unsafe_code)]

use super::control::Control;
use super::correction_history::CorrectionHistory;
use super::iterate::RootMove;
use super::limits::{Clock, Limits, SearchOptions};
use super::report::{BestMove, Info, Progress, Report, ScoreBound};
use super::tt::TranspositionTable;
use super::worker::{Job, MainThread, Worker};
use crate::eval::nnue::{self, Network};
use crate::memory::exceeds_memory;
use crate::position::{Declaration, Position, see_value};
use crate::types::{Depth, Move, Value, value};
use std::iter;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use thiserror::Error;

/// Stack of a search thread, in bytes: four times what a line of [`crate::types::MAX_PLY`] nodes takes
/// in unoptimised builds.
pub const STACK_SIZE: usize = 16 << 20;
/// Memory of a search thread, in MB, mostly for its histories.
const THREAD_MEMORY: usize = 18;

/// Milliseconds that each thread beyond the cores may delay an answer.
const WAIT_PER_THREAD: u64 = 2;

/// Maximum number of search threads.
pub const MAX_THREADS: usize = 1024;
/// Default size of the hash table, in MB.
pub const DEFAULT_HASH: usize = 256;

/// There is not enough memory.
#[derive(Debug, Error, PartialEq, Eq, Clone, Copy)]
pub enum MemoryError {
    /// For a hash table of this many MB.
    #[error("failed to allocate {0} MB hash")]
    Hash(usize),
    /// For this many threads.
    #[error("not enough memory for {0} threads of {THREAD_MEMORY} MB")]
    Threads(usize),
}

/// A thread's part in a search.
enum Role {
    Main {
        main: Box<MainThread>,
        results: Receiver<ThreadResult>,
        /// Dropped after the best move is reported.
        done: Sender<()>,
    },
    Helper {
        result: Sender<ThreadResult>,
    },
}

/// The result of a thread, for the vote.
#[derive(Clone, Debug)]
struct ThreadResult {
    best: RootMove,
    score: Value,
    depth: Depth,
}

struct Thread {
    jobs: Sender<(Job, Role)>,
    handle: Option<JoinHandle<()>>,
}

/// The search that was started last.
struct Running {
    control: Arc<Control>,
    done: Receiver<()>,
}

/// The search threads and what they share. All methods are called from one controlling thread.
pub struct Searcher {
    threads: Vec<Thread>,
    /// Number of threads of the next search.
    thread_count: usize,
    /// Allocated when it is needed.
    tt: Option<Arc<TranspositionTable>>,
    hash_mb: usize,
    /// Whether a search has written to the hash table.
    tt_used: bool,
    correction_history: Arc<CorrectionHistory>,
    network: Arc<Network>,
    /// Whether the threads have to clear their histories before the next search.
    clear: bool,
    running: Option<Running>,
    /// Milliseconds by which answers of this game came after the hard limit, at most.
    lateness: u64,
}

impl Searcher {
    /// One thread, a hash table of the default size, and the embedded network. Nothing large is
    /// allocated before it is needed.
    pub fn new() -> Searcher {
        Searcher {
            threads: Vec::new(),
            thread_count: 1,
            tt: None,
            hash_mb: DEFAULT_HASH,
            tt_used: false,
            correction_history: Arc::default(),
            network: nnue::embedded(),
            clear: false,
            running: None,
            lateness: 0,
        }
    }

    /// Number of search threads.
    pub fn threads(&self) -> usize {
        self.thread_count
    }

    /// Size of the hash table, in MB.
    pub fn hash_mb(&self) -> usize {
        self.hash_mb
    }

    /// Whether a search is running, pondering or waiting for `stop`.
    pub fn is_searching(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| !running.control.is_finished())
    }

    /// Whether a running search was told to answer.
    pub fn is_stopping(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| running.control.is_answer_due())
    }

    /// Changes the number of threads (1 to [`MAX_THREADS`]). Waits for a running search to end.
    ///
    /// # Errors
    /// When there is not enough memory; the number is then unchanged.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), MemoryError> {
        self.wait();
        let threads = threads.clamp(1, MAX_THREADS);
        if threads > self.thread_count && exceeds_memory(threads * THREAD_MEMORY) {
            return Err(MemoryError::Threads(threads));
        }
        self.thread_count = threads;
        self.threads.truncate(threads);
        Ok(())
    }

    /// Changes the size of the hash table, in MB, and clears it. Waits for a running search to end.
    ///
    /// # Errors
    /// When the table cannot be allocated; the old one is then kept.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), MemoryError> {
        self.wait();
        let megabytes = megabytes.max(1);
        if self.tt.is_some() && megabytes == self.hash_mb {
            return Ok(());
        }
        let table = match exceeds_memory(megabytes) {
            true => None,
            false => TranspositionTable::new(megabytes),
        };
        let Some(table) = table else {
            self.table();
            return Err(MemoryError::Hash(megabytes));
        };
        self.tt = Some(Arc::new(table));
        self.tt_used = false;
        self.hash_mb = megabytes;
        Ok(())
    }

    /// Changes the network; clears the hash table and histories if it is another one. Waits for a
    /// running search to end.
    pub fn set_network(&mut self, network: &Arc<Network>) {
        if !Arc::ptr_eq(&self.network, network) {
            self.clear();
            self.network = Arc::clone(network);
        }
    }

    /// Clears the hash table and all histories (`usinewgame`).
    pub fn clear(&mut self) {
        self.wait();
        self.clear = true;
        self.lateness = 0;
        self.correction_history.clear();
        if mem::take(&mut self.tt_used) {
            // A fresh table costs less than clearing the old one, which is freed first to keep
            // memory use down.
            self.tt = None;
            self.table();
        }
    }

    /// The hash table, allocated if there is none. Its size is halved until the allocation succeeds, as
    /// other programs may have taken the memory.
    fn table(&mut self) -> Arc<TranspositionTable> {
        let table = self.tt.take().unwrap_or_else(|| {
            let sizes = iter::successors(Some(self.hash_mb), |&size| Some(size / 2));
            let table = sizes.take_while(|&size| size > 0).find_map(|size| {
                self.hash_mb = size;
                TranspositionTable::new(size)
            });
            Arc::new(table.unwrap_or_else(TranspositionTable::placeholder))
        });
        Arc::clone(self.tt.insert(table))
    }

    /// Allocates and spawns whatever a search needs, so that `go` starts at once (`isready`).
    /// Waits for a running search to end.
    pub fn prepare(&mut self) {
        self.wait();
        self.table();
        let (ready, is_ready) = channel();
        for id in self.threads.len()..self.thread_count {
            let (jobs, received) = channel();
            let ready = ready.clone();
            let spawned = thread::Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || run_thread(id, &received, ready));
            let Ok(handle) = spawned else { break };
            let handle = Some(handle);
            self.threads.push(Thread { jobs, handle });
        }
        drop(ready);
        // The channel closes when every thread has dropped its end.
        let _ = is_ready.recv();
    }

    /// Starts a search and returns at once. A running search is stopped and answered first.
    pub fn go(
        &mut self,
        position: &Position,
        limits: Limits,
        options: &SearchOptions,
        mut report: Box<dyn Report>,
    ) {
        let start = Instant::now();
        self.stop();
        self.prepare();
        let tt = self.table();
        tt.next_generation();
        self.tt_used = true;
        let root_moves = root_moves(position, &limits.searchmoves, options);
        if self.threads.is_empty() {
            // Not a single thread could be spawned.
            return report.best_move(match root_moves.first() {
                Some(root_move) => BestMove::play(root_move.mv),
                None => BestMove::Resign,
            });
        }
        let mut options = options.clone();
        options.network_delay2 += self.lateness + self.wait_for_cores();
        let control = Arc::new(Control::new(self.threads.len(), limits.ponder));
        let job = Job {
            tt,
            correction_history: Arc::clone(&self.correction_history),
            network: Arc::clone(&self.network),
            control: Arc::clone(&control),
            position: position.clone(),
            root_moves,
            depth: limits.max_depth(),
            options: options.clone(),
            clear: mem::take(&mut self.clear),
        };
        let (done, is_done) = channel();
        let (result, results) = channel();
        let main = MainThread::new(position, &limits, &options, start, report);
        let main = Role::Main {
            main: Box::new(main),
            results,
            done,
        };
        let helpers = iter::repeat_with(|| Role::Helper {
            result: result.clone(),
        });
        for (thread, role) in self.threads.iter().zip(iter::once(main).chain(helpers)) {
            // A thread lives until its channel closes, so this cannot fail.
            let _ = thread.jobs.send((job.clone(), role));
        }
        self.running = Some(Running {
            control,
            done: is_done,
        });
    }

    /// Milliseconds that the main thread may have to wait for a core when the search ends.
    fn wait_for_cores(&self) -> u64 {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
        self.threads.len().saturating_sub(cores) as u64 * WAIT_PER_THREAD
    }

    /// Makes a running search answer at once; does not wait for the answer.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// Turns a ponder search into a normal one, with this clock or that of its `go`. Does nothing to
    /// other searches.
    pub fn ponderhit(&self, clock: Option<Clock>) {
        if let Some(running) = &self.running {
            running.control.ponderhit(clock);
        }
    }

    /// Waits until the running search has answered, but not beyond a deadline.
    pub fn wait_until(&self, deadline: Instant) {
        if let Some(running) = &self.running {
            let wait = deadline.saturating_duration_since(Instant::now());
            let _ = running.done.recv_timeout(wait);
        }
    }

    /// Waits until the running search has answered.
    pub fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            // Nothing is ever sent: the channel closes when the search is over.
            let _ = running.done.recv();
            self.lateness = self.lateness.max(running.control.lateness());
        }
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
        self.jobs = channel().0;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// The root moves of a search, captures of valuable pieces first.
pub(super) fn root_moves(
    position: &Position,
    searchmoves: &[Move],
    options: &SearchOptions,
) -> Vec<RootMove> {
    let is_legal = |mv: &&Move| position.is_legal(**mv);
    let mut moves: Vec<Move> = searchmoves.iter().filter(is_legal).copied().collect();
    if moves.is_empty() && options.generate_all_legal_moves {
        position.generate_legal::<true>(&mut moves);
    } else if moves.is_empty() {
        position.generate_legal::<false>(&mut moves);
    }
    moves.sort_by_key(|mv| -see_value(position.piece_on(mv.to())));
    moves.into_iter().map(RootMove::new).collect()
}

/// A search thread: executes jobs until its channel closes.
fn run_thread(id: usize, jobs: &Receiver<(Job, Role)>, ready: Sender<()>) {
    let mut worker = Worker::new(id);
    drop(ready);
    for (job, role) in jobs {
        worker.begin(job);
        match role {
            Role::Main {
                main,
                results,
                done,
            } => {
                worker.run_main(*main, &results);
                drop(done);
            }
            Role::Helper { result } => worker.run_helper(&result),
        }
    }
}

impl Worker {
    /// Runs a helper's part of a search.
    fn run_helper(&mut self, result: &Sender<ThreadResult>) {
        if !self.root_moves.is_empty() {
            self.iterate();
            // The main thread may not have waited.
            let _ = result.send(self.result());
        }
        self.release();
    }

    /// Runs the main thread's part of a search and reports the best move.
    fn run_main(&mut self, main: MainThread, results: &Receiver<ThreadResult>) {
        let (infinite, searchmoves) = (main.infinite, main.searchmoves);
        self.main = Some(main);
        let decided = self.decide_by_rule(searchmoves);
        if decided.is_none() {
            self.iterate();
            if infinite || self.control.is_pondering() {
                self.report_unreported();
            }
        }
        self.control.halt();
        self.control.wait_until_answer_due(infinite);
        let best_move = decided.unwrap_or_else(|| {
            let others: Vec<ThreadResult> = results.iter().collect();
            self.choose_best_move(&others)
        });
        self.release();
        // Before the report: a client that has read the best move finds the searcher idle.
        let lateness = self.main.as_ref().map_or(0, |main| main.time.lateness());
        self.control.finish(lateness);
        if let Some(mut main) = self.main.take() {
            main.report.best_move(best_move);
        }
    }

    fn result(&self) -> ThreadResult {
        ThreadResult {
            best: self.root_moves[0].clone(),
            score: self.best_score(),
            depth: self.completed_depth,
        }
    }

    /// Drops the shared hash table, so that it can be replaced.
    fn release(&mut self) {
        self.tt = Arc::new(TranspositionTable::placeholder());
    }

    /// The best move if the game is decided without a search: by declaration, the try rule or mate. A
    /// declaration is none of the moves of `searchmoves`.
    fn decide_by_rule(&mut self, searchmoves: bool) -> Option<BestMove> {
        let rule = self.options.entering_king_rule;
        let declaration = self.position.declaration_win(rule);
        let (best_move, score, pv) = match declaration.filter(|_| !searchmoves) {
            Some(Declaration::Win) => (BestMove::Win, value::mate_in(1), Vec::new()),
            _ if self.root_moves.is_empty() => (BestMove::Resign, value::mated_in(1), Vec::new()),
            Some(Declaration::Try(mv)) => (BestMove::play(mv), value::mate_in(1), vec![mv]),
            None => return None,
        };
        if let Some(main) = &mut self.main {
            main.report.info(&Info {
                depth: 1,
                seldepth: 1,
                multi_pv: 1,
                lines: 1,
                score,
                bound: ScoreBound::Exact,
                progress: Progress {
                    nodes: 0,
                    time_ms: main.time.elapsed_ms(),
                    hashfull: 0,
                },
                pv,
            });
        }
        Some(best_move)
    }

    /// Reports the PVs of an infinite or ponder search that ends before `stop` or `ponderhit`, unless
    /// already reported.
    fn report_unreported(&mut self) {
        if self.completed_depth > 0 && self.reported_nodes != Some(self.nodes) {
            self.report_lines();
        }
    }

    /// Lets the threads vote, reports the final PV, and returns the best move.
    fn choose_best_move(&mut self, others: &[ThreadResult]) -> BestMove {
        let mut is_reported = self.reported_nodes == Some(self.nodes);
        if self.options.multi_pv == 1 && !others.is_empty() {
            let own = self.result();
            let chosen = vote(&own, others);
            self.root_moves[0] = RootMove {
                score: chosen.score,
                // What proves a win needs no depth, and a depth never falls.
                depth: chosen.best.depth.max(own.best.depth),
                ..chosen.best.clone()
            };
            is_reported = false;
        }
        let best = &self.root_moves[0];
        let (mv, reply) = (best.mv, best.pv.get(1).copied());
        let ponder = self.ponder_move(mv, reply);
        if let (None, Some(ponder)) = (reply, ponder) {
            self.root_moves[0].pv.push(ponder);
            is_reported = false;
        }
        if !is_reported {
            self.report_lines();
        }
        // Not before the first iteration is completed: most moves have not been searched.
        if self.completed_depth > 0 && self.best_score() <= -self.options.resign_value {
            return BestMove::Resign;
        }
        BestMove::Play { mv, ponder }
    }

    /// The expected reply to a move: from the PV, else from the hash table.
    fn ponder_move(&self, mv: Move, pv_reply: Option<Move>) -> Option<Move> {
        let mut position = self.position.clone();
        position.do_move(mv);
        let (key, side) = (position.key(), position.side_to_move());
        pv_reply
            .or_else(|| self.tt.probe(key, side, 1).map(|entry| entry.mv))
            .filter(|&reply| position.is_legal(reply))
    }
}

/// The result whose move has the most votes, weighted by depth and score. A proven win overrules the
/// votes; of several, the shortest is chosen. Other results are not taken from an earlier iteration than
/// the main thread's own.
fn vote<'a>(own: &'a ThreadResult, others: &'a [ThreadResult]) -> &'a ThreadResult {
    let all = || iter::once(own).chain(others);
    let lowest = all().map(|result| result.score).min().unwrap_or(0);
    let weight = |result: &ThreadResult| {
        i64::from(result.score - lowest + 14) * i64::from(result.depth.max(1))
    };
    let votes = |mv: Move| -> i64 {
        let agreeing = all().filter(|result| result.best.mv == mv);
        agreeing.map(weight).sum()
    };
    let mut chosen = own;
    for result in others {
        let better = if value::is_win(chosen.score) || value::is_win(result.score) {
            result.score > chosen.score
        } else {
            votes(result.best.mv) > votes(chosen.best.mv)
                || result.best.mv == chosen.best.mv && weight(result) > weight(chosen)
        };
        let is_late = value::is_win(result.score) || result.best.depth >= own.best.depth;
        if better && is_late && result.depth > 0 {
            chosen = result;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(mv: &str, score: Value, depth: Depth) -> ThreadResult {
        let best = RootMove::new(Move::from_usi(mv).unwrap());
        ThreadResult { best, score, depth }
    }

    fn winner(results: &[ThreadResult]) -> String {
        vote(&results[0], &results[1..]).best.mv.to_string()
    }

    #[test]
    fn the_majority_wins() {
        let results = [
            result("7g7f", 50, 10),
            result("2g2f", 48, 10),
            result("2g2f", 47, 10),
        ];
        assert_eq!(winner(&results), "2g2f");
    }

    #[test]
    fn the_shortest_mate_wins() {
        let results = [
            result("7g7f", 50, 12),
            result("2g2f", value::mate_in(7), 10),
            result("1g1f", value::mate_in(5), 9),
        ];
        assert_eq!(winner(&results), "1g1f");
    }

    #[test]
    fn a_thread_without_a_finished_iteration_has_no_vote() {
        let results = [result("7g7f", 5, 3), result("2g2f", 900, 0)];
        assert_eq!(winner(&results), "7g7f");
    }
}
