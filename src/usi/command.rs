//! The grammar: parses a line of bytes into a [`Command`].
//!
//! Parsing is as tolerant as the protocol demands: any whitespace separates words, unknown words are
//! skipped, numbers of any size are clamped. At most one error is reported per line. Only the syntax of
//! moves is checked, as there is no position here.

use super::error::{PositionError, UsiError, truncate};
use super::options::{MAX_HASH, MAX_THREADS};
use crate::search::{Clock, Limits};
use crate::types::{Depth, MAX_PLY, Move};
use std::iter;

/// Longest time, in milliseconds (31 years): longer ones are clamped, so that sums stay in range.
const MAX_TIME: i64 = 1_000_000_000_000;
/// Deepest perft, in plies.
const MAX_PERFT_DEPTH: i64 = 20;
/// PowerShell sends this before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A parsed command.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum Command {
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `usinewgame`
    NewGame,
    /// `setoption`
    SetOption {
        /// Name as typed.
        name: String,
        /// Value as bytes of any encoding; `None` without the word `value`.
        value: Option<Vec<u8>>,
    },
    /// `position`
    Position {
        /// The SFEN; `None` for the start position.
        sfen: Option<String>,
        /// The moves played from there.
        moves: Vec<Move>,
    },
    /// `go`
    Go(Limits),
    /// `go mate`; the time after `mate` is the `movetime`.
    GoMate(Limits),
    /// `stop`
    Stop,
    /// `ponderhit`, with the clock if the GUI sends it here and not with `go ponder`.
    PonderHit(Option<Clock>),
    /// `gameover`, whatever the result.
    GameOver,
    /// `quit`
    Quit,
    /// `help`
    Help,
    /// `d`: the position.
    Display,
    /// `moves`: all legal moves.
    Moves,
    /// `side`: the side to move.
    Side,
    /// `eval`: the static evaluation.
    Eval,
    /// `perft`, with its depth in plies.
    Perft(u32),
    /// `bench [depth] [threads] [hash]`
    Bench {
        /// Depth in plies.
        depth: Option<Depth>,
        /// Search threads.
        threads: Option<usize>,
        /// Hash table in MB.
        hash: Option<usize>,
    },
    /// `getoption [name]`: current values.
    GetOption(Option<String>),
    /// `tune`: the search parameters for OpenBench.
    #[cfg(feature = "tune")]
    Tune,
    /// `usi_tunables`: the search parameters for ShogiArena.
    #[cfg(feature = "tune")]
    Tunables,
}

/// A command, if there is one to execute, and the first error of its line.
type Parsed = (Option<Command>, Option<UsiError>);

fn parsed(command: Command) -> Parsed {
    (Some(command), None)
}

/// Parses one line, without its line end.
pub fn parse(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let Some(first) = words.first() else {
        return (None, None);
    };
    if let Some(parsed) = parse_debug(&words).or_else(|| parse_usi(&words, line)) {
        return parsed;
    }
    for start in 1..words.len() {
        if let Some((command, error)) = parse_usi(&words[start..], line) {
            let skipped = || UsiError::Skipped(truncate(&words[..start].join(" ")));
            return (command, error.or_else(|| Some(skipped())));
        }
    }
    let lower = first.to_ascii_lowercase();
    let words: Vec<&str> = iter::once(lower.as_str())
        .chain(words[1..].iter().copied())
        .collect();
    let is_command = parse_debug(&words)
        .or_else(|| parse_usi(&words, line))
        .is_some();
    let error = match is_command {
        true => UsiError::UpperCase(truncate(first), lower),
        false => UsiError::UnknownCommand(truncate(first)),
    };
    (None, Some(error))
}

/// USI commands, which are recognised after unknown words too.
fn parse_usi(words: &[&str], line: &[u8]) -> Option<Parsed> {
    let result = match words {
        ["usi", ..] => Ok(Command::Usi),
        ["isready", ..] => Ok(Command::IsReady),
        ["usinewgame", ..] => Ok(Command::NewGame),
        ["setoption", rest @ ..] => parse_setoption(rest, line),
        ["position", rest @ ..] => return Some(parse_position(rest)),
        ["go", "perft", rest @ ..] => return Some(parse_perft(rest)),
        ["go", rest @ ..] => return Some(parse_go(rest)),
        ["ponderhit", rest @ ..] => return Some(parse_ponderhit(rest)),
        ["stop", ..] => Ok(Command::Stop),
        ["gameover", ..] => Ok(Command::GameOver),
        ["quit", ..] => Ok(Command::Quit),
        // Accepted, but without effect.
        ["debug" | "register", ..] => return Some((None, None)),
        _ => return None,
    };
    Some(match result {
        Ok(command) => parsed(command),
        Err(error) => (None, Some(error)),
    })
}

