//! The samples to learn from: in memory, or in parts on disk when there are too many.
//!
//! On disk, every sample goes to a part chosen at random. Parts are then read one at a time, in
//! another order each epoch, and shuffled in memory, so that a batch mixes all games.
#![forbid(unsafe_code)]

use super::error::TrainError;
use super::sample::{BYTES, Sample};
use crate::cli::{StableRng, stable_rng};
use rand::Rng;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Samples in memory, or where they are.
pub struct Set {
    store: Store,
    /// Held back.
    pub validation: Vec<Sample>,
}

enum Store {
    Memory(Vec<Sample>),
    Disk { folder: Folder, lengths: Vec<usize> },
}

/// Parts of a folder: not many files are open at a time.
const MOST_PARTS: usize = 500;

/// A folder of parts, which go when they are no longer needed, and it with them.
struct Folder {
    path: PathBuf,
    parts: usize,
}

impl Folder {
    fn part(&self, part: usize) -> PathBuf {
        self.path.join(format!("{part}.part"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If that fails, the user can do it; what else lies there is not ours.
        for part in 0..self.parts {
            let _ = fs::remove_file(self.part(part));
        }
        let _ = fs::remove_dir(&self.path);
    }
}

impl Set {
    /// Samples of each part.
    pub fn lengths(&self) -> Vec<usize> {
        match &self.store {
            Store::Memory(samples) => vec![samples.len()],
            Store::Disk { lengths, .. } => lengths.clone(),
        }
    }

    /// Samples to learn from.
    pub fn len(&self) -> u64 {
        self.lengths().iter().map(|&length| length as u64).sum()
    }

    /// The samples of a part.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn part(&self, part: usize) -> Result<Cow<'_, [Sample]>, TrainError> {
        match &self.store {
            Store::Memory(samples) => Ok(Cow::Borrowed(samples)),
            Store::Disk { folder, lengths } => {
                let path = folder.part(part);
                let bytes = fs::read(&path).map_err(TrainError::file(&path))?;
                let (samples, rest) = bytes.as_chunks::<BYTES>();
                if samples.len() != lengths[part] || !rest.is_empty() {
                    let error = std::io::ErrorKind::UnexpectedEof.into();
                    return Err(TrainError::File { path, error });
                }
                Ok(samples.iter().map(Sample::decode).collect())
            }
        }
    }
}

/// Collects samples.
pub struct Collector {
    folder: PathBuf,
    /// Most samples in memory.
    limit: usize,
    /// Most samples there can be.
    most: u64,
    rng: StableRng,
    memory: Vec<Sample>,
    /// Once there were too many.
    disk: Option<(Folder, Vec<Part>)>,
    validation: Vec<Sample>,
}

/// A part being written.
struct Part {
    file: BufWriter<File>,
    length: usize,
}

impl Collector {
    /// Holds as many samples as fit so many bytes; more of them, up to `most`, go to a folder.
    pub fn new(folder: PathBuf, memory: u64, most: u64, seed: u64) -> Collector {
        Collector {
            folder,
            limit: (memory / size_of::<Sample>() as u64).max(1) as usize,
            most,
            rng: stable_rng(seed, 1),
            memory: Vec::new(),
            disk: None,
            validation: Vec::new(),
        }
    }

    /// Takes a sample.
    ///
    /// # Errors
    /// When it has to go to disk and cannot.
    pub fn add(&mut self, sample: Sample, held_back: bool) -> Result<(), TrainError> {
        if held_back {
            self.validation.push(sample);
            return Ok(());
        }
        if self.disk.is_some() {
            return self.spill(&sample);
        }
        if self.memory.len() < self.limit {
            self.memory.push(sample);
            return Ok(());
        }
        self.open()?;
        for sample in std::mem::take(&mut self.memory) {
            self.spill(&sample)?;
        }
        self.spill(&sample)
    }

    /// Makes the parts.
    fn open(&mut self) -> Result<(), TrainError> {
        let parts = self
            .most
            .div_ceil(self.limit as u64)
            .clamp(2, MOST_PARTS as u64);
        fs::create_dir_all(&self.folder).map_err(TrainError::file(&self.folder))?;
        let folder = Folder {
            path: self.folder.clone(),
            parts: parts as usize,
        };
        let part = |part| {
            let path = folder.part(part);
            let file = File::create(&path).map_err(TrainError::file(&path))?;
            let file = BufWriter::with_capacity(1 << 18, file);
            Ok(Part { file, length: 0 })
        };
        let parts = (0..parts as usize)
            .map(part)
            .collect::<Result<_, TrainError>>()?;
        self.disk = Some((folder, parts));
        Ok(())
    }

    /// Writes a sample to some part.
    fn spill(&mut self, sample: &Sample) -> Result<(), TrainError> {
        let Some((folder, parts)) = &mut self.disk else {
            return Ok(());
        };
        let number = self.rng.random_range(0..parts.len());
        let mut bytes = Vec::with_capacity(BYTES);
        sample.encode(&mut bytes);
        let part = &mut parts[number];
        let written = part.file.write_all(&bytes);
        written.map_err(TrainError::file(&folder.part(number)))?;
        part.length += 1;
        Ok(())
    }

    /// All samples.
    ///
    /// # Errors
    /// When they cannot be written to the end.
    pub fn finish(self) -> Result<Set, TrainError> {
        let store = match self.disk {
            None => Store::Memory(self.memory),
            Some((folder, mut parts)) => {
                for (number, part) in parts.iter_mut().enumerate() {
                    let flushed = part.file.flush();
                    flushed.map_err(TrainError::file(&folder.part(number)))?;
                }
                let lengths = parts.iter().map(|part| part.length).collect();
                Store::Disk { folder, lengths }
            }
        };
        Ok(Set {
            store,
            validation: self.validation,
        })
    }
}
