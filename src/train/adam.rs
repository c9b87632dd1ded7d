//! AdamW (<https://arxiv.org/abs/1711.05101>), applied only to rows that a batch touched: most features
//! are rare, and their moments should not fade while they are away.
#![forbid(unsafe_code)]

use super::kernel::Gradient;
use super::model::{Model, ModelShape};
use crate::cli::parallel_map;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Weight decay. A hundred times as much made no measurable difference.
const DECAY: f32 = 0.01;

/// An optimiser: first and second moments of every parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Adam {
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
}

/// A step of the optimiser.
#[derive(Clone, Copy)]
pub struct AdamStep {
    pub learning_rate: f32,
    /// What gradients are multiplied by: one over the positions they were summed over.
    pub factor: f32,
    /// Number of the step, from 1.
    pub number: u64,
}

impl Adam {
    /// All moments are zero.
    pub fn new(shape: &ModelShape) -> Adam {
        let zeros = vec![0.0; shape.rows() * shape.width];
        Adam {
            mean: zeros.clone(),
            square: zeros,
        }
    }

    /// Moves a model against the sum of some gradients, which become zero.
    pub fn step(&mut self, model: &mut Model, gradients: &mut [Gradient], step: AdamStep) {
        let threads = gradients.len();
        let Some(gradient) = sum_up(gradients) else {
            return;
        };
        let shape = model.shape;
        let rows = shape.rows().div_ceil(threads);
        let numbers = rows * shape.width;
        let parts = model
            .rows
            .chunks_mut(numbers)
            .zip(gradient.rows.chunks_mut(numbers))
            .zip(gradient.touched.chunks_mut(rows))
            .zip(self.mean.chunks_mut(numbers))
            .zip(self.square.chunks_mut(numbers));
        parallel_map(parts.enumerate(), |(part, parts)| {
            let ((((weights, gradient), touched), mean), square) = parts;
            let rows_of_part = weights
                .chunks_exact_mut(shape.width)
                .zip(gradient.chunks_exact_mut(shape.width))
                .zip(mean.chunks_exact_mut(shape.width))
                .zip(square.chunks_exact_mut(shape.width))
                .zip(touched);
            for (i, ((((weights, gradient), mean), square), touched)) in rows_of_part.enumerate() {
                if std::mem::take(touched) {
                    let limit = shape.limit(part * rows + i);
                    step_row(weights, gradient, mean, square, step, limit);
                    gradient.fill(0.0);
                }
            }
        });
    }
}

/// Adds all gradients to the first and leaves the others zero.
fn sum_up(gradients: &mut [Gradient]) -> Option<&mut Gradient> {
    let (first, others) = gradients.split_first_mut()?;
    let width = first.rows.len() / first.touched.len();
    for other in others {
        let rows = first.rows.chunks_exact_mut(width).zip(&mut first.touched);
        let others = other.rows.chunks_exact_mut(width).zip(&mut other.touched);
        for ((row, touched), (other, other_touched)) in rows.zip(others) {
            if std::mem::take(other_touched) {
                *touched = true;
                row.iter_mut()
                    .zip(&*other)
                    .for_each(|(it, other)| *it += other);
                other.fill(0.0);
            }
        }
    }
    Some(first)
}

fn step_row(
    weights: &mut [f32],
    gradient: &[f32],
    mean: &mut [f32],
    square: &mut [f32],
    step: AdamStep,
    limit: f32,
) {
    let correction = |beta: f32| 1.0 / (1.0 - beta.powf(step.number as f32));
    let (mean_correction, square_correction) = (correction(BETA1), correction(BETA2));
    let keep = 1.0 - step.learning_rate * DECAY;
    let moments = mean.iter_mut().zip(square);
    for ((weight, gradient), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
        let slope = gradient * step.factor;
        *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
        *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
        let change = *mean * mean_correction / ((*square * square_correction).sqrt() + EPSILON);
        *weight = (*weight * keep - step.learning_rate * change).clamp(-limit, limit);
    }
}
