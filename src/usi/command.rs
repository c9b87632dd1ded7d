//! The grammar: one line of bytes becomes one [`Command`].
//!
//! Reading is as tolerant as the protocol asks for: any blanks separate words, unknown words are
//! skipped and the rest of the line is used, numbers of any size are clamped. What was skipped is
//! told once per line. Nothing here knows the position, so nothing here knows what is legal.

use super::error::{UsiError, clip};
use super::number::parse_number;
use crate::search::{Clock, Limits};
use crate::types::{Depth, MAX_PLY, Move};

/// Times beyond this many milliseconds (31 years) are read as this, so that sums stay in range.
const LONGEST_TIME: i64 = 1_000_000_000_000;
/// Nobody waits for more plies of perft.
const DEEPEST_PERFT: i64 = 20;
/// PowerShell puts this before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A command, ready to be carried out.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum Command {
    /// `usi`: who are you, and what can be set?
    Usi,
    /// `isready`: get ready and say so.
    IsReady,
    /// `usinewgame`: forget the old game.
    NewGame,
    /// `setoption`; the value is kept as bytes, whatever their encoding.
    SetOption {
        /// Name as typed.
        name: String,
        /// Value; `None` when the word `value` is missing.
        value: Option<Vec<u8>>,
    },
    /// `position`.
    Position {
        /// The SFEN; `None` for the start position.
        sfen: Option<String>,
        /// The moves played from there.
        moves: Vec<Move>,
    },
    /// `go`.
    Go {
        /// What ends the search.
        limits: Limits,
        /// About how many milliseconds to search, the exact time drawn by chance.
        random_time: Option<u64>,
    },
    /// `go mate`.
    GoMate {
        /// Milliseconds; `None` for no limit.
        time: Option<u64>,
        /// Nodes; `None` for no limit.
        nodes: Option<u64>,
    },
    /// `stop`.
    Stop,
    /// `ponderhit`, with the clock when it is given only now.
    PonderHit(Option<Clock>),
    /// `gameover`; how the game ended makes no difference.
    GameOver,
    /// `quit`.
    Quit,
    /// `help`.
    Help,
    /// `d`: show the position.
    Display,
    /// `moves`: all legal moves.
    Moves,
    /// `side`: the side to move.
    Side,
    /// `eval`: the static evaluation.
    Eval,
    /// `perft`, with its depth in plies.
    Perft(u32),
    /// `bench [depth] [threads] [hash]`.
    Bench {
        /// Depth in plies.
        depth: Option<Depth>,
        /// Search threads.
        threads: Option<usize>,
        /// Hash table in megabytes.
        hash: Option<usize>,
    },
    /// `getoption [name]`: values in force.
    GetOption(Option<String>),
    /// `tune`: the numbers of the search for a tuner, one a line.
    #[cfg(feature = "tune")]
    Tune,
    /// `usi_tunables`: the same in JSON.
    #[cfg(feature = "tune")]
    Tunables,
}

/// What a line says.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Parsed {
    /// What to do, if anything.
    pub command: Option<Command>,
    /// The first thing that was wrong.
    pub complaint: Option<UsiError>,
}

impl From<Command> for Parsed {
    fn from(command: Command) -> Parsed {
        Parsed {
            command: Some(command),
            complaint: None,
        }
    }
}

impl From<Result<Command, UsiError>> for Parsed {
    fn from(result: Result<Command, UsiError>) -> Parsed {
        match result {
            Ok(command) => command.into(),
            Err(error) => Parsed {
                command: None,
                complaint: Some(error),
            },
        }
    }
}

/// Reads one line, without its line end.
pub fn parse(line: &[u8]) -> Parsed {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let Some(first) = words.first() else {
        return Parsed::default();
    };
    if let Some(parsed) = typed(&words).or_else(|| protocol(&words, line)) {
        return parsed;
    }
    for start in 1..words.len() {
        if let Some(mut parsed) = protocol(&words[start..], line) {
            let skipped = UsiError::Skipped(clip(&words[..start].join(" ")));
            parsed.complaint.get_or_insert(skipped);
            return parsed;
        }
    }
    Err(UsiError::UnknownCommand(clip(first))).into()
}

