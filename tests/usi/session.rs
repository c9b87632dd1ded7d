//! A conversation with the real binary: lines are sent, lines are waited for, and everything the
//! engine says is checked against the protocol on the way.

use crate::checks::{check_line, value_of};
use komaoto::position::Position;
use komaoto::types::Move;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Added to every upper bound: tests run side by side, on machines that do other work too.
const SLACK: Duration = Duration::from_millis(1500);

/// How a line begins that tells which network evaluates.
pub const EVALUATION: &str = "info string network ";

/// A running engine.
pub struct Session {
    engine: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Everything the engine has said.
    said: Vec<String>,
    /// Where `said` stood at the last `go`.
    go_mark: usize,
    go_time: Instant,
    /// The position of the last `position` that was sound.
    position: Position,
    /// The position of the last `go`.
    searched: Position,
}

impl Session {
    /// Starts the engine and says nothing to it.
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
            said: Vec::new(),
            go_mark: 0,
            go_time: Instant::now(),
            position: Position::startpos(),
            searched: Position::startpos(),
        }
    }

    /// Starts the engine and brings it through the opening words of a game.
    pub fn ready() -> Session {
        Session::ready_with(&[])
    }

    /// The same, with options set as `name value x`.
    pub fn ready_with(options: &[&str]) -> Session {
        let mut session = Session::start();
        session.send("usi");
        session.expect("usiok", 5000);
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
        session.expect("readyok", 10_000);
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

    /// Keeps up with what the line means for later checks.
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
                self.go_mark = self.said.len();
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
        self.said.push(line.clone());
        Ok(line)
    }

    /// Takes in what has been said by now.
    fn catch_up(&mut self) {
        while self.next(Instant::now()).is_ok() {}
    }

    /// Waits for a line that begins like this, for so many milliseconds.
    pub fn expect(&mut self, start: &str, within: u64) -> String {
        let deadline = Instant::now() + Duration::from_millis(within) + SLACK;
        loop {
            match self.next(deadline) {
                Ok(line) if line.starts_with(start) => return line,
                Ok(_) => {}
                Err(error) => {
                    panic!(
                        "no `{start}` within {within} ms ({error}): {:?}",
                        self.tail()
                    )
                }
            }
        }
    }

    /// Waits for `bestmove` and checks that it can be played, and the expected reply too.
    /// Returns the move, `resign` or `win`.
    pub fn bestmove(&mut self, within: u64) -> String {
        let line = self.expect("bestmove ", within);
        let words: Vec<&str> = line.split(' ').collect();
        let best = words[1].to_string();
        if best != "resign" && best != "win" {
            let mut position = self.searched.clone();
            play(&mut position, &best);
            match words[2..] {
                [] => {}
                ["ponder", reply] => play(&mut position, reply),
                _ => panic!("odd line: {line}"),
            }
        }
        self.check_lines_of_thought();
        best
    }

    /// Every line of thought since the last `go` must be playable to its end.
    fn check_lines_of_thought(&self) {
        for line in &self.said[self.go_mark..] {
            if let Some((fields, moves)) = line.split_once(" pv ")
                && !fields.starts_with("info string")
            {
                let mut position = self.searched.clone();
                moves.split(' ').for_each(|mv| play(&mut position, mv));
            }
        }
    }

    /// Nothing that begins like this may be said for so many milliseconds.
    pub fn silent(&mut self, start: &str, millis: u64) {
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

    /// Milliseconds since the last `go` or `ponderhit`.
    pub fn since_go(&self) -> u128 {
        self.go_time.elapsed().as_millis()
    }

    /// Checks how long the search has taken, in milliseconds.
    pub fn took(&self, least: u128, most: u128) {
        let time = self.since_go();
        let most = most + SLACK.as_millis();
        assert!((least..=most).contains(&time), "{time} ms");
    }

    /// How many lines said so far begin like this.
    pub fn count(&mut self, start: &str) -> usize {
        self.catch_up();
        self.said
            .iter()
            .filter(|line| line.starts_with(start))
            .count()
    }

    /// How many lines said so far tell something else than what evaluates.
    pub fn complaints(&mut self) -> usize {
        self.count("info string") - self.count(EVALUATION)
    }

    /// Waits until so many lines that begin like this have been said since the start.
    pub fn expect_count(&mut self, start: &str, count: usize, within: u64) {
        let missing = count - self.count(start);
        for _ in 0..missing {
            self.expect(start, within);
        }
    }

    /// Everything said since the last `go`.
    pub fn since_last_go(&self) -> &[String] {
        &self.said[self.go_mark..]
    }

    /// Everything said.
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// The last line with a score since the last `go`.
    pub fn last_info(&self) -> &str {
        let mut lines = self.since_last_go().iter().rev();
        lines
            .find(|line| line.contains(" score "))
            .expect("a line with a score")
    }

    /// The number or word behind a word of the last line with a score.
    pub fn last(&self, field: &str) -> String {
        value_of(self.last_info(), field).expect(field).to_string()
    }

    /// The last score, mates being worth more than everything else.
    pub fn last_score(&self) -> i64 {
        let number = |field| value_of(self.last_info(), field)?.parse::<i64>().ok();
        match number("mate") {
            Some(plies) => plies.signum() * (100_000 - plies.abs()),
            None => number("cp").expect("a score"),
        }
    }

    fn tail(&self) -> &[String] {
        &self.said[self.said.len().saturating_sub(8)..]
    }

    /// Closes standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the engine to end by itself, with code 0.
    pub fn expect_exit(&mut self, within: u64) {
        assert_eq!(self.exit_code(within), 0);
    }

    fn exit_code(&mut self, within: u64) -> i32 {
        let deadline = Instant::now() + Duration::from_millis(within) + SLACK;
        loop {
            if let Some(status) = self.engine.try_wait().unwrap() {
                return status.code().expect("not killed by a signal");
            }
            assert!(
                Instant::now() < deadline,
                "still running: {:?}",
                self.tail()
            );
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Says `quit` and waits for the end.
    pub fn quit(&mut self) {
        self.send("quit");
        self.expect_exit(2000);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.engine.kill();
        let _ = self.engine.wait();
    }
}

fn set_up(words: &[&str]) -> Option<Position> {
    let at = words.iter().position(|&word| word == "moves");
    let (setup, moves) = match at {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let mut position = match setup {
        ["startpos"] => Position::startpos(),
        ["sfen", fields @ ..] => Position::from_sfen(&fields.join(" ")).ok()?,
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
