//! The USI protocol: text in, text out.
//!
//! One thread reads lines and the main thread carries them out; whatever takes time runs on threads
//! of its own and prints its answer when it has one. A line goes through [`command`] (what does it say?) and [`engine`]
//! (what is to be done?); [`options`] is the table of everything that can be set, [`report`] the
//! text of answers, and all of it leaves through one [`output`].
//!
//! The contract: exactly one `bestmove` for each `go` and one `checkmate` for each `go mate`, in
//! order; no input makes the engine panic, hang or lose its position; what was wrong with a line
//! is told in one `info string`.
#![forbid(unsafe_code)]
#![deny(clippy::panic)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]

pub mod bench;
pub mod command;
pub mod engine;
pub mod error;
mod evaluation;
mod input;
mod number;
pub mod options;
pub mod output;
pub mod report;
mod task;
#[cfg(feature = "tune")]
mod tunables;
mod typed;

pub use engine::Engine;
pub use error::UsiError;
pub use output::Output;

use input::{Line, read_line};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Lines read before they can be carried out: a `stop` among them gets through to what is waited
/// for.
const LINES_AHEAD: usize = 16;

/// Carries out the commands given as arguments, then those of standard input, and ends the
/// process.
///
/// Arguments without a comma are one command: it is carried out alone, and input is not read; the
/// exit status is 1 if anything was wrong with it. With commas (`usi , isready`) they are what comes before the input.
pub fn run(arguments: Vec<OsString>) -> ! {
    let mut engine = Engine::new(Output::stdout());
    let alone = !arguments.is_empty() && arguments.iter().all(|argument| argument != ",");
    let flow = run_arguments(&mut engine, &arguments);
    if flow.is_continue() && !alone {
        run_input(&mut engine);
    }
    // Threads may still be at work: nothing more is printed, and the process ends at once.
    engine.output().close();
    process::exit(i32::from(alone && engine.has_complained()))
}

fn run_arguments(engine: &mut Engine, arguments: &[OsString]) -> ControlFlow<()> {
    for words in arguments.split(|argument| argument == ",") {
        engine.execute_line(words.join(OsStr::new(" ")).as_encoded_bytes())?;
        engine.drain();
    }
    ControlFlow::Continue(())
}

fn run_input(engine: &mut Engine) {
    let (sender, lines) = sync_channel(LINES_AHEAD);
    let ends = engine.ends_ahead();
    let reading = thread::Builder::new().spawn(move || read_ahead(&sender, &ends));
    if let Err(error) = reading {
        let text = format!("no thread to read the input: {error}");
        engine.output().info_string(&text);
        return;
    }
    loop {
        // The other side ends after the end of input only.
        match lines.recv().unwrap_or(Line::End) {
            Line::Text(line) => {
                if engine.execute_line(&line).is_break() {
                    return;
                }
            }
            Line::TooLong => engine.complain(&UsiError::LineTooLong),
            Line::End => {
                engine.hang_up();
                return;
            }
        }
    }
}

/// Reads lines until the end of input, or until nobody wants them any more.
fn read_ahead(lines: &SyncSender<Line>, ends: &AtomicUsize) {
    let mut input = io::stdin().lock();
    loop {
        let line = read_line(&mut input);
        let is_end = line == Line::End;
        if matches!(&line, Line::Text(line) if command::is_end(line)) {
            ends.fetch_add(1, Ordering::Relaxed);
        }
        if lines.send(line).is_err() || is_end {
            return;
        }
    }
}
