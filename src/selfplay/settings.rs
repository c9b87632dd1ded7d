//! The command line of `komaoto datagen`, and the header of the file it asks for.
#![forbid(unsafe_code)]

use super::openings::{self, OpeningsError};
use super::play::{GameRules, MAX_IMBALANCE, OPENING_PLIES};
use super::referee::AGREEMENT;
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::{StableRng, cores, stable_rng};
use crate::data::{DataError, DataProblem, GameFileHeader, GameReader, is_game_file};
use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::types::value;
use rand::seq::IndexedRandom;
use rand::{RngCore, SeedableRng};
use std::ffi::OsString;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `komaoto datagen --help` prints.
pub const HELP: &str = "\
komaoto datagen --out FILE: generates training data: self-play games with the score of every search
  --out FILE       file of games (.koma); an existing one is continued
  --games N        stop when the file has N games
  --positions N    stop when the file has N positions with a score (neither: stop on Ctrl-C)
  --threads N      games played in parallel (all cores)
  --nodes N        average nodes per search (1000); the last iteration is completed
  --seed N         seed for the openings (random)
  --openings FILE  start positions, one SFEN per line, for every other game, followed by up to 6 random
                   moves (none: all games start from the even start position with 4 to 14 random moves)
  --side-lines N   leave the game with a random move once in N moves on average, for N moves on average,
                   to get positions after bad moves (none); the game itself goes on without it
  --visits N       TreeStrap positions to keep per search (16): other positions that it visited, with
                   scores or bounds. Many times more to train on, but much larger files; what exceeds
                   64 KB per game is dropped evenly
  --probes N       positions to draw from those that each search evaluates and to search as well (0):
                   exact scores of the positions that the network is asked about
  --probe-nodes N  average nodes per probe (1000)
  --net FILE       network to play with (the built-in one)
  --max-moves N    draw after N moves (320)
  --adjudicate N   adjudicate when four searches in a row agree on N centipawns or more (only on mates).
                   Results then follow the scores: train with a fixed --eval-scale
Numbers may end with k or M. A game depends only on these settings, the network and its number in the
file. A file is continued with the settings it was begun with. Ctrl-C or killing the process loses only the
games in progress.";

const NODES: u64 = 1000;
/// Bounds how long Ctrl-C waits for the end of a search.
const MAX_NODES: u64 = 10_000_000;
const MOVES: u64 = 320;
/// The file format has no room for many more.
const MAX_MOVES: u64 = 10_000;
const VISITS: u64 = 16;
const MAX_VISITS: u64 = 10_000;
const MAX_SIDE_LINES: u64 = 100_000;
/// Only mates are safe: when both sides saw 3000 centipawns of a handcrafted evaluation, every twelfth game
/// was won by the other side.
const ADJUDICATION: u64 = value::MATE_IN_MAX_PLY as u64;
const MIN_ADJUDICATION: u64 = 500;

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// When the file has this many games.
    Games(u32),
    /// When the file has this many positions with a score.
    Positions(u64),
    /// On Ctrl-C.
    Never,
}

/// The settings of a run.
pub struct DatagenSettings {
    /// The file of games.
    pub out: PathBuf,
    pub goal: Goal,
    pub threads: usize,
    pub rules: GameRules,
    /// A network file; `None` for the built-in network.
    pub net: Option<PathBuf>,
}

