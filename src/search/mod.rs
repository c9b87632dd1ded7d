//! The search.
pub mod limits;
pub mod report;

pub use limits::{Clock, Limits, SearchOptions};
pub use report::{Answer, Info, Report, ScoreBound, Silent};

use crate::position::Position;
use thiserror::Error;

/// The hash table could not be allocated.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error("no memory for a hash table of {wanted} MB, keeping {kept} MB")]
pub struct HashError {
    /// Megabytes asked for.
    pub wanted: usize,
    /// Megabytes of the table still in use.
    pub kept: usize,
}

/// The search threads and what they share. All methods are called from one controlling thread;
/// the search itself runs on threads of its own.
pub struct Searcher {}

impl Searcher {
    /// One thread and the default hash table, nothing allocated before it is needed.
    pub fn new() -> Searcher {
        todo!()
    }
    /// Changes the number of threads (1..=1024). Waits for a running search, which should have
    /// been stopped.
    pub fn set_threads(&mut self, _threads: usize) {
        todo!()
    }
    /// Changes the size of the hash table, in megabytes, and clears it.
    ///
    /// # Errors
    /// When the memory is not to be had; the old table stays.
    pub fn set_hash(&mut self, _megabytes: usize) -> Result<(), HashError> {
        todo!()
    }
    /// Forgets everything learnt from earlier searches (`usinewgame`).
    pub fn clear(&mut self) {
        todo!()
    }
    /// Starts a search and returns at once. A search still running is stopped and answered first.
    pub fn go(
        &mut self,
        _position: &Position,
        _limits: Limits,
        _options: &SearchOptions,
        _report: Box<dyn Report>,
    ) {
        todo!()
    }
    /// Whether a search is running, pondering or waiting for `stop`.
    pub fn is_searching(&self) -> bool {
        todo!()
    }
    /// Makes a running search answer at once; does not wait for the answer.
    pub fn stop(&self) {
        todo!()
    }
    /// The expected move was played: the ponder search becomes an ordinary one, with the clock
    /// given now or with that of its `go`. Nothing happens unless it is pondering.
    pub fn ponderhit(&self, _clock: Option<Clock>) {
        todo!()
    }
    /// Waits until the running search has answered.
    pub fn wait(&mut self) {
        todo!()
    }
    /// Static evaluation for the side to move, in centipawns, with a readable breakdown.
    pub fn explain_eval(&mut self, _position: &Position) -> String {
        todo!()
    }
}
