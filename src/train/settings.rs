//! The command line of `komaoto train`.
#![forbid(unsafe_code)]

use super::hidden::STEP;
use super::kernel::TILE;
use super::model::{Head, ModelShape};
use super::reader::SampleFilter;
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::{cores, files};
use crate::eval::nnue::ClassicNetwork;
use std::ffi::OsString;
use std::path::PathBuf;

/// What `komaoto train --help` prints.
pub const HELP: &str = "\
komaoto train GAMES... --out FILE: trains a network on games of `komaoto datagen` (.koma) or positions
of other programs (.psv, .bin, .hcpe)
  --out FILE         network to write, with the loss curve in FILE.csv and FILE.svg, FILE.checkpoint, and
                     FILE.lock during the run
  --init FILE        network or checkpoint to start from (random weights)
  --resume           continue from FILE.checkpoint with the same games and settings
  --force            overwrite existing files
  --width N          size of the feature transformer, 64 to 2048 in steps of 64 (256)
  --hidden N-N       write a network for YaneuraOu (nn.bin) with two hidden layers, such as 32-32
  --features NAME    input features with --hidden: kp or halfkahm2 (kp)
  --epochs N         passes over the positions (5)
  --batch-size N     positions per optimiser step (16384)
  --lr X             initial learning rate (0.001), falling along a cosine; half of that or less for
                     fine-tuning with --init
  --lambda X         weight of the score in the target, the rest is that of the game result (1); before
                     a random move of the game only the score is used
  --td-lambda X      TD(lambda): weight of the next position's score in the score of a position (0)
  --eval-scale N     centipawns in the games for an expected score of 73 % (fitted to each file, as
                     printed by `komaoto data info`)
  --output-scale N   centipawns of the network for an expected score of 73 % (600); not with --hidden
  --max-score N      skip positions with scores beyond N centipawns (3000)
  --seed N           seed for initial weights, order and validation split (1)
  --threads N        threads (all cores)
  --memory N         MB of positions in memory, more go to FILE.parts on disk (4096)
Numbers may end with k or M. The same seed and number of threads give the same network. Training uses
quiet positions with a score, each once; 5 % of the games are for validation. Ctrl-C saves a checkpoint.";

/// Widest feature transformer that is trained.
const MAX_WIDTH: usize = 2048;
/// Largest hidden layer.
const MAX_HIDDEN: usize = ClassicNetwork::MAX_HIDDEN;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct TrainSettings {
    /// Files of games.
    pub games: Vec<PathBuf>,
    pub out: PathBuf,
    pub init: Option<PathBuf>,
    pub resume: bool,
    pub force: bool,
    pub shape: ModelShape,
    pub epochs: u64,
    pub batch_size: usize,
    /// Initial learning rate.
    pub learning_rate: f64,
    /// Weight of the score against that of the result.
    pub lambda: f64,
    pub filter: SampleFilter,
    /// Centipawns of the network for an expected score of 73 %.
    pub output_scale: u32,
    pub seed: u64,
    pub threads: usize,
    /// Bytes of positions in memory.
    pub memory: u64,
}

