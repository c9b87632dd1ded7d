//! What `komaoto datagen` was asked to do.
#![forbid(unsafe_code)]

use super::evaluation::Evaluation;
use super::play::Rules;
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::{StableRng, cores};
use crate::data::{DataError, GameReader, Header, Problem, is_game_file};
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::selfplay::openings::{self, OpeningsError};
use crate::types::{Value, value};
use rand::{RngCore, SeedableRng};
use std::ffi::OsString;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `komaoto datagen --help` prints.
pub const HELP: &str = "\
komaoto datagen: games of the engine against itself, with the score of every search
  --out FILE       file of games; one that exists is continued
  --games N        end when the file holds N games
  --positions N    end when the file holds N positions with a score
                   (neither: go on until Ctrl-C)
  --threads N      games played at a time (all cores)
  --nodes N        nodes of a search in the mean (1000): its last iteration is finished
  --seed N         decides the openings (random)
  --openings FILE  positions, one SFEN a line, that every other game starts from, with up to six
                   random moves (none: all start from the even start position, with 4 to 14)
  --side-lines N   one move in N, in the mean, leaves the game with a random move for some N moves, so
                   that positions after bad moves come up (none); the game itself goes on without it
  --visits N       of each search, keep what it found out about up to N other positions as well (16):
                   many times more for komaoto train to learn from, and as much larger a file.
                   A game has room for 64 KB: those of some searches are left out if they take more
  --net FILE       network to play with (the embedded network)
  --max-moves N    the game is drawn after N moves (320)
  --adjudicate N   a game is given to the side that four searches in a row give N centipawns or more
                   (only mates); see the points scored in komaoto data info before you choose, and
                   give komaoto train a --scale: results follow the scores then
Numbers may end with k or M. A game depends on these settings, the network and its number in the file
alone. A file is continued with the settings it began with. Ctrl-C gives up the games being played
and ends; killing the program loses no more than those.";

/// Defaults of options.
const NODES: u64 = 1000;
const MAX_MOVES: u32 = 320;
const VISITS: u32 = 16;
/// Nothing but mates is safe: of games in which both sides see 3000 centipawns of a handcrafted
/// evaluation, every twelfth ends the other way when it is played on.
const ADJUDICATION: Value = value::MATE_IN_MAX_PLY;
/// Most that openings may be out of balance, in centipawns.
const BALANCE: Value = 400;
/// Lowest score to adjudicate games by.
const LEAST_ADJUDICATION: u16 = 500;
/// Most moves of a game that the file format has room for, in round numbers.
const MOST_MOVES: u32 = 10_000;

/// Most nodes of a search: Ctrl-C waits for its end.
const MOST_NODES: u64 = 10_000_000;
/// Fewest side lines, one in so many moves.
const MOST_SIDE_LINES: u32 = 100_000;
/// Most positions to keep of a search.
const MOST_VISITS: u32 = 10_000;

/// When to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// When the file holds so many games.
    Games(u32),
    /// When the file holds so many positions with a score.
    Positions(u64),
    /// When told to.
    Never,
}

/// Everything asked for.
pub struct Settings {
    /// The file of games.
    pub out: PathBuf,
    /// When to end.
    pub goal: Goal,
    /// Games played at a time.
    pub threads: usize,
    /// What decides the games.
    pub rules: Rules,
    /// A network file.
    pub net: Option<PathBuf>,
}

