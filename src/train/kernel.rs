//! The inner loops: one position forward and backward. Plain loops over arrays of fixed size,
//! which compilers turn into vector instructions.
#![forbid(unsafe_code)]

use super::model::{Model, Shape};
use super::sample::{ACTIVE, Sample, sigmoid};

/// Numbers that stay in registers while rows are added up. With half as many, compilers leave the
/// registers unused, and everything takes three times as long.
pub const TILE: usize = 64;

type Tile = [f32; TILE];

/// A gradient: rows like those of a model, and which of them may differ from zero.
pub struct Gradient {
    pub rows: Vec<f32>,
    pub touched: Vec<bool>,
}

impl Gradient {
    /// All zeros.
    pub fn new(shape: &Shape) -> Gradient {
        Gradient {
            rows: vec![0.0; shape.rows() * shape.width],
            touched: vec![false; shape.rows()],
        }
    }
}

/// Memory for one position at a time: sums of the first layer, then what they are to change by.
pub struct Scratch {
    sums: Vec<Tile>,
}

impl Scratch {
    pub fn new(shape: &Shape) -> Scratch {
        Scratch {
            sums: vec![[0.0; TILE]; 2 * shape.width / TILE],
        }
    }
}

/// The output for a position; the sums of the first layer stay in `scratch`.
pub fn forward(model: &Model, sample: &Sample, scratch: &mut Scratch) -> f32 {
    let shape = &model.shape;
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let width = shape.width / TILE;
    let row = |row: usize| &tiles[row * width..][..width];
    let biases = row(shape.bias_row());
    let output = usize::from(sample.output);
    let mut total = [0.0; TILE];
    let sides = scratch.sums.chunks_exact_mut(width).zip(&sample.features);
    for (side, (sums, features)) in sides.enumerate() {
        add_up(tiles, width, features, biases, sums);
        for (sum, weights) in sums.iter().zip(row(shape.output_row(output, side))) {
            for ((total, sum), weight) in total.iter_mut().zip(sum).zip(weights) {
                let activation = sum.clamp(0.0, 1.0);
                *total += activation * activation * weight;
            }
        }
    }
    let bias = model.rows[shape.output_bias_row() * shape.width + output];
    total.iter().sum::<f32>() + bias
}

/// Adds the rows of some features to the biases.
fn add_up(
    tiles: &[Tile],
    width: usize,
    features: &[u16; ACTIVE],
    biases: &[Tile],
    sums: &mut [Tile],
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

/// Adds the gradient of (sigmoid(z) - target)^2 for a position, and returns that loss.
pub fn backward(
    model: &Model,
    sample: &Sample,
    target: f32,
    scratch: &mut Scratch,
    gradient: &mut Gradient,
) -> f32 {
    let shape = &model.shape;
    let chance = sigmoid(forward(model, sample, scratch));
    let error = chance - target;
    let slope = 2.0 * error * chance * (1.0 - chance);
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let (out, _) = gradient.rows.as_chunks_mut::<TILE>();
    let width = shape.width / TILE;
    let output = usize::from(sample.output);
    let sides = scratch.sums.chunks_exact_mut(width).zip(&sample.features);
    for (side, (sums, features)) in sides.enumerate() {
        let row = shape.output_row(output, side);
        gradient.touched[row] = true;
        let weights = &tiles[row * width..][..width];
        let changes = &mut out[row * width..][..width];
        for ((sums, weights), changes) in sums.iter_mut().zip(weights).zip(changes) {
            for ((sum, weight), change) in sums.iter_mut().zip(weights).zip(changes) {
                let activation = sum.clamp(0.0, 1.0);
                *change += slope * activation * activation;
                // The limits let nothing through.
                let inside = *sum > 0.0 && *sum < 1.0;
                *sum = if inside {
                    2.0 * slope * weight * activation
                } else {
                    0.0
                };
            }
        }
        add_row(out, shape.bias_row() * width, sums);
        for &feature in features {
            let row = usize::from(feature);
            gradient.touched[row] = true;
            add_row(out, row * width, sums);
        }
    }
    gradient.touched[shape.bias_row()] = true;
    gradient.touched[shape.output_bias_row()] = true;
    gradient.rows[shape.output_bias_row() * shape.width + output] += slope;
    error * error
}

/// Adds a row to another.
#[inline(always)]
fn add_row(tiles: &mut [Tile], first: usize, row: &[Tile]) {
    for (out, row) in tiles[first..][..row.len()].iter_mut().zip(row) {
        for (out, number) in out.iter_mut().zip(row) {
            *out += number;
        }
    }
}