/// Debug commands, which are recognised at the start of a line only.
fn parse_debug(words: &[&str]) -> Option<Parsed> {
    Some(match words {
        ["help" | "?", ..] => parsed(Command::Help),
        ["d", ..] => parsed(Command::Display),
        ["moves", ..] => parsed(Command::Moves),
        ["side", ..] => parsed(Command::Side),
        ["eval", ..] => parsed(Command::Eval),
        ["perft", rest @ ..] => parse_perft(rest),
        ["bench", rest @ ..] => parse_bench(rest),
        ["getoption", rest @ ..] => {
            let name = rest.strip_prefix(&["name"]).unwrap_or(rest).join(" ");
            parsed(Command::GetOption((!name.is_empty()).then_some(name)))
        }
        #[cfg(feature = "tune")]
        ["tune", ..] => parsed(Command::Tune),
        #[cfg(feature = "tune")]
        ["usi_tunables", ..] => parsed(Command::Tunables),
        _ => return None,
    })
}

fn parse_setoption(words: &[&str], line: &[u8]) -> Result<Command, UsiError> {
    // Published match scripts leave out the word `name`.
    let words = words.strip_prefix(&["name"]).unwrap_or(words);
    let end = words.iter().position(|&word| word == "value");
    let name = words[..end.unwrap_or(words.len())].join(" ");
    if name.is_empty() {
        return Err(UsiError::NoOptionName);
    }
    let value = end.and(value_bytes(line));
    Ok(Command::SetOption { name, value })
}

/// Everything after the word `value`, without surrounding whitespace.
fn value_bytes(line: &[u8]) -> Option<Vec<u8>> {
    let mut rest = line.trim_ascii_start();
    while !rest.is_empty() {
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (word, tail) = rest.split_at(end.unwrap_or(rest.len()));
        if word == b"value" {
            return Some(tail.trim_ascii().to_vec());
        }
        rest = tail.trim_ascii_start();
    }
    None
}

/// Words that GUIs put at the end of a copied move list: how the game ended.
const GAME_END_WORDS: [&str; 12] = [
    "resign",
    "win",
    "draw",
    "lose",
    "timeup",
    "timeout",
    "abort",
    "break",
    "interrupt",
    "rep_draw",
    "sennichite",
    "jishogi",
];

fn parse_position(words: &[&str]) -> Parsed {
    let end = words.last().filter(|word| GAME_END_WORDS.contains(word));
    let words = &words[..words.len() - usize::from(end.is_some())];
    match parse_setup(words) {
        Ok(command) => (
            Some(command),
            end.map(|word| UsiError::GameEndWord((*word).into())),
        ),
        Err(error) => (None, Some(error.into())),
    }
}

fn parse_setup(words: &[&str]) -> Result<Command, PositionError> {
    let mut parts = words.splitn(2, |&word| word == "moves");
    let setup = parts.next().unwrap_or_default();
    let moves = parts.next().unwrap_or_default();
    let sfen = match setup {
        [] => return Err(PositionError::Empty),
        ["startpos"] => None,
        ["startpos", word, ..] => return Err(PositionError::AfterStartpos(truncate(word))),
        // The word `sfen` may be left out when typing.
        ["sfen", fields @ ..] | fields => match fields.first() {
            Some(word) if !word.contains('/') => {
                return Err(PositionError::NoBoard(truncate(word)));
            }
            _ => Some(fields.join(" ")),
        },
    };
    let numbered = moves.iter().zip(1..).map(|(text, number)| {
        Move::from_usi(text).map_err(|source| PositionError::MoveText { number, source })
    });
    let moves = numbered.collect::<Result<_, _>>()?;
    Ok(Command::Position { sfen, moves })
}

/// Whether a line is a command that stops whatever is running.
pub fn stops_everything(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace);
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    let commands = ["stop", "gameover", "isready", "usinewgame"];
    commands.iter().any(|command| command.as_bytes() == first)
}

/// The words of a command that are still to be parsed, and the first error so far.
struct Words<'a> {
    command: &'static str,
    rest: &'a [&'a str],
    error: Option<UsiError>,
}

