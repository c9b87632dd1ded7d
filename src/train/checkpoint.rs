//! The state of a training run on disk, to resume it.
//!
//! The eight bytes `KOMATRN` and a zero; 32-bit numbers: version, feature set, width, hidden layers (zeros
//! without), length of a text; 64-bit numbers: steps, sum (floating point) and number of the losses since
//! the last point of the curve; the text: settings, then the curve as CSV; 32-bit floating-point numbers:
//! the model, means and squares of its moments; last the CRC-32 of everything before. Little-endian.
#![forbid(unsafe_code)]

use super::TrainError;
use super::adam::Adam;
use super::curve::{self, CurvePoint};
use super::model::{Head, Model, ModelShape};
use super::settings::is_width;
use crate::cli::files;
use crate::data::bytes::ByteReader;
use crate::eval::nnue::ClassicNetwork;
use std::fs;
use std::path::Path;

/// First bytes of every checkpoint.
pub const MAGIC: &[u8; 8] = b"KOMATRN\0";
const VERSION: u32 = 2;
/// Between the settings and the curve.
const SEPARATOR: &str = "\n\n";

/// Everything that changes during training.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainState {
    pub model: Model,
    pub adam: Adam,
    /// Steps taken.
    pub step: u64,
    /// Sum and number of the losses since the last point of the curve.
    pub recent: (f64, u64),
    pub curve: Vec<CurvePoint>,
}

impl TrainState {
    /// A run that begins with a model.
    pub fn new(model: Model) -> TrainState {
        TrainState {
            adam: Adam::new(&model.shape),
            model,
            step: 0,
            recent: (0.0, 0),
            curve: Vec::new(),
        }
    }

    /// Saves the state of a run with these settings.
    ///
    /// # Errors
    /// When the file cannot be written; an older one is kept then.
    pub fn save(&self, path: &Path, settings: &str) -> Result<(), TrainError> {
        let shape = self.model.shape;
        let [one, two] = match shape.head {
            Head::Squared => [0, 0],
            Head::Hidden(sizes) => sizes,
        };
        let text = [settings, &curve::to_csv(&self.curve)].join(SEPARATOR);
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, shape.features] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [shape.width, one, two, text.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        for number in [self.step, self.recent.0.to_bits(), self.recent.1] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(text.as_bytes());
        for numbers in [&self.model.rows, &self.adam.mean, &self.adam.square] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        files::write_atomically(path, &bytes).map_err(TrainError::file(path))
    }

    /// Loads a state, and the settings of its run.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub fn load(path: &Path) -> Result<(TrainState, String), TrainError> {
        let bytes = fs::read(path).map_err(TrainError::file(path))?;
        parse(&bytes).map_err(TrainError::file(path))
    }
}

fn parse(bytes: &[u8]) -> Result<(TrainState, String), &'static str> {
    const DAMAGED: &str = "invalid contents";
    if !bytes.starts_with(MAGIC) {
        return Err("expected a checkpoint, found something else");
    }
    let (rest, sum) = bytes.split_last_chunk().ok_or(DAMAGED)?;
    if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
        return Err("checksum mismatch: truncated or damaged");
    }
    let truncated = DAMAGED;
    let mut bytes = ByteReader { rest, truncated };
    bytes.take(MAGIC.len())?;
    if bytes.u32()? != VERSION {
        return Err("unsupported version of checkpoints");
    }
    let features = bytes.u32()?;
    let mut size = || bytes.u32().map(|size| size as usize);
    let [width, one, two, length] = [size()?, size()?, size()?, size()?];
    let shape = shape(features, [width, one, two]).ok_or(DAMAGED)?;
    let (step, sum, count) = (bytes.u64()?, f64::from_bits(bytes.u64()?), bytes.u64()?);
    let text = std::str::from_utf8(bytes.take(length)?).map_err(|_| DAMAGED)?;
    let (settings, csv) = text.split_once(SEPARATOR).ok_or(DAMAGED)?;
    let mut state = TrainState {
        step,
        recent: (sum, count),
        curve: curve::from_csv(csv).ok_or(DAMAGED)?,
        ..TrainState::new(Model::zeros(shape))
    };
    let TrainState { model, adam, .. } = &mut state;
    for numbers in [&mut model.rows, &mut adam.mean, &mut adam.square] {
        let (chunks, _) = bytes.take(4 * numbers.len())?.as_chunks();
        for (number, &bytes) in numbers.iter_mut().zip(chunks) {
            *number = f32::from_le_bytes(bytes);
        }
    }
    match bytes.rest {
        [] => Ok((state, settings.into())),
        _ => Err(DAMAGED),
    }
}

/// The shape with these sizes, if it is valid.
fn shape(features: u32, [width, one, two]: [usize; 3]) -> Option<ModelShape> {
    let head = match [one, two] {
        [0, 0] => Head::Squared,
        sizes => Head::Hidden(sizes),
    };
    let shape = ModelShape {
        features,
        width,
        head,
    };
    let is_known =
        is_width(&width) && one.max(two) <= ClassicNetwork::MAX_HIDDEN && shape.dimensions() > 0;
    is_known.then_some(shape)
}
