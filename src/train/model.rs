//! The numbers that are trained, and how they become a network.
//!
//! All are rows of the width of the first layer, one after the other: a row for each feature, the
//! biases of the first layer, for each output its weights for the side to move and for the other
//! side, and a last row that begins with the biases of the outputs.
#![forbid(unsafe_code)]

use super::sample::SCALE;
use crate::eval::nnue::{NetError, OwnNetwork};
use crate::tools::random::Random;
use std::fmt;

/// Weights of features stay within this: with 40 of them and the bias, no sum overflows 16 bits.
const MAX_WEIGHT: f32 = 3.0;
/// Biases of the first layer stay within this.
const MAX_BIAS: f32 = 8.0;
/// Weights of outputs stay within this: 127 of the smallest unit that export takes, 1/64.
const MAX_OUTPUT: f32 = 127.0 / 64.0;

/// The shape of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Number of the feature set.
    pub features: u32,
    /// Outputs of the first layer for one perspective.
    pub width: usize,
    /// Outputs.
    pub outputs: usize,
}

impl Shape {
    /// Features, in all copies.
    pub fn dimensions(&self) -> usize {
        OwnNetwork::dimensions(self.features).map_or(0, |(dimensions, _)| dimensions)
    }

    /// Copies of the features.
    pub fn copies(&self) -> usize {
        OwnNetwork::dimensions(self.features).map_or(1, |(_, copies)| copies)
    }

    /// The row of the biases.
    pub fn bias_row(&self) -> usize {
        self.dimensions()
    }

    /// The row of an output's weights for one side: 0 the side to move, 1 the other.
    pub fn output_row(&self, output: usize, side: usize) -> usize {
        self.dimensions() + 1 + 2 * output + side
    }

    /// The row of the outputs' biases.
    pub fn output_bias_row(&self) -> usize {
        self.output_row(self.outputs, 0)
    }

    /// Rows in all.
    pub fn rows(&self) -> usize {
        self.output_bias_row() + 1
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (features, width, outputs) = (self.features, self.width, self.outputs);
        write!(f, "features {features}, width {width}, outputs {outputs}")
    }
}

/// A network of floating-point numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub shape: Shape,
    /// See the head of this file.
    pub rows: Vec<f32>,
}

impl Model {
    /// Random numbers to start from.
    pub fn random(shape: Shape, seed: u64) -> Model {
        let mut random = Random::new(seed, 0);
        let mut rows = vec![0.0; shape.rows() * shape.width];
        // The copies of a feature begin alike.
        let features = shape.dimensions() * shape.width;
        let (first, others) = rows.split_at_mut(features / shape.copies());
        first.fill_with(|| 0.05 * random.symmetric());
        let (others, rest) = others.split_at_mut(features - first.len());
        for copy in others.chunks_mut(first.len()) {
            copy.copy_from_slice(first);
        }
        let (biases, rest) = rest.split_at_mut(shape.width);
        biases.fill(0.2);
        let outputs = 2 * shape.width * shape.outputs;
        let limit = (1.0 / (2 * shape.width) as f32).sqrt();
        rest[..outputs].fill_with(|| limit * random.symmetric());
        Model { shape, rows }
    }

    /// Numbers of some rows.
    fn part(&self, row: usize, rows: usize) -> &[f32] {
        &self.rows[row * self.shape.width..][..rows * self.shape.width]
    }

    /// Biases of the outputs.
    fn output_biases(&self) -> &[f32] {
        &self.part(self.shape.output_bias_row(), 1)[..self.shape.outputs]
    }

