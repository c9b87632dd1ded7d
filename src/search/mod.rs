//! The search: iterative deepening with aspiration windows (`iterate`) around principal variation
//! search (`pvs`), which drops into quiescence search (`quiescence`).
//!
//! ```text
//! Searcher (pool) --Job--> Worker, one per thread
//!     iterate -> pvs -> quiescence -> Evaluator
//!      |          |  \- movepick <- history
//!      |          \- tt (shared)
//!      \- root_mate -> mate
//! ```
//!
//! With one thread a search is deterministic: it depends only on the position and the moves that led
//! to it, the options, the limits, and the hash table and histories left by earlier searches.

mod control;
mod correction_history;
mod history;
mod iterate;
mod limits;
mod movepick;
pub mod params;
mod pool;
mod pvs;
mod quiescence;
mod report;
mod root_mate;
mod single;
mod stack;
#[cfg(test)]
mod tests;
mod time;
mod tt;
mod worker;

pub use limits::{Clock, Limits, SearchOptions};
pub use pool::{DEFAULT_HASH, MAX_THREADS, MemoryError, STACK_SIZE, Searcher};
pub use report::{BestMove, Info, NullReport, Progress, Report, ScoreBound};
pub use single::{SearchResult, SingleSearcher, Visit};
pub use time::hard_limit;
