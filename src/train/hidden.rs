//! Two hidden layers and an output, of activations limited to 0 to 1: the end of a classic network.
#![forbid(unsafe_code)]

use super::kernel::{GROUP, Gradient, Scratch, TILE, Tile};
use super::model::{Model, Shape, Tail};
use crate::eval::nnue::ClassicNetwork;

/// Neurons of hidden layers are multiples of this.
pub const STEP: usize = 8;

/// The neurons of both hidden layers, given as in `32-32`.
pub fn sizes(text: &str) -> Option<[usize; 2]> {
    let (first, second) = text.split_once('-')?;
    let size = |text: &str| {
        let size = text.parse().ok()?;
        let is_known = (STEP..=ClassicNetwork::MAX_HIDDEN).contains(&size);
        (is_known && size.is_multiple_of(STEP)).then_some(size)
    };
    Some([size(first)?, size(second)?])
}

/// Memory for a group of positions.
#[derive(Default)]
pub struct Layers {
    /// Activations of the first layer.
    inputs: Vec<[Tile; GROUP]>,
    first: [Neurons; GROUP],
    second: [Neurons; GROUP],
    /// What the sums of each neuron of the first hidden layer are to change by.
    changes: Vec<[f32; GROUP]>,
}

/// Memory for the neurons of a hidden layer.
#[derive(Clone, Default)]
struct Neurons {
    activations: Vec<f32>,
    /// What the sums are to change by: nothing where a limit was reached.
    changes: Vec<f32>,
    /// Whether the sums lie between the limits, which let nothing through.
    inside: Vec<bool>,
}

impl Layers {
    pub fn new(shape: &Shape) -> Layers {
        let Tail::Hidden([first, second]) = shape.tail else {
            return Layers::default();
        };
        Layers {
            inputs: vec![[[0.0; TILE]; GROUP]; 2 * shape.width / TILE],
            first: std::array::from_fn(|_| Neurons::new(first)),
            second: std::array::from_fn(|_| Neurons::new(second)),
            changes: vec![[0.0; GROUP]; first],
        }
    }
}

impl Neurons {
    fn new(count: usize) -> Neurons {
        Neurons {
            activations: vec![0.0; count],
            changes: vec![0.0; count],
            inside: vec![false; count],
        }
    }

    /// Takes the sum of a neuron.
    #[inline(always)]
    fn activate(&mut self, neuron: usize, sum: f32) {
        self.activations[neuron] = sum.clamp(0.0, 1.0);
        self.inside[neuron] = sum > 0.0 && sum < 1.0;
    }

    /// Keeps changes from where a limit was reached.
    fn limit_changes(&mut self) {
        for (change, &inside) in self.changes.iter_mut().zip(&self.inside) {
            *change = if inside { *change } else { 0.0 };
        }
    }
}

/// The numbers of a model or gradient behind the first layer, part by part: weights and biases of
/// each layer. The last ones of a part may be zeros that fill up a row.
pub fn parts<'a>(rows: &'a [f32], shape: &Shape, sizes: [usize; 2]) -> [&'a [f32]; 6] {
    let mut rest = &rows[shape.neuron_row(0, 0) * shape.width..];
    let lengths = shape.lengths(sizes);
    lengths.map(|length| rest.split_off(..length).unwrap_or_default())
}

/// The same, to be changed.
pub fn parts_mut<'a>(rows: &'a mut [f32], shape: &Shape, sizes: [usize; 2]) -> [&'a mut [f32]; 6] {
    let mut rest = &mut rows[shape.neuron_row(0, 0) * shape.width..];
    let lengths = shape.lengths(sizes);
    lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default())
}

