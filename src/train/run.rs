//! A training run from beginning to end.
#![forbid(unsafe_code)]

use super::adam::{Adam, Step};
use super::batch::{Losses, Workers};
use super::checkpoint::{self, State};
use super::curve::{Point, to_csv};
use super::error::TrainError;
use super::model::{Model, Shape};
use super::outputs::{self, write_whole};
use super::plot::to_svg;
use super::read::{Counts, Reader};
use super::sample::Sample;
use super::schedule;
use super::set::{Collector, Set};
use super::settings::Settings;
use crate::cli::{console, files, interrupt, stable_rng};
use rand::seq::SliceRandom;
use std::fs;
use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::time::{Duration, Instant};

/// Points of the loss curve over a whole run.
const POINTS: u64 = 200;
/// Time between two checkpoints within an epoch.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(600);
/// Time between two lines of progress on a terminal, and elsewhere.
const LINE_INTERVALS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// Trains a network as asked.
///
/// # Errors
/// When data or other files cannot be used, or the loss is lost. What was there before stays.
pub fn run(settings: &Settings) -> Result<(), TrainError> {
    run_until(settings, &|_| interrupt::is_interrupted())
}

/// The same, ending after a step for which `ends` says so.
///
/// # Errors
/// As above, and when it ends so.
pub fn run_until(settings: &Settings, ends: &dyn Fn(u64) -> bool) -> Result<(), TrainError> {
    let _claim = outputs::claim(settings)?;
    let (state, saved) = begin(settings)?;
    let (set, counts) = load(settings)?;
    let fingerprint = settings.fingerprint(set.len(), set.validation.len() as u64);
    if let Some(saved) = saved {
        check_fingerprint(settings, &saved, &fingerprint)?;
    }
    console::tell(format_args!(
        "{} games, {} positions ({} that searches came by), {} left out, {} repeated, {} held back, \
         {} to learn from; {}, {} threads",
        counts.games,
        counts.read,
        counts.visited,
        counts.left_out,
        counts.repeated,
        counts.held_back,
        set.len(),
        settings.shape,
        settings.threads
    ));
    let mut run = Run::new(settings, &set, state, fingerprint, ends);
    run.train()?;
    run.finish()
}

/// Reads all games.
fn load(settings: &Settings) -> Result<(Set, Counts), TrainError> {
    // No position takes less room in a file of games.
    const LEAST: u64 = 4;
    let mut most = 0;
    for path in &settings.data {
        let metadata = fs::metadata(path).map_err(TrainError::file(path))?;
        most += metadata.len() / LEAST;
    }
    let folder = settings.beside("parts");
    let mut collector = Collector::new(folder, settings.memory, most, settings.seed);
    let mut sink = |sample, held_back| collector.add(sample, held_back);
    let Settings {
        filter,
        shape,
        seed,
        ..
    } = *settings;
    let mut reader = Reader::new(filter, shape, seed, &mut sink);
    for path in &settings.data {
        reader.read(path)?;
    }
    let counts = reader.counts();
    let set = collector.finish()?;
    if set.len() == 0 {
        return Err(TrainError::NoData {
            read: counts.read,
            left_out: counts.left_out,
            held_back: counts.held_back,
        });
    }
    Ok((set, counts))
}

/// The state to begin with, and the fingerprint of the run that saved it, if one did.
fn begin(settings: &Settings) -> Result<(State, Option<String>), TrainError> {
    if settings.resume {
        let (state, saved) = State::load(&settings.beside("checkpoint"))?;
        return Ok((state, Some(saved)));
    }
    let model = match &settings.init {
        Some(path) => initial(path, settings.shape)?,
        None => Model::random(settings.shape, settings.seed),
    };
    let state = State {
        adam: Adam::new(&model.shape),
        model,
        step: 0,
        recent: (0.0, 0),
        points: Vec::new(),
    };
    Ok((state, None))
}

/// Makes sure that a checkpoint is of this very run.
fn check_fingerprint(settings: &Settings, found: &str, own: &str) -> Result<(), TrainError> {
    if found == own {
        return Ok(());
    }
    let mut lines = found.lines().zip(own.lines());
    let (found, expected) = lines.find(|(a, b)| a != b).unwrap_or_default();
    Err(TrainError::Shape {
        path: settings.beside("checkpoint"),
        expected: format!("`{expected}`, as in the settings of this run"),
        found: format!("`{found}`"),
    })
}