impl Settings {
    /// Reads the arguments behind `datagen`.
    ///
    /// # Errors
    /// When they make no sense, or the file to continue cannot be read.
    pub fn read(arguments: Vec<OsString>) -> Result<Settings, SettingsError> {
        let mut arguments = Arguments::new(arguments);
        let out = arguments.path("--out")?;
        let games = arguments.number("--games", 1..=u32::MAX)?;
        let positions = arguments.number("--positions", 1..=u64::MAX)?;
        let threads = arguments.number("--threads", 1..=1024u32)?;
        let nodes = arguments.number("--nodes", 1..=MOST_NODES)?;
        let seed = arguments.number("--seed", 0..=u64::MAX)?;
        let net = arguments.path("--net")?;
        let book = arguments.path("--openings")?;
        let side_lines = arguments.number("--side-lines", 2..=MOST_SIDE_LINES)?;
        let visits = arguments.number("--visits", 0..=MOST_VISITS)?;
        let max_moves = arguments.number("--max-moves", 20..=MOST_MOVES)?;
        let highest = ADJUDICATION as u16;
        let adjudication = arguments.number("--adjudicate", LEAST_ADJUDICATION..=highest)?;
        if let Some(extra) = arguments.rest()?.first() {
            return Err(ArgumentError::Unknown(extra.to_string_lossy().into()).into());
        }
        let out = out.ok_or(ArgumentError::Missing("--out FILE"))?;
        if !is_game_file(&out) {
            return Err(ArgumentError::BadValue {
                name: "--out",
                expected: "a file of games, as in games.koma".into(),
                found: out.display().to_string(),
            }
            .into());
        }
        let goal = match (games, positions) {
            (Some(_), Some(_)) => {
                return Err(ArgumentError::Together("--games", "--positions").into());
            }
            (Some(games), None) => Goal::Games(games),
            (None, Some(positions)) => Goal::Positions(positions),
            (None, None) => Goal::Never,
        };
        let begun = begun(&out)?;
        let is_begun = begun.is_some();
        // A setting of the file, which has to be one that could have been asked for.
        let begun = |name: &str, range: RangeInclusive<u64>| -> Result<Option<u64>, DataError> {
            let Some(text) = begun.as_ref().and_then(|header| header.setting(name)) else {
                return Ok(None);
            };
            match text.parse() {
                Ok(number) if range.contains(&number) => Ok(Some(number)),
                _ => Err(DataError::of_file(
                    &out,
                    Problem::Header("a setting is out of range"),
                )),
            }
        };
        let begun_nodes = begun("nodes", 1..=MOST_NODES)?;
        let begun_moves = begun("max-moves", 20..=MOST_MOVES.into())?.map(|it| it as u32);
        let begun_lines = begun("side-lines", 2..=MOST_SIDE_LINES.into())?.map(|it| it as u32);
        let begun_visits = begun("visits", 0..=MOST_VISITS.into())?.map(|it| it as u32);
        let scores = LEAST_ADJUDICATION.into()..=highest.into();
        let begun_score = begun("adjudication-score", scores)?.map(|it| it as Value);
        let rules = Rules {
            seed: seed
                .or(begun("seed", 0..=u64::MAX)?)
                .unwrap_or_else(|| StableRng::from_os_rng().next_u64()),
            nodes: nodes.or(begun_nodes).unwrap_or(NODES),
            max_moves: max_moves.or(begun_moves).unwrap_or(MAX_MOVES),
            opening: 4..=14,
            book: match book {
                Some(path) => openings::read(&path)?.into(),
                None => Arc::default(),
            },
            side_lines: side_lines.or(begun_lines).unwrap_or(0),
            visits: visits
                .or(begun_visits)
                .unwrap_or(if is_begun { 0 } else { VISITS }),
            balance: BALANCE,
            adjudication: adjudication
                .map(Value::from)
                .or(begun_score)
                .unwrap_or(ADJUDICATION),
            agreement: 4,
        };
        Ok(Settings {
            out,
            goal,
            threads: threads.map_or_else(cores, |threads| threads as usize),
            rules,
            net,
        })
    }

    /// The header of the file.
    pub fn header(&self, evaluation: &Evaluation) -> Header {
        let rules = &self.rules;
        let (low, high) = (rules.opening.start(), rules.opening.end());
        let mut settings = vec![
            ("seed", rules.seed.to_string()),
            ("nodes", rules.nodes.to_string()),
            ("max-moves", rules.max_moves.to_string()),
            ("random-plies", format!("{low}-{high}")),
            ("opening-balance", rules.balance.to_string()),
            ("adjudication-score", rules.adjudication.to_string()),
            ("adjudication-plies", rules.agreement.to_string()),
        ];
        if rules.side_lines > 0 {
            settings.push(("side-lines", rules.side_lines.to_string()));
        }
        if rules.visits > 0 {
            settings.push(("visits", rules.visits.to_string()));
        }
        if !rules.book.is_empty() {
            // With other positions the games would be others.
            let keys = rules.book.iter().map(Position::key);
            let hash = keys.fold(0, |hash: u64, key| hash.rotate_left(1) ^ key);
            settings.push(("openings", format!("{} {hash:016x}", rules.book.len())));
        }
        let settings = settings.into_iter();
        Header {
            engine: concat!("Komaoto ", env!("CARGO_PKG_VERSION")).into(),
            evaluation: evaluation.name.clone(),
            evaluation_hash: evaluation.hash,
            unit: ScoreUnit::CENTIPAWNS,
            settings: settings.map(|(key, value)| (key.into(), value)).collect(),
        }
    }
}

/// What is wrong with what was asked for.
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

/// The header of a file that is to be continued.
fn begun(path: &Path) -> Result<Option<Header>, DataError> {
    let is_new = fs::metadata(path).map_or(true, |metadata| metadata.len() == 0);
    if is_new {
        return Ok(None);
    }
    Ok(Some(GameReader::open(path)?.header().clone()))
}