/// Commands of the protocol, which are found behind unknown words too.
fn protocol(words: &[&str], line: &[u8]) -> Option<Parsed> {
    Some(match words {
        ["usi", ..] => Command::Usi.into(),
        ["isready", ..] => Command::IsReady.into(),
        ["usinewgame", ..] => Command::NewGame.into(),
        ["setoption", rest @ ..] => set_option(rest, line).into(),
        ["position", rest @ ..] => position(rest).into(),
        ["go", "perft", rest @ ..] => perft(rest),
        ["go", rest @ ..] => go(rest),
        ["ponderhit", rest @ ..] => ponderhit(rest),
        ["stop", ..] => Command::Stop.into(),
        ["gameover", ..] => Command::GameOver.into(),
        ["quit", ..] => Command::Quit.into(),
        // Of no use to this engine.
        ["debug" | "register", ..] => Parsed::default(),
        _ => return None,
    })
}

/// Commands for people, which stand at the beginning of a line.
fn typed(words: &[&str]) -> Option<Parsed> {
    Some(match words {
        ["help" | "?", ..] => Command::Help.into(),
        ["d", ..] => Command::Display.into(),
        ["moves", ..] => Command::Moves.into(),
        ["side", ..] => Command::Side.into(),
        ["eval", ..] => Command::Eval.into(),
        ["perft", rest @ ..] => perft(rest),
        ["bench", rest @ ..] => bench(rest),
        ["getoption", rest @ ..] => {
            let rest = rest.strip_prefix(&["name"]).unwrap_or(rest);
            Command::GetOption((!rest.is_empty()).then(|| rest.join(" "))).into()
        }
        #[cfg(feature = "tune")]
        ["tune", ..] => Command::Tune.into(),
        #[cfg(feature = "tune")]
        ["usi_tunables", ..] => Command::Tunables.into(),
        _ => return None,
    })
}

fn set_option(words: &[&str], line: &[u8]) -> Result<Command, UsiError> {
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

/// What follows the word `value`, as it stands, outer blanks aside.
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

fn position(words: &[&str]) -> Result<Command, UsiError> {
    let mut parts = words.splitn(2, |&word| word == "moves");
    let setup = parts.next().unwrap_or_default();
    let moves = parts.next().unwrap_or_default();
    let sfen = match setup {
        [] => return Err(UsiError::NoPosition),
        ["startpos"] => None,
        ["startpos", word, ..] => return Err(UsiError::AfterStartpos(clip(word))),
        // A bare SFEN, as typed by hand, lacks the word.
        ["sfen", fields @ ..] | fields => Some(sfen(fields)?),
    };
    let numbered = moves.iter().zip(1..).map(|(text, number)| {
        Move::from_usi(text).map_err(|source| UsiError::MoveText { number, source })
    });
    let moves = numbered.collect::<Result<_, _>>()?;
    Ok(Command::Position { sfen, moves })
}

/// Whether a line is one of those that end what is running, whatever it is.
pub fn is_end(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace);
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    let ends = ["stop", "gameover", "isready", "usinewgame"];
    ends.iter().any(|end| end.as_bytes() == first)
}

/// The fields of an SFEN, if they begin with something like a board.
fn sfen(fields: &[&str]) -> Result<String, UsiError> {
    match fields.first() {
        Some(word) if !word.contains('/') => Err(UsiError::NoBoard(clip(word))),
        _ => Ok(fields.join(" ")),
    }
}

fn unknown(command: &'static str, word: &str) -> UsiError {
    UsiError::UnknownWord {
        command,
        word: clip(word),
    }
}

/// The words of a command that are still to be read, and the first complaint about them.
struct Words<'a> {
    command: &'static str,
    rest: &'a [&'a str],
    complaint: Option<UsiError>,
}

