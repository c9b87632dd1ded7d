//! The layers after the feature transformer, from the accumulators to the output.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture, Form, padded};
use super::backend::Backend;
use super::layers::{Affine, Block, Bytes};
use super::progress::GameProgress;
use super::view;
use crate::position::Position;
use crate::types::{Color, PieceType, Square};

/// The layers after the feature transformer.
pub enum OutputHead {
    /// Two hidden layers and an output layer; one stack in classic networks.
    LayerStacks(LayerStacks),
    /// An output layer with SCReLU activations, in the native format.
    Screlu(ScreluOutput),
}

impl OutputHead {
    /// The output for the accumulators of a position, those of the side to move first, without the
    /// PSQT values of the piece on the square `without`.
    #[inline]
    pub fn output(
        &self,
        backend: &dyn Backend,
        architecture: &Architecture,
        position: &Position,
        without: Option<Square>,
        accumulators: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        match self {
            OutputHead::LayerStacks(it) => it.output(
                backend,
                architecture,
                position,
                without,
                accumulators,
                scratch,
            ),
            OutputHead::Screlu(it) => it.output(backend, position, accumulators),
        }
    }
}

/// Two hidden layers and the output layer.
pub struct LayerStack {
    pub layers: [Affine; 3],
}

/// The layer stacks of a network, one of which is used in a position.
pub struct LayerStacks {
    /// One or more.
    pub stacks: Box<[LayerStack]>,
    /// The game progress, if the stack buckets depend on it.
    pub progress: Option<GameProgress>,
    /// PSQT values, added to the output of the layers: by feature, then by stack.
    pub psqt: Option<Box<[i32]>>,
}

impl LayerStacks {
    /// The only stack of a classic network.
    pub fn single(stack: LayerStack) -> LayerStacks {
        LayerStacks {
            stacks: Box::new([stack]),
            progress: None,
            psqt: None,
        }
    }

    /// The output for the accumulators of a position, those of the side to move first, without the
    /// PSQT values of the piece on the square `without`.
    #[inline]
    fn output(
        &self,
        backend: &dyn Backend,
        architecture: &Architecture,
        position: &Position,
        without: Option<Square>,
        accumulators: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        for (sums, out) in accumulators.into_iter().zip(scratch.halves()) {
            match architecture.activation {
                Activation::CReLU => backend.crelu(sums, out),
                Activation::SCReLU { limit } => backend.pairwise(sums, sums, limit, out),
                Activation::Pairwise { limit } => {
                    let (left, right) = sums.split_at(sums.len() / 2);
                    backend.pairwise(left, right, limit, out);
                }
            }
        }
        let bucket = self.bucket(architecture, position);
        let output = self.stacks[bucket].output(backend, architecture, scratch);
        match &self.psqt {
            None => output,
            Some(psqt) => {
                let value = |perspective| {
                    let active =
                        view::active(architecture.features, perspective, position, without);
                    let values = active
                        .as_slice()
                        .iter()
                        .map(|&feature| psqt[feature as usize * self.stacks.len() + bucket]);
                    values.fold(0, i32::wrapping_add)
                };
                let us = position.side_to_move();
                output.wrapping_add(value(us).wrapping_sub(value(!us)) / 2)
            }
        }
    }

    /// The index of the stack for a position.
    #[inline]
    pub fn bucket(&self, architecture: &Architecture, position: &Position) -> usize {
        let Some(stacks) = architecture.stacks() else {
            return 0;
        };
        let stage = self.progress.as_ref().map_or(0, |it| it.stage(position));
        stacks.buckets.bucket(position, stage)
    }

    /// Zeroes the PSQT values of features.
    pub fn clear(&mut self, features: impl Iterator<Item = usize>) {
        let stacks = self.stacks.len();
        if let Some(psqt) = &mut self.psqt {
            for feature in features {
                psqt[feature * stacks..][..stacks].fill(0);
            }
        }
    }
}

impl LayerStack {
    /// The output for the inputs in `scratch`.
    #[inline]
    fn output(
        &self,
        backend: &dyn Backend,
        architecture: &Architecture,
        scratch: &mut Scratch,
    ) -> i32 {
        let Scratch {
            input,
            nonzero,
            sums,
            hidden: [first, second],
        } = scratch;
        let [to_first, to_second, to_output] = &self.layers;
        match architecture.activation {
            Activation::CReLU => backend.affine(to_first, input, sums),
            // Most products of two activations are zero.
            Activation::SCReLU { .. } | Activation::Pairwise { .. } => {
                backend.affine_sparse(to_first, input, nonzero, sums);
            }
        }
        let mut skipped = 0;
        let outputs = &sums[..to_first.biases.len()];
        match architecture.stacks() {
            Some(stacks) => {
                if stacks.has_skip {
                    skipped = sums[architecture.hidden[0]];
                }
                backend.sqr_relu_and_relu(outputs, first);
            }
            None => relu(backend, architecture, outputs, first),
        }
        backend.affine(to_second, first, sums);
        let outputs = &sums[..to_second.biases.len()];
        relu(backend, architecture, outputs, second);
        backend.affine(to_output, second, sums);
        sums[0].wrapping_add(skipped)
    }
}

