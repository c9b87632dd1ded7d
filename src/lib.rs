//! Komaoto (駒音), a USI shogi engine.
//!
//! A reading order for newcomers, which is also the order of dependence:
//!
//! 1. [`types`]: squares, pieces, hands, moves, values.
//! 2. [`mod@bitboard`]: sets of squares, and what pieces attack.
//! 3. [`position`]: the board and the rules: playing moves, legal generation, exchanges,
//!    repetition, declaration, SFEN.
//! 4. [`eval`]: the static evaluation.
//! 5. [`mate`]: the solver behind `go mate`, which also looks for mates beside the search.
//! 6. [`search`]: iterative deepening around principal variation search.
//! 7. [`data`]: games on disk.
//! 8. [`selfplay`]: `komaoto datagen`, games of the engine against itself.
//! 9. [`train`]: networks from games.
//! 10. [`usi`]: the protocol, options, debug commands and the bench.
//!
//! Besides, `memory` provides large tables, and [`cli`] what commands share: arguments, files, Ctrl-C.
//!
//! ```text
//! stdin -> usi::Command -> engine -> search::Searcher -> Worker threads
//!                             \---> mate::solve              |  \--> mate::Solver
//! stdout <- usi report <- search::Report <-------------------/
//! ```

pub mod bitboard;
pub mod cli;
pub mod data;
pub mod eval;
pub mod mate;
mod memory;
pub mod position;
pub mod search;
pub mod selfplay;
pub mod train;
pub mod types;
pub mod usi;
