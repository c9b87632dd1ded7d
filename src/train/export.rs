//! Models as quantised networks in files, and back.
//!
//! An output of 1 is a winning probability of 73 %. A native network stores how many centipawns that
//! is. A network for YaneuraOu is scaled to 600 centipawns at `FV_SCALE` 16, with 90 for a pawn.
#![forbid(unsafe_code)]

use super::model::{Head, Model, ModelShape};
use crate::eval::nnue::{ClassicLayer, ClassicNetwork, NativeNetwork, NetError};
use crate::eval::units::{PONANZA, ScoreUnit};

/// Magnitude of the weights of a squared head: 127 of the coarsest unit, 1/64.
pub const MAX_SQUARED: f32 = 127.0 / COARSEST as f32;
/// Magnitude of the weights of hidden layers.
pub const MAX_HIDDEN: f32 = 127.0 / HIDDEN_UNIT;
/// Magnitude of the weights from hidden layers to the output.
pub const MAX_OUTPUT: f32 =
    127.0 / (OUTPUT_UNIT * ClassicNetwork::DEFAULT_SCALE as f32 / CLASSIC_UNIT);

/// Units that weights of a squared head are stored in.
const FINEST: u32 = 1024;
const COARSEST: u32 = 64;
/// What stands for 1 in the feature transformer and in activations of a classic network.
const CLASSIC_UNIT: f32 = ClassicNetwork::UNIT as f32;
/// What stands for a weight of 1 in hidden layers.
const HIDDEN_UNIT: f32 = ClassicNetwork::WEIGHT_UNIT as f32;
/// What stands for an output of 1 with an `FV_SCALE` of 1.
const OUTPUT_UNIT: f32 = PONANZA * ScoreUnit::YANEURAOU.pawn() as f32 / 100.0;

impl Model {
    /// A model from the bytes of a network file.
    ///
    /// # Errors
    /// When it is not a network that can be trained.
    pub fn parse(bytes: &[u8]) -> Result<Model, NetError> {
        if NativeNetwork::is_start_of(bytes) {
            from_native(&NativeNetwork::parse(bytes)?)
        } else {
            Ok(from_classic(&ClassicNetwork::parse(bytes)?))
        }
    }

    /// The bytes of the network file. A native network calls a winning probability of 73 %
    /// `output_scale` centipawns.
    ///
    /// # Errors
    /// When its weights cannot be quantised.
    pub fn to_bytes(&self, output_scale: u32) -> Result<Vec<u8>, NetError> {
        match self.shape.head {
            Head::Squared => to_native(self, output_scale).to_bytes(),
            Head::Hidden(sizes) => to_classic(self, sizes).to_bytes(),
        }
    }
}

fn scaled(numbers: &[i16], unit: f32) -> impl Iterator<Item = f32> {
    numbers.iter().map(move |&number| f32::from(number) / unit)
}

/// Casts saturate, but weights are clipped to the range during training.
fn rounded(numbers: &[f32], unit: f32) -> Vec<i16> {
    let round = |number: &f32| (number * unit).round() as i16;
    numbers.iter().map(round).collect()
}

/// A model from a native network.
///
/// # Errors
/// When it has other features than those trained, or several outputs.
pub fn from_native(network: &NativeNetwork) -> Result<Model, NetError> {
    let shape = ModelShape::squared(network.width);
    let &[bias] = &network.output_biases[..] else {
        return Err(NetError::Untrainable("several outputs".into()));
    };
    if network.features != shape.features {
        let found = format!("feature set {}", network.features);
        return Err(NetError::Untrainable(found));
    }
    let unit = NativeNetwork::UNIT as f32;
    let weight_unit = network.weight_unit as f32;
    let mut rows: Vec<f32> = scaled(&network.weights, unit).collect();
    rows.extend(scaled(&network.biases, unit));
    rows.extend(scaled(&network.output_weights, weight_unit));
    rows.push(bias as f32 / (unit * weight_unit));
    rows.resize(shape.rows() * shape.width, 0.0);
    Ok(Model { shape, rows })
}

