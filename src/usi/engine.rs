//! The engine: the state of a USI session, and the execution of commands.

use super::command::{Command, parse, stops_everything};
use super::debug;
use super::error::{PositionError, UsiError, truncate};
use super::network::NetworkLoader;
use super::options::{self, Settings};
use super::output::Output;
use super::report::{UsiReport, bestmove_line, checkmate_line};
use super::task::Task;
#[cfg(feature = "tune")]
use super::tunables;
use crate::cli::cores;
use crate::mate::{MateLimits, MateOutcome};
use crate::position::{Position, SfenError};
use crate::search::{self, BestMove, Clock, Limits, Searcher};
use crate::types::{Depth, Move};
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Milliseconds for a `go` without limits.
const DEFAULT_TIME: u64 = 1000;
/// How often to check whether a blocking task has finished.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long `quit` waits for answers that are owed.
const QUIT_TIMEOUT: Duration = Duration::from_millis(90);
/// A `quit` that follows a perft or bench within this time comes from a script.
const SCRIPT_INTERVAL: Duration = Duration::from_millis(300);
/// Interval of empty lines while `isready` is executed, as GUIs give up on a silent engine.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(4);

/// The state of a USI session. Driven from one thread.
pub struct Engine {
    output: Output,
    /// Options as set. `Threads`, `USI_Hash` and `Clear_Hash` are applied by the next `isready` or
    /// `go`, the network by the next `isready`.
    settings: Settings,
    /// The position of the next `go`; `None` after a rejected `position`.
    position: Option<Position>,
    /// What is irregular about that position, as last reported.
    irregularities: Vec<SfenError>,
    /// The network of the next search.
    network: NetworkLoader,
    /// The search threads with their hash table.
    searcher: Searcher,
    /// Limits of the last `go`.
    limits: Limits,
    /// The last mate search, perft or bench.
    task: Option<Task>,
    /// Number of lines read ahead that stop whatever is running.
    pending_stops: Arc<AtomicUsize>,
    has_reported_error: bool,
    /// The number of threads last warned of.
    warned_threads: usize,
}

impl Engine {
    /// An engine at the start position. Nothing large is allocated before it is needed.
    pub fn new(output: Output) -> Engine {
        Engine {
            output,
            settings: Settings::default(),
            position: Some(Position::startpos()),
            irregularities: Vec::new(),
            network: NetworkLoader::new(),
            searcher: Searcher::new(),
            limits: Limits::default(),
            task: None,
            pending_stops: Arc::default(),
            has_reported_error: false,
            warned_threads: 0,
        }
    }

