//! The parameters of a network in training, as floating-point numbers.
//!
//! They are stored in rows as long as the feature transformer is wide: a row of weights for each
//! feature, a row of its biases, then the layers behind it, weights before biases, each part padded with
//! zeros to whole rows.
#![forbid(unsafe_code)]

use super::export;
use crate::cli::stable_rng;
use crate::eval::nnue::{ClassicNetwork, NativeNetwork};
use crate::position::Position;
use rand::Rng;
use std::fmt;

/// Features of a position for one perspective.
pub const ACTIVE: usize = NativeNetwork::ACTIVE;

/// Magnitude of the weights of the feature transformer: 40 of them and a bias fit 16 bits.
const MAX_WEIGHT: f32 = 3.0;
/// Magnitude of its biases.
const MAX_BIAS: f32 = 8.0;

/// What follows the feature transformer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// SCReLU and one output: the native format.
    Squared,
    /// CReLU and two hidden layers of these sizes: the format of YaneuraOu.
    Hidden([usize; 2]),
}

/// The shape of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelShape {
    /// Number of the feature set among those for this head.
    pub features: u32,
    /// Outputs of the feature transformer for one perspective.
    pub width: usize,
    pub head: Head,
}

impl ModelShape {
    /// The shape of a network in the native format.
    pub fn squared(width: usize) -> ModelShape {
        ModelShape {
            features: 1,
            width,
            head: Head::Squared,
        }
    }

    /// Inputs of the feature transformer; 0 for an unknown feature set.
    pub fn dimensions(&self) -> usize {
        match self.head {
            Head::Squared => NativeNetwork::dimensions(self.features).map_or(0, |(count, _)| count),
            Head::Hidden(_) => ClassicNetwork::dimensions(self.features).unwrap_or(0),
        }
    }

    /// The active features of a position for the side to move, then for the other side. `None` unless
    /// both kings are on the board.
    pub fn active(&self, position: &Position) -> Option<[[u16; ACTIVE]; 2]> {
        match self.head {
            Head::Squared => Some(NativeNetwork::active(self.features, 1, position)?.0),
            Head::Hidden(_) => ClassicNetwork::active(self.features, position),
        }
    }

    /// The row of the biases of the feature transformer.
    pub fn bias_row(&self) -> usize {
        self.dimensions()
    }

    /// The first row behind the feature transformer.
    pub fn head_row(&self) -> usize {
        self.bias_row() + 1
    }

    /// Lengths of the parts behind the feature transformer in whole rows: weights and biases of each
    /// layer. With a squared head there is only one layer.
    pub fn head_parts(&self) -> [usize; 6] {
        let inputs = 2 * self.width;
        let numbers = match self.head {
            Head::Squared => [inputs, 1, 0, 0, 0, 0],
            Head::Hidden([one, two]) => [inputs * one, one, one * two, two, two, 1],
        };
        numbers.map(|numbers| numbers.next_multiple_of(self.width))
    }

    /// The parts behind the feature transformer in the rows of a model or a gradient.
    pub fn split_head_mut<'a>(&self, rows: &'a mut [f32]) -> [&'a mut [f32]; 6] {
        let mut rest = &mut rows[self.head_row() * self.width..];
        let lengths = self.head_parts();
        lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.head_row() + self.head_parts().iter().sum::<usize>() / self.width
    }

    /// The magnitude that the numbers of a row are clipped to, so that they can be quantised.
    pub fn limit(&self, row: usize) -> f32 {
        let Some(row) = row.checked_sub(self.head_row()) else {
            return if row < self.bias_row() {
                MAX_WEIGHT
            } else {
                MAX_BIAS
            };
        };
        let mut end = 0;
        let part = self.head_parts().into_iter().position(|length| {
            end += length / self.width;
            row < end
        });
        match (self.head, part) {
            (Head::Squared, Some(0)) => export::MAX_SQUARED,
            (Head::Hidden(_), Some(0 | 2)) => export::MAX_HIDDEN,
            (Head::Hidden(_), Some(4)) => export::MAX_OUTPUT,
            _ => f32::MAX,
        }
    }
}

impl fmt::Display for ModelShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.head {
            Head::Squared => write!(f, "width {}", self.width),
            Head::Hidden([one, two]) => {
                let features = ClassicNetwork::feature_set_name(self.features).unwrap_or("unknown");
                write!(f, "{features}, width {}, hidden {one}-{two}", self.width)
            }
        }
    }
}

/// A network in training.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub shape: ModelShape,
    /// In the order given at the top of this file.
    pub rows: Vec<f32>,
}

impl Model {
    /// A model of zeros.
    pub fn zeros(shape: ModelShape) -> Model {
        let rows = vec![0.0; shape.rows() * shape.width];
        Model { shape, rows }
    }

    /// Random weights to start from.
    pub fn random(shape: ModelShape, seed: u64) -> Model {
        let mut rng = stable_rng(seed, 0);
        let mut model = Model::zeros(shape);
        let mut fill = |weights: &mut [f32], limit: f32| {
            weights.fill_with(|| rng.random_range(-limit..=limit));
        };
        let by_inputs = |inputs: usize| (1.0 / inputs as f32).sqrt();
        let (transformer, biases) = model.rows.split_at_mut(shape.dimensions() * shape.width);
        fill(transformer, 0.05);
        biases[..shape.width].fill(0.2);
        let [weights, bias1, weights2, bias2, weights3, _] = model.head_mut();
        fill(weights, by_inputs(2 * shape.width));
        if let Head::Hidden([one, two]) = shape.head {
            fill(&mut weights2[..one * two], by_inputs(one));
            fill(&mut weights3[..two], by_inputs(two));
            // In the middle, as far as possible from where gradients vanish.
            bias1[..one].fill(0.5);
            bias2[..two].fill(0.5);
        }
        model
    }

    /// A number of rows, from `row` on.
    pub fn part(&self, row: usize, rows: usize) -> &[f32] {
        &self.rows[row * self.shape.width..][..rows * self.shape.width]
    }

    /// The parts behind the feature transformer, see [`ModelShape::head_parts`].
    pub fn head(&self) -> [&[f32]; 6] {
        let mut rest = &self.rows[self.shape.head_row() * self.shape.width..];
        let lengths = self.shape.head_parts();
        lengths.map(|length| rest.split_off(..length).unwrap_or_default())
    }

    /// The parts behind the feature transformer, see [`ModelShape::head_parts`].
    pub fn head_mut(&mut self) -> [&mut [f32]; 6] {
        self.shape.split_head_mut(&mut self.rows)
    }
}
