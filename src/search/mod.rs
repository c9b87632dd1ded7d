//! The search: iterative deepening (`iterate`) of aspiration windows (`aspiration`) around
//! principal variation search (`pvs`), which ends in quiescence search (`quiescence`).
//!
//! ```text
//! Searcher (pool) --Job--> Worker, one per thread
//!     iterate -> aspiration -> pvs -> quiescence -> Evaluator
//!         \- root_mate -> mate  |  \- movepick <- history
//!                               \- tt (shared)
//! ```
//!
//! With one thread a search is a pure function of the position with its history, the histories
//! and hash table left by earlier searches, and the limits.

mod aspiration;
mod conclusion;
mod control;
mod correction;
mod extension;
mod history;
mod iterate;
mod learning;
mod limits;
mod move_loop;
mod move_pruning;
mod movepick;
mod node;
mod node_pruning;
pub mod params;
mod pool;
mod prune;
mod pvs;
mod quiescence;
mod reduction;
mod report;
mod root;
mod root_mate;
mod scoring;
mod solo;
mod stack;
#[cfg(test)]
mod tests;
mod time;
mod treestrap;
mod tried;
mod tt;
mod worker;
mod zeroed;

pub use limits::{Clock, Limits, SearchOptions};
pub use pool::{DEFAULT_HASH, HashError, MAX_THREADS, Searcher, ThreadsError};
pub use report::{Answer, Info, Report, ScoreBound};
pub use solo::{Found, Solo};
pub use treestrap::Visit;
