//! Forward and backward passes of the two hidden layers and the output of a classic network. All
//! activations are clipped to 0 to 1 (CReLU).
#![forbid(unsafe_code)]

use super::kernel::{FloatTile, GROUP, Gradient, PassScratch, TILE, clip_gradient};
use super::model::{Head, Model, ModelShape};

/// Sizes of hidden layers are multiples of this.
pub const STEP: usize = 8;

/// Memory for a group of positions.
#[derive(Default)]
pub struct Layers {
    /// Activations of the feature transformer.
    inputs: Vec<[FloatTile; GROUP]>,
    first: [Neurons; GROUP],
    second: [Neurons; GROUP],
    /// Gradients of the sums of the first hidden layer, by neuron.
    first_gradients: Vec<[f32; GROUP]>,
}

/// The neurons of a hidden layer for one position.
#[derive(Clone, Default)]
struct Neurons {
    activations: Vec<f32>,
    /// Gradients of their sums.
    gradients: Vec<f32>,
}

impl Layers {
    pub fn new(shape: &ModelShape) -> Layers {
        let Head::Hidden([first, second]) = shape.head else {
            return Layers::default();
        };
        let neurons = |count: usize| Neurons {
            activations: vec![0.0; count],
            gradients: vec![0.0; count],
        };
        Layers {
            inputs: vec![[[0.0; TILE]; GROUP]; 2 * shape.width / TILE],
            first: std::array::from_fn(|_| neurons(first)),
            second: std::array::from_fn(|_| neurons(second)),
            first_gradients: vec![[0.0; GROUP]; first],
        }
    }
}

impl Neurons {
    /// Clipped neurons pass no gradient on.
    fn clip_gradients(&mut self) {
        for (gradient, &activation) in self.gradients.iter_mut().zip(&self.activations) {
            *gradient = clip_gradient(*gradient, activation);
        }
    }
}

/// The outputs for the sums of the feature transformer in `scratch`.
pub fn forward(model: &Model, sizes: [usize; 2], scratch: &mut PassScratch) -> [f32; GROUP] {
    let PassScratch { sums, layers } = scratch;
    let [weights1, biases1, weights2, biases2, weights3, bias3] = model.head();
    let tiles = layers.inputs.len();
    for (position, sums) in sums.chunks_exact(tiles).enumerate() {
        for (inputs, sums) in layers.inputs.iter_mut().zip(sums) {
            for (input, sum) in inputs[position].iter_mut().zip(sums) {
                *input = sum.clamp(0.0, 1.0);
            }
        }
    }
    let (weights, _) = weights1.as_chunks::<TILE>();
    let rows = weights.chunks_exact(tiles).zip(biases1);
    for (neuron, (row, bias)) in rows.enumerate() {
        let mut totals = [[0.0; TILE]; GROUP];
        for (weights, inputs) in row.iter().zip(&layers.inputs) {
            for (total, inputs) in totals.iter_mut().zip(inputs) {
                for ((total, weight), input) in total.iter_mut().zip(weights).zip(inputs) {
                    *total += weight * input;
                }
            }
        }
        for (first, total) in layers.first.iter_mut().zip(totals) {
            first.activations[neuron] = (bias + sum(total)).clamp(0.0, 1.0);
        }
    }
    let mut outputs = [0.0; GROUP];
    let neurons = layers.first.iter().zip(&mut layers.second);
    for (output, (first, second)) in outputs.iter_mut().zip(neurons) {
        let rows = weights2.chunks_exact(sizes[0]).zip(biases2);
        for (activation, (row, bias)) in second.activations.iter_mut().zip(rows) {
            *activation = (bias + dot(row, &first.activations)).clamp(0.0, 1.0);
        }
        *output = bias3[0] + dot(weights3, &second.activations);
    }
    outputs
}

