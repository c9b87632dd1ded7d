//! `komaoto ablation` (cargo feature `tune`): what each technique of the search is worth. For each,
//! the full search is compared with the search without it, by the nodes that a fixed depth takes
//! and in games at fixed nodes; one row of a Markdown table tells the outcome.
//!
//! ```text
//! settings -> run -> depth: nodes to a depth --\
//!               \--> games: a match -> score --->  row
//!         both on threads, a search::Solo or two on each
//! ```
//!
//! Fixed nodes say nothing of what a technique costs or saves in time a node.
#![forbid(unsafe_code)]

mod depth;
mod games;
mod score;
mod settings;
mod threads;

use crate::datagen::evaluation::Evaluation;
use crate::eval::nnue::{NetError, Network};
use crate::search::{HashError, SearchOptions, Technique, Techniques};
use crate::tools::arguments::ArgumentError;
use crate::tools::console;
use crate::tools::interrupt;
use crate::tools::openings::OpeningsError;
use crate::tools::referee::DECLARATION;
use depth::Cost;
use games::Match;
use settings::{HELP, Settings};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use thiserror::Error;

/// The game is drawn when this many plies were played.
const MAX_MOVES: u32 = 320;

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum AblationError {
    /// The arguments.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A technique that there is not.
    #[error("there is no technique called {0}; --help lists them")]
    UnknownTechnique(String),
    /// The network.
    #[error("network {}: {error}", .path.display())]
    Network {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        error: NetError,
    },
    /// The openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// Games would repeat themselves.
    #[error("{openings} openings are enough for {} games, not for {games}", .openings * 2)]
    FewOpenings {
        /// The openings there are.
        openings: usize,
        /// The games asked for.
        games: usize,
    },
    /// Memory.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// Threads.
    #[error("a thread could not be started: {0}")]
    Thread(io::Error),
    /// Output.
    #[error("the table cannot be written: {0}")]
    Output(io::Error),
}

/// Carries out `komaoto ablation` with the arguments behind it.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if arguments.iter().any(|argument| argument == "--help") {
        let names = settings::names().join(" ");
        console::print(format_args!("{HELP}\nTechniques: {names}"));
        return ExitCode::SUCCESS;
    }
    interrupt::watch();
    let done = Settings::read(arguments).and_then(|settings| run(&settings, &mut io::stdout()));
    match done {
        Err(error) => {
            console::tell(format_args!("komaoto ablation: {error}"));
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// Measures one technique after the other and writes the table.
fn run(settings: &Settings, out: &mut impl Write) -> Result<(), AblationError> {
    let evaluation = Evaluation::load(settings.net.as_deref()).map_err(|error| {
        let path = settings.net.clone().unwrap_or_default();
        AblationError::Network { path, error }
    })?;
    let openings = settings.openings()?;
    let searchers = Searchers {
        hash: settings.hash,
        network: evaluation.network.clone(),
    };
    let mut write = |line: String| {
        writeln!(out, "{line}")
            .and_then(|()| out.flush())
            .map_err(AblationError::Output)
    };
    write(settings.describe(&evaluation.name))?;
    write("| without | nodes to depth | Elo of the technique | won - drawn - lost |".into())?;
    write("|---|---|---|---|".into())?;
    let full = depth::full(settings, &searchers)?;
    for (name, technique) in &settings.techniques {
        let cost = depth::without(*technique, settings, &searchers, &full)?;
        let games = games::play(*technique, settings, &searchers, &openings)?;
        if interrupt::is_interrupted() {
            return Ok(());
        }
        write(row(name, cost, &games))?;
    }
    Ok(())
}

/// The row of a technique.
fn row(name: &str, cost: Option<Cost>, games: &Match) -> String {
    let cost = cost.map_or("-".into(), |cost| cost.to_string());
    format!(
        "| {name} | {cost} | {} | {} |",
        games.elo(),
        games.results()
    )
}

/// What all searchers have in common.
struct Searchers {
    /// Megabytes of each hash table.
    hash: usize,
    network: Option<Arc<Network>>,
}

impl Searchers {
    /// A searcher without some techniques.
    fn without(&self, left_out: Technique) -> Result<crate::search::Solo, HashError> {
        let options = SearchOptions {
            max_moves_to_draw: MAX_MOVES,
            draw_value: [0; 2],
            entering_king_rule: DECLARATION,
            techniques: Techniques::without(left_out),
            ..SearchOptions::default()
        };
        crate::search::Solo::new(self.hash, self.network.clone(), options)
    }
}

#[cfg(test)]
mod tests;
