//! What `komaoto train` was asked to do.
#![forbid(unsafe_code)]

use super::hidden;
use super::kernel::TILE;
use super::model::{Shape, Tail};
use super::read::Filter;
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::cores;
use crate::cli::files;
use crate::eval::nnue::{ClassicNetwork, OwnNetwork};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What `komaoto train --help` prints.
pub const HELP: &str = "\
komaoto train GAMES... --out FILE: a network from games that `komaoto datagen` wrote (.koma), or from
positions of other programs (.psv, .bin, .hcpe)
  --out FILE       the network; beside it FILE.csv and FILE.svg with the losses, FILE.checkpoint, and
                   FILE.lock while it runs
  --init FILE      network or checkpoint to start from (random numbers)
  --resume         go on from FILE.checkpoint, with the same games and settings; a FILE that is there
                   already needs --force
  --force          replace what is there
  --width N        outputs of the first layer for each side, 64 to 2048 by 64 (256)
  --outputs N      outputs, chosen by pieces in hand (1)
  --features N     number of the feature set (1)
  --hidden N-N     a network for YaneuraOu (nn.bin) with two hidden layers, as in 32-32; its --features
                   are kp (the default) or halfkahm2
  --epochs N       how often to see each position (5)
  --batch N        positions between two steps (16384)
  --rate X         learning rate at the start (0.001); half of that or less after --init
  --lambda X       weight of the score, the rest is that of the result (1); where a random move
                   comes later in the game, the score is all there is
  --trace X        share of the next position's score in that of a position (0): scores that look
                   farther ahead
  --decay X        weight decay (0.01)
  --scale N        score that promises 73 % of the points, which the network will call 600
                   centipawns (what does in each file, as `komaoto data info FILE` tells)
  --calls N        what the network calls that score instead of 600; for one that is to be called
                   600 in other games than those it learns from (not with --hidden)
  --max-score N    leave out positions with a score beyond this, in centipawns (3000)
  --min-ply N      leave out positions before this move of the game (1)
  --noisy          keep positions in check, and those whose best move captures or promotes
  --seed N         decides initial numbers, order and which games are held back (1)
  --threads N      threads (all cores)
  --memory N       MB of positions to hold in memory; more of them go to FILE.parts on disk (4096)
Numbers may end with k or M. The same seed and number of threads give the same network. Random moves are
never learnt from, and positions that come again are learnt once. One game in twenty is held back to
validate with. Ctrl-C saves a checkpoint.";

/// Everything asked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Files of games.
    pub data: Vec<PathBuf>,
    pub out: PathBuf,
    pub init: Option<PathBuf>,
    pub resume: bool,
    pub force: bool,
    pub shape: Shape,
    pub epochs: u64,
    /// Positions of a batch.
    pub batch: usize,
    /// Learning rate at the start.
    pub rate: f64,
    pub lambda: f64,
    pub decay: f64,
    pub filter: Filter,
    /// What the network calls the score that promises 73 % in the files, in centipawns.
    pub calls: u32,
    pub seed: u64,
    pub threads: usize,
    /// Bytes of samples to hold in memory.
    pub memory: u64,
}

impl Settings {
    /// Reads the arguments behind `train`.
    ///
    /// # Errors
    /// When they make no sense.
    pub fn read(arguments: Vec<OsString>) -> Result<Settings, ArgumentError> {
        let mut arguments = Arguments::new(arguments);
        let it = &mut arguments;
        let shape = shape(it)?;
        let settings = Settings {
            data: Vec::new(),
            out: it
                .path("--out")?
                .ok_or(ArgumentError::Missing("--out FILE"))?,
            init: it.path("--init")?,
            resume: it.switch("--resume"),
            force: it.switch("--force"),
            shape,
            epochs: it.number("--epochs", 0..=10_000u64)?.unwrap_or(5),
            batch: it.number("--batch", 1..=10_000_000u32)?.unwrap_or(16_384) as usize,
            rate: it.decimal("--rate", 0.0..=1.0)?.unwrap_or(0.001),
            lambda: it.decimal("--lambda", 0.0..=1.0)?.unwrap_or(1.0),
            decay: it.decimal("--decay", 0.0..=1.0)?.unwrap_or(0.01),
            filter: Filter {
                scale: it.number("--scale", 1..=30_000u32)?,
                max_score: it.number("--max-score", 1..=30_000u32)?.unwrap_or(3000),
                min_ply: it.number("--min-ply", 0..=10_000u32)?.unwrap_or(1),
                noisy: it.switch("--noisy"),
                trace: it.decimal("--trace", 0.0..=1.0)?.unwrap_or(0.0),
            },
            calls: it.number("--calls", 1..=10_000u32)?.unwrap_or(600),
            seed: it.number("--seed", 0..=u64::MAX)?.unwrap_or(1),
            threads: it
                .number("--threads", 1..=1024u32)?
                .map_or_else(cores, |it| it as usize),
            memory: it.number("--memory", 1..=1 << 30u64)?.unwrap_or(4096) << 20,
        };
        if settings.resume && settings.init.is_some() {
            return Err(ArgumentError::Together("--resume", "--init"));
        }
        if matches!(settings.shape.tail, Tail::Hidden(_)) && settings.calls != 600 {
            return Err(ArgumentError::Together("--hidden", "--calls"));
        }
        let data: Vec<PathBuf> = arguments.rest()?.into_iter().map(PathBuf::from).collect();
        if data.is_empty() {
            return Err(ArgumentError::Missing("a file of games"));
        }
        Ok(Settings { data, ..settings })
    }

