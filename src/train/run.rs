//! A training run, and the files it writes: none is overwritten by mistake, and no two runs write to one.
#![forbid(unsafe_code)]

use super::TrainError;
use super::adam::AdamStep;
use super::checkpoint::{self, TrainState};
use super::curve::{CurvePoint, to_csv, to_svg};
use super::dataset::{Dataset, DatasetBuilder, Sample};
use super::model::{Model, ModelShape};
use super::reader::{SampleCounts, SampleReader};
use super::settings::TrainSettings;
use super::workers::Workers;
use crate::cli::console::{self, ProgressLine, clock};
use crate::cli::{files, interrupt, stable_rng};
use rand::seq::SliceRandom;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Points of the loss curve.
const CURVE_POINTS: u64 = 200;
/// Time between two checkpoints within an epoch.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);
/// Time between two lines of progress in a log.
const LOG_INTERVAL: Duration = Duration::from_secs(30);
/// The final learning rate, as a share of the initial one.
const FINAL_RATE: f64 = 0.02;

/// Trains a network.
///
/// # Errors
/// When files cannot be used, or the loss diverges. Existing files are kept then.
pub fn run(settings: &TrainSettings) -> Result<(), TrainError> {
    run_until(settings, &|_| interrupt::is_interrupted())
}

/// Trains a network, until `is_interrupted` returns true for the number of a finished step.
///
/// # Errors
/// As [`run`], and when it is interrupted.
pub fn run_until(
    settings: &TrainSettings,
    is_interrupted: &dyn Fn(u64) -> bool,
) -> Result<(), TrainError> {
    let _lock = lock(settings)?;
    let (state, saved_settings) = initial_state(settings)?;
    let (dataset, counts) = load(settings)?;
    let fingerprint = settings.fingerprint(dataset.len(), dataset.validation.len());
    if let Some(saved) = saved_settings {
        let mut lines = saved.lines().zip(fingerprint.lines());
        if let Some((found, expected)) = lines.find(|(found, expected)| found != expected) {
            let checkpoint = settings.output("checkpoint");
            let problem = format!("begun with `{found}`, this run has `{expected}`");
            return Err(TrainError::file(&checkpoint)(problem));
        }
    }
    console::eprint_line(format_args!(
        "{} games, {} positions ({} of TreeStrap): {} filtered out, {} duplicates, {} for validation, \
         {} for training; {}, {} threads",
        counts.games,
        counts.read,
        counts.treestrap,
        counts.filtered,
        counts.duplicates,
        counts.validation,
        dataset.len(),
        settings.shape,
        settings.threads
    ));
    let batches = |length: &usize| length.div_ceil(settings.batch_size) as u64;
    let now = Instant::now();
    let mut run = Run {
        workers: Workers::new(&state.model.shape, settings.threads),
        steps_per_epoch: dataset.lengths().iter().map(batches).sum(),
        settings,
        dataset: &dataset,
        state,
        fingerprint,
        is_interrupted,
        progress: ProgressLine::new(LOG_INTERVAL),
        start: now,
        saved: now,
        positions: 0,
    };
    run.train()?;
    run.export()
}

/// Reads all games.
fn load(settings: &TrainSettings) -> Result<(Dataset, SampleCounts), TrainError> {
    // The smallest position in any format: a ply of a game.
    const MIN_BYTES: u64 = 4;
    let mut most = 0;
    for path in &settings.games {
        let metadata = fs::metadata(path).map_err(TrainError::file(path))?;
        most += metadata.len() / MIN_BYTES;
    }
    let folder = settings.output("parts");
    let mut builder = DatasetBuilder::new(folder, settings.memory, most, settings.seed);
    let mut reader = SampleReader {
        filter: settings.filter,
        shape: settings.shape,
        seed: settings.seed,
        counts: SampleCounts::default(),
        seen: HashSet::new(),
        dataset: &mut builder,
    };
    for path in &settings.games {
        reader.read(path)?;
    }
    let counts = reader.counts;
    let dataset = builder.finish()?;
    if dataset.len() == 0 {
        return Err(TrainError::NoData(counts));
    }
    Ok((dataset, counts))
}

/// The state to begin with, and the settings of the run that saved it, if it is resumed.
fn initial_state(settings: &TrainSettings) -> Result<(TrainState, Option<String>), TrainError> {
    if settings.resume {
        let (state, saved) = TrainState::load(&settings.output("checkpoint"))?;
        return Ok((state, Some(saved)));
    }
    let model = match &settings.init {
        Some(path) => load_model(path, settings.shape)?,
        None => Model::random(settings.shape, settings.seed),
    };
    Ok((TrainState::new(model), None))
}