impl DatagenSettings {
    /// Reads the arguments of `datagen`.
    ///
    /// # Errors
    /// When they are invalid, or the file to continue cannot be read.
    pub fn read(arguments: Vec<OsString>) -> Result<DatagenSettings, SettingsError> {
        let mut arguments = Arguments::new(arguments);
        let out = arguments.path("--out")?;
        let out = out.ok_or(ArgumentError::Missing("--out FILE"))?;
        if !is_game_file(&out) {
            return Err(SettingsError::Argument(ArgumentError::BadValue {
                name: "--out",
                expected: "a file of games such as games.koma".into(),
                found: out.display().to_string(),
            }));
        }
        let games = arguments.number("--games", 1..=u32::MAX)?;
        let positions = arguments.number("--positions", 1..=u64::MAX)?;
        let goal = match (games, positions) {
            (Some(_), Some(_)) => {
                return Err(ArgumentError::Together("--games", "--positions").into());
            }
            (Some(games), None) => Goal::Games(games),
            (None, Some(positions)) => Goal::Positions(positions),
            (None, None) => Goal::Never,
        };
        let threads = arguments.number("--threads", 1..=1024u32)?;
        let net = arguments.path("--net")?;
        let openings = match arguments.path("--openings")? {
            Some(path) => openings::read(&path)?.into(),
            None => Arc::default(),
        };
        let header = existing_header(&out)?;
        // Settings not given are taken from the file to continue.
        let mut setting = |option, key: &str, range: RangeInclusive<u64>, default: u64| {
            if let Some(given) = arguments.number(option, range.clone())? {
                return Ok(given);
            }
            let Some(text) = header.as_ref().and_then(|header| header.setting(key)) else {
                return Ok(default);
            };
            let number = text.parse().ok().filter(|number| range.contains(number));
            let problem = DataProblem::Header("setting out of range");
            number.ok_or_else(|| SettingsError::Data(DataError::of_file(&out, problem)))
        };
        let seed = StableRng::from_os_rng().next_u64();
        let adjudications = MIN_ADJUDICATION..=ADJUDICATION;
        let rules = GameRules {
            seed: setting("--seed", "seed", 0..=u64::MAX, seed)?,
            nodes: setting("--nodes", "nodes", 1..=MAX_NODES, NODES)?,
            max_moves: setting("--max-moves", "max-moves", 20..=MAX_MOVES, MOVES)? as u32,
            openings,
            side_lines: setting("--side-lines", "side-lines", 0..=MAX_SIDE_LINES, 0)? as u32,
            visits: setting("--visits", "visits", 0..=MAX_VISITS, VISITS)? as u32,
            probes: setting("--probes", "probes", 0..=MAX_VISITS, 0)? as u32,
            probe_nodes: setting("--probe-nodes", "probe-nodes", 1..=MAX_NODES, NODES)?,
            adjudication: setting(
                "--adjudicate",
                "adjudication-score",
                adjudications,
                ADJUDICATION,
            )? as i32,
        };
        if let Some(extra) = arguments.rest()?.first() {
            return Err(ArgumentError::Unknown(extra.to_string_lossy().into()).into());
        }
        Ok(DatagenSettings {
            out,
            goal,
            threads: threads.map_or_else(cores, |threads| threads as usize),
            rules,
            net,
        })
    }

    /// The header of the file, for games played with `network`.
    pub fn header(&self, network: &Arc<Network>) -> GameFileHeader {
        let rules = &self.rules;
        let (low, high) = (OPENING_PLIES.start(), OPENING_PLIES.end());
        let mut settings = vec![
            ("seed", rules.seed.to_string()),
            ("nodes", rules.nodes.to_string()),
            ("max-moves", rules.max_moves.to_string()),
            ("random-plies", format!("{low}-{high}")),
            ("opening-balance", MAX_IMBALANCE.to_string()),
            ("adjudication-score", rules.adjudication.to_string()),
            ("adjudication-plies", AGREEMENT.to_string()),
            ("side-lines", rules.side_lines.to_string()),
            ("visits", rules.visits.to_string()),
            ("probes", rules.probes.to_string()),
            ("probe-nodes", rules.probe_nodes.to_string()),
        ];
        if !rules.openings.is_empty() {
            let keys = rules.openings.iter().map(Position::key);
            let hash = keys.fold(0, |hash: u64, key| hash.rotate_left(1) ^ key);
            settings.push(("openings", format!("{} {hash:016x}", rules.openings.len())));
        }
        let settings = settings.into_iter();
        GameFileHeader {
            engine: concat!("Komaoto ", env!("CARGO_PKG_VERSION")).into(),
            evaluation: format!(
                "network {}, FV_SCALE {}",
                network.architecture(),
                network.fv_scale()
            ),
            evaluation_hash: network_hash(network),
            unit: ScoreUnit::CENTIPAWNS,
            settings: settings.map(|(key, value)| (key.into(), value)).collect(),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// An argument.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The file to continue.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// The header of a file to continue.
fn existing_header(path: &Path) -> Result<Option<GameFileHeader>, DataError> {
    match fs::metadata(path).map_or(0, |metadata| metadata.len()) {
        0 => Ok(None),
        _ => Ok(Some(GameReader::open(path)?.header().clone())),
    }
}

/// Identifies a network by a hash of its evaluations of many positions.
fn network_hash(network: &Arc<Network>) -> u64 {
    const GAMES: u64 = 32;
    const PLIES: usize = 40;
    let mut evaluator = Evaluator::new(Arc::clone(network));
    let mut hash = crc32fast::Hasher::new();
    for game in 0..GAMES {
        let mut rng = stable_rng(0, game);
        let mut position = Position::startpos();
        for _ in 0..PLIES {
            let Some(&mv) = position.legal_moves().choose(&mut rng) else {
                break;
            };
            position.do_move(mv);
            evaluator.reset(&position);
            hash.update(&evaluator.evaluate(&position).to_le_bytes());
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::embedded;

    #[test]
    fn a_network_has_one_hash() {
        assert_eq!(network_hash(&embedded()), network_hash(&embedded()));
    }
}
