//! `komaoto datagen`: the engine plays against itself, and every position it searched is kept with
//! score and result, to train networks with.
//!
//! ```text
//! settings -> run -> play, one Player per thread -> search::SingleSearcher
//!              \---> data::GameWriter, progress
//! ```
#![forbid(unsafe_code)]

pub mod evaluation;
pub mod openings;
mod play;
mod progress;
pub mod referee;
mod run;
mod settings;

use crate::cli::{console, interrupt};
use settings::{HELP, Settings};
use std::ffi::OsString;
use std::process::ExitCode;

/// Carries out `komaoto datagen` with the arguments behind it.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let failed = |error: &dyn std::error::Error| {
        console::eprint_line(format_args!("komaoto datagen: {error}"));
        ExitCode::FAILURE
    };
    match Settings::read(arguments) {
        Err(error) => failed(&error),
        Ok(settings) => match run::run(&settings) {
            Err(error) => failed(&error),
            Ok(()) => ExitCode::SUCCESS,
        },
    }
}