    /// The same in another shape of the same width: with more copies of the features or more
    /// outputs, all alike at first. `None` where that is not possible.
    pub fn reshaped(self, shape: Shape) -> Option<Model> {
        let old = self.shape;
        if old == shape {
            return Some(self);
        }
        let per_copy = |shape: &Shape| shape.dimensions() / shape.copies();
        let has_more_copies = old.copies() == 1 && per_copy(&old) == per_copy(&shape);
        let is_possible = old.width == shape.width
            && (old.features == shape.features || has_more_copies)
            && (old.outputs == shape.outputs || old.outputs == 1);
        if !is_possible {
            return None;
        }
        let mut rows = self.part(0, old.dimensions()).to_vec();
        if old.features != shape.features {
            rows = rows.repeat(shape.copies());
        }
        rows.extend(self.part(old.bias_row(), 1));
        let repeat = shape.outputs / old.outputs;
        rows.extend(
            self.part(old.output_row(0, 0), 2 * old.outputs)
                .repeat(repeat),
        );
        rows.extend(self.output_biases().repeat(repeat));
        rows.resize(shape.rows() * shape.width, 0.0);
        Some(Model { shape, rows })
    }

    /// A network from a file as floating-point numbers.
    pub fn from_network(network: &OwnNetwork) -> Model {
        let shape = Shape {
            features: network.features,
            width: network.width,
            outputs: network.output_biases.len(),
        };
        let unit = OwnNetwork::UNIT as f32;
        // The scale of a network says what its output means, and ours is fixed.
        let factor = network.scale as f32 / SCALE;
        let weight_unit = network.weight_unit as f32 / factor;
        let first = |numbers: &[i16]| -> Vec<f32> {
            numbers.iter().map(|&it| f32::from(it) / unit).collect()
        };
        let outputs = network.output_weights.iter();
        let biases = network.output_biases.iter();
        let mut rows = first(&network.weights);
        rows.extend(first(&network.biases));
        rows.extend(outputs.map(|&it| f32::from(it) / weight_unit));
        rows.extend(biases.map(|&it| it as f32 / (unit * weight_unit)));
        rows.resize(shape.rows() * shape.width, 0.0);
        Model { shape, rows }
    }

    /// The network as integers.
    ///
    /// # Errors
    /// When its output weights are too large altogether.
    pub fn to_network(&self) -> Result<OwnNetwork, NetError> {
        let shape = &self.shape;
        let unit = OwnNetwork::UNIT as f32;
        let outputs = self.part(shape.output_row(0, 0), 2 * shape.outputs);
        let weight_unit = weight_unit(outputs, shape.width);
        let round = |numbers: &[f32], unit: f32| -> Vec<i16> {
            // A conversion saturates; weights are limited anyhow.
            numbers
                .iter()
                .map(|it| (it * unit).round() as i16)
                .collect()
        };
        let biases = self.output_biases().iter();
        let network = OwnNetwork {
            features: shape.features,
            width: shape.width,
            scale: SCALE as u32,
            biases: round(self.part(shape.bias_row(), 1), unit),
            weights: round(self.part(0, shape.dimensions()), unit),
            weight_unit,
            output_weights: round(outputs, weight_unit as f32),
            output_biases: biases
                .map(|it| (it * unit * weight_unit as f32).round() as i32)
                .collect(),
        };
        network.to_bytes()?;
        Ok(network)
    }
}

/// The limit of the numbers of a row, so that rounding them for export cannot go wrong.
pub fn limit(shape: &Shape, row: usize) -> f32 {
    match row {
        _ if row < shape.bias_row() => MAX_WEIGHT,
        _ if row == shape.bias_row() => MAX_BIAS,
        _ if row < shape.output_bias_row() => MAX_OUTPUT,
        _ => f32::MAX,
    }
}

/// The finest unit in which the weights of all outputs keep to the bounds of the kernels.
fn weight_unit(weights: &[f32], width: usize) -> u32 {
    let fits = |unit: u32| {
        weights.chunks(2 * width).all(|weights| {
            let magnitudes = weights.iter().map(|it| (it * unit as f32).round().abs());
            let total: f32 = magnitudes.clone().sum();
            let largest = magnitudes.fold(0.0, f32::max);
            largest <= OwnNetwork::MAX_WEIGHT as f32 && total <= OwnNetwork::MAX_TOTAL as f32
        })
    };
    let mut unit = 1024;
    while unit > 64 && !fits(unit) {
        unit /= 2;
    }
    unit
}
