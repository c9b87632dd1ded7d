//! Why training fails.
#![forbid(unsafe_code)]

use crate::cli::arguments::ArgumentError;
use crate::data::DataError;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why training fails.
#[derive(Debug, Error)]
pub enum TrainError {
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
        "no positions to train on: {read} read, {filtered} filtered out, {validation} for validation"
    )]
    NoData {
        read: u64,
        filtered: u64,
        validation: u64,
    },
    /// Ctrl-C.
    #[error("interrupted; --resume continues from {}", .0.display())]
    Interrupted(PathBuf),
    /// The loss at a step (from 1) is not finite.
    #[error("the loss at step {step} is {loss}: try a lower --lr")]
    Diverged { step: u64, loss: f64 },
}

impl TrainError {
    /// Makes an error about a file of what is wrong with it.
    pub fn file<E: Display>(path: &Path) -> impl FnOnce(E) -> TrainError {
        move |problem| TrainError::File {
            path: path.to_path_buf(),
            problem: problem.to_string(),
        }
    }
}
