//! Batches of positions on several threads.
#![forbid(unsafe_code)]

use super::kernel::{GROUP, Gradient, Scratch, backward, forward};
use super::model::{Model, Shape};
use super::sample::{Sample, sigmoid};
use std::thread;

/// A gradient and memory for each thread.
pub struct Workers {
    pub gradients: Vec<Gradient>,
    scratches: Vec<Scratch>,
}

/// Mean losses over positions.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Losses {
    /// Against what the search said.
    pub search: f64,
    /// Against the results, if any are known.
    pub result: Option<f64>,
}

impl Workers {
    pub fn new(shape: &Shape, threads: usize) -> Workers {
        Workers {
            gradients: (0..threads).map(|_| Gradient::new(shape)).collect(),
            scratches: (0..threads).map(|_| Scratch::new(shape)).collect(),
        }
    }

    /// Adds up the gradients of a batch, given as numbers of samples. Each thread takes a part of
    /// its own, always the same, so that results do not depend on who is faster. Returns the sum
    /// of the losses.
    pub fn learn(&mut self, model: &Model, samples: &[Sample], batch: &[u32], lambda: f32) -> f64 {
        let part = batch.len().div_ceil(self.gradients.len()).max(1);
        let workers = self.gradients.iter_mut().zip(&mut self.scratches);
        thread::scope(|scope| {
            let mut work = Vec::new();
            for (part, (gradient, scratch)) in batch.chunks(part).zip(workers) {
                work.push(scope.spawn(move || {
                    let part: Vec<_> = part.iter().map(|&i| &samples[i as usize]).collect();
                    let losses = part.chunks(GROUP).flat_map(|group| {
                        let losses = backward(model, group, lambda, scratch, gradient);
                        losses.into_iter().take(group.len())
                    });
                    losses.map(f64::from).sum::<f64>()
                }));
            }
            // A panic there is a panic here.
            work.into_iter()
                .map(|it| it.join().unwrap_or(f64::NAN))
                .sum()
        })
    }

    /// Mean losses over samples.
    pub fn validate(&mut self, model: &Model, samples: &[Sample]) -> Losses {
        let part = samples.len().div_ceil(self.scratches.len()).max(1);
        let sums: Vec<Sums> = thread::scope(|scope| {
            let parts = samples.chunks(part).zip(&mut self.scratches);
            let work = parts.map(|(part, scratch)| scope.spawn(|| sum(model, part, scratch)));
            let work: Vec<_> = work.collect();
            work.into_iter().filter_map(|it| it.join().ok()).collect()
        });
        let total = |of: fn(&Sums) -> f64| sums.iter().map(of).sum::<f64>();
        let results: u64 = sums.iter().map(|it| it.results).sum();
        Losses {
            search: total(|sums| sums.search) / samples.len().max(1) as f64,
            result: (results > 0).then(|| total(|sums| sums.result) / results as f64),
        }
    }
}

/// Losses added up, and how many positions have a result.
#[derive(Default)]
struct Sums {
    search: f64,
    result: f64,
    results: u64,
}

fn sum(model: &Model, samples: &[Sample], scratch: &mut Scratch) -> Sums {
    let mut sums = Sums::default();
    let samples: Vec<&Sample> = samples.iter().collect();
    for group in samples.chunks(GROUP) {
        let outputs = forward(model, group, scratch);
        for (sample, chance) in group.iter().zip(outputs.map(sigmoid)) {
            sums.search += f64::from(chance - sample.by_score()).powi(2);
            if let Some(points) = sample.by_result() {
                sums.result += f64::from(chance - points).powi(2);
                sums.results += 1;
            }
        }
    }
    sums
}
