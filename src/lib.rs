//! Komaoto (駒音), a USI shogi engine.
//!
//! The modules in reading order. Each depends only on modules above it, and on [`cli`] and `memory`, which
//! depend on no other:
//!
//! | module | what it holds | begin at |
//! |---|---|---|
//! | [`types`] | squares, pieces, hands, moves, values | [`types::Move`] |
//! | [`mod@bitboard`] | sets of squares, attacks | [`bitboard::Bitboard`] |
//! | [`position`] | board and rules: move generation, SEE, repetition, declaration, SFEN | [`position::Position`] |
//! | [`eval`] | score units, NNUE inference, network files | [`eval::Evaluator`] |
//! | [`mate`] | tsume solver behind `go mate`, which the search uses at the root | [`mate::solve`] |
//! | [`search`] | iterative deepening and principal variation search | `search/pvs.rs`, its constants in [`search::params`] |
//! | [`data`] | game files and training data formats | [`data::Game`] |
//! | [`selfplay`] | `komaoto datagen`: self-play games | `selfplay/play.rs` |
//! | [`train`] | `komaoto train`: networks from games | `train/run.rs` |
//! | [`usi`] | protocol, options, debug commands, bench | the life of a `go` in the documentation of [`usi`] |
//!
//! ```text
//! stdin -> usi::Command -> Engine -> search::Searcher -> Workers
//!                             \---> mate::solve           |  \--> mate::Solver
//! stdout <- usi::report <--- search::Report <------------/
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
