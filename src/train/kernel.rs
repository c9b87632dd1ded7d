//! Forward and backward passes of a few positions at a time: the feature transformer, the loss and the
//! squared head. Plain loops over arrays of fixed size, which compilers turn into vector instructions.
//! Hidden layers are in [`hidden`].
#![forbid(unsafe_code)]

use super::dataset::{Sample, sigmoid};
use super::hidden::{self, Layers};
use super::model::{ACTIVE, Head, Model, ModelShape};

/// Numbers that stay in registers while rows are added up. With half as many, compilers leave the
/// registers unused, and everything takes three times as long.
pub const TILE: usize = 64;

pub type FloatTile = [f32; TILE];

/// Positions of a pass, so that weights of hidden layers are fetched once for all of them.
pub const GROUP: usize = 4;

/// The gradient of a model, and which of its rows may differ from zero.
pub struct Gradient {
    pub rows: Vec<f32>,
    pub touched: Vec<bool>,
}

impl Gradient {
    /// All zeros.
    pub fn new(shape: &ModelShape) -> Gradient {
        Gradient {
            rows: vec![0.0; shape.rows() * shape.width],
            touched: vec![false; shape.rows()],
        }
    }
}

/// Memory for the passes of a group.
pub struct PassScratch {
    /// Sums of the feature transformer for each position, side to move first; after a backward pass,
    /// their gradients.
    pub sums: Vec<FloatTile>,
    pub layers: Layers,
}

impl PassScratch {
    pub fn new(shape: &ModelShape) -> PassScratch {
        PassScratch {
            sums: vec![[0.0; TILE]; GROUP * 2 * shape.width / TILE],
            layers: Layers::new(shape),
        }
    }
}

/// The outputs for up to [`GROUP`] positions; the sums of the feature transformer stay in `scratch`.
pub fn forward(model: &Model, group: &[&Sample], scratch: &mut PassScratch) -> [f32; GROUP] {
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let width = model.shape.width / TILE;
    let biases = &tiles[model.shape.bias_row() * width..][..width];
    let sides = group.iter().flat_map(|sample| &sample.features);
    for (sums, features) in scratch.sums.chunks_exact_mut(width).zip(sides) {
        transform(tiles, width, features, biases, sums);
    }
    match model.shape.head {
        Head::Squared => {
            let [weights, bias, ..] = model.head();
            let (weights, _) = weights.as_chunks();
            let mut outputs = [0.0; GROUP];
            let sums = scratch.sums.chunks_exact(2 * width).take(group.len());
            for (output, sums) in outputs.iter_mut().zip(sums) {
                *output = bias[0] + squared_dot(sums, weights);
            }
            outputs
        }
        Head::Hidden(sizes) => hidden::forward(model, sizes, scratch),
    }
}

/// Adds the rows of the active features to the biases.
fn transform(
    tiles: &[FloatTile],
    width: usize,
    features: &[u16; ACTIVE],
    biases: &[FloatTile],
    sums: &mut [FloatTile],
) {
    for (i, (sum, bias)) in sums.iter_mut().zip(biases).enumerate() {
        let mut tile = *bias;
        for &feature in features {
            let row = &tiles[usize::from(feature) * width + i];
            for (sum, weight) in tile.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        *sum = tile;
    }
}

/// The product of squared clipped sums and weights.
fn squared_dot(sums: &[FloatTile], weights: &[FloatTile]) -> f32 {
    let mut total = [0.0; TILE];
    for (sum, weights) in sums.iter().zip(weights) {
        for ((total, sum), weight) in total.iter_mut().zip(sum).zip(weights) {
            let activation = sum.clamp(0.0, 1.0);
            *total += activation * activation * weight;
        }
    }
    total.iter().sum()
}

/// Adds the gradients of the squared head for an output with the gradient `slope`, and replaces the
/// sums by their gradients.
fn squared_backward(
    slope: f32,
    sums: &mut [FloatTile],
    weights: &[FloatTile],
    gradient: &mut [FloatTile],
) {
    for ((sums, weights), gradient) in sums.iter_mut().zip(weights).zip(gradient) {
        for ((sum, weight), gradient) in sums.iter_mut().zip(weights).zip(gradient) {
            let activation = sum.clamp(0.0, 1.0);
            *gradient += slope * activation * activation;
            *sum = clip_gradient(2.0 * slope * weight * activation, *sum);
        }
    }
}

/// Adds the gradients of the losses of up to [`GROUP`] positions, and returns these losses: the squared
/// errors of winning probabilities, 0 for positions that are not there.
pub fn backward(
    model: &Model,
    group: &[&Sample],
    lambda: f32,
    scratch: &mut PassScratch,
    gradient: &mut Gradient,
) -> [f32; GROUP] {
    let shape = &model.shape;
    let outputs = forward(model, group, scratch);
    let (mut losses, mut slopes) = ([0.0; GROUP], [0.0; GROUP]);
    for (i, (sample, output)) in group.iter().zip(outputs).enumerate() {
        let probability = sigmoid(output);
        let error = sample.error(probability, lambda);
        slopes[i] = 2.0 * error * probability * (1.0 - probability);
        losses[i] = error * error;
    }
    let width = shape.width / TILE;
    match shape.head {
        Head::Squared => {
            let [weights, ..] = model.head();
            let [out, out_bias, ..] = shape.split_head_mut(&mut gradient.rows);
            let sums = scratch.sums.chunks_exact_mut(2 * width);
            for (slope, sums) in slopes.into_iter().zip(sums).filter(|it| it.0 != 0.0) {
                let (weights, out) = (weights.as_chunks().0, out.as_chunks_mut().0);
                squared_backward(slope, sums, weights, out);
            }
            out_bias[0] += slopes.iter().sum::<f32>();
        }
        Head::Hidden(sizes) => hidden::backward(model, sizes, slopes, scratch, gradient),
    }
    gradient.touched[shape.bias_row()..].fill(true);
    let (out, _) = gradient.rows.as_chunks_mut::<TILE>();
    let sides = group
        .iter()
        .zip(slopes)
        .flat_map(|(sample, slope)| sample.features.iter().map(move |side| (side, slope)));
    for (changes, (features, slope)) in scratch.sums.chunks_exact(width).zip(sides) {
        // Within a bound there is no error.
        if slope == 0.0 {
            continue;
        }
        add_row(out, shape.bias_row() * width, changes);
        for &feature in features {
            let row = usize::from(feature);
            gradient.touched[row] = true;
            add_row(out, row * width, changes);
        }
    }
    losses
}

/// The gradient of a sum, given that of its activation: sums that are clipped to 0 or 1 have none.
#[inline(always)]
pub fn clip_gradient(gradient: f32, sum: f32) -> f32 {
    let is_inside = sum > 0.0 && sum < 1.0;
    if is_inside { gradient } else { 0.0 }
}

#[inline(always)]
fn add_row(tiles: &mut [FloatTile], first: usize, row: &[FloatTile]) {
    for (out, row) in tiles[first..][..row.len()].iter_mut().zip(row) {
        for (out, number) in out.iter_mut().zip(row) {
            *out += number;
        }
    }
}