/// A model from a network or a checkpoint, in the shape asked for.
fn initial(path: &Path, shape: Shape) -> Result<Model, TrainError> {
    let bytes = files::read(path).map_err(TrainError::file(path))?;
    let model = if bytes.starts_with(checkpoint::MAGIC) {
        State::load(path)?.0.model
    } else {
        Model::parse(&bytes).map_err(|error| TrainError::Network {
            path: path.to_path_buf(),
            error,
        })?
    };
    let found = model.shape;
    model.reshaped(shape).ok_or_else(|| TrainError::Shape {
        path: path.to_path_buf(),
        expected: shape.to_string(),
        found: found.to_string(),
    })
}

/// A run under way.
struct Run<'a> {
    settings: &'a Settings,
    set: &'a Set,
    state: State,
    fingerprint: String,
    workers: Workers,
    /// Steps of an epoch.
    steps: u64,
    /// Told the step, says whether to end.
    ends: &'a dyn Fn(u64) -> bool,
    start: Instant,
    saved: Instant,
    shown: Instant,
    /// Positions learnt from since the start.
    positions: u64,
}

impl<'a> Run<'a> {
    fn new(
        settings: &'a Settings,
        set: &'a Set,
        state: State,
        fingerprint: String,
        ends: &'a dyn Fn(u64) -> bool,
    ) -> Run<'a> {
        let batch = settings.batch;
        let steps = set
            .lengths()
            .iter()
            .map(|length| length.div_ceil(batch) as u64)
            .sum();
        let now = Instant::now();
        Run {
            settings,
            set,
            workers: Workers::new(&state.model.shape, settings.threads),
            state,
            fingerprint,
            steps,
            ends,
            start: now,
            saved: now,
            shown: now,
            positions: 0,
        }
    }

    /// Steps of all epochs.
    fn total(&self) -> u64 {
        self.steps * self.settings.epochs
    }

    fn train(&mut self) -> Result<(), TrainError> {
        if self.state.step == 0 {
            self.add_point(true);
        }
        let first = self.state.step / self.steps.max(1);
        for epoch in first..self.settings.epochs {
            self.epoch(epoch)?;
            self.add_point(true);
            self.save()?;
        }
        Ok(())
    }

    /// One pass over all samples; what was done of it before a break is passed over.
    fn epoch(&mut self, epoch: u64) -> Result<(), TrainError> {
        let lengths = self.set.lengths();
        let mut parts: Vec<usize> = (0..lengths.len()).collect();
        let purpose = |part: usize| (epoch + 1) << 32 | part as u64;
        let seed = self.settings.seed;
        parts.shuffle(&mut stable_rng(seed, purpose(lengths.len())));
        // The number of the next batch.
        let mut step = epoch * self.steps;
        for part in parts {
            let batches = lengths[part].div_ceil(self.settings.batch) as u64;
            if step + batches <= self.state.step {
                step += batches;
                continue;
            }
            let samples = self.set.part(part)?;
            let mut order: Vec<u32> = (0..samples.len() as u32).collect();
            order.shuffle(&mut stable_rng(seed, purpose(part)));
            for batch in order.chunks(self.settings.batch) {
                if step >= self.state.step {
                    self.step(&samples, batch)?;
                }
                step += 1;
            }
        }
        Ok(())
    }

    /// Learns from a batch.
    fn step(&mut self, samples: &[Sample], batch: &[u32]) -> Result<(), TrainError> {
        let settings = self.settings;
        let State {
            model, adam, step, ..
        } = &mut self.state;
        let loss = self
            .workers
            .learn(model, samples, batch, settings.lambda as f32);
        let loss = loss / batch.len() as f64;
        let total = self.steps * settings.epochs;
        let taken = Step {
            rate: schedule::rate(settings.rate, *step, total) as f32,
            decay: settings.decay as f32,
            factor: 1.0 / batch.len() as f32,
            number: *step + 1,
        };
        *step += 1;
        if !loss.is_finite() {
            return Err(TrainError::Diverged { step: *step, loss });
        }
        adam.step(model, &mut self.workers.gradients, taken);
        self.state.recent.0 += loss;
        self.state.recent.1 += 1;
        self.positions += batch.len() as u64;
        let is_end = self.state.step.is_multiple_of(self.steps);
        if !is_end && self.state.step.is_multiple_of((total / POINTS).max(1)) {
            self.add_point(false);
        }
        self.show(loss);
        if (self.ends)(self.state.step) {
            self.save()?;
            return Err(TrainError::Interrupted(settings.beside("checkpoint")));
        }
        if self.saved.elapsed() >= CHECKPOINT_INTERVAL {
            self.save()?;
        }
        Ok(())
    }

    /// Adds a point to the curve.
    fn add_point(&mut self, validates: bool) {
        let (sum, count) = std::mem::take(&mut self.state.recent);
        let held_back = &self.set.validation;
        let validation = (validates && !held_back.is_empty())
            .then(|| self.workers.validate(&self.state.model, held_back));
        let point = Point {
            step: self.state.step,
            epoch: self.state.step as f64 / self.steps as f64,
            rate: schedule::rate(self.settings.rate, self.state.step, self.total()),
            training: (count > 0).then(|| sum / count as f64),
            validation,
        };
        self.state.points.push(point);
        if validates {
            let held_back = validation.map_or("-".into(), |Losses { search, result }| {
                let result = result.map_or("-".into(), |loss| format!("{loss:.4}"));
                format!("{search:.6} by score, {result} by result")
            });
            let training = point
                .training
                .map_or("-".into(), |loss| format!("{loss:.6}"));
            self.line(&format!(
                "epoch {}  step {}  training {training}  validation {held_back}  {:.0} positions/s\n",
                point.epoch,
                point.step,
                self.speed()
            ));
        }
    }

    /// Positions a second since the start.
    fn speed(&self) -> f64 {
        self.positions as f64 / self.start.elapsed().as_secs_f64().max(1e-9)
    }

    /// Shows progress if it is time to.
    fn show(&mut self, loss: f64) {
        let on_terminal = stderr().is_terminal();
        if self.shown.elapsed() < LINE_INTERVALS[usize::from(!on_terminal)] {
            return;
        }
        self.shown = Instant::now();
        let left = (self.total() - self.state.step) * self.settings.batch as u64;
        let seconds = (left as f64 / self.speed().max(1.0)) as u64;
        let line = format!(
            "step {} of {}  loss {loss:.6}  {:.0} positions/s  left {}:{:02}:{:02}",
            self.state.step,
            self.total(),
            self.speed(),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        );
        self.line(&if on_terminal { line } else { line + "\n" });
    }

    /// Writes to standard error, on a terminal in place of the last line.
    fn line(&self, text: &str) {
        let clear = if stderr().is_terminal() {
            "\r\x1b[K"
        } else {
            ""
        };
        // Nobody may be looking.
        let _ = write!(stderr(), "{clear}{text}");
    }

    /// Saves a checkpoint and the curve.
    fn save(&mut self) -> Result<(), TrainError> {
        self.saved = Instant::now();
        let path = self.settings.beside("checkpoint");
        self.state.save(&path, &self.fingerprint)?;
        let points = &self.state.points;
        write_whole(&self.settings.beside("csv"), to_csv(points).as_bytes())?;
        let title = format!("Loss of {}", self.settings.out.display());
        write_whole(
            &self.settings.beside("svg"),
            to_svg(points, &title).as_bytes(),
        )
    }

    /// Writes the network.
    fn finish(&mut self) -> Result<(), TrainError> {
        let out = &self.settings.out;
        let numbers = &self.state.model.rows;
        if let Some(&loss) = numbers.iter().find(|it| !it.is_finite()) {
            let (step, loss) = (self.state.step, loss.into());
            return Err(TrainError::Diverged { step, loss });
        }
        let error = |error| TrainError::Network {
            path: out.clone(),
            error,
        };
        let network = self
            .state
            .model
            .to_bytes(self.settings.calls)
            .map_err(error)?;
        write_whole(out, &network)?;
        if !self.set.validation.is_empty() {
            let rounded = Model::parse(&network).map_err(error)?;
            let losses = self.workers.validate(&rounded, &self.set.validation);
            self.line(&format!(
                "as integers: validation {:.6} by score\n",
                losses.search
            ));
        }
        self.line(&format!("{} is written\n", out.display()));
        Ok(())
    }
}
