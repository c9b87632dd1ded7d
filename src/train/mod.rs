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
mod export;
mod hidden;
mod kernel;
mod model;
mod reader;
mod run;
mod settings;
#[cfg(test)]
mod tests;
mod workers;

use crate::cli::arguments::ArgumentError;
use crate::cli::{console, interrupt};
use crate::data::DataError;
use reader::SampleCounts;
use settings::{HELP, TrainSettings};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

/// Runs `komaoto train` with the arguments behind it.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let done = TrainSettings::read(arguments)
        .map_err(TrainError::from)
        .and_then(|settings| run::run(&settings));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::eprint_line(format_args!("komaoto train: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Why training fails.
#[derive(Debug, Error)]
enum TrainError {
    /// The command line.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A file of games.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file other than those of games, and what is wrong with it.
    #[error("{}: {problem}", .path.display())]
    File { path: PathBuf, problem: String },
    /// Nothing to learn from.
    #[error(
        "no positions to train on: {} read, {} filtered out, {} for validation",
        .0.read, .0.filtered, .0.validation
    )]
    NoData(SampleCounts),
    /// Ctrl-C.
    #[error("interrupted; --resume continues from {}", .0.display())]
    Interrupted(PathBuf),
    /// The loss at a step (from 1) is not finite.
    #[error("the loss at step {step} is {loss}: try a lower --lr")]
    Diverged { step: u64, loss: f64 },
}

impl TrainError {
    /// Makes an error about a file of what is wrong with it.
    fn file<E: Display>(path: &Path) -> impl FnOnce(E) -> TrainError {
        move |problem| TrainError::File {
            path: path.to_path_buf(),
            problem: problem.to_string(),
        }
    }
}
