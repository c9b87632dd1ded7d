//! The engine: what each command does, and to what.

use super::command::{Command, Parsed, is_end, parse};
use super::error::UsiError;
use super::evaluation::Evaluation;
use super::options::{self, Settings};
use super::output::Output;
use super::report::{Answered, UsiReport, checkmate_line};
use super::task::Task;
#[cfg(feature = "tune")]
use super::tunables;
use super::typed;
use crate::mate::{MateLimits, MateOutcome};
use crate::position::Position;
use crate::search::{Clock, Limits, Searcher};
use crate::types::{Depth, Move};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Milliseconds for a `go` that says nothing about when to end.
const DEFAULT_TIME: u64 = 1000;
/// How often to look whether a task that is waited for has ended.
const PATIENCE: Duration = Duration::from_millis(5);
/// GUIs give up on an engine that is silent for much longer than this after `isready`.
const HEARTBEAT: Duration = Duration::from_secs(4);

/// Which way the running search ends.
#[derive(Clone, Copy, Default)]
struct Running {
    /// By `stop` only.
    infinite: bool,
    /// Not before `ponderhit` or `stop`.
    ponder: bool,
    /// Nothing was said about its end, so far.
    unlimited: bool,
    /// When the clock of a game says so.
    clocked: bool,
}

/// The state of a USI session. Driven from one thread.
pub struct Engine {
    output: Output,
    settings: Settings,
    position: Position,
    searcher: Searcher,
    evaluation: Evaluation,
    /// Hash table of the searcher in megabytes, unless it has never been set.
    hash: Option<usize>,
    /// Threads of the searcher.
    threads: usize,
    running: Running,
    answered: Answered,
    task: Option<Task>,
    /// Lines read but not yet carried out that end what is running.
    ends_ahead: Arc<AtomicUsize>,
    /// Whether anything was wrong with a line so far.
    has_complained: bool,
}

impl Engine {
    /// An engine at the start position. Nothing large is allocated before it is needed.
    pub fn new(output: Output) -> Engine {
        Engine {
            output,
            settings: Settings::default(),
            position: Position::startpos(),
            searcher: Searcher::new(),
            evaluation: Evaluation::default(),
            hash: None,
            threads: 1,
            running: Running::default(),
            answered: Answered::new(true),
            task: None,
            ends_ahead: Arc::default(),
            has_complained: false,
        }
    }