impl<'a> Words<'a> {
    fn new(command: &'static str, rest: &'a [&'a str]) -> Words<'a> {
        Words {
            command,
            rest,
            complaint: None,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Takes the next word if it can be made sense of.
    fn next_if<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(self.rest.first()?)?;
        self.next();
        Some(value)
    }

    fn complain(&mut self, error: UsiError) {
        self.complaint.get_or_insert(error);
    }

    /// The number that belongs to a word, clamped; complains when there is none.
    fn number(&mut self, word: &'static str, least: i64, most: i64) -> Option<i64> {
        let number = self.next_if(parse_number);
        if number.is_none() {
            let found = clip(self.rest.first().unwrap_or(&""));
            self.complain(UsiError::NotANumber {
                command: self.command,
                word,
                found,
            });
        }
        number.map(|number| number.clamp(least, most))
    }

    /// A number of which zero or less makes no sense.
    fn positive(&mut self, word: &'static str, most: i64) -> Option<u64> {
        self.number(word, 1, most).map(i64::unsigned_abs)
    }

    /// A number from 1 to `most` that means nothing when it is another one.
    fn exactly(&mut self, word: &'static str, most: i64) -> Option<u64> {
        let number = self.number(word, i64::MIN, i64::MAX)?;
        if !(1..=most).contains(&number) {
            self.complain(UsiError::OutOfRange {
                command: self.command,
                word,
                found: number,
                most,
            });
            return None;
        }
        Some(number.unsigned_abs())
    }

    /// Reads a word about the clock with its number. False when it is about something else.
    fn clock_word(&mut self, word: &str, clock: &mut Option<Clock>) -> bool {
        let (word, field): (_, fn(&mut Clock) -> &mut i64) = match word {
            "btime" => ("btime", |clock| &mut clock.time[0]),
            "wtime" => ("wtime", |clock| &mut clock.time[1]),
            "binc" => ("binc", |clock| &mut clock.increment[0]),
            "winc" => ("winc", |clock| &mut clock.increment[1]),
            "byoyomi" => ("byoyomi", |clock| &mut clock.byoyomi),
            _ => return false,
        };
        // Only the time left may be negative: a GUI may have taken the increment off it already.
        let least = if word.ends_with("time") {
            -LONGEST_TIME
        } else {
            0
        };
        if let Some(number) = self.number(word, least, LONGEST_TIME) {
            *field(clock.get_or_insert_default()) = number;
        }
        true
    }

    fn skip(&mut self, word: &str) {
        self.complain(unknown(self.command, word));
    }

    /// The command, if nothing was wrong and nothing is left: of another measurement than was meant
    /// the figures are worth nothing.
    fn finish_if_clear(mut self, command: Command) -> Parsed {
        if let Some(word) = self.next() {
            self.skip(word);
        }
        Parsed {
            command: self.complaint.is_none().then_some(command),
            complaint: self.complaint,
        }
    }

    fn finish(self, command: Command) -> Parsed {
        Parsed {
            command: Some(command),
            complaint: self.complaint,
        }
    }
}

fn go(words: &[&str]) -> Parsed {
    let mut words = Words::new("go", words);
    let mut limits = Limits::default();
    let mut random_time = None;
    // Time and nodes of a mate search are told apart from those of an ordinary one by this word.
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
            "movetime" => limits.movetime = words.positive("movetime", LONGEST_TIME),
            "rtime" => random_time = words.positive("rtime", LONGEST_TIME),
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
                // No shogi clock has a time control to reach.
                words.number("movestogo", 0, i64::MAX);
            }
            word if words.clock_word(word, &mut limits.clock) => {}
            word => words.skip(word),
        }
    }
    words.finish(if mate {
        Command::GoMate {
            time: mate_time,
            nodes: limits.nodes,
        }
    } else {
        Command::Go {
            limits,
            random_time,
        }
    })
}

fn ponderhit(words: &[&str]) -> Parsed {
    let mut words = Words::new("ponderhit", words);
    let mut clock = None;
    while let Some(word) = words.next() {
        if !words.clock_word(word, &mut clock) {
            words.skip(word);
        }
    }
    words.finish(Command::PonderHit(clock))
}

fn perft(words: &[&str]) -> Parsed {
    let mut words = Words::new("perft", words);
    let depth = words.exactly("depth", DEEPEST_PERFT).unwrap_or(1);
    words.finish_if_clear(Command::Perft(depth as u32))
}

fn bench(words: &[&str]) -> Parsed {
    let mut words = Words::new("bench", words);
    let mut argument = |word, most| {
        let given = !words.rest.is_empty();
        given.then(|| words.exactly(word, most)).flatten()
    };
    let depth = argument("depth", MAX_PLY as i64).map(|depth| depth as Depth);
    let threads = argument("threads", super::options::MAX_THREADS).map(|threads| threads as usize);
    let hash = argument("hash", super::options::MAX_HASH).map(|hash| hash as usize);
    words.finish_if_clear(Command::Bench {
        depth,
        threads,
        hash,
    })
}

#[cfg(test)]
mod tests;
