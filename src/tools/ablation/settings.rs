//! What `komaoto ablation` was asked to do.
#![forbid(unsafe_code)]

use super::AblationError;
use crate::position::Position;
use crate::search::{Technique, technique};
use crate::tools::arguments::{ArgumentError, Arguments};
use crate::tools::openings;
use crate::types::{Depth, MAX_PLY};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread;

/// What `komaoto ablation --help` prints.
pub const HELP: &str = "\
komaoto ablation: what each technique of the search is worth, as a table in Markdown
  --only NAMES     techniques to measure, divided by commas (all)
  --games N        games of the full search against the search without the technique (200; 0: none)
  --nodes N        nodes of every search in games (10k)
  --depth N        depth for which nodes are counted, over the positions of bench (8; 0: none)
  --threads N      games and searches at a time (all cores)
  --hash N         MB of each hash table (16)
  --net FILE       network to evaluate with, or handwritten (the network built in)
  --openings FILE  one SFEN a line, each played with both colours (500 balanced openings)
Numbers may end with k or M. Four-fold repetition, perpetual check, declaration (27 points) and a limit of
320 moves count, and a game ends when both sides have seen the mate. The Elo is what the technique gains, with
its error of 95 %. The same settings give the same table. Ctrl-C ends it; rows that are finished stay.";

/// The openings, one SFEN a line.
const OPENINGS: &str = include_str!("../../../positions/openings.sfen");

/// Everything asked for.
pub struct Settings {
    /// The techniques to measure, by name.
    pub techniques: Vec<(&'static str, Technique)>,
    /// Games of each match.
    pub games: usize,
    /// Nodes of every search in games.
    pub nodes: u64,
    /// Depth for which nodes are counted.
    pub depth: Option<Depth>,
    /// Games and searches at a time.
    pub threads: usize,
    /// Megabytes of each hash table.
    pub hash: usize,
    /// A network file.
    pub net: Option<PathBuf>,
    openings: Option<PathBuf>,
}

impl Settings {
    /// Reads the arguments behind `ablation`.
    ///
    /// # Errors
    /// When they make no sense.
    pub fn read(arguments: Vec<OsString>) -> Result<Settings, AblationError> {
        let mut arguments = Arguments::new(arguments);
        let only = arguments.text("--only")?;
        let games = arguments.number("--games", 0..=1_000_000u32)?;
        let nodes = arguments.number("--nodes", 1..=1_000_000_000u64)?;
        let depth = arguments.number("--depth", 0..=MAX_PLY as u32 - 1)?;
        let threads = arguments.number("--threads", 1..=1024u32)?;
        let hash = arguments.number("--hash", 1..=65_536u32)?;
        let net = arguments.path("--net")?;
        let openings = arguments.path("--openings")?;
        if let Some(extra) = arguments.rest()?.first() {
            return Err(ArgumentError::Unknown(extra.to_string_lossy().into()).into());
        }
        let techniques = match only {
            None => techniques().collect(),
            Some(names) => {
                let names = names.to_string_lossy();
                names.split(',').map(find).collect::<Result<_, _>>()?
            }
        };
        Ok(Settings {
            techniques,
            games: games.map_or(200, |games| games as usize),
            nodes: nodes.unwrap_or(10_000),
            depth: Some(depth.unwrap_or(8) as Depth).filter(|&depth| depth > 0),
            threads: threads.map_or_else(cores, |threads| threads as usize),
            hash: hash.map_or(16, |hash| hash as usize),
            net,
            openings,
        })
    }

    /// The openings of the games: enough that none is played twice, which would be the same games
    /// again.
    ///
    /// # Errors
    /// When they cannot be read, or are too few.
    pub fn openings(&self) -> Result<Vec<Position>, AblationError> {
        let openings = match &self.openings {
            None => openings::parse(OPENINGS, Path::new("positions/openings.sfen"))?,
            Some(path) => openings::read(path)?,
        };
        if openings.len() < self.games.div_ceil(2) {
            return Err(AblationError::FewOpenings {
                openings: openings.len(),
                games: self.games,
            });
        }
        Ok(openings)
    }

    /// The settings in a line.
    pub fn describe(&self, evaluation: &str) -> String {
        format!(
            "Evaluation {evaluation}; {} games at {} nodes; depth {}; hash {} MB.\n",
            self.games.next_multiple_of(2),
            self.nodes,
            self.depth.unwrap_or(0),
            self.hash
        )
    }
}

/// Every technique by its name in the table: that of its option without the prefix.
fn techniques() -> impl Iterator<Item = (&'static str, Technique)> {
    technique::named()
        .iter()
        .map(|(name, technique)| (&name[technique::PREFIX.len()..], *technique))
}

/// The names of all techniques.
pub fn names() -> Vec<&'static str> {
    techniques().map(|(name, _)| name).collect()
}

/// A technique by name, upper or lower case, with or without the prefix.
fn find(text: &str) -> Result<(&'static str, Technique), AblationError> {
    let name = text.strip_prefix(technique::PREFIX).unwrap_or(text);
    techniques()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .ok_or_else(|| AblationError::UnknownTechnique(text.into()))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get())
}