    /// A file or folder beside the network.
    pub fn beside(&self, ending: &str) -> PathBuf {
        files::beside(&self.out, ending)
    }

    /// What has to be the same when training goes on after a break, as lines of text.
    pub fn fingerprint(&self, training: u64, validation: u64) -> String {
        format!(
            "{}\nseed {}\nepochs {}\nbatch {}\nrate {}\nlambda {}\ndecay {}\n{}\ntraining \
             {training}\nvalidation {validation}\n",
            self.shape,
            self.seed,
            self.epochs,
            self.batch,
            self.rate,
            self.lambda,
            self.decay,
            self.filter,
        )
    }
}

/// The shape of the network.
fn shape(it: &mut Arguments) -> Result<Shape, ArgumentError> {
    let hidden = it.text("--hidden")?;
    let outputs = it.number("--outputs", 1..=16u32)?.unwrap_or(1);
    let shape = match hidden {
        None => Shape {
            features: own_features(it)?,
            width: width(it)?,
            tail: Tail::Outputs(outputs as usize),
        },
        Some(hidden) => Shape {
            features: classic_features(it)?,
            width: width(it)?,
            tail: Tail::Hidden(hidden_layers(&hidden)?),
        },
    };
    if let (Tail::Hidden(_), 2..) = (shape.tail, outputs) {
        return Err(bad("--outputs", "1 with --hidden", outputs));
    }
    Ok(shape)
}

/// The number of the feature set of a network of our own.
fn own_features(it: &mut Arguments) -> Result<u32, ArgumentError> {
    let Some(text) = it.text("--features")? else {
        return Ok(1);
    };
    let known = text.to_str().and_then(|text| text.parse().ok());
    let known = known.filter(|&features| OwnNetwork::dimensions(features).is_some());
    let expected = "1 or 2 (kp or halfkahm2 with --hidden)";
    known.ok_or_else(|| bad("--features", expected, text.display()))
}

/// The number of the feature set of a classic network.
fn classic_features(it: &mut Arguments) -> Result<u32, ArgumentError> {
    let name = it.text("--features")?.unwrap_or("kp".into());
    let known = name.to_str().and_then(ClassicNetwork::features);
    let expected = "kp or halfkahm2 (1 or 2 without --hidden)";
    known.ok_or_else(|| bad("--features", expected, name.display()))
}

/// The neurons of hidden layers.
fn hidden_layers(text: &OsStr) -> Result<[usize; 2], ArgumentError> {
    let (step, most) = (hidden::STEP, ClassicNetwork::MAX_HIDDEN);
    let expected = format!("two multiples of {step} up to {most}, as in 32-32");
    let sizes = text.to_str().and_then(hidden::sizes);
    sizes.ok_or_else(|| bad("--hidden", &expected, text.display()))
}

fn bad(name: &'static str, expected: &str, found: impl ToString) -> ArgumentError {
    ArgumentError::BadValue {
        name,
        expected: expected.into(),
        found: found.to_string(),
    }
}

/// The width, which the inner loops cut into tiles.
fn width(arguments: &mut Arguments) -> Result<usize, ArgumentError> {
    let width = arguments.number("--width", 64..=2048u32)?.unwrap_or(256);
    if !(width as usize).is_multiple_of(TILE) {
        let expected = format!("a multiple of {TILE}");
        return Err(bad("--width", &expected, width));
    }
    Ok(width as usize)
}
