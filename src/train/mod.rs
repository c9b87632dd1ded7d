//! `komaoto train`: networks from games, on the CPU.
//!
//! ```text
//! settings -> run -> reader (games -> samples) -> dataset (in memory, or on disk in parts)
//!              |---> workers: kernel on every thread -> gradients -> adam -> model
//!              \---> checkpoint, curve (CSV and SVG), export -> eval::nnue::{NativeNetwork, ClassicNetwork}
//! ```
//!
//! A network has a feature transformer for each side and an output z, of which sigmoid(z) is the
//! winning probability. Between them lies SCReLU in native networks ([`kernel`]), and two hidden layers in
//! classic ones, which YaneuraOu reads ([`hidden`]). The loss is (sigmoid(z) - p)^2, where p mixes the
//! score of the search, sigmoid(centipawns / 600), with the result of the game.
#![forbid(unsafe_code)]

mod adam;
mod checkpoint;
mod curve;
mod dataset;
mod error;
mod export;
mod hidden;
mod kernel;
mod model;
mod outputs;
mod reader;
mod run;
mod settings;
#[cfg(test)]
mod tests;
mod workers;

use crate::cli::{console, interrupt};
use settings::{HELP, TrainSettings};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs `komaoto train` with the arguments behind it.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let done = TrainSettings::read(arguments)
        .map_err(error::TrainError::from)
        .and_then(|settings| run::run(&settings));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::eprint_line(format_args!("komaoto train: {error}"));
            ExitCode::FAILURE
        }
    }
}
