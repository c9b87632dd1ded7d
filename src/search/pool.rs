//! The search threads, and the choice between their results.
//!
//! Lazy SMP: every thread runs the same search of the same root on its own; they help each other
//! only through the transposition table. <https://www.chessprogramming.org/Lazy_SMP>
#![forbid(unsafe_code)]

use super::control::Control;
use super::limits::{Clock, Limits, SearchOptions};
use super::report::{Answer, Report};
use super::root::RootMove;
use super::time::TimeManager;
use super::tt::TranspositionTable;
use super::worker::{Job, MainDuties, Worker};
use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::position::{Declaration, Position, see_value};
use crate::types::{Depth, MAX_PLY, Move, Value, value};
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
#[error("no memory for a hash table of {wanted} MB, keeping {kept} MB")]
pub struct HashError {
    /// Megabytes asked for.
    pub wanted: usize,
    /// Megabytes of the table still in use.
    pub kept: usize,
}

/// What a thread found, for the vote.
#[derive(Clone, Debug)]
struct Finding {
    best: RootMove,
    score: Value,
    depth: Depth,
}

/// Work for one thread: a search, and for the first thread what it does besides.
struct Assignment {
    job: Job,
    main: Option<MainWork>,
    /// Where helpers send what they found.
    findings: Sender<Finding>,
}

