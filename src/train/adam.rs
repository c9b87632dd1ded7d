//! AdamW (<https://arxiv.org/abs/1711.05101>), applied only to rows that a batch touched: most
//! features are rare, and their moments should not fade while they are away.
#![forbid(unsafe_code)]

use super::kernel::Gradient;
use super::model::{Model, Shape, limit};
use std::thread;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// How to take a step.
#[derive(Clone, Copy)]
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Decay of weights for a rate of 1.
    pub decay: f32,
    /// What to multiply gradients by: one over the positions they were summed over.
    pub factor: f32,
    /// Number of the step, from 1.
    pub number: u64,
}

/// First and second moments of every number.
#[derive(Clone, PartialEq, Debug)]
pub struct Adam {
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    /// The same for what the copies of a feature have in common, if there are several.
    pub common_mean: Vec<f32>,
    pub common_square: Vec<f32>,
}

impl Adam {
    /// No moments yet.
    pub fn new(shape: &Shape) -> Adam {
        let numbers = shape.rows() * shape.width;
        let common = match shape.copies() {
            1 => 0,
            copies => shape.dimensions() / copies * shape.width,
        };
        Adam {
            mean: vec![0.0; numbers],
            square: vec![0.0; numbers],
            common_mean: vec![0.0; common],
            common_square: vec![0.0; common],
        }
    }

    /// Moves a model against the sum of some gradients, which become zero.
    pub fn step(&mut self, model: &mut Model, gradients: &mut [Gradient], step: Step) {
        let threads = gradients.len();
        gather(gradients);
        let Some(gradient) = gradients.first_mut() else {
            return;
        };
        let shape = model.shape;
        if !self.common_mean.is_empty() {
            self.move_copies(model, gradient, step);
        }
        let rows = shape.rows().div_ceil(threads);
        let numbers = rows * shape.width;
        thread::scope(|scope| {
            let parts = model
                .rows
                .chunks_mut(numbers)
                .zip(gradient.rows.chunks_mut(numbers))
                .zip(gradient.touched.chunks_mut(rows))
                .zip(self.mean.chunks_mut(numbers))
                .zip(self.square.chunks_mut(numbers));
            for (i, ((((weights, gradient), touched), mean), square)) in parts.enumerate() {
                let part = Part {
                    weights,
                    gradient,
                    touched,
                    mean,
                    square,
                };
                let work = move || part.step(&shape, i * rows, step);
                if i + 1 == threads {
                    work();
                } else {
                    scope.spawn(work);
                }
            }
        });
    }

    /// Moves all copies of a feature by the sum of their gradients: what is learnt of a piece with
    /// the king on one square holds elsewhere too, until its own copy says otherwise.
    fn move_copies(&mut self, model: &mut Model, gradient: &Gradient, step: Step) {
        let width = model.shape.width;
        let copies = model.shape.copies();
        let features = model.shape.dimensions() / copies;
        let mut sum = vec![0.0; width];
        let mut change = vec![0.0; width];
        for feature in 0..features {
            let rows = (0..copies).map(|copy| copy * features + feature);
            if !rows.clone().any(|row| gradient.touched[row]) {
                continue;
            }
            sum.fill(0.0);
            change.fill(0.0);
            for row in rows.clone() {
                let row = &gradient.rows[row * width..][..width];
                sum.iter_mut().zip(row).for_each(|(sum, it)| *sum += it);
            }
            let mean = &mut self.common_mean[feature * width..][..width];
            let square = &mut self.common_square[feature * width..][..width];
            let plain = Step { decay: 0.0, ..step };
            step_row(&mut change, &sum, mean, square, plain, f32::MAX);
            for row in rows {
                let row = &mut model.rows[row * width..][..width];
                row.iter_mut()
                    .zip(&change)
                    .for_each(|(it, change)| *it += change);
            }
        }
    }
}

/// Adds all gradients to the first and leaves the others zero.
fn gather(gradients: &mut [Gradient]) {
    let Some((first, others)) = gradients.split_first_mut() else {
        return;
    };
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
}

/// Some rows of everything.
struct Part<'a> {
    weights: &'a mut [f32],
    gradient: &'a mut [f32],
    touched: &'a mut [bool],
    mean: &'a mut [f32],
    square: &'a mut [f32],
}

impl Part<'_> {
    fn step(self, shape: &Shape, first: usize, step: Step) {
        let width = shape.width;
        let rows = self
            .weights
            .chunks_exact_mut(width)
            .zip(self.gradient.chunks_exact_mut(width))
            .zip(self.mean.chunks_exact_mut(width))
            .zip(self.square.chunks_exact_mut(width))
            .zip(self.touched)
            .enumerate();
        for (i, ((((weights, gradient), mean), square), touched)) in rows {
            if std::mem::take(touched) {
                let limit = limit(shape, first + i);
                step_row(weights, gradient, mean, square, step, limit);
                gradient.fill(0.0);
            }
        }
    }
}

/// Moves the numbers of a row, which stay within a limit.
fn step_row(
    weights: &mut [f32],
    gradient: &[f32],
    mean: &mut [f32],
    square: &mut [f32],
    step: Step,
    limit: f32,
) {
    let fade = |beta: f32| 1.0 - beta.powf(step.number as f32);
    let (mean_part, square_part) = (1.0 / fade(BETA1), 1.0 / fade(BETA2));
    let keep = 1.0 - step.rate * step.decay;
    let moments = mean.iter_mut().zip(square);
    for ((weight, gradient), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
        let slope = gradient * step.factor;
        *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
        *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
        let change = *mean * mean_part / ((*square * square_part).sqrt() + EPSILON);
        *weight = (*weight * keep - step.rate * change).clamp(-limit, limit);
    }
}
