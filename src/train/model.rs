//! The numbers that are trained, and how they become a network.
//!
//! All are rows of the width of the first layer, one after the other: a row for each feature, the
//! biases of the first layer, for each neuron of the next layer its weights for the side to move and
//! for the other side, and a row that begins with the biases of these. In networks of our own the
//! next layer is the last. In classic ones there follow the weights of the second hidden layer, its
//! biases, the weights of the output and its bias, each filled up to whole rows with zeros.
#![forbid(unsafe_code)]

use super::sample::ACTIVE;
use super::{classic, hidden};
use crate::cli::stable_rng;
use crate::eval::nnue::{ClassicNetwork, NetError, OwnNetwork};
use crate::position::Position;
use rand::Rng;
use std::fmt;

/// Weights of features stay within this: with 40 of them and the bias, no sum overflows 16 bits.
const MAX_WEIGHT: f32 = 3.0;
/// Biases of the first layer stay within this.
const MAX_BIAS: f32 = 8.0;
/// Weights of outputs stay within this: 127 of the smallest unit that export takes, 1/64.
const MAX_OUTPUT: f32 = 127.0 / 64.0;

/// What follows the first layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// So many outputs of squared activations, one of which counts: a network of our own.
    Outputs(usize),
    /// Two hidden layers of so many neurons and an output: a classic network.
    Hidden([usize; 2]),
}

/// The shape of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Number of the feature set, among those for networks of this kind.
    pub features: u32,
    /// Outputs of the first layer for one perspective.
    pub width: usize,
    pub tail: Tail,
}

impl Shape {
    /// Features, in all copies, and how many copies they are, if there is such a feature set.
    pub fn known_features(&self) -> Option<(usize, usize)> {
        match self.tail {
            Tail::Outputs(_) => OwnNetwork::dimensions(self.features),
            Tail::Hidden(_) => Some((ClassicNetwork::dimensions(self.features)?, 1)),
        }
    }

    /// Features, in all copies.
    pub fn dimensions(&self) -> usize {
        self.known_features()
            .map_or(0, |(dimensions, _)| dimensions)
    }

    /// Copies of the features.
    pub fn copies(&self) -> usize {
        self.known_features().map_or(1, |(_, copies)| copies)
    }

    /// The features of a position for the side to move, then for the other side, and which output
    /// counts. `None` unless both kings are there.
    pub fn active(&self, position: &Position) -> Option<([[u16; ACTIVE]; 2], usize)> {
        match self.tail {
            Tail::Outputs(outputs) => OwnNetwork::active(self.features, outputs, position),
            Tail::Hidden(_) => Some((ClassicNetwork::active(self.features, position)?, 0)),
        }
    }

    /// Neurons of the layer after the first.
    pub fn neurons(&self) -> usize {
        match self.tail {
            Tail::Outputs(outputs) => outputs,
            Tail::Hidden([first, _]) => first,
        }
    }

    /// The row of the biases.
    pub fn bias_row(&self) -> usize {
        self.dimensions()
    }

    /// The row of a neuron's weights for one side: 0 the side to move, 1 the other.
    pub fn neuron_row(&self, neuron: usize, side: usize) -> usize {
        self.dimensions() + 1 + 2 * neuron + side
    }

    /// The row that begins with the biases of the neurons.
    pub fn neuron_bias_row(&self) -> usize {
        self.neuron_row(self.neurons(), 0)
    }

    /// Numbers of each part behind the first layer of a classic network, in whole rows: weights and
    /// biases of each layer.
    pub fn lengths(&self, [first, second]: [usize; 2]) -> [usize; 6] {
        let inputs = 2 * self.width;
        let numbers = [inputs * first, first, first * second, second, second, 1];
        numbers.map(|numbers| numbers.next_multiple_of(self.width))
    }

