//! The state of a training run on disk, to go on from after a break.
//!
//! The eight bytes `KOMATRN` and a zero; u32 version, u32 length of a text; the text; then
//! floating-point numbers of 32 bits: the model, means and squares of its moments, those of the
//! common rows; last the CRC-32 of everything before. Little-endian. The text has the shape of the
//! model in its first line, the fingerprint of the settings, a line with the steps taken and the
//! sum and number of the losses since the last row, and the table of losses.
#![forbid(unsafe_code)]

use super::adam::Adam;
use super::curve::{self, Point};
use super::error::TrainError;
use super::hidden;
use super::kernel::TILE;
use super::model::{Model, Shape, Tail};
use super::outputs::write_whole;
use crate::eval::nnue::ClassicNetwork;
use std::fs;
use std::path::Path;

/// First bytes of every checkpoint.
pub const MAGIC: &[u8; 8] = b"KOMATRN\0";
const VERSION: u32 = 1;
/// Bytes before the text.
const HEADER: usize = 16;

/// Everything that changes while training.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub model: Model,
    pub adam: Adam,
    /// Steps taken.
    pub step: u64,
    /// Sum and number of the losses since the last point of the curve.
    pub recent: (f64, u64),
    pub points: Vec<Point>,
}

impl State {
    /// Saves the state of a run with these settings.
    ///
    /// # Errors
    /// When the file cannot be written; an older one then stays.
    pub fn save(&self, path: &Path, fingerprint: &str) -> Result<(), TrainError> {
        let (step, (sum, count)) = (self.step, self.recent);
        let table = curve::to_csv(&self.points);
        let text = format!("{fingerprint}step {step} {sum} {count}\n{table}");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        let Adam {
            mean,
            square,
            common_mean,
            common_square,
        } = &self.adam;
        for numbers in [&self.model.rows, mean, square, common_mean, common_square] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        write_whole(path, &bytes)
    }

    /// Loads a state, and the fingerprint of the settings it came about with.
    ///
    /// # Errors
    /// When it cannot be read or is damaged.
    pub fn load(path: &Path) -> Result<(State, String), TrainError> {
        let bytes = fs::read(path).map_err(TrainError::file(path))?;
        parse(&bytes).map_err(|(offset, what)| TrainError::Checkpoint {
            path: path.to_path_buf(),
            offset,
            what: what.into(),
        })
    }
}

/// Reads the bytes of a checkpoint; errors name their place.
fn parse(bytes: &[u8]) -> Result<(State, String), (usize, &'static str)> {
    const CUT: &str = "the checkpoint is cut short";
    if !bytes.starts_with(MAGIC) {
        return Err((0, "expected a checkpoint, found something else"));
    }
    let word = |at: usize| {
        let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
        word.map(|&word| u32::from_le_bytes(word)).ok_or((at, CUT))
    };
    if word(8)? != VERSION {
        return Err((8, "another version of checkpoints"));
    }
    let start = HEADER + word(12)? as usize;
    let text = bytes.get(HEADER..start).ok_or((bytes.len(), CUT))?;
    let bad_text = (HEADER, "the text of the checkpoint is damaged");
    let text = std::str::from_utf8(text).map_err(|_| bad_text)?;
    let parts = parts(text).ok_or(bad_text)?;
    let shape = shape(text).ok_or((HEADER, "a network of a shape that is not known"))?;
    let mut state = State {
        model: Model {
            shape,
            rows: vec![0.0; shape.rows() * shape.width],
        },
        adam: Adam::new(&shape),
        step: parts.step,
        recent: parts.recent,
        points: parts.points,
    };
    let mut at = start;
    let State { model, adam, .. } = &mut state;
    for numbers in [
        &mut model.rows,
        &mut adam.mean,
        &mut adam.square,
        &mut adam.common_mean,
        &mut adam.common_square,
    ] {
        let end = at + 4 * numbers.len();
        let part = bytes.get(at..end).ok_or((bytes.len(), CUT))?;
        for (number, bytes) in numbers.iter_mut().zip(part.as_chunks::<4>().0) {
            *number = f32::from_le_bytes(*bytes);
        }
        at = end;
    }
    if word(at)? != crc32fast::hash(&bytes[..at]) {
        return Err((at, "the checksum of the checkpoint is wrong"));
    }
    let end = at + 4;
    if bytes.len() > end {
        return Err((end, "more bytes than the checkpoint has"));
    }
    Ok((state, parts.fingerprint.into()))
}

/// What the text of a checkpoint says.
struct Text<'a> {
    fingerprint: &'a str,
    step: u64,
    recent: (f64, u64),
    points: Vec<Point>,
}

/// Takes a text apart.
fn parts(text: &str) -> Option<Text<'_>> {
    let at = text.find("\nstep ")? + 1;
    let (fingerprint, rest) = text.split_at(at);
    let (line, table) = rest.split_once('\n')?;
    let words: Vec<&str> = line.split(' ').collect();
    let &[_, step, sum, count] = words.as_slice() else {
        return None;
    };
    Some(Text {
        fingerprint,
        step: step.parse().ok()?,
        recent: (sum.parse().ok()?, count.parse().ok()?),
        points: curve::from_csv(table)?,
    })
}

/// The shape in the first line of a text.
fn shape(text: &str) -> Option<Shape> {
    let words: Vec<&str> = text.lines().next()?.split(' ').collect();
    let &["features", features, "width", width, tail, sizes] = words.as_slice() else {
        return None;
    };
    let features = features.strip_suffix(',')?;
    let (features, tail) = match tail {
        "outputs" => {
            let outputs = sizes.parse().ok().filter(|it| (1..=16).contains(it))?;
            (features.parse().ok()?, Tail::Outputs(outputs))
        }
        "hidden" => {
            let features = ClassicNetwork::features(features)?;
            (features, Tail::Hidden(hidden::sizes(sizes)?))
        }
        _ => return None,
    };
    let shape = Shape {
        features,
        width: width.strip_suffix(',')?.parse().ok()?,
        tail,
    };
    shape.known_features()?;
    let known = (1..=2048).contains(&shape.width) && shape.width.is_multiple_of(TILE);
    known.then_some(shape)
}