/// The outputs for the sums of the first layer in `scratch`.
pub fn forward(model: &Model, sizes: [usize; 2], scratch: &mut Scratch) -> [f32; GROUP] {
    let shape = &model.shape;
    let Scratch { sums, layers } = scratch;
    let [to_first, biases, to_second, second_biases, to_output, bias] =
        parts(&model.rows, shape, sizes);
    let tiles = layers.inputs.len();
    for (position, sums) in sums.chunks_exact(tiles).enumerate() {
        for (inputs, sums) in layers.inputs.iter_mut().zip(sums) {
            for (input, sum) in inputs[position].iter_mut().zip(sums) {
                *input = sum.clamp(0.0, 1.0);
            }
        }
    }
    let (weights, _) = to_first.as_chunks::<TILE>();
    let rows = weights.chunks_exact(tiles).zip(biases);
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
            first.activate(neuron, bias + sum(total));
        }
    }
    let mut outputs = [0.0; GROUP];
    let neurons = layers.first.iter().zip(&mut layers.second);
    for (output, (first, second)) in outputs.iter_mut().zip(neurons) {
        let rows = to_second.chunks_exact(sizes[0]).zip(second_biases);
        for (neuron, (row, bias)) in rows.take(sizes[1]).enumerate() {
            second.activate(neuron, bias + dot(row, &first.activations));
        }
        *output = bias[0] + dot(to_output, &second.activations);
    }
    outputs
}

/// Adds the gradient for outputs that are to change by `slopes`, and leaves what the sums of the
/// first layer are to change by in their place.
pub fn backward(
    model: &Model,
    sizes: [usize; 2],
    slopes: [f32; GROUP],
    scratch: &mut Scratch,
    gradient: &mut Gradient,
) {
    let shape = &model.shape;
    gradient.touched[shape.neuron_row(0, 0)..].fill(true);
    let [to_first, _, to_second, _, to_output, _] = parts(&model.rows, shape, sizes);
    let [out, biases, out_second, second_biases, out_output, bias] =
        parts_mut(&mut gradient.rows, shape, sizes);
    let Scratch { sums, layers } = scratch;

    let neurons = layers.first.iter_mut().zip(&mut layers.second);
    for (position, (slope, (first, second))) in slopes.into_iter().zip(neurons).enumerate() {
        bias[0] += slope;
        add_scaled(out_output, slope, &second.activations);
        for (change, weight) in second.changes.iter_mut().zip(to_output) {
            *change = slope * weight;
        }
        second.limit_changes();

        add_scaled(second_biases, 1.0, &second.changes);
        first.changes.fill(0.0);
        let rows = to_second.chunks_exact(sizes[0]);
        let out_rows = out_second.chunks_exact_mut(sizes[0]);
        for ((row, out), &change) in rows.zip(out_rows).zip(&second.changes) {
            if change != 0.0 {
                add_scaled(out, change, &first.activations);
                add_scaled(&mut first.changes, change, row);
            }
        }
        first.limit_changes();

        add_scaled(biases, 1.0, &first.changes);
        for (changes, &change) in layers.changes.iter_mut().zip(&first.changes) {
            changes[position] = change;
        }
    }

    let (weights, _) = to_first.as_chunks::<TILE>();
    let (out, _) = out.as_chunks_mut::<TILE>();
    let tiles = layers.inputs.len();
    for (i, inputs) in layers.inputs.iter().enumerate() {
        let mut totals = [[0.0; TILE]; GROUP];
        let rows = weights.chunks_exact(tiles).zip(out.chunks_exact_mut(tiles));
        for ((weights, out), changes) in rows.zip(&layers.changes) {
            if *changes == [0.0; GROUP] {
                continue;
            }
            let weights = &weights[i];
            let mut tile = out[i];
            for ((total, inputs), change) in totals.iter_mut().zip(inputs).zip(changes) {
                for j in 0..TILE {
                    total[j] += change * weights[j];
                    tile[j] += change * inputs[j];
                }
            }
            out[i] = tile;
        }
        for (position, total) in totals.into_iter().enumerate() {
            for (sum, change) in sums[position * tiles + i].iter_mut().zip(total) {
                let inside = *sum > 0.0 && *sum < 1.0;
                *sum = if inside { change } else { 0.0 };
            }
        }
    }
}

/// Adds some numbers, multiplied.
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

/// The sum of the products of two rows of numbers.
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