/// The model of a network or a checkpoint, which has to be of this shape.
fn load_model(path: &Path, shape: ModelShape) -> Result<Model, TrainError> {
    let bytes = files::read(path).map_err(TrainError::file(path))?;
    let model = if bytes.starts_with(checkpoint::MAGIC) {
        TrainState::load(path)?.0.model
    } else {
        Model::parse(&bytes).map_err(TrainError::file(path))?
    };
    if model.shape != shape {
        let problem = format!("expected {shape}, found {}", model.shape);
        return Err(TrainError::file(path)(problem));
    }
    Ok(model)
}

/// A run in progress.
struct Run<'a> {
    settings: &'a TrainSettings,
    dataset: &'a Dataset,
    state: TrainState,
    fingerprint: String,
    workers: Workers,
    steps_per_epoch: u64,
    is_interrupted: &'a dyn Fn(u64) -> bool,
    progress: ProgressLine,
    start: Instant,
    saved: Instant,
    /// Positions trained on since the start.
    positions: u64,
}

impl Run<'_> {
    fn train(&mut self) -> Result<(), TrainError> {
        if self.state.step == 0 {
            self.add_epoch_point();
        }
        let first = self.state.step / self.steps_per_epoch;
        for epoch in first..self.settings.epochs {
            self.train_epoch(epoch)?;
            self.add_epoch_point();
            self.save()?;
        }
        Ok(())
    }

    /// One pass over all samples; skips what was done of it before an interruption.
    fn train_epoch(&mut self, epoch: u64) -> Result<(), TrainError> {
        let dataset = self.dataset;
        let lengths = dataset.lengths();
        let mut parts: Vec<usize> = (0..lengths.len()).collect();
        let rng = |part: usize| stable_rng(self.settings.seed, (epoch + 1) << 32 | part as u64);
        parts.shuffle(&mut rng(lengths.len()));
        // The number of the next batch.
        let mut step = epoch * self.steps_per_epoch;
        for part in parts {
            let batches = lengths[part].div_ceil(self.settings.batch_size) as u64;
            if step + batches <= self.state.step {
                step += batches;
                continue;
            }
            let samples = dataset.part(part)?;
            let mut order: Vec<u32> = (0..samples.len() as u32).collect();
            order.shuffle(&mut rng(part));
            for batch in order.chunks(self.settings.batch_size) {
                if step >= self.state.step {
                    self.train_batch(&samples, batch)?;
                }
                step += 1;
            }
        }
        Ok(())
    }

    fn train_batch(&mut self, samples: &[Sample], batch: &[u32]) -> Result<(), TrainError> {
        let lambda = self.settings.lambda as f32;
        let learning_rate = self.learning_rate() as f32;
        let state = &mut self.state;
        let loss = self.workers.backward(&state.model, samples, batch, lambda);
        let loss = loss / batch.len() as f64;
        state.step += 1;
        if !loss.is_finite() {
            let step = state.step;
            return Err(TrainError::Diverged { step, loss });
        }
        let step = AdamStep {
            learning_rate,
            factor: 1.0 / batch.len() as f32,
            number: state.step,
        };
        let gradients = &mut self.workers.gradients;
        state.adam.step(&mut state.model, gradients, step);
        state.recent.0 += loss;
        state.recent.1 += 1;
        self.positions += batch.len() as u64;
        let (step, total) = (self.state.step, self.total_steps());
        let is_epoch_end = step.is_multiple_of(self.steps_per_epoch);
        if !is_epoch_end && step.is_multiple_of((total / CURVE_POINTS).max(1)) {
            self.add_point(false);
        }
        let speed = self.positions_per_second();
        self.progress.update(|| {
            let left = (total - step) * self.settings.batch_size as u64;
            let left = clock(Duration::from_secs_f64(left as f64 / speed.max(1.0)));
            format!("step {step}/{total}  loss {loss:.6}  {speed:.0} positions/s  left {left}")
        });
        if (self.is_interrupted)(step) {
            self.save()?;
            let checkpoint = self.settings.output("checkpoint");
            return Err(TrainError::Interrupted(checkpoint));
        }
        if self.saved.elapsed() >= CHECKPOINT_INTERVAL {
            self.save()?;
        }
        Ok(())
    }

    fn total_steps(&self) -> u64 {
        self.steps_per_epoch * self.settings.epochs
    }

    /// The learning rate of the next step.
    fn learning_rate(&self) -> f64 {
        self.settings.learning_rate * cosine_decay(self.state.step, self.total_steps())
    }

    fn positions_per_second(&self) -> f64 {
        self.positions as f64 / self.start.elapsed().as_secs_f64().max(1e-9)
    }

    /// Adds a point to the curve.
    fn add_point(&mut self, validates: bool) -> CurvePoint {
        let (sum, count) = std::mem::take(&mut self.state.recent);
        let samples = &self.dataset.validation;
        let point = CurvePoint {
            step: self.state.step,
            epoch: self.state.step as f64 / self.steps_per_epoch as f64,
            learning_rate: self.learning_rate(),
            training: (count > 0).then(|| sum / count as f64),
            validation: (validates && !samples.is_empty())
                .then(|| self.workers.validate(&self.state.model, samples)),
        };
        self.state.curve.push(point);
        point
    }

    /// Adds the point at the end of an epoch, and shows it.
    fn add_epoch_point(&mut self) {
        let point = self.add_point(true);
        let shown = |loss: Option<f64>| loss.map_or("-".into(), |loss| format!("{loss:.6}"));
        self.progress.keep(format_args!(
            "epoch {}  step {}  training loss {}  validation loss {} (score) {} (result)  \
             {:.0} positions/s",
            point.epoch,
            point.step,
            shown(point.training),
            shown(point.validation.map(|losses| losses.score)),
            shown(point.validation.and_then(|losses| losses.result)),
            self.positions_per_second()
        ));
    }

    /// Saves a checkpoint and the curve.
    fn save(&mut self) -> Result<(), TrainError> {
        self.saved = Instant::now();
        let path = self.settings.output("checkpoint");
        self.state.save(&path, &self.fingerprint)?;
        let points = &self.state.curve;
        let title = format!("Loss of {}", self.settings.out.display());
        for (suffix, text) in [("csv", to_csv(points)), ("svg", to_svg(points, &title))] {
            write(&self.settings.output(suffix), text.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the network.
    fn export(&mut self) -> Result<(), TrainError> {
        let out = &self.settings.out;
        let model = &self.state.model;
        if let Some(&number) = model.rows.iter().find(|number| !number.is_finite()) {
            let (step, loss) = (self.state.step, number.into());
            return Err(TrainError::Diverged { step, loss });
        }
        let network = model.to_bytes(self.settings.output_scale);
        let network = network.map_err(TrainError::file(out))?;
        write(out, &network)?;
        let mut quantised = String::new();
        if !self.dataset.validation.is_empty() {
            let model = Model::parse(&network).map_err(TrainError::file(out))?;
            let losses = self.workers.validate(&model, &self.dataset.validation);
            quantised = format!("; validation loss quantised {:.6}", losses.score);
        }
        let text = format_args!("wrote {}{quantised}", out.display());
        self.progress.keep(text);
        Ok(())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    files::write_atomically(path, bytes).map_err(TrainError::file(path))
}

/// The lock of a run on its outputs, removed with it.
pub struct OutputLock {
    path: PathBuf,
    _file: File,
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // A lock is empty; a file with contents is not ours to remove.
        if fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Locks the outputs of a run, and makes sure that the network can be written once it is trained.
///
/// # Errors
/// When an output exists and may not be overwritten, is an input too, or another run writes it.
pub fn lock(settings: &TrainSettings) -> Result<OutputLock, TrainError> {
    let [checkpoint, csv, svg, parts, lock] =
        ["checkpoint", "csv", "svg", "parts", "lock"].map(|suffix| settings.output(suffix));
    let outputs = [&settings.out, &checkpoint, &csv, &svg];
    let refuse = |path: &Path, why: &str| Err(TrainError::file(path)(why));
    for path in outputs {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return refuse(path, "cannot write here: it is not a regular file");
        }
        if settings.games.iter().any(|games| is_same(games, path)) {
            let why = "cannot write here: it is a file of games to train on";
            return refuse(path, why);
        }
    }
    let exists = "file exists; --force overwrites it";
    // A run that is not finished has written no network.
    if settings.out.exists() && !settings.force {
        return refuse(&settings.out, exists);
    }
    let may_overwrite = settings.force || settings.resume;
    if checkpoint.exists() && !may_overwrite {
        let why = "file exists; --resume continues from it, --force overwrites it";
        return refuse(&checkpoint, why);
    }
    if let Some(path) = [csv, svg, parts].into_iter().find(|path| path.exists())
        && !may_overwrite
    {
        return refuse(&path, exists);
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock)
        .map_err(TrainError::file(&lock))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return refuse(&settings.out, "another process is training this network");
    }
    Ok(OutputLock {
        path: lock,
        _file: file,
    })
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(fs::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}

/// The share of the initial learning rate at a step: half a cosine wave down to [`FINAL_RATE`].
fn cosine_decay(step: u64, steps: u64) -> f64 {
    let progress = (step as f64 / steps.max(1) as f64).min(1.0);
    let wave = (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0;
    FINAL_RATE + (1.0 - FINAL_RATE) * wave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_falls_to_a_fiftieth() {
        assert_eq!(cosine_decay(0, 100), 1.0);
        assert!((cosine_decay(50, 100) - 0.51).abs() < 1e-9);
        assert!((cosine_decay(100, 100) - 0.02).abs() < 1e-9);
        assert!((0..100).all(|step| cosine_decay(step, 100) > cosine_decay(step + 1, 100)));
    }
}