    /// Where the engine prints.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// For whoever reads lines ahead: how many of those that [`Engine::execute_line`] has not seen
    /// yet end what is running ([`super::command::is_end`]). A line that has to wait looks at it.
    pub fn ends_ahead(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.ends_ahead)
    }

    /// Carries out one line of input. Breaks when it says `quit`.
    pub fn execute_line(&mut self, line: &[u8]) -> ControlFlow<()> {
        if is_end(line) {
            // One of those given as arguments was not read ahead.
            let (order, one_less) = (Ordering::Relaxed, |ends: usize| ends.checked_sub(1));
            let _ = self.ends_ahead.fetch_update(order, order, one_less);
        }
        let Parsed { command, complaint } = parse(line);
        if let Some(complaint) = complaint {
            self.complain(&complaint);
        }
        match command {
            Some(Command::Quit) => {
                self.await_patient_task();
                return ControlFlow::Break(());
            }
            Some(command) => {
                if let Err(error) = self.execute(command) {
                    self.complain(&error);
                }
            }
            None => {}
        }
        ControlFlow::Continue(())
    }

    /// Tells what was wrong.
    pub fn complain(&mut self, error: &UsiError) {
        self.has_complained = true;
        self.output.info_string(&error.to_string());
    }

    /// Whether anything was wrong with a line so far.
    pub fn has_complained(&self) -> bool {
        self.has_complained
    }

    /// Answers everything asked for after the end of input. The clock of a game means nothing when
    /// the GUI is gone; what a script asks for, by depth, nodes or time, is done to the end.
    pub fn hang_up(&mut self) {
        if self.running.clocked {
            self.searcher.stop();
        }
        self.drain();
    }

    /// Waits until everything asked for has been answered. What would never end is stopped.
    pub fn drain(&mut self) {
        if self.running.infinite || self.running.ponder {
            self.searcher.stop();
        }
        self.searcher.wait();
        if let Some(task) = self.task.take() {
            if task.is_endless() {
                task.stop();
            }
            task.wait();
        }
    }

    fn execute(&mut self, command: Command) -> Result<(), UsiError> {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::NewGame => self.new_game(),
            Command::SetOption { name, value } => self.settings.set(&name, value.as_deref())?,
            Command::Position { sfen, moves } => self.set_position(sfen.as_deref(), &moves)?,
            Command::Go {
                limits,
                random_time,
            } => self.go(limits, random_time),
            Command::GoMate { time, nodes } => self.go_mate(time, nodes),
            Command::Stop | Command::GameOver => self.stop(),
            Command::PonderHit(clock) => self.ponderhit(clock),
            Command::Help => self.output.line(typed::HELP),
            Command::Display => self.display(),
            Command::Moves => self.output.line(&typed::legal_moves(&self.position)),
            Command::Side => self.output.line(&self.position.side_to_move().to_string()),
            Command::Eval => self.eval(),
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench {
                depth,
                threads,
                hash,
            } => self.bench(depth, threads, hash)?,
            Command::GetOption(name) => self.show_options(name.as_deref())?,
            #[cfg(feature = "tune")]
            Command::Tune => self.output.line(&tunables::spsa_lines()),
            #[cfg(feature = "tune")]
            Command::Tunables => self.output.line(&tunables::manifest()),
            Command::Quit => {}
        }
        Ok(())
    }

    fn introduce(&self) {
        self.output
            .line(concat!("id name Komaoto ", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Komaoto authors");
        for line in options::declarations() {
            self.output.line(&line);
        }
        self.output.line("usiok");
    }

    fn get_ready(&mut self) {
        self.finish();
        let output = self.output.clone();
        with_heartbeat(&output, || {
            self.choose_evaluation();
            // A game is about to begin, and its clock should not pay for a fresh hash table.
            self.searcher.clear();
            self.prepare();
        });
        output.line("readyok");
    }

    /// Reads the network that the options ask for, and tells what evaluates: a log shows it for
    /// each game.
    fn choose_evaluation(&mut self) {
        let update = self.evaluation.update(&self.settings);
        if let Some(complaint) = &update.complaint {
            self.output.info_string(complaint);
        }
        self.output.info_string(&update.description);
        if let Some(network) = update.network {
            self.searcher.set_network(network);
        }
    }

    fn new_game(&mut self) {
        self.finish();
        self.searcher.clear();
    }

    fn set_position(&mut self, sfen: Option<&str>, moves: &[Move]) -> Result<(), UsiError> {
        let mut position = match sfen {
            Some(sfen) => Position::from_sfen(sfen)?,
            None => Position::startpos(),
        };
        for (&mv, number) in moves.iter().zip(1..) {
            if !position.is_legal(mv) {
                return Err(UsiError::IllegalMove {
                    number,
                    mv,
                    ply: position.game_ply(),
                });
            }
            position.do_move(mv);
        }
        self.position = position;
        Ok(())
    }

    fn go(&mut self, mut limits: Limits, random_time: Option<u64>) {
        self.finish();
        self.prepare();
        self.keep_legal(&mut limits.searchmoves);
        if let Some(time) = random_time {
            limits.movetime = Some(draw_time(time, self.position.game_ply()));
        }
        self.lower_limits(&mut limits);
        let unlimited = limits.clock.is_none()
            && limits.movetime.is_none()
            && limits.depth.is_none()
            && limits.nodes.is_none();
        if unlimited && !limits.infinite && !limits.ponder {
            limits.movetime = Some(DEFAULT_TIME);
        }
        self.running = Running {
            infinite: limits.infinite,
            ponder: limits.ponder,
            unlimited,
            clocked: limits.clock.is_some(),
        };
        self.answered = Answered::new(false);
        let pawn = self.evaluation.pawn();
        let report = UsiReport::new(self.output.clone(), self.answered.clone(), pawn);
        let options = self.settings.search.in_unit(pawn);
        self.searcher
            .go(&self.position, limits, &options, Box::new(report));
    }

    /// Drops what cannot be played, and what is named twice.
    fn keep_legal(&mut self, moves: &mut Vec<Move>) {
        let mut kept: Vec<Move> = Vec::new();
        let mut illegal: Vec<Move> = Vec::new();
        for &mv in moves.iter() {
            if !self.position.is_legal(mv) {
                illegal.push(mv);
            } else if !kept.contains(&mv) {
                kept.push(mv);
            }
        }
        match illegal[..] {
            [] => {}
            [mv] => self.complain(&UsiError::IllegalSearchMove(mv)),
            [first, ref others @ ..] => self.complain(&UsiError::IllegalSearchMoves {
                first,
                others: others.len(),
            }),
        }
        *moves = kept;
    }

    /// Applies the options `DepthLimit` and `NodesLimit`.
    fn lower_limits(&self, limits: &mut Limits) {
        let depth = self.settings.depth_limit as Depth;
        if depth > 0 {
            limits.depth = Some(limits.depth.map_or(depth, |given| given.min(depth)));
        }
        let nodes = self.settings.nodes_limit;
        if nodes > 0 {
            limits.nodes = Some(limits.nodes.map_or(nodes, |given| given.min(nodes)));
        }
    }

    fn go_mate(&mut self, time: Option<u64>, nodes: Option<u64>) {
        self.finish();
        let limits = MateLimits {
            nodes,
            time: time.map(Duration::from_millis),
            memory_mb: self.settings.hash,
        };
        self.answered = Answered::new(false);
        let task = Task::mate(
            self.position.clone(),
            limits,
            self.output.clone(),
            self.answered.clone(),
        );
        if !self.begin(task) {
            self.answered.set();
            let answer = checkmate_line(&MateOutcome::Timeout);
            self.output.line(&answer);
        }
    }

    fn stop(&self) {
        self.searcher.stop();
        if let Some(task) = &self.task {
            task.stop();
        }
    }

    fn ponderhit(&mut self, clock: Option<Clock>) {
        let default = Clock {
            byoyomi: DEFAULT_TIME as i64,
            ..Clock::default()
        };
        let clock = clock.or(self.running.unlimited.then_some(default));
        self.running.ponder = false;
        self.running.clocked |= clock.is_some();
        self.searcher.ponderhit(clock);
    }

    fn display(&self) {
        let rule = self.settings.search.entering_king_rule;
        self.output.line(&typed::describe(&self.position, rule));
    }

    fn eval(&mut self) {
        let text = self.searcher.explain_eval(&self.position);
        self.output.line(text.trim_end());
    }

    fn perft(&mut self, depth: u32) -> Result<(), UsiError> {
        self.require_idle("perft")?;
        let task = Task::perft(self.position.clone(), depth, self.output.clone());
        self.begin(task);
        Ok(())
    }

    fn bench(
        &mut self,
        depth: Option<Depth>,
        threads: Option<usize>,
        hash: Option<usize>,
    ) -> Result<(), UsiError> {
        self.require_idle("bench")?;
        self.begin(Task::bench(depth, threads, hash, self.output.clone()));
        Ok(())
    }

    fn show_options(&self, name: Option<&str>) -> Result<(), UsiError> {
        for line in self.settings.describe(name)? {
            self.output.line(&line);
        }
        Ok(())
    }

    /// Takes charge of a task. False when there was no thread to be had for it.
    fn begin(&mut self, task: io::Result<Task>) -> bool {
        match task {
            Ok(task) => {
                self.task = Some(task);
                true
            }
            Err(error) => {
                self.output.info_string(&format!("no thread: {error}"));
                false
            }
        }
    }

    /// Refuses a typed command during a search; waits for the one typed before.
    fn require_idle(&mut self, command: &'static str) -> Result<(), UsiError> {
        if !self.answered.get() {
            return Err(UsiError::Busy(command));
        }
        self.await_patient_task();
        self.finish();
        Ok(())
    }

    /// Waits for perft or bench, if that is what is running; a line further on in the input may
    /// end it.
    fn await_patient_task(&mut self) {
        if let Some(task) = self.task.take_if(|task| task.is_patient()) {
            while !task.has_ended() {
                if self.ends_ahead.load(Ordering::Relaxed) > 0 {
                    task.stop();
                }
                thread::sleep(PATIENCE);
            }
            task.wait();
        }
    }

    /// Ends whatever is running, its answer printed.
    fn finish(&mut self) {
        self.stop();
        self.searcher.wait();
        if let Some(task) = self.task.take() {
            task.wait();
        }
    }

    /// Puts options into force that a running search could not have borne.
    fn prepare(&mut self) {
        if self.threads != self.settings.threads {
            if let Err(error) = self.searcher.set_threads(self.settings.threads) {
                self.output.info_string(&format!("Threads: {error}"));
                self.settings.threads = error.kept;
            }
            self.threads = self.settings.threads;
        }
        if self.hash != Some(self.settings.hash) {
            if let Err(error) = self.searcher.set_hash(self.settings.hash) {
                self.output.info_string(&format!("USI_Hash: {error}"));
                self.settings.hash = error.kept;
            }
            self.hash = Some(self.settings.hash);
        }
        if std::mem::take(&mut self.settings.clear_hash) {
            self.searcher.clear();
        }
        self.searcher.prepare();
    }
}

/// Does some work, with an empty line every few seconds to show that the engine is alive.
fn with_heartbeat(output: &Output, work: impl FnOnce()) {
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let beat = move || {
            while is_done.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                output.line("");
            }
        };
        // Without a thread for it there is no heartbeat, which only a slow start would need.
        let _ = thread::Builder::new().spawn_scoped(scope, beat);
        work();
        drop(done);
    });
}

/// A time to think drawn by chance for `go rtime`: the given one and up to half as much again,
/// less late in a game.
fn draw_time(time: u64, ply: u32) -> u64 {
    let late = time.saturating_mul(10) / u64::from(ply.max(1));
    let extra = late.min(time / 2);
    time + RandomState::new().build_hasher().finish() % (extra + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_times_stay_in_their_range() {
        for _ in 0..100 {
            assert!((1000..=1500).contains(&draw_time(1000, 1)));
            assert!((1000..=1100).contains(&draw_time(1000, 100)));
            assert_eq!(draw_time(1, 1), 1);
        }
    }
}