/// A model as a native network.
pub fn to_native(model: &Model, output_scale: u32) -> NativeNetwork {
    let shape = &model.shape;
    let unit = NativeNetwork::UNIT as f32;
    let [output_weights, output_bias, ..] = model.head();
    // The finest unit in which the weights keep to the bounds of the kernels.
    let fits = |weight_unit: &u32| {
        let weights = rounded(output_weights, *weight_unit as f32);
        let magnitudes = weights.iter().map(|&weight| i32::from(weight).abs());
        magnitudes.clone().max() <= Some(NativeNetwork::MAX_WEIGHT)
            && magnitudes.sum::<i32>() <= NativeNetwork::MAX_TOTAL
    };
    let units = (0..).map(|bits| FINEST >> bits);
    let mut finer = units.take_while(|&unit| unit > COARSEST);
    let weight_unit = finer.find(fits).unwrap_or(COARSEST);
    NativeNetwork {
        features: shape.features,
        width: shape.width,
        scale: output_scale,
        biases: rounded(model.part(shape.bias_row(), 1), unit),
        weights: rounded(model.part(0, shape.dimensions()), unit),
        weight_unit,
        output_weights: rounded(output_weights, weight_unit as f32),
        output_biases: vec![(output_bias[0] * unit * weight_unit as f32).round() as i32],
    }
}

/// What stands for 1 in the weights and biases of the three layers of a classic network, and what is
/// added to biases: activations are rounded down, which half a unit makes rounding to the nearest.
fn layer_units(fv_scale: u32) -> [[f32; 3]; 3] {
    let hidden = [HIDDEN_UNIT, HIDDEN_UNIT * CLASSIC_UNIT, HIDDEN_UNIT / 2.0];
    let output = OUTPUT_UNIT * fv_scale as f32;
    [hidden, hidden, [output / CLASSIC_UNIT, output, 0.0]]
}

/// A model from a classic network.
pub fn from_classic(network: &ClassicNetwork) -> Model {
    let mut model = Model::zeros(ModelShape {
        features: network.features,
        width: network.width,
        head: Head::Hidden(network.hidden),
    });
    let numbers = network.weights.iter().chain(&network.biases);
    for (out, &number) in model.rows.iter_mut().zip(numbers) {
        *out = f32::from(number) / CLASSIC_UNIT;
    }
    let [w1, b1, w2, b2, w3, b3] = model.head_mut();
    let parts = [(w1, b1), (w2, b2), (w3, b3)].into_iter();
    let layers = network.layers.iter().zip(layer_units(network.scale));
    for ((weights, biases), (layer, [weight_unit, bias_unit, half])) in parts.zip(layers) {
        for (out, &weight) in weights.iter_mut().zip(&layer.weights) {
            *out = f32::from(weight) / weight_unit;
        }
        for (out, &bias) in biases.iter_mut().zip(&layer.biases) {
            *out = (bias as f32 - half) / bias_unit;
        }
    }
    model
}

/// A model as a classic network with hidden layers of these sizes.
pub fn to_classic(model: &Model, hidden: [usize; 2]) -> ClassicNetwork {
    let shape = &model.shape;
    let [one, two] = hidden;
    let [w1, b1, w2, b2, w3, b3] = model.head();
    let [units1, units2, units3] = layer_units(ClassicNetwork::DEFAULT_SCALE);
    let layer = |weights: &[f32], biases: &[f32], [weight_unit, bias_unit, half]: [f32; 3]| {
        let weight = |it: &f32| (it * weight_unit).round() as i8;
        let bias = |it: &f32| (it * bias_unit + half).round() as i32;
        ClassicLayer {
            biases: biases.iter().map(bias).collect(),
            weights: weights.iter().map(weight).collect(),
        }
    };
    ClassicNetwork {
        features: shape.features,
        width: shape.width,
        hidden,
        scale: ClassicNetwork::DEFAULT_SCALE,
        biases: rounded(model.part(shape.bias_row(), 1), CLASSIC_UNIT),
        weights: rounded(model.part(0, shape.dimensions()), CLASSIC_UNIT),
        layers: [
            layer(w1, &b1[..one], units1),
            layer(&w2[..one * two], &b2[..two], units2),
            layer(&w3[..two], &b3[..1], units3),
        ],
    }
}