struct MainWork {
    duties: MainDuties,
    helpers: usize,
    findings: Receiver<Finding>,
    infinite: bool,
    declaration: Option<Declaration>,
    /// Dropped when the answer is out.
    done: Sender<()>,
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
    hash_megabytes: usize,
    network: Option<Arc<Network>>,
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
            hash_megabytes: DEFAULT_HASH,
            network: None,
            clear: false,
            running: None,
        }
    }

    /// Changes the number of threads (1..=[`MAX_THREADS`]). Waits for a running search, which
    /// should have been stopped.
    pub fn set_threads(&mut self, threads: usize) {
        self.wait();
        self.wanted_threads = threads.clamp(1, MAX_THREADS);
        self.threads.truncate(self.wanted_threads);
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
        if super::zeroed::exceeds_memory(megabytes) {
            return Err(error);
        }
        let table = TranspositionTable::new(megabytes).ok_or(error)?;
        self.tt = Some(Arc::new(table));
        self.hash_megabytes = megabytes;
        Ok(())
    }

    /// Changes what evaluates: a network, or the hand-written evaluation. What was learnt with
    /// another one is forgotten. Waits for a running search, which should have been stopped.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.clear();
        self.network = network;
    }

    /// Forgets everything learnt from earlier searches (`usinewgame`).
    pub fn clear(&mut self) {
        self.wait();
        self.clear = true;
        // A fresh table costs nothing until it is used; wiping the old one would.
        self.tt = None;
    }

    /// The table, made now if there is none.
    fn table(&mut self) -> Arc<TranspositionTable> {
        let table = self.tt.take().unwrap_or_else(|| {
            let mut megabytes = self.hash_megabytes;
            loop {
                match TranspositionTable::new(megabytes) {
                    Some(table) => break Arc::new(table),
                    // The memory was there before and is gone: less is better than none.
                    None => megabytes /= 2,
                }
            }
        });
        Arc::clone(self.tt.insert(table))
    }

    /// Makes everything ready that a search needs, so that `go` starts at once (`isready`).
    pub fn prepare(&mut self) {
        self.wait();
        self.table();
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
        self.wait();
        let tt = self.table();
        tt.next_generation();
        let threads = self.wanted_threads;
        let control = Arc::new(Control::new(threads, limits.ponder));
        let (findings, received) = channel();
        let (done, is_done) = channel();
        let side = position.side_to_move();
        let mut main = Some(MainWork {
            duties: MainDuties {
                time: TimeManager::new(&limits, side, position.ply(), options, start),
                nodes: limits.nodes,
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
                control: Arc::clone(&control),
                position: position.clone(),
                root_moves: root_moves.clone(),
                depth: limits
                    .depth
                    .unwrap_or(Depth::MAX)
                    .clamp(1, MAX_PLY as Depth - 1),
                options: options.clone(),
                network: self.network.clone(),
                clear: self.clear,
            };
            let assignment = Assignment {
                job,
                main: main.take(),
                findings: findings.clone(),
            };
            self.assign(id, assignment);
        }
        self.clear = false;
        self.running = Some(Running {
            control,
            done: is_done,
        });
    }

    /// Gives a thread its work; starts the thread if need be.
    fn assign(&mut self, id: usize, assignment: Assignment) {
        if self.threads.len() <= id {
            let (work, assignments) = channel();
            let handle = thread::Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || run_thread(id, &assignments))
                .ok();
            self.threads.push(Thread { work, handle });
        }
        // A thread that could not be started leaves its channel closed; a helper is not missed.
        let _ = self.threads[id].work.send(assignment);
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
        let mut evaluator = Evaluator::with_network(self.network.clone());
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
fn root_moves(position: &Position, searchmoves: &[Move], options: &SearchOptions) -> Vec<RootMove> {
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
fn run_thread(id: usize, assignments: &Receiver<Assignment>) {
    let mut worker: Option<Worker> = None;
    while let Ok(Assignment {
        job,
        main,
        findings,
    }) = assignments.recv()
    {
        let worker = match &mut worker {
            Some(worker) => {
                worker.begin(job);
                worker
            }
            None => worker.insert(Worker::new(id, job)),
        };
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

impl Worker {
    fn finding(&self) -> Finding {
        Finding {
            best: self.root_moves[0].clone(),
            score: self.best_score(),
            depth: self.completed_depth,
        }
    }

    /// Lets go of what the threads share, so that a new table need not wait for this thread.
    fn release(&mut self) {
        self.tt = Arc::new(TranspositionTable::placeholder());
    }

    /// The first thread's search: from the rules at the root to the answer.
    fn run_main(&mut self, work: MainWork) {
        let MainWork {
            duties,
            helpers,
            findings,
            infinite,
            declaration,
            done,
        } = work;
        self.main = Some(duties);
        let answer = match declaration {
            Some(Declaration::Win) => self.answer_without_search(Answer::Win, value::mate_in(1)),
            _ if self.root_moves.is_empty() => {
                self.answer_without_search(Answer::Resign, value::mated_in(1))
            }
            Some(Declaration::Try(mv)) => {
                let play = Answer::Play { mv, ponder: None };
                self.answer_without_search(play, value::mate_in(1))
            }
            None => {
                self.iterate();
                None
            }
        };
        // Nothing may be answered while the opponent thinks or in an infinite search.
        self.control.wait_for_release(infinite);
        self.control.stop();
        let answer = answer.unwrap_or_else(|| {
            let others: Vec<Finding> = findings.iter().take(helpers).collect();
            self.conclude(&others)
        });
        let control = Arc::clone(&self.control);
        let main = self.main.take();
        self.release();
        if let Some(mut main) = main {
            main.report.answer(answer);
        }
        control.finish();
        drop(done);
    }

    /// Reports a root at which there is nothing to search.
    fn answer_without_search(&mut self, answer: Answer, score: Value) -> Option<Answer> {
        let pv = match answer {
            Answer::Play { mv, .. } => vec![mv],
            _ => Vec::new(),
        };
        let info = super::report::Info {
            depth: 1,
            seldepth: 1,
            multi_pv: 1,
            lines: 1,
            score,
            bound: super::report::ScoreBound::Exact,
            nodes: 0,
            time_ms: self.main.as_ref().map_or(0, |main| main.time.elapsed_ms()),
            hashfull: 0,
            pv,
        };
        if let Some(main) = &mut self.main {
            main.report.info(&info);
        }
        Some(answer)
    }

    /// Chooses between the threads, reports the last line, and makes the answer of it.
    fn conclude(&mut self, others: &[Finding]) -> Answer {
        let mut depth = self.completed_depth.max(1);
        if self.options.multi_pv == 1 {
            let own = self.finding();
            let chosen = vote(&own, others);
            depth = chosen.depth.max(1);
            let (best, score) = (chosen.best.clone(), chosen.score);
            self.root_moves[0] = RootMove { score, ..best };
        }
        // What the last iteration reported may still be the last word.
        if self.reported_nodes != Some(self.nodes) || !others.is_empty() {
            let lines = self.options.multi_pv.clamp(1, self.root_moves.len());
            self.report_lines(depth, lines);
        }
        let best = &self.root_moves[0];
        let score = self.best_score();
        if score > -value::INFINITE && score <= -self.options.resign_value {
            return Answer::Resign;
        }
        let mv = best.mv;
        Answer::Play {
            mv,
            ponder: self.ponder_move(mv, best.pv.get(1).copied()),
        }
    }

    /// The reply expected to the move chosen: from its line, else from the hash table.
    fn ponder_move(&self, mv: Move, from_line: Option<Move>) -> Option<Move> {
        let mut position = self.position.clone();
        position.do_move(mv);
        let (key, side) = (position.key(), position.side_to_move());
        from_line
            .or_else(|| self.tt.probe(key, side, 1).map(|entry| entry.mv))
            .filter(|&reply| position.is_legal(reply))
    }
}

/// The finding that most threads, the deeper and the better ones counting more, agree on. A proven
/// win is taken at once, the shortest of several.
fn vote<'a>(own: &'a Finding, others: &'a [Finding]) -> &'a Finding {
    let all = || std::iter::once(own).chain(others);
    let lowest = all().map(|finding| finding.score).min().unwrap_or(0);
    let weight = |finding: &Finding| {
        i64::from(finding.score - lowest + 14) * i64::from(finding.depth.max(1))
    };
    let votes = |mv: Move| -> i64 {
        all()
            .filter(|finding| finding.best.mv == mv)
            .map(weight)
            .sum()
    };
    let mut chosen = own;
    for finding in others {
        let better = if value::is_win(chosen.score) || value::is_win(finding.score) {
            finding.score > chosen.score
        } else {
            votes(finding.best.mv) > votes(chosen.best.mv)
                || finding.best.mv == chosen.best.mv && weight(finding) > weight(chosen)
        };
        if better && finding.depth > 0 {
            chosen = finding;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(mv: &str, score: Value, depth: Depth) -> Finding {
        let best = RootMove::new(Move::from_usi(mv).unwrap());
        Finding { best, score, depth }
    }

    fn winner(findings: &[Finding]) -> String {
        vote(&findings[0], &findings[1..]).best.mv.to_string()
    }

    #[test]
    fn the_majority_wins() {
        let findings = [
            finding("7g7f", 50, 10),
            finding("2g2f", 48, 10),
            finding("2g2f", 47, 10),
        ];
        assert_eq!(winner(&findings), "2g2f");
    }

    #[test]
    fn the_shortest_mate_wins() {
        let mate = |ply| value::mate_in(ply);
        let findings = [
            finding("7g7f", 50, 12),
            finding("2g2f", mate(7), 10),
            finding("1g1f", mate(5), 9),
        ];
        assert_eq!(winner(&findings), "1g1f");
    }

    #[test]
    fn a_thread_that_finished_nothing_has_no_say() {
        let findings = [finding("7g7f", 5, 3), finding("2g2f", 900, 0)];
        assert_eq!(winner(&findings), "7g7f");
    }
}