impl TrainSettings {
    /// Reads the arguments of `train`.
    ///
    /// # Errors
    /// When they are invalid.
    pub fn read(arguments: Vec<OsString>) -> Result<TrainSettings, ArgumentError> {
        let mut arguments = Arguments::new(arguments);
        let it = &mut arguments;
        let shape = read_shape(it)?;
        let output_scale = it.number("--output-scale", 1..=10_000u32)?;
        if matches!(shape.head, Head::Hidden(_)) && output_scale.is_some() {
            return Err(ArgumentError::Together("--hidden", "--output-scale"));
        }
        let settings = TrainSettings {
            games: Vec::new(),
            out: it
                .path("--out")?
                .ok_or(ArgumentError::Missing("--out FILE"))?,
            init: it.path("--init")?,
            resume: it.switch("--resume"),
            force: it.switch("--force"),
            shape,
            epochs: it.number("--epochs", 0..=10_000u64)?.unwrap_or(5),
            batch_size: it
                .number("--batch-size", 1..=10_000_000u32)?
                .unwrap_or(16_384) as usize,
            learning_rate: it.decimal("--lr", 0.0..=1.0)?.unwrap_or(0.001),
            lambda: it.decimal("--lambda", 0.0..=1.0)?.unwrap_or(1.0),
            filter: SampleFilter {
                eval_scale: it.number("--eval-scale", 1..=30_000u32)?,
                max_score: it.number("--max-score", 1..=30_000u32)?.unwrap_or(3000),
                td_lambda: it.decimal("--td-lambda", 0.0..=1.0)?.unwrap_or(0.0),
            },
            output_scale: output_scale.unwrap_or(600),
            seed: it.number("--seed", 0..=u64::MAX)?.unwrap_or(1),
            threads: it
                .number("--threads", 1..=1024u32)?
                .map_or_else(cores, |it| it as usize),
            memory: it.number("--memory", 1..=1 << 30u64)?.unwrap_or(4096) << 20,
        };
        if settings.resume && settings.init.is_some() {
            return Err(ArgumentError::Together("--resume", "--init"));
        }
        let games: Vec<PathBuf> = arguments.rest()?.into_iter().map(PathBuf::from).collect();
        if games.is_empty() {
            return Err(ArgumentError::Missing("a file of games"));
        }
        Ok(TrainSettings { games, ..settings })
    }

    /// A file or folder named after the network.
    pub fn output(&self, suffix: &str) -> PathBuf {
        files::with_suffix(&self.out, suffix)
    }

    /// The settings that a resumed run has to keep, a line each.
    pub fn fingerprint(&self, training: usize, validation: usize) -> String {
        let filter = self.filter;
        let eval_scale = filter
            .eval_scale
            .map_or("fitted".into(), |scale| scale.to_string());
        format!(
            "shape {}\nseed {}\nepochs {}\nbatch-size {}\nlr {}\nlambda {}\ntd-lambda {}\neval-scale \
             {eval_scale}\nmax-score {}\ntraining {training}\nvalidation {validation}",
            self.shape,
            self.seed,
            self.epochs,
            self.batch_size,
            self.learning_rate,
            self.lambda,
            filter.td_lambda,
            filter.max_score,
        )
    }
}

/// Whether feature transformers of this width are trained.
pub fn is_width(width: &usize) -> bool {
    (TILE..=MAX_WIDTH).contains(width) && width.is_multiple_of(TILE)
}

fn read_shape(arguments: &mut Arguments) -> Result<ModelShape, ArgumentError> {
    let expected = || format!("a multiple of {TILE} up to {MAX_WIDTH}");
    let width = arguments.value("--width", expected, |text| {
        text.parse().ok().filter(is_width)
    });
    let width = width?.unwrap_or(256);
    let expected = || format!("two multiples of {STEP} up to {MAX_HIDDEN}, such as 32-32");
    let hidden = arguments.value("--hidden", expected, hidden_sizes)?;
    let expected = || "kp or halfkahm2".into();
    let features = arguments.value("--features", expected, ClassicNetwork::feature_set)?;
    match (hidden, features) {
        (None, None) => Ok(ModelShape::squared(width)),
        (None, Some(_)) => Err(ArgumentError::Missing("--hidden, which --features needs,")),
        (Some(sizes), _) => Ok(ModelShape {
            features: features.unwrap_or(1),
            width,
            head: Head::Hidden(sizes),
        }),
    }
}

/// The sizes of hidden layers, given as in `32-32`.
fn hidden_sizes(text: &str) -> Option<[usize; 2]> {
    let (first, second) = text.split_once('-')?;
    let is_size = |size: &usize| (STEP..=MAX_HIDDEN).contains(size) && size.is_multiple_of(STEP);
    let size = |text: &str| text.parse().ok().filter(is_size);
    Some([size(first)?, size(second)?])
}
