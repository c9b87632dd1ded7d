//! Batches of positions on several threads.
#![forbid(unsafe_code)]

use super::dataset::{Sample, sigmoid};
use super::kernel::{GROUP, Gradient, PassScratch, backward, forward};
use super::model::{Model, ModelShape};
use crate::cli::parallel_map;

/// A gradient and memory for each thread.
pub struct Workers {
    pub gradients: Vec<Gradient>,
    scratches: Vec<PassScratch>,
}

/// Mean losses of some positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    /// Against the scores.
    pub score: f64,
    /// Against the results, if any are known.
    pub result: Option<f64>,
}

impl Workers {
    pub fn new(shape: &ModelShape, threads: usize) -> Workers {
        Workers {
            gradients: (0..threads).map(|_| Gradient::new(shape)).collect(),
            scratches: (0..threads).map(|_| PassScratch::new(shape)).collect(),
        }
    }

    /// Adds up the gradients of a batch, given as indices of samples; returns the sum of the losses. Each
    /// thread always takes the same part, so that results do not depend on which is faster.
    pub fn backward(
        &mut self,
        model: &Model,
        samples: &[Sample],
        batch: &[u32],
        lambda: f32,
    ) -> f64 {
        let part = batch.len().div_ceil(self.gradients.len()).max(1);
        let workers = self.gradients.iter_mut().zip(&mut self.scratches);
        let work = batch.chunks(part).zip(workers);
        let losses = parallel_map(work, |(part, (gradient, scratch))| {
            let part: Vec<_> = part.iter().map(|&i| &samples[i as usize]).collect();
            let losses = part
                .chunks(GROUP)
                .flat_map(|group| backward(model, group, lambda, scratch, gradient));
            losses.map(f64::from).sum::<f64>()
        });
        losses.into_iter().sum()
    }

    /// Mean losses of some positions.
    pub fn validate(&mut self, model: &Model, samples: &[Sample]) -> Losses {
        let part = samples.len().div_ceil(self.scratches.len()).max(1);
        let work = samples.chunks(part).zip(&mut self.scratches);
        let sums = parallel_map(work, |(part, scratch)| sum_of_losses(model, part, scratch));
        let (mut score, mut result, mut results) = (0.0, 0.0, 0);
        for sums in sums {
            score += sums.0;
            result += sums.1;
            results += sums.2;
        }
        Losses {
            score: score / samples.len().max(1) as f64,
            result: (results > 0).then(|| result / results as f64),
        }
    }
}

/// The sums of losses against scores and results, and how many results there are.
fn sum_of_losses(
    model: &Model,
    samples: &[Sample],
    scratch: &mut PassScratch,
) -> (f64, f64, usize) {
    let (mut score, mut result, mut results) = (0.0, 0.0, 0);
    let samples: Vec<&Sample> = samples.iter().collect();
    for group in samples.chunks(GROUP) {
        let outputs = forward(model, group, scratch);
        for (sample, probability) in group.iter().zip(outputs.map(sigmoid)) {
            score += f64::from(probability - sample.by_score()).powi(2);
            if let Some(points) = sample.by_result() {
                result += f64::from(probability - points).powi(2);
                results += 1;
            }
        }
    }
    (score, result, results)
}