    /// Where the engine prints.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Number of lines that stop whatever is running ([`stops_everything`]) and have been read but not
    /// executed. The reader increments it, the engine decrements it.
    pub fn pending_stops(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.pending_stops)
    }

    /// Whether an error has been reported so far.
    pub fn has_reported_error(&self) -> bool {
        self.has_reported_error
    }

    /// Executes one line of input. Breaks on `quit`.
    pub fn execute_line(&mut self, line: &[u8]) -> ControlFlow<()> {
        if stops_everything(line) {
            // Commands given as arguments were not counted.
            let decrement = |count: usize| count.checked_sub(1);
            let _ = self.pending_stops.fetch_update(Relaxed, Relaxed, decrement);
        }
        let (command, error) = parse(line);
        if let Some(error) = error {
            self.reject(&error);
        }
        if command == Some(Command::Quit) {
            self.quit();
            return ControlFlow::Break(());
        }
        if let Some(Err(error)) = command.map(|command| self.execute(command)) {
            self.reject(&error);
        }
        ControlFlow::Continue(())
    }

    /// Prints an error. After a rejected `position` there is none: a `go` that follows must not be answered
    /// for the position before.
    fn reject(&mut self, error: &UsiError) {
        if let UsiError::Position(_) = error {
            self.stop_search();
            self.position = None;
        }
        self.report_error(error);
    }

    /// Prints an error.
    pub fn report_error(&mut self, error: &UsiError) {
        self.has_reported_error = true;
        self.output.info_string(&error.to_string());
    }

    /// Waits until every search and task has answered, as at the end of input. Those without an end of
    /// their own are stopped.
    pub fn wait_for_answers(&mut self) {
        if self.limits.infinite || self.limits.ponder {
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

    /// Stops whatever is running, and waits for its answer, but not for long. A perft or bench that has just
    /// begun is part of a script and finished first.
    fn quit(&mut self) {
        let is_script = |task: &Task| task.is_blocking() && task.elapsed() < SCRIPT_INTERVAL;
        if self.task.as_ref().is_some_and(is_script) {
            self.wait_for_blocking_task();
        }
        self.stop();
        let deadline = Instant::now() + QUIT_TIMEOUT;
        self.searcher.wait_until(deadline);
        if let Some(task) = &self.task {
            while !task.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn execute(&mut self, command: Command) -> Result<(), UsiError> {
        match command {
            Command::Usi => self.handle_usi(),
            Command::IsReady => self.handle_isready(),
            Command::NewGame => {
                self.stop_and_wait();
                self.searcher.clear();
            }
            Command::SetOption { name, value } => self.settings.set(&name, value.as_deref())?,
            Command::Position { sfen, moves } => self.set_position(sfen.as_deref(), &moves)?,
            Command::Go(limits) => self.go(limits),
            Command::GoMate(limits) => self.go_mate(limits)?,
            Command::Stop | Command::GameOver => self.stop(),
            Command::PonderHit(clock) => self.ponderhit(clock),
            Command::Quit => {}
            Command::Help => self.output.line(debug::HELP),
            Command::Display => {
                let rule = self.settings.search.entering_king_rule;
                let text = debug::describe(self.position("d")?, rule);
                self.output.line(&text);
            }
            Command::Moves => {
                let text = debug::legal_moves(self.position("moves")?);
                self.output.line(&text);
            }
            Command::Side => {
                let text = self.position("side")?.side_to_move().to_string();
                self.output.line(&text);
            }
            Command::Eval => {
                let text = self.network.network().explain(self.position("eval")?);
                self.output.line(text.trim_end());
            }
            Command::Perft(depth) => {
                self.require_idle("perft")?;
                let position = self.position("perft")?.clone();
                self.task = Some(Task::perft(position, depth, self.output.clone())?);
            }
            Command::Bench {
                depth,
                threads,
                hash,
            } => {
                self.require_idle("bench")?;
                self.task = Some(Task::bench(depth, threads, hash, self.output.clone())?);
            }
            Command::GetOption(name) => {
                let lines = self.settings.describe(name.as_deref())?;
                self.output.line(&lines.join("\n"));
            }
            #[cfg(feature = "tune")]
            Command::Tune => self.output.line(&tunables::spsa_lines()),
            #[cfg(feature = "tune")]
            Command::Tunables => self.output.line(&tunables::manifest()),
        }
        Ok(())
    }

    fn handle_usi(&self) {
        self.output
            .line(concat!("id name Komaoto ", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Komaoto authors");
        for line in options::declarations() {
            self.output.line(&line);
        }
        self.output.line("usiok");
    }

    /// A search in progress goes on: `isready` is also a ping. Between games the network is loaded and
    /// everything allocated.
    fn handle_isready(&mut self) {
        if !self.is_busy() {
            self.stop_and_wait();
            let output = self.output.clone();
            with_keepalive(&output, || {
                self.load_network();
                self.apply_settings();
                self.warn_of_threads();
                // The clock of the coming game should not pay for a fresh hash table.
                self.searcher.clear();
            });
        }
        self.output.line("readyok");
    }

    /// Warns, once for each setting, of more threads than cores.
    fn warn_of_threads(&mut self) {
        let (threads, cores) = (self.settings.threads, cores());
        if threads > cores && mem::replace(&mut self.warned_threads, threads) != threads {
            self.output.info_string(&format!(
                "Threads {threads}: only {cores} cores are available; more threads than cores weaken the search"
            ));
        }
    }

    /// Whether a search or task is running that was not told to stop.
    fn is_busy(&self) -> bool {
        let task = self.task.as_ref();
        self.searcher.is_searching() && !self.searcher.is_stopping()
            || task.is_some_and(|task| task.is_running() && !task.is_stopping())
    }

    /// Loads the network that the options name, and prints which one is in use, for the log of
    /// each game.
    fn load_network(&mut self) {
        if let Err(error) = self.network.update(&self.settings) {
            self.report_error(&error);
        }
        self.output.info_string(&self.network.describe());
        self.searcher.set_network(self.network.network());
    }

    /// The position, for a command.
    fn position(&self, command: &'static str) -> Result<&Position, UsiError> {
        self.position.as_ref().ok_or(UsiError::NoPosition(command))
    }

    fn set_position(&mut self, sfen: Option<&str>, moves: &[Move]) -> Result<(), PositionError> {
        self.stop_search();
        let (mut position, irregularities) = match sfen {
            Some(sfen) => Position::from_any_sfen(sfen)?,
            None => (Position::startpos(), Vec::new()),
        };
        for (&mv, number) in moves.iter().zip(1..) {
            if !position.is_legal(mv) {
                let ply = position.game_ply();
                return Err(PositionError::IllegalMove { number, mv, ply });
            }
            position.do_move(mv);
        }
        // Once for a board: a GUI sends it with every move.
        if irregularities != self.irregularities {
            for irregularity in &irregularities {
                self.output
                    .info_string(&format!("position: {irregularity}; searched as it stands"));
            }
            self.irregularities = irregularities;
        }
        self.position = Some(position);
        Ok(())
    }

    fn go(&mut self, mut limits: Limits) {
        self.stop_and_wait();
        let Some(position) = self.position.clone() else {
            self.report_error(&UsiError::NoPosition("go"));
            return self.output.line(&bestmove_line(BestMove::Resign));
        };
        if !self.network.is_current(&self.settings) {
            self.load_network();
        }
        self.apply_settings();
        self.drop_illegal_moves(&position, &mut limits.searchmoves);
        self.apply_option_limits(&mut limits);
        if !limits.is_bounded() && !limits.infinite && !limits.ponder {
            limits.movetime = Some(DEFAULT_TIME);
        }
        self.limits = limits.clone();
        let unit = self.network.network().unit();
        let report = UsiReport::new(self.output.clone(), unit);
        let options = self.settings.search.in_unit(unit);
        self.searcher
            .go(&position, limits, &options, Box::new(report));
    }

    /// Removes illegal and repeated moves from those of `go searchmoves`.
    fn drop_illegal_moves(&mut self, position: &Position, moves: &mut Vec<Move>) {
        let (mut legal, mut illegal) = (Vec::new(), String::new());
        for &mv in moves.iter() {
            if !position.is_legal(mv) {
                illegal += &format!(" {mv}");
            } else if !legal.contains(&mv) {
                legal.push(mv);
            }
        }
        if !illegal.is_empty() {
            let illegal = truncate(illegal.trim_start());
            self.report_error(&UsiError::IllegalSearchMoves(illegal));
        }
        *moves = legal;
    }

    /// Applies the options `DepthLimit` and `NodesLimit`.
    fn apply_option_limits(&self, limits: &mut Limits) {
        let depth = self.settings.depth_limit as Depth;
        if depth > 0 {
            limits.depth = Some(limits.depth.map_or(depth, |given| given.min(depth)));
        }
        let nodes = self.settings.nodes_limit;
        if nodes > 0 {
            limits.nodes = Some(limits.nodes.map_or(nodes, |given| given.min(nodes)));
        }
    }

    fn go_mate(&mut self, mut limits: Limits) -> Result<(), UsiError> {
        self.stop_and_wait();
        let Some(position) = self.position.clone() else {
            self.report_error(&UsiError::NoPosition("go mate"));
            self.output.line("checkmate notimplemented");
            return Ok(());
        };
        self.apply_option_limits(&mut limits);
        let by_clock = |clock| search::hard_limit(clock, &position, &self.settings.search);
        let time = limits.movetime.or(limits.clock.as_ref().map(by_clock));
        let limits = MateLimits {
            nodes: limits.nodes,
            time: time.filter(|_| !limits.infinite).map(Duration::from_millis),
            plies: limits.depth.map(|depth| depth as u16),
            memory_mb: self.settings.hash,
        };
        let task = Task::mate(position, limits, self.output.clone());
        if task.is_err() {
            self.output.line(&checkmate_line(&MateOutcome::Timeout));
        }
        self.task = Some(task?);
        Ok(())
    }

    fn ponderhit(&mut self, clock: Option<Clock>) {
        if !mem::take(&mut self.limits.ponder) {
            return;
        }
        let default = Clock {
            byoyomi: DEFAULT_TIME as i64,
            ..Clock::default()
        };
        let clock = clock.or((!self.limits.is_bounded()).then_some(default));
        self.limits.clock = clock.or(self.limits.clock);
        self.searcher.ponderhit(clock);
    }

    /// Stops whatever is running; does not wait for its answer.
    fn stop(&self) {
        self.searcher.stop();
        if let Some(task) = &self.task {
            task.stop();
        }
    }

    /// Stops a search and waits for its answer.
    fn stop_search(&mut self) {
        self.searcher.stop();
        self.searcher.wait();
        if let Some(task) = self.task.take_if(|task| !task.is_blocking()) {
            task.stop();
            task.wait();
        }
    }

    /// Stops whatever is running and waits for its answer.
    fn stop_and_wait(&mut self) {
        self.stop();
        self.searcher.wait();
        if let Some(task) = self.task.take() {
            task.wait();
        }
    }

    /// Rejects a debug command during a search; waits for an earlier debug command.
    fn require_idle(&mut self, command: &'static str) -> Result<(), UsiError> {
        if self.searcher.is_searching() || self.task.as_ref().is_some_and(Task::is_searching) {
            return Err(UsiError::Busy(command));
        }
        self.wait_for_blocking_task();
        self.stop_and_wait();
        Ok(())
    }

    /// Waits for a running perft or bench, which a line read ahead may stop.
    fn wait_for_blocking_task(&mut self) {
        if let Some(task) = self.task.take_if(|task| task.is_blocking()) {
            while !task.is_finished() {
                if self.pending_stops.load(Relaxed) > 0 {
                    task.stop();
                }
                thread::sleep(POLL_INTERVAL);
            }
            task.wait();
        }
    }

    /// Applies the options of threads and hash table.
    fn apply_settings(&mut self) {
        if let Err(error) = self.searcher.set_threads(self.settings.threads) {
            let kept = self.searcher.threads();
            self.settings.threads = kept;
            self.output
                .info_string(&format!("Threads: {error}; keeping {kept}"));
        }
        if let Err(error) = self.searcher.set_hash(self.settings.hash) {
            let kept = self.searcher.hash_mb();
            self.settings.hash = kept;
            self.output
                .info_string(&format!("USI_Hash: {error}; keeping {kept} MB"));
        }
        if mem::take(&mut self.settings.clear_hash) {
            self.searcher.clear();
        }
        self.searcher.prepare();
    }
}

/// Does some work, printing an empty line every [`KEEPALIVE_INTERVAL`].
fn with_keepalive(output: &Output, work: impl FnOnce()) {
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let keep_alive = move || {
            while is_done.recv_timeout(KEEPALIVE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                output.line("");
            }
        };
        // If the thread cannot be spawned, the work is merely silent.
        let _ = thread::Builder::new().spawn_scoped(scope, keep_alive);
        work();
        drop(done);
    });
}
