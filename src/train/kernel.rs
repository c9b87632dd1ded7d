//! The inner loops: a few positions forward and backward. Plain loops over arrays of fixed size,
//! which compilers turn into vector instructions.
//!
//! What is the same for all networks is here: the first layer, the loss, and where gradients go.
//! What follows the first layer is in [`squared`] and [`hidden`].
#![forbid(unsafe_code)]

use super::hidden::{self, Layers};
use super::model::{Model, Shape, Tail};
use super::sample::{ACTIVE, Sample, sigmoid};
use super::squared;

/// Numbers that stay in registers while rows are added up. With half as many, compilers leave the
/// registers unused, and everything takes three times as long.
pub const TILE: usize = 64;

pub type Tile = [f32; TILE];

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

/// Positions that are learnt at a time, so that weights of hidden layers are fetched once for all of
/// them.
pub const GROUP: usize = 4;

/// Memory for a group of positions.
pub struct Scratch {
    /// Sums of the first layer of each position, those of the side to move first, then what they are
    /// to change by.
    pub sums: Vec<Tile>,
    pub layers: Layers,
}

impl Scratch {
    pub fn new(shape: &Shape) -> Scratch {
        Scratch {
            sums: vec![[0.0; TILE]; GROUP * 2 * shape.width / TILE],
            layers: Layers::new(shape),
        }
    }
}

/// The outputs for up to [`GROUP`] positions; the sums of the first layer stay in `scratch`.
pub fn forward(model: &Model, group: &[&Sample], scratch: &mut Scratch) -> [f32; GROUP] {
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let width = model.shape.width / TILE;
    let biases = &tiles[model.shape.bias_row() * width..][..width];
    let sides = group.iter().flat_map(|sample| &sample.features);
    for (sums, features) in scratch.sums.chunks_exact_mut(width).zip(sides) {
        add_up(tiles, width, features, biases, sums);
    }
    match model.shape.tail {
        Tail::Outputs(_) => {
            let mut outputs = [0.0; GROUP];
            let sums = scratch.sums.chunks_exact(2 * width);
            for ((output, sample), sums) in outputs.iter_mut().zip(group).zip(sums) {
                *output = squared::forward(model, sample, sums);
            }
            outputs
        }
        Tail::Hidden(sizes) => hidden::forward(model, sizes, scratch),
    }
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

/// Adds the gradients of (sigmoid(z) - target)^2 for up to [`GROUP`] positions, and returns these
/// losses. Slopes of positions that are not there are zero.
pub fn backward(
    model: &Model,
    group: &[&Sample],
    lambda: f32,
    scratch: &mut Scratch,
    gradient: &mut Gradient,
) -> [f32; GROUP] {
    let shape = &model.shape;
    let outputs = forward(model, group, scratch);
    let (mut losses, mut slopes) = ([0.0; GROUP], [0.0; GROUP]);
    for (i, (sample, output)) in group.iter().zip(outputs).enumerate() {
        let chance = sigmoid(output);
        let error = sample.error(chance, lambda);
        slopes[i] = 2.0 * error * chance * (1.0 - chance);
        losses[i] = error * error;
    }
    let width = shape.width / TILE;
    match shape.tail {
        Tail::Outputs(_) => {
            let sums = scratch.sums.chunks_exact_mut(2 * width);
            for ((sample, slope), sums) in group.iter().zip(slopes).zip(sums) {
                if slope == 0.0 {
                    continue;
                }
                squared::backward(model, sample, slope, sums, gradient);
            }
        }
        Tail::Hidden(sizes) => hidden::backward(model, sizes, slopes, scratch, gradient),
    }
    let (out, _) = gradient.rows.as_chunks_mut::<TILE>();
    let sides = group
        .iter()
        .zip(slopes)
        .flat_map(|(sample, slope)| sample.features.iter().map(move |side| (side, slope)));
    for (changes, (features, slope)) in scratch.sums.chunks_exact(width).zip(sides) {
        // Within a bound there is nothing to learn.
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
    gradient.touched[shape.bias_row()] = true;
    losses
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