    /// Rows in all.
    pub fn rows(&self) -> usize {
        match self.tail {
            Tail::Outputs(_) => self.neuron_bias_row() + 1,
            Tail::Hidden(sizes) => {
                let numbers: usize = self.lengths(sizes).iter().sum();
                self.neuron_row(0, 0) + numbers / self.width
            }
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (features, width) = (self.features, self.width);
        match self.tail {
            Tail::Outputs(outputs) => {
                write!(f, "features {features}, width {width}, outputs {outputs}")
            }
            Tail::Hidden([first, second]) => {
                let features = ClassicNetwork::name(features).unwrap_or("unknown");
                write!(
                    f,
                    "features {features}, width {width}, hidden {first}-{second}"
                )
            }
        }
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
        let mut rng = stable_rng(seed, 0);
        let mut rows = vec![0.0; shape.rows() * shape.width];
        // The copies of a feature begin alike.
        let features = shape.dimensions() * shape.width;
        let (first, others) = rows.split_at_mut(features / shape.copies());
        first.fill_with(|| rng.random_range(-0.05..=0.05));
        let (others, rest) = others.split_at_mut(features - first.len());
        for copy in others.chunks_mut(first.len()) {
            copy.copy_from_slice(first);
        }
        let (biases, rest) = rest.split_at_mut(shape.width);
        biases.fill(0.2);
        let mut fill = |weights: &mut [f32], inputs: usize| {
            let limit = (1.0 / inputs as f32).sqrt();
            weights.fill_with(|| rng.random_range(-limit..=limit));
        };
        let inputs = 2 * shape.width;
        match shape.tail {
            Tail::Outputs(outputs) => fill(&mut rest[..inputs * outputs], inputs),
            Tail::Hidden(sizes @ [first, second]) => {
                let parts = hidden::parts_mut(&mut rows, &shape, sizes);
                let [to_first, biases, to_second, second_biases, to_output, _] = parts;
                fill(to_first, inputs);
                fill(&mut to_second[..first * second], first);
                fill(&mut to_output[..second], second);
                // In the middle, as far as possible from where nothing is learnt.
                biases[..first].fill(0.5);
                second_biases[..second].fill(0.5);
            }
        }
        Model { shape, rows }
    }

    /// Numbers of some rows.
    pub fn part(&self, row: usize, rows: usize) -> &[f32] {
        &self.rows[row * self.shape.width..][..rows * self.shape.width]
    }

    /// Weights and biases of the outputs of a network of our own.
    fn outputs(&self) -> (&[f32], &[f32]) {
        let outputs = self.shape.neurons();
        let weights = self.part(self.shape.neuron_row(0, 0), 2 * outputs);
        let biases = self.part(self.shape.neuron_bias_row(), 1);
        (weights, &biases[..outputs])
    }

    /// The same in another shape of the same width: with more copies of the features or more
    /// outputs, all alike at first. `None` where that is not possible.
    pub fn reshaped(self, shape: Shape) -> Option<Model> {
        let old = self.shape;
        if old == shape {
            return Some(self);
        }
        let (Tail::Outputs(old_outputs), Tail::Outputs(outputs)) = (old.tail, shape.tail) else {
            return None;
        };
        let per_copy = |shape: &Shape| shape.dimensions() / shape.copies();
        let has_more_copies = old.copies() == 1 && per_copy(&old) == per_copy(&shape);
        let is_possible = old.width == shape.width
            && (old.features == shape.features || has_more_copies)
            && (old_outputs == outputs || old_outputs == 1);
        if !is_possible {
            return None;
        }
        let mut rows = self.part(0, old.dimensions()).to_vec();
        if old.features != shape.features {
            rows = rows.repeat(shape.copies());
        }
        rows.extend(self.part(old.bias_row(), 1));
        let (weights, biases) = self.outputs();
        rows.extend(weights.repeat(outputs / old_outputs));
        rows.extend(biases.repeat(outputs / old_outputs));
        rows.resize(shape.rows() * shape.width, 0.0);
        Some(Model { shape, rows })
    }

    /// The bytes of a file of a network as floating-point numbers: our own or a classic one.
    ///
    /// # Errors
    /// When they are no such network.
    pub fn parse(bytes: &[u8]) -> Result<Model, NetError> {
        if OwnNetwork::is_start_of(bytes) {
            Ok(Model::from_network(&OwnNetwork::parse(bytes)?))
        } else {
            Ok(classic::from_network(&ClassicNetwork::parse(bytes)?))
        }
    }

    /// The bytes of the file of the network as integers; one of our own calls the chance of 73 %
    /// `centipawns`.
    ///
    /// # Errors
    /// When it cannot be one.
    pub fn to_bytes(&self, centipawns: u32) -> Result<Vec<u8>, NetError> {
        match self.shape.tail {
            Tail::Outputs(_) => self.to_network(centipawns)?.to_bytes(),
            Tail::Hidden(sizes) => classic::to_network(self, sizes).to_bytes(),
        }
    }

    /// A network of our own from a file as floating-point numbers. An output of 1 is the chance of
    /// 73 %, whatever the network calls that.
    pub fn from_network(network: &OwnNetwork) -> Model {
        let shape = Shape {
            features: network.features,
            width: network.width,
            tail: Tail::Outputs(network.output_biases.len()),
        };
        let unit = OwnNetwork::UNIT as f32;
        let weight_unit = network.weight_unit as f32;
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

    /// A network of our own as integers, which calls the chance of 73 % `centipawns`.
    ///
    /// # Errors
    /// When its output weights are too large altogether.
    pub fn to_network(&self, centipawns: u32) -> Result<OwnNetwork, NetError> {
        let shape = &self.shape;
        let unit = OwnNetwork::UNIT as f32;
        let (outputs, biases) = self.outputs();
        let weight_unit = weight_unit(outputs, shape.width);
        let round = |numbers: &[f32], unit: f32| -> Vec<i16> {
            // A conversion saturates; weights are limited anyhow.
            numbers
                .iter()
                .map(|it| (it * unit).round() as i16)
                .collect()
        };
        let network = OwnNetwork {
            features: shape.features,
            width: shape.width,
            scale: centipawns,
            biases: round(self.part(shape.bias_row(), 1), unit),
            weights: round(self.part(0, shape.dimensions()), unit),
            weight_unit,
            output_weights: round(outputs, weight_unit as f32),
            output_biases: biases
                .iter()
                .map(|it| (it * unit * weight_unit as f32).round() as i32)
                .collect(),
        };
        network.to_bytes()?;
        Ok(network)
    }
}

/// The limit of the numbers of a row, so that rounding them for export cannot go wrong.
pub fn limit(shape: &Shape, row: usize) -> f32 {
    if row < shape.bias_row() {
        return MAX_WEIGHT;
    }
    if row == shape.bias_row() {
        return MAX_BIAS;
    }
    // Which part it is of.
    let part_of = |sizes: [usize; 2]| {
        let mut left = row - shape.neuron_row(0, 0);
        shape.lengths(sizes).iter().position(|length| {
            let rows = length / shape.width;
            let is_here = left < rows;
            left = left.saturating_sub(rows);
            is_here
        })
    };
    match shape.tail {
        Tail::Outputs(_) if row < shape.neuron_bias_row() => MAX_OUTPUT,
        Tail::Outputs(_) => f32::MAX,
        Tail::Hidden(sizes) => match part_of(sizes) {
            Some(0 | 2) => classic::MAX_HIDDEN,
            Some(4) => classic::MAX_OUTPUT,
            _ => f32::MAX,
        },
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