impl<'a> Words<'a> {
    fn new(command: &'static str, rest: &'a [&'a str]) -> Words<'a> {
        Words {
            command,
            rest,
            error: None,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Takes the next word if it can be parsed.
    fn next_if<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = parse(self.rest.first()?)?;
        self.next();
        Some(value)
    }

    fn report(&mut self, error: UsiError) {
        self.error.get_or_insert(error);
    }

    fn report_unknown(&mut self, word: &str) {
        self.report(UsiError::UnknownWord {
            command: self.command,
            word: truncate(word),
        });
    }

    /// The number after `word`, clamped; reports an error when there is none.
    fn number(&mut self, word: &'static str, min: i64, max: i64) -> Option<i64> {
        let number = self.next_if(parse_number);
        if number.is_none() {
            let found = truncate(self.rest.first().unwrap_or(&""));
            self.report(UsiError::NotANumber {
                command: self.command,
                word,
                found,
            });
        }
        number.map(|number| number.clamp(min, max))
    }

    /// The number after `word`, clamped to 1 to `max`.
    fn positive(&mut self, word: &'static str, max: i64) -> Option<u64> {
        self.number(word, 1, max).map(i64::unsigned_abs)
    }

    /// The number after `word` if it is in 1 to `max`; reports an error when it is not.
    fn in_range(&mut self, word: &'static str, max: i64) -> Option<u64> {
        let number = self.number(word, i64::MIN, i64::MAX)?;
        if !(1..=max).contains(&number) {
            self.report(UsiError::OutOfRange {
                command: self.command,
                word,
                found: number,
                max,
            });
            return None;
        }
        Some(number.unsigned_abs())
    }

    /// Parses a clock time after its name. False when `word` is not one.
    fn clock_time(&mut self, word: &str, clock: &mut Option<Clock>) -> bool {
        let (word, field): (_, fn(&mut Clock) -> &mut i64) = match word {
            "btime" => ("btime", |clock| &mut clock.time[0]),
            "wtime" => ("wtime", |clock| &mut clock.time[1]),
            "binc" => ("binc", |clock| &mut clock.increment[0]),
            "winc" => ("winc", |clock| &mut clock.increment[1]),
            "byoyomi" => ("byoyomi", |clock| &mut clock.byoyomi),
            _ => return false,
        };
        // Only the time left may be negative: some GUIs subtract the increment from it.
        let min = if word.ends_with("time") { -MAX_TIME } else { 0 };
        if let Some(number) = self.number(word, min, MAX_TIME) {
            *field(clock.get_or_insert_default()) = number;
        }
        true
    }

    fn finish(self, command: Command) -> Parsed {
        (Some(command), self.error)
    }

    /// The command, unless there was an error or words are left: perft and bench take long, so mistyped
    /// arguments should not start them.
    fn finish_strict(mut self, command: Command) -> Parsed {
        if let Some(word) = self.next() {
            self.report_unknown(word);
        }
        (self.error.is_none().then_some(command), self.error)
    }
}

fn parse_go(words: &[&str]) -> Parsed {
    let mut words = Words::new("go", words);
    let mut limits = Limits::default();
    // `mate` may come after the node limit.
    let mut mate = false;
    let mut mate_time = None;
    while let Some(word) = words.next() {
        match word {
            "mate" => {
                mate = true;
                mate_time = words.next_if(parse_number).map(|time| time.max(1) as u64);
            }
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "movetime" => limits.movetime = words.positive("movetime", MAX_TIME),
            "nodes" => limits.nodes = words.positive("nodes", i64::MAX),
            "depth" => {
                let depth = words.positive("depth", MAX_PLY as i64);
                limits.depth = depth.map(|depth| depth as Depth);
            }
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| Move::from_usi(word).ok()) {
                    limits.searchmoves.push(mv);
                }
            }
            "movestogo" => {
                // Ignored: no shogi time control has it.
                words.number("movestogo", 0, i64::MAX);
            }
            word if words.clock_time(word, &mut limits.clock) => {}
            word => words.report_unknown(word),
        }
    }
    if !mate {
        return words.finish(Command::Go(limits));
    }
    limits.movetime = [mate_time, limits.movetime].into_iter().flatten().min();
    words.finish(Command::GoMate(limits))
}

fn parse_ponderhit(words: &[&str]) -> Parsed {
    let mut words = Words::new("ponderhit", words);
    let mut clock = None;
    while let Some(word) = words.next() {
        if !words.clock_time(word, &mut clock) {
            words.report_unknown(word);
        }
    }
    words.finish(Command::PonderHit(clock))
}

fn parse_perft(words: &[&str]) -> Parsed {
    let mut words = Words::new("perft", words);
    let depth = words.in_range("depth", MAX_PERFT_DEPTH).unwrap_or(1);
    words.finish_strict(Command::Perft(depth as u32))
}

fn parse_bench(words: &[&str]) -> Parsed {
    let mut words = Words::new("bench", words);
    let mut argument = |name, max| match words.rest {
        [] => None,
        _ => words.in_range(name, max),
    };
    let depth = argument("depth", MAX_PLY as i64).map(|depth| depth as Depth);
    let threads = argument("threads", MAX_THREADS).map(|threads| threads as usize);
    let hash = argument("hash", MAX_HASH).map(|hash| hash as usize);
    words.finish_strict(Command::Bench {
        depth,
        threads,
        hash,
    })
}

/// Parses a decimal number of any length: beyond 64 bits it saturates. A sign is allowed; a
/// fraction is cut off (some bots send `movetime 0.9`).
pub(super) fn parse_number(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let magnitude = whole.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') {
        -magnitude
    } else {
        magnitude
    })
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
