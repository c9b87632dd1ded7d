//! The positions of a training run: in memory, or in parts on disk when there are too many.
//!
//! On disk each position goes to a part chosen at random. Parts are read one at a time, in another order
//! each epoch, and shuffled in memory, so that a batch mixes all games.
#![forbid(unsafe_code)]

use super::TrainError;
use super::model::ACTIVE;
use crate::cli::{StableRng, stable_rng};
use crate::eval::units::PONANZA;
use crate::search::ScoreBound;
use rand::Rng;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// A position with its labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Active features for the side to move, then for the other side.
    pub features: [[u16; ACTIVE]; 2],
    /// Centipawns for the side to move.
    pub score: i16,
    /// The result of the game for the side to move: 1 won, 0 drawn, -1 lost; [`NO_RESULT`] if a random
    /// move comes later.
    pub result: i8,
    /// Whether the score is only a bound.
    pub bound: ScoreBound,
}

/// Stands for an unknown result.
pub const NO_RESULT: i8 = i8::MIN;
/// Bytes of a sample on disk.
const BYTES: usize = 4 * ACTIVE + 4;
/// Most files open at a time.
const MAX_PARTS: u64 = 500;

/// The winning probability for an output of the network.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Sample {
    /// The winning probability by the score.
    pub fn by_score(&self) -> f32 {
        sigmoid(f32::from(self.score) / PONANZA)
    }

    /// The points made: 1, 0.5 or 0.
    pub fn by_result(&self) -> Option<f32> {
        (self.result != NO_RESULT).then(|| (f32::from(self.result) + 1.0) / 2.0)
    }

    /// The winning probability to learn: `lambda` parts of the score, the rest of the result if it is
    /// known.
    pub fn target(&self, lambda: f32) -> f32 {
        let score = self.by_score();
        lambda * score + (1.0 - lambda) * self.by_result().unwrap_or(score)
    }

    /// How far a winning probability is above the target, or on the wrong side of a bound.
    pub fn error(&self, probability: f32, lambda: f32) -> f32 {
        let error = probability - self.target(lambda);
        match self.bound {
            ScoreBound::Exact => error,
            ScoreBound::Lower => error.min(0.0),
            ScoreBound::Upper => error.max(0.0),
        }
    }

    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let [result, bound] = [self.result.cast_unsigned(), self.bound as u8].map(u16::from);
        let labels = [self.score.cast_unsigned(), result | bound << 8];
        let words = self.features.as_flattened().iter().chain(&labels);
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES]) -> Sample {
        let (words, _) = bytes.as_chunks::<2>();
        let word = |i: usize| u16::from_le_bytes(words[i]);
        let side = |first| std::array::from_fn(|i| word(first + i));
        let [result, bound] = word(2 * ACTIVE + 1).to_le_bytes();
        Sample {
            features: [side(0), side(ACTIVE)],
            score: word(2 * ACTIVE).cast_signed(),
            result: result.cast_signed(),
            bound: ScoreBound::ALL[usize::from(bound.min(2))],
        }
    }
}

/// The positions of a run.
pub struct Dataset {
    training: Store,
    pub validation: Vec<Sample>,
}

enum Store {
    Memory(Vec<Sample>),
    Disk(PartFolder),
}

/// A folder of parts, removed with them.
struct PartFolder {
    path: PathBuf,
    lengths: Vec<usize>,
}

impl PartFolder {
    fn part(&self, number: usize) -> PathBuf {
        self.path.join(format!("{number}.part"))
    }
}

impl Drop for PartFolder {
    fn drop(&mut self) {
        // Other files in the folder are not ours and stay.
        for number in 0..self.lengths.len() {
            let _ = fs::remove_file(self.part(number));
        }
        let _ = fs::remove_dir(&self.path);
    }
}

impl Dataset {
    /// Positions of each part.
    pub fn lengths(&self) -> Vec<usize> {
        match &self.training {
            Store::Memory(samples) => vec![samples.len()],
            Store::Disk(folder) => folder.lengths.clone(),
        }
    }

    /// Positions to train on.
    pub fn len(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// The positions of a part.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn part(&self, number: usize) -> Result<Cow<'_, [Sample]>, TrainError> {
        let folder = match &self.training {
            Store::Memory(samples) => return Ok(Cow::Borrowed(samples)),
            Store::Disk(folder) => folder,
        };
        let path = folder.part(number);
        let bytes = fs::read(&path).map_err(TrainError::file(&path))?;
        let (samples, rest) = bytes.as_chunks();
        if samples.len() != folder.lengths[number] || !rest.is_empty() {
            return Err(TrainError::file(&path)("unexpected length"));
        }
        Ok(samples.iter().map(Sample::from_bytes).collect())
    }
}

/// Collects the positions of a run.
pub struct DatasetBuilder {
    folder: PathBuf,
    /// Most positions in memory.
    limit: usize,
    parts: u64,
    rng: StableRng,
    dataset: Dataset,
    /// The files of the parts.
    files: Vec<BufWriter<File>>,
}

impl DatasetBuilder {
    /// Keeps positions in up to `memory` bytes; if there are more, all go to the folder. `most` is an
    /// upper bound of their number.
    pub fn new(folder: PathBuf, memory: u64, most: u64, seed: u64) -> DatasetBuilder {
        let limit = (memory / size_of::<Sample>() as u64).max(1);
        DatasetBuilder {
            folder,
            limit: limit as usize,
            parts: most.div_ceil(limit).clamp(2, MAX_PARTS),
            rng: stable_rng(seed, 1),
            dataset: Dataset {
                training: Store::Memory(Vec::new()),
                validation: Vec::new(),
            },
            files: Vec::new(),
        }
    }

    /// Adds a position to train on.
    ///
    /// # Errors
    /// When it cannot be written to disk.
    pub fn add(&mut self, sample: Sample) -> Result<(), TrainError> {
        match &mut self.dataset.training {
            Store::Memory(samples) if samples.len() < self.limit => {
                samples.push(sample);
                Ok(())
            }
            Store::Memory(samples) => {
                let samples = std::mem::take(samples);
                self.open_parts()?;
                samples
                    .into_iter()
                    .try_for_each(|sample| self.add(sample))?;
                self.add(sample)
            }
            Store::Disk(folder) => {
                let number = self.rng.random_range(0..self.files.len());
                folder.lengths[number] += 1;
                let written = self.files[number].write_all(&sample.to_bytes());
                written.map_err(TrainError::file(&folder.part(number)))
            }
        }
    }

    /// Adds positions for validation.
    pub fn add_validation(&mut self, samples: impl IntoIterator<Item = Sample>) {
        self.dataset.validation.extend(samples);
    }

    fn open_parts(&mut self) -> Result<(), TrainError> {
        fs::create_dir_all(&self.folder).map_err(TrainError::file(&self.folder))?;
        let mut folder = PartFolder {
            path: self.folder.clone(),
            lengths: Vec::new(),
        };
        for number in 0..self.parts as usize {
            let path = folder.part(number);
            let file = File::create(&path).map_err(TrainError::file(&path))?;
            self.files.push(BufWriter::with_capacity(1 << 18, file));
            folder.lengths.push(0);
        }
        self.dataset.training = Store::Disk(folder);
        Ok(())
    }

    /// The dataset.
    ///
    /// # Errors
    /// When they cannot be written to disk.
    pub fn finish(mut self) -> Result<Dataset, TrainError> {
        for file in &mut self.files {
            file.flush().map_err(TrainError::file(&self.folder))?;
        }
        Ok(self.dataset)
    }
}