/// Adds the gradients of these layers for outputs with the gradients `slopes`, and replaces the sums of
/// the feature transformer by their gradients.
pub fn backward(
    model: &Model,
    sizes: [usize; 2],
    slopes: [f32; GROUP],
    scratch: &mut PassScratch,
    gradient: &mut Gradient,
) {
    let [weights1, _, weights2, _, weights3, _] = model.head();
    let [out1, out_biases1, out2, out_biases2, out3, out_bias3] =
        model.shape.split_head_mut(&mut gradient.rows);
    let PassScratch { sums, layers } = scratch;

    let neurons = layers.first.iter_mut().zip(&mut layers.second);
    for (position, (slope, (first, second))) in slopes.into_iter().zip(neurons).enumerate() {
        out_bias3[0] += slope;
        add_scaled(out3, slope, &second.activations);
        for (gradient, weight) in second.gradients.iter_mut().zip(weights3) {
            *gradient = slope * weight;
        }
        second.clip_gradients();

        add_scaled(out_biases2, 1.0, &second.gradients);
        first.gradients.fill(0.0);
        let rows = weights2.chunks_exact(sizes[0]);
        let out_rows = out2.chunks_exact_mut(sizes[0]);
        for ((row, out), &gradient) in rows.zip(out_rows).zip(&second.gradients) {
            if gradient != 0.0 {
                add_scaled(out, gradient, &first.activations);
                add_scaled(&mut first.gradients, gradient, row);
            }
        }
        first.clip_gradients();

        add_scaled(out_biases1, 1.0, &first.gradients);
        for (gradients, &gradient) in layers.first_gradients.iter_mut().zip(&first.gradients) {
            gradients[position] = gradient;
        }
    }

    let (weights, _) = weights1.as_chunks::<TILE>();
    let (out, _) = out1.as_chunks_mut::<TILE>();
    let tiles = layers.inputs.len();
    for (i, inputs) in layers.inputs.iter().enumerate() {
        let mut totals = [[0.0; TILE]; GROUP];
        let rows = weights.chunks_exact(tiles).zip(out.chunks_exact_mut(tiles));
        for ((weights, out), gradients) in rows.zip(&layers.first_gradients) {
            if *gradients == [0.0; GROUP] {
                continue;
            }
            let weights = &weights[i];
            let mut tile = out[i];
            for ((total, inputs), gradient) in totals.iter_mut().zip(inputs).zip(gradients) {
                for j in 0..TILE {
                    total[j] += gradient * weights[j];
                    tile[j] += gradient * inputs[j];
                }
            }
            out[i] = tile;
        }
        for (position, total) in totals.into_iter().enumerate() {
            for (sum, gradient) in sums[position * tiles + i].iter_mut().zip(total) {
                *sum = clip_gradient(gradient, *sum);
            }
        }
    }
}

/// Adds some numbers times a factor.
#[inline(always)]
fn add_scaled(out: &mut [f32], factor: f32, numbers: &[f32]) {
    let (out, _) = out.as_chunks_mut::<STEP>();
    let (numbers, _) = numbers.as_chunks::<STEP>();
    for (out, numbers) in out.iter_mut().zip(numbers) {
        for (out, number) in out.iter_mut().zip(numbers) {
            *out += factor * number;
        }
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, _) = a.as_chunks::<STEP>();
    let (b, _) = b.as_chunks::<STEP>();
    let mut total = [0.0; STEP];
    for (a, b) in a.iter().zip(b) {
        for ((total, a), b) in total.iter_mut().zip(a).zip(b) {
            *total += a * b;
        }
    }
    sum(total)
}

/// The sum of some numbers, half onto half, so that additions do not wait for each other.
#[inline(always)]
fn sum<const N: usize>(mut numbers: [f32; N]) -> f32 {
    let mut count = N / 2;
    while count > 0 {
        let (left, right) = numbers.split_at_mut(count);
        for (left, right) in left.iter_mut().zip(right) {
            *left += *right;
        }
        count /= 2;
    }
    numbers[0]
}
