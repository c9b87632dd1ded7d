//! Why training fails.
#![forbid(unsafe_code)]

use crate::cli::arguments::ArgumentError;
use crate::data::DataError;
use crate::eval::nnue::NetError;
use std::io;
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
    /// Reading or writing some other file.
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    /// The network to start from, or the one trained.
    #[error("{}: {error}", .path.display())]
    Network { path: PathBuf, error: NetError },
    /// An output that exists.
    #[error("{}: file exists; --force overwrites it", .0.display())]
    Exists(PathBuf),
    /// A checkpoint of a run that may not be finished.
    #[error("{}: file exists; --resume continues from it, --force overwrites it", .0.display())]
    Unfinished(PathBuf),
    /// Another run has the same output.
    #[error("{}: another process is training this network", .0.display())]
    Locked(PathBuf),
    /// An output that must not be replaced.
    #[error("{}: cannot write here: it is {what}", .path.display())]
    Output { path: PathBuf, what: &'static str },
    /// A checkpoint that cannot be used.
    #[error("{}: {what}", .path.display())]
    Checkpoint { path: PathBuf, what: &'static str },
    /// A network or checkpoint to start from that does not fit the settings.
    #[error("{}: expected {expected}, found {found}", .path.display())]
    Mismatch {
        path: PathBuf,
        expected: String,
        found: String,
    },
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
    /// Makes an error of the system one about a file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> TrainError {
        let path = path.to_path_buf();
        |error| TrainError::File { path, error }
    }
}
