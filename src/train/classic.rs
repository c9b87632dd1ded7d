//! Models with hidden layers as classic networks of integers, and back.
//!
//! The integers of hidden layers are rounded down after each layer. Half a unit more in their biases
//! makes that rounding to the nearest. The output is in units such that it stands for centipawns, 600
//! for a chance of 73 % to win, when it is divided by the usual scale (`FV_SCALE`) of 16 and then
//! shown with 90 for a pawn.
#![forbid(unsafe_code)]

use super::hidden;
use super::model::{Model, Shape, Tail};
use crate::eval::nnue::{ClassicLayer, ClassicNetwork};
use crate::eval::units::{PONANZA, ScoreUnit};

/// What stands for 1 in the first layer and in activations.
const UNIT: f32 = ClassicNetwork::UNIT as f32;
/// What stands for a weight of 1 in hidden layers.
const WEIGHT_UNIT: f32 = ClassicNetwork::WEIGHT_UNIT as f32;
/// Half of what sums are divided by after a hidden layer.
const HALF: f32 = WEIGHT_UNIT / 2.0;
/// What stands for an output of 1, before it is divided by a scale of 1.
const VALUE: f32 = PONANZA * ScoreUnit::YANEURAOU.pawn() as f32 / 100.0;
/// Weights of hidden layers stay within this.
pub const MAX_HIDDEN: f32 = 127.0 / WEIGHT_UNIT;
/// Weights of the output stay within this.
pub const MAX_OUTPUT: f32 = 127.0 / (VALUE * ClassicNetwork::SCALE as f32 / UNIT);

/// A classic network as floating-point numbers.
pub fn from_network(network: &ClassicNetwork) -> Model {
    let sizes = network.hidden;
    let shape = Shape {
        features: network.features,
        width: network.width,
        tail: Tail::Hidden(sizes),
    };
    let first = network.weights.iter().chain(&network.biases);
    let mut rows: Vec<f32> = first.map(|&it| f32::from(it) / UNIT).collect();
    rows.resize(shape.rows() * shape.width, 0.0);
    let [w1, b1, w2, b2, w3, b3] = hidden::parts_mut(&mut rows, &shape, sizes);
    let [first, second, output] = &network.layers;
    let value = VALUE * network.scale as f32;
    for (layer, weights, biases, weight_unit, bias_unit, half) in [
        (first, w1, b1, WEIGHT_UNIT, WEIGHT_UNIT * UNIT, HALF),
        (second, w2, b2, WEIGHT_UNIT, WEIGHT_UNIT * UNIT, HALF),
        (output, w3, b3, value / UNIT, value, 0.0),
    ] {
        for (out, &weight) in weights.iter_mut().zip(&layer.weights) {
            *out = f32::from(weight) / weight_unit;
        }
        for (out, &bias) in biases.iter_mut().zip(&layer.biases) {
            *out = (bias as f32 - half) / bias_unit;
        }
    }
    Model { shape, rows }
}

/// The network as integers. Conversions saturate; weights are limited anyhow.
pub fn to_network(model: &Model, sizes: [usize; 2]) -> ClassicNetwork {
    let shape = &model.shape;
    let [first, second] = sizes;
    let round = |numbers: &[f32]| {
        numbers
            .iter()
            .map(|it| (it * UNIT).round() as i16)
            .collect()
    };
    let layer = |weights: &[f32], biases: &[f32], [weight_unit, bias_unit, half]: [f32; 3]| {
        let weights = weights.iter().map(|it| (it * weight_unit).round() as i8);
        let biases = biases
            .iter()
            .map(|it| (it * bias_unit + half).round() as i32);
        ClassicLayer {
            biases: biases.collect(),
            weights: weights.collect(),
        }
    };
    let [w1, b1, w2, b2, w3, b3] = hidden::parts(&model.rows, shape, sizes);
    let units = [WEIGHT_UNIT, WEIGHT_UNIT * UNIT, HALF];
    let value = VALUE * ClassicNetwork::SCALE as f32;
    ClassicNetwork {
        features: shape.features,
        width: shape.width,
        hidden: sizes,
        scale: ClassicNetwork::SCALE,
        biases: round(model.part(shape.bias_row(), 1)),
        weights: round(model.part(0, shape.dimensions())),
        layers: [
            layer(w1, &b1[..first], units),
            layer(&w2[..first * second], &b2[..second], units),
            layer(&w3[..second], &b3[..1], [value / UNIT, value, 0.0]),
        ],
    }
}
