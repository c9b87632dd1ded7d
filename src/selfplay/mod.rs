//! `komaoto datagen`: generates training data by self-play. Every position searched is kept with its score
//! and the result of the game.
//!
//! ```text
//! settings -> run -> play, one Player per thread -> search::SingleSearcher
//!              \---> data::GameWriter, progress
//! ```
#![forbid(unsafe_code)]

mod openings;
mod play;
mod progress;
mod referee;
mod run;
mod settings;
#[cfg(test)]
mod tests;

use crate::cli::{console, interrupt};
use settings::{DatagenSettings, HELP};
use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs `komaoto datagen` with the arguments after `datagen`.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let done = DatagenSettings::read(arguments)
        .map_err(Box::<dyn Error>::from)
        .and_then(|settings| Ok(run::run(&settings)?));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::eprint_line(format_args!("komaoto datagen: {error}"));
            ExitCode::FAILURE
        }
    }
}
