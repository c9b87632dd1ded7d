//! The USI protocol: text in, text out.
//!
//! ```text
//! input -> command -> engine --+-> search::Searcher -> report --+-> output
//! (lines)  (parser)   (state)  +-> task: mate, perft, bench ----+
//! ```
//!
//! The main thread executes one line at a time; searches and tasks run on other threads and print
//! their answers themselves. [`options`] is the table of USI options, and everything printed goes
//! through one [`output`].
//!
//! The life of a `go`: [`command`] parses its [`Limits`](crate::search::Limits), and the [`engine`]
//! passes them to [`Searcher::go`](crate::search::Searcher::go) (`search/pool.rs`), which sends a
//! `Job` to each thread. Each `Worker` (`worker.rs`) deepens iteratively (`iterate.rs`). The main
//! thread watches the clock (`time.rs`), prints `info` lines through [`report`], lets the results of
//! all threads vote, and reports the `BestMove`.
//!
//! The contract: exactly one `bestmove` for each `go` and one `checkmate` for each `go mate`, in
//! order; no input makes the engine panic, hang or lose its position; an error in a line is reported
//! in one `info string`.
#![forbid(unsafe_code)]
#![deny(clippy::panic)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]

pub mod bench;
pub mod command;
mod debug;
pub mod engine;
pub mod error;
mod input;
mod network;
pub mod options;
pub mod output;
pub mod report;
mod task;
#[cfg(feature = "tune")]
mod tunables;

pub use engine::Engine;
pub use error::UsiError;
pub use output::Output;

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::process;

/// Executes the commands given as arguments, then those of standard input, and ends the process.
///
/// Arguments without a comma are a single command: standard input is then not read, and the exit
/// status is 1 if there was an error. Commas separate commands (`usi , isready`).
pub fn run(arguments: Vec<OsString>) -> ! {
    let mut engine = Engine::new(Output::stdout());
    let single = !arguments.is_empty() && arguments.iter().all(|argument| argument != ",");
    let flow = run_arguments(&mut engine, &arguments);
    if flow.is_continue() && !single {
        run_input(&mut engine);
    }
    // Threads may still be running: nothing more is printed, and the process ends at once.
    engine.output().close();
    process::exit(i32::from(single && engine.has_reported_error()))
}

fn run_arguments(engine: &mut Engine, arguments: &[OsString]) -> ControlFlow<()> {
    for words in arguments.split(|argument| argument == ",") {
        engine.execute_line(words.join(OsStr::new(" ")).as_encoded_bytes())?;
        engine.wait_for_answers();
    }
    ControlFlow::Continue(())
}

fn run_input(engine: &mut Engine) {
    let lines = match input::spawn_reader(engine.pending_stops()) {
        Ok(lines) => lines,
        Err(error) => return engine.report_error(&error.into()),
    };
    for line in lines {
        match line {
            Ok(line) => {
                if engine.execute_line(&line).is_break() {
                    return;
                }
            }
            Err(error) => engine.report_error(&error),
        }
    }
    engine.wait_for_answers();
}
