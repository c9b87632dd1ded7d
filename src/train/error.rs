//! Why there is no network in the end.
#![forbid(unsafe_code)]

use crate::cli::arguments::ArgumentError;
use crate::data::DataError;
use crate::eval::nnue::NetError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What can go wrong.
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
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A network to start from, or the one trained.
    #[error("{}: {error}", .path.display())]
    Network {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        error: NetError,
    },
    /// An output that is there already.
    #[error("{}: the file exists; --force replaces it", .0.display())]
    Exists(PathBuf),
    /// A checkpoint of a run that may not have ended.
    #[error("{}: the file exists; --resume goes on from it, --force replaces it", .0.display())]
    Begun(PathBuf),
    /// Another run has the same output.
    #[error("{}: another process is training this network", .0.display())]
    Locked(PathBuf),
    /// An output that must not be replaced.
    #[error("{}: expected a file that can be replaced, found {what}", .path.display())]
    Output {
        /// The output.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A checkpoint that cannot be used.
    #[error("{}, byte {offset}: {what}", .path.display())]
    Checkpoint {
        /// Its file.
        path: PathBuf,
        /// Byte of the file at which the part in question begins.
        offset: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Something to start from that is of another shape.
    #[error("{}: expected {expected}, found {found}", .path.display())]
    Shape {
        /// Its file.
        path: PathBuf,
        /// The shape asked for.
        expected: String,
        /// Its own.
        found: String,
    },
    /// Nothing to learn from.
    #[error(
        "no positions to train on: {read} read, {left_out} left out by the filter, {held_back} \
         held back for validation"
    )]
    NoData {
        /// Positions in the files.
        read: u64,
        /// Those not quiet, decided, or too early.
        left_out: u64,
        /// Those for validation.
        held_back: u64,
    },
    /// Ctrl-C.
    #[error("ended as asked; --resume goes on from {}", .0.display())]
    Interrupted(PathBuf),
    /// Numbers out of bounds.
    #[error("the loss at step {step} is {loss}: try a lower --rate")]
    Diverged {
        /// The step, from 1.
        step: u64,
        /// The loss of its batch.
        loss: f64,
    },
}

impl TrainError {
    /// Makes an error of the system one about a file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> TrainError {
        let path = path.to_path_buf();
        |error| TrainError::File { path, error }
    }
}
