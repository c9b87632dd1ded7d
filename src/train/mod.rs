//! `komaoto train`: networks from games, on the CPU.
//!
//! ```text
//! settings -> run -> read (games -> quiet samples) -> set (in memory, or on disk in parts)
//!              |---> batch: kernel on every thread -> gradient -> adam -> model
//!              \---> checkpoint, curve (CSV and SVG), model -> eval::nnue::{OwnNetwork, ClassicNetwork}
//! ```
//!
//! A network has one layer of sums for each side, and an output z that is to be such that sigmoid(z)
//! is the chance to win. Between them lie squared activations in networks of our own ([`squared`]), and
//! two hidden layers in classic ones, which YaneuraOu reads ([`hidden`]). The loss is (sigmoid(z) - p)^2, where p
//! mixes what the search said, sigmoid(centipawns / 600), with the result of the game.
#![forbid(unsafe_code)]

mod adam;
mod batch;
mod checkpoint;
mod classic;
mod curve;
mod error;
mod hidden;
mod kernel;
mod model;
mod outputs;
mod plot;
mod read;
mod run;
mod sample;
mod schedule;
mod set;
mod settings;
mod squared;
#[cfg(test)]
mod tests;
mod trace;

use crate::cli::{console, interrupt};
use settings::{HELP, Settings};
use std::ffi::OsString;
use std::process::ExitCode;

/// Carries out `komaoto train` with the arguments behind it.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let done = Settings::read(arguments)
        .map_err(error::TrainError::from)
        .and_then(|settings| run::run(&settings));
    match done {
        Err(error) => {
            console::tell(format_args!("komaoto train: {error}"));
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}
