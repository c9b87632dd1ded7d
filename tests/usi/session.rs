//! A session with the real binary: sends lines, waits for answers, and checks every line of output
//! against the protocol.
//!
//! Waits fail only when the engine hangs, however busy the machine is. Tests of time say so: `within` some
//! milliseconds, or how long a search `took`.

use crate::checks::{check_line, value_of};
use komaoto::position::Position;
use komaoto::types::Move;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for a line whose time does not matter.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Added to every upper bound of time: tests run in parallel, on machines that do other work too.
const SLACK: Duration = Duration::from_millis(1500);

/// The start of the line that names the network in use.
pub const NETWORK: &str = "info string network ";

/// A running engine.
pub struct Session {
    engine: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// All lines so far.
    output: Vec<String>,
    /// Length of `output` at the last `go`.
    go_mark: usize,
    go_time: Instant,
    /// The position of the last valid `position`.
    position: Position,
    /// The position of the last `go`.
    searched: Position,
}

impl Session {
    /// Starts the engine and sends nothing.
    pub fn start() -> Session {
        Session::start_with(&[])
    }

    /// Starts the engine with arguments.
    pub fn start_with(arguments: &[&str]) -> Session {
        let mut engine = Command::new(env!("CARGO_BIN_EXE_komaoto"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = engine.stdin.take();
        let output = engine.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                let line = String::from_utf8(line.unwrap()).expect("output is UTF-8");
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Session {
            engine,
            input,
            lines,
            output: Vec::new(),
            go_mark: 0,
            go_time: Instant::now(),
            position: Position::startpos(),
            searched: Position::startpos(),
        }
    }

    /// Starts the engine with a small hash table, and sends nothing else.
    pub fn start_small() -> Session {
        let mut session = Session::start();
        session.send("setoption name USI_Hash value 16");
        session
    }

    /// Starts the engine and gets it ready for a game.
    pub fn ready() -> Session {
        Session::ready_with(&[])
    }

    /// Gets the engine ready for a game with options, given as `name value x`.
    pub fn ready_with(options: &[&str]) -> Session {
        let mut session = Session::start();
        session.send("usi");
        session.expect("usiok");
        let common = [
            "USI_Hash value 16",
            "Threads value 1",
            "USI_OwnBook value false",
            "BookFile value no_book",
            "NetworkDelay value 0",
            "NetworkDelay2 value 0",
        ];
        for option in common.iter().chain(options) {
            session.send(&format!("setoption name {option}"));
        }
        session.send("isready");
        session.expect("readyok");
        session.send("usinewgame");
        session
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.follow(line);
        self.send_bytes(line.as_bytes());
        self.send_bytes(b"\n");
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Keeps track of position and search for later checks.
    fn follow(&mut self, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["position", rest @ ..] => {
                if let Some(position) = set_up(rest) {
                    self.position = position;
                }
            }
            ["go", ..] => {
                self.catch_up();
                self.searched = self.position.clone();
                self.go_mark = self.output.len();
                self.go_time = Instant::now();
            }
            ["ponderhit", ..] => self.go_time = Instant::now(),
            _ => {}
        }
    }

    /// Sets a position and starts a search.
    pub fn go(&mut self, position: &str, limits: &str) {
        self.send(&format!("position {position}"));
        self.send(&format!("go {limits}"));
    }

    fn next(&mut self, deadline: Instant) -> Result<String, RecvTimeoutError> {
        let wait = deadline.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(wait)?;
        check_line(&line);
        self.output.push(line.clone());
        Ok(line)
    }

    /// Receives the lines that are there.
    fn catch_up(&mut self) {
        while self.next(Instant::now()).is_ok() {}
    }

    /// Waits for a line that starts like this.
    pub fn expect(&mut self, start: &str) -> String {
        self.expect_until(start, Instant::now() + TIMEOUT)
    }

    /// Waits for a line that starts like this, for at most `millis` milliseconds.
    pub fn expect_within(&mut self, start: &str, millis: u64) -> String {
        let limit = Duration::from_millis(millis) + SLACK;
        self.expect_until(start, Instant::now() + limit)
    }

    fn expect_until(&mut self, start: &str, deadline: Instant) -> String {
        loop {
            match self.next(deadline) {
                Ok(line) if line.starts_with(start) => return line,
                Ok(_) => {}
                Err(error) => panic!("no `{start}` ({error}): {:?}", self.tail()),
            }
        }
    }

    /// Waits for `bestmove` and checks that it is legal, and the expected reply too. Returns the
    /// move, `resign` or `win`.
    pub fn bestmove(&mut self) -> String {
        let line = self.expect("bestmove ");
        self.check_bestmove(&line)
    }

    /// Waits for `bestmove` for at most `millis` milliseconds.
    pub fn bestmove_within(&mut self, millis: u64) -> String {
        let line = self.expect_within("bestmove ", millis);
        self.check_bestmove(&line)
    }

    fn check_bestmove(&self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let best = words[1].to_string();
        if best != "resign" && best != "win" {
            let mut position = self.searched.clone();
            play(&mut position, &best);
            match words[2..] {
                [] => {}
                ["ponder", reply] => play(&mut position, reply),
                _ => panic!("malformed: {line}"),
            }
        }
        self.check_pvs();
        best
    }

    /// Every PV since the last `go` must be legal to its end.
    fn check_pvs(&self) {
        for line in &self.output[self.go_mark..] {
            if let Some((fields, moves)) = line.split_once(" pv ")
                && !fields.starts_with("info string")
            {
                let mut position = self.searched.clone();
                moves.split(' ').for_each(|mv| play(&mut position, mv));
            }
        }
    }

    /// Checks that no line starts like this for `millis` milliseconds.
    pub fn expect_none(&mut self, start: &str, millis: u64) {
        let deadline = Instant::now() + Duration::from_millis(millis);
        while let Ok(line) = self.next(deadline) {
            assert!(!line.starts_with(start), "too early: {line}");
        }
        assert!(self.is_alive());
    }

    /// Lets time pass.
    pub fn sleep(&self, millis: u64) {
        thread::sleep(Duration::from_millis(millis));
    }

    /// Whether the engine is still running.
    pub fn is_alive(&mut self) -> bool {
        self.engine.try_wait().unwrap().is_none()
    }

    /// Checks the time since the last `go` or `ponderhit`, in milliseconds.
    pub fn took(&self, min: u128, max: u128) {
        let time = self.go_time.elapsed().as_millis();
        let max = max + SLACK.as_millis();
        assert!((min..=max).contains(&time), "{time} ms");
    }

    /// How many lines so far start like this.
    pub fn count(&mut self, start: &str) -> usize {
        self.catch_up();
        self.output
            .iter()
            .filter(|line| line.starts_with(start))
            .count()
    }

    /// How many `info string` lines there are so far besides those that name the network.
    pub fn errors(&mut self) -> usize {
        self.count("info string") - self.count(NETWORK)
    }

    /// Waits until there are `count` lines that start like this.
    pub fn expect_count(&mut self, start: &str, count: usize) {
        for _ in self.count(start)..count {
            self.expect(start);
        }
    }

    /// All lines since the last `go`.
    pub fn since_last_go(&self) -> &[String] {
        &self.output[self.go_mark..]
    }

    /// All lines so far.
    pub fn output(&self) -> &[String] {
        &self.output
    }

    /// The last line with a score since the last `go`.
    pub fn last_info(&self) -> &str {
        let mut lines = self.since_last_go().iter().rev();
        lines
            .find(|line| line.contains(" score "))
            .expect("a line with a score")
    }

    /// A field of the last line with a score.
    pub fn last(&self, field: &str) -> String {
        value_of(self.last_info(), field).expect(field).to_string()
    }

    /// The last score, with mates beyond all others.
    pub fn last_score(&self) -> i64 {
        let number = |field| value_of(self.last_info(), field)?.parse::<i64>().ok();
        match number("mate") {
            Some(plies) => plies.signum() * (100_000 - plies.abs()),
            None => number("cp").expect("a score"),
        }
    }

    fn tail(&self) -> &[String] {
        &self.output[self.output.len().saturating_sub(8)..]
    }

    /// Closes standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the engine to exit with code 0.
    pub fn expect_exit(&mut self) {
        self.expect_exit_until(Instant::now() + TIMEOUT);
    }

    /// Waits for the engine to exit with code 0, for at most `millis` milliseconds.
    pub fn expect_exit_within(&mut self, millis: u64) {
        self.expect_exit_until(Instant::now() + Duration::from_millis(millis) + SLACK);
    }

    fn expect_exit_until(&mut self, deadline: Instant) {
        while self.is_alive() {
            assert!(Instant::now() < deadline, "running: {:?}", self.tail());
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(self.engine.wait().unwrap().code(), Some(0));
        // Its last lines.
        while self.next(deadline).is_ok() {}
    }

    /// Sends `quit` and waits for the exit.
    pub fn quit(&mut self) {
        self.send("quit");
        self.expect_exit();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.engine.kill();
        let _ = self.engine.wait();
    }
}

/// The position of the words after `position`, if it is valid.
fn set_up(words: &[&str]) -> Option<Position> {
    let at = words.iter().position(|&word| word == "moves");
    let (setup, moves) = match at {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let mut position = match setup {
        ["startpos"] => Position::startpos(),
        ["sfen", fields @ ..] => Position::from_any_sfen(&fields.join(" ")).ok()?.0,
        _ => return None,
    };
    for text in moves {
        let mv = Move::from_usi(text)
            .ok()
            .filter(|&mv| position.is_legal(mv))?;
        position.do_move(mv);
    }
    Some(position)
}

fn play(position: &mut Position, text: &str) {
    let mv = Move::from_usi(text).unwrap();
    assert!(position.is_legal(mv), "{text} is illegal in {position:?}");
    position.do_move(mv);
}
