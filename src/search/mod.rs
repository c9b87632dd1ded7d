//! The search: iterative deepening ([`iterate`]) of aspiration windows ([`aspiration`]) around
//! principal variation search ([`pvs`]), which ends in quiescence search ([`quiescence`]).
//!
//! ```text
//! Searcher (pool) --Job--> Worker, one per thread
//!     iterate -> aspiration -> pvs -> quiescence -> Evaluator
//!                               |  \- movepick <- history
//!                               \- tt (shared)
//! ```
//!
//! With one thread a search is a pure function of the position with its history, the histories
//! and hash table left by earlier searches, and the limits.

pub mod aspiration;
pub mod control;
pub mod history;
pub mod iterate;
pub mod limits;
pub mod movepick;
pub mod node;
pub mod params;
pub mod pool;
pub mod prune;
pub mod pvs;
pub mod quiescence;
pub mod report;
pub mod root;
pub mod stack;
pub mod technique;
#[cfg(test)]
mod tests;
pub mod time;
pub mod tried;
pub mod tt;
pub mod worker;
mod zeroed;

pub use limits::{Clock, Limits, SearchOptions};
pub use pool::{DEFAULT_HASH, HashError, MAX_THREADS, Searcher};
pub use report::{Answer, Info, Report, ScoreBound, Silent};
pub use technique::{Technique, Techniques};