/// The activations of a hidden layer of a classic network: squared if the feature transformer's are.
#[inline(always)]
fn relu(backend: &dyn Backend, architecture: &Architecture, sums: &[i32], out: &mut [Bytes]) {
    backend.relu(sums, out);
    if let Activation::SCReLU { .. } = architecture.activation {
        for byte in out.iter_mut().flat_map(|bytes| &mut bytes.0) {
            *byte = (u16::from(*byte) * u16::from(*byte) / 127) as u8;
        }
    }
}

/// Memory for the activations of one evaluation.
#[derive(Default)]
pub struct Scratch {
    input: Box<[Bytes]>,
    /// Indices of nonzero chunks of the input.
    nonzero: Box<[u16]>,
    sums: Box<[i32]>,
    hidden: [Box<[Bytes]>; 2],
}

impl Scratch {
    /// Memory for a network of this architecture.
    pub fn new(architecture: &Architecture) -> Scratch {
        if let Form::Native { .. } = architecture.form {
            return Scratch::default();
        }
        let bytes = |count: usize| vec![Bytes::ZERO; padded(count) / 32].into_boxed_slice();
        let [_, second] = architecture.hidden;
        Scratch {
            input: bytes(architecture.inputs()),
            nonzero: vec![0; architecture.inputs() / 4 + 8].into(),
            sums: vec![0; padded(architecture.first_outputs().max(second))].into(),
            hidden: [bytes(second_inputs(architecture)), bytes(second)],
        }
    }

    /// The inputs of the first hidden layer, by perspective.
    #[inline(always)]
    fn halves(&mut self) -> [&mut [Bytes]; 2] {
        let (ours, theirs) = self.input.split_at_mut(self.input.len() / 2);
        [ours, theirs]
    }
}

/// Inputs of the second hidden layer in the layout of the kernels: with layer stacks, twice the padded
/// outputs of the first. The weights of the skip connection and the padding are zero.
pub fn second_inputs(architecture: &Architecture) -> usize {
    match architecture.stacks() {
        Some(_) => 2 * architecture.first_outputs().next_multiple_of(8),
        None => architecture.hidden[0],
    }
}

/// The quantised value of 1 in accumulators, which is also the largest activation, in [`ScreluOutput`].
pub const UNIT: i32 = 255;
/// Largest magnitude of a weight of [`ScreluOutput`]: activation times weight has to fit in 16 bits.
pub const MAX_WEIGHT: i16 = 127;
/// Largest sum of the magnitudes of the weights of an output bucket: the sum of their products with squared
/// activations has to fit in 32 bits.
pub const MAX_TOTAL: i32 = i32::MAX / (UNIT * UNIT);

/// The output layer of native networks, with the SCReLU of the accumulators as input. The quantised
/// value of 1 in outputs is [`UNIT`] times that in weights.
pub struct ScreluOutput {
    /// The weights of each output bucket: side to move, then the other side. Limited by [`MAX_WEIGHT`] and
    /// [`MAX_TOTAL`].
    pub weights: Box<[Block]>,
    /// One for each output bucket.
    pub biases: Box<[i32]>,
}

impl ScreluOutput {
    /// The output for the accumulators of a position, those of the side to move first.
    #[inline]
    fn output(&self, backend: &dyn Backend, position: &Position, [us, them]: [&[Block]; 2]) -> i32 {
        let bucket = output_bucket(position, self.biases.len());
        let weights = &self.weights[bucket * 2 * us.len()..][..2 * us.len()];
        let (ours, theirs) = weights.split_at(us.len());
        let sum = backend
            .screlu_dot(us, ours)
            .wrapping_add(backend.screlu_dot(them, theirs));
        (sum / UNIT).wrapping_add(self.biases[bucket])
    }
}

/// The output bucket of a position, out of `outputs`: the pieces in both hands, divided by two.
pub fn output_bucket(position: &Position, outputs: usize) -> usize {
    if outputs == 1 {
        return 0;
    }
    let count = |color| {
        let hand = position.hand(color);
        PieceType::HAND
            .iter()
            .map(|&kind| hand.count(kind))
            .sum::<u32>()
    };
    let pieces: u32 = Color::ALL.into_iter().map(count).sum();
    (pieces as usize / 2).min(outputs - 1)
}
