//! The layers after the first: how an output comes out of activations.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture, Form, Shards, padded};
use super::backend::Backend;
use super::network::{Affine, Block, Bytes};
use super::progress::Progress;
use super::view;
use crate::position::Position;
use crate::types::Square;

/// Two hidden layers and the output.
pub(super) struct Stack {
    pub layers: [Affine; 3],
}

/// All stacks of a network, one of which is used in a position, and how to choose it.
pub(super) struct LayerStacks {
    /// One or more.
    pub stacks: Box<[Stack]>,
    /// If it counts for the choice.
    pub progress: Option<Progress>,
    /// Values of pieces, besides the layers: by feature, then by stack.
    pub values: Option<Box<[i32]>>,
}

impl LayerStacks {
    /// The only stack of a classic network.
    pub fn single(stack: Stack) -> LayerStacks {
        LayerStacks {
            stacks: Box::new([stack]),
            progress: None,
            values: None,
        }
    }

    /// The output for a position, given its sums of the first layer, those of the side to move
    /// first.
    #[inline]
    pub fn output(
        &self,
        backend: &dyn Backend,
        architecture: &Architecture,
        position: &Position,
        sums: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        for (sums, out) in sums.into_iter().zip(scratch.halves()) {
            match architecture.activation {
                Activation::Clip => backend.clip(sums, out),
                Activation::Square { limit } => backend.product(sums, sums, limit, out),
                Activation::Product { limit } => {
                    let (left, right) = sums.split_at(sums.len() / 2);
                    backend.product(left, right, limit, out);
                }
            }
        }
        self.stacks[self.chosen(architecture, position)].output(backend, architecture, scratch)
    }

    /// Which stack a position uses.
    #[inline]
    pub fn chosen(&self, architecture: &Architecture, position: &Position) -> usize {
        let Some(stacks) = architecture.stacks() else {
            return 0;
        };
        let stage = self.progress.as_ref().map_or(0, |it| it.stage(position));
        stacks.scheme.stack(position, stage)
    }

    /// What the values of the pieces add to the output, but for the piece on a square of choice.
    #[inline]
    pub fn piece_values(
        &self,
        architecture: &Architecture,
        position: &Position,
        without: Option<Square>,
    ) -> i32 {
        let Some(values) = &self.values else {
            return 0;
        };
        let (chosen, stacks) = (self.chosen(architecture, position), self.stacks.len());
        let us = position.side_to_move();
        let [ours, theirs] = [us, !us].map(|perspective| {
            let active = view::active(architecture.features, perspective, position, without);
            let features = active.as_slice().iter();
            features.fold(0_i32, |sum, &feature| {
                sum.wrapping_add(values[feature as usize * stacks + chosen])
            })
        });
        ours.wrapping_sub(theirs) / 2
    }

    /// Makes the values of some features zero.
    pub fn forget(&mut self, features: impl Iterator<Item = usize>) {
        let stacks = self.stacks.len();
        if let Some(values) = &mut self.values {
            for feature in features {
                values[feature * stacks..][..stacks].fill(0);
            }
        }
    }
}

/// Memory for the values between the layers of one evaluation.
#[derive(Default)]
pub(super) struct Scratch {
    input: Box<[Bytes]>,
    /// Where the input is not zero.
    list: Box<[u16]>,
    sums: Box<[i32]>,
    hidden: [Box<[Bytes]>; 2],
}

/// Inputs of the second hidden layer: with stacks of layers, twice the outputs of the first as
/// kernels have them, the shortcut and padding included. The weights of these are zero.
pub(super) fn second_inputs(architecture: &Architecture) -> usize {
    match architecture.stacks() {
        Some(_) => 2 * architecture.first_outputs().next_multiple_of(8),
        None => architecture.hidden[0],
    }
}

impl Scratch {
    pub fn new(architecture: &Architecture) -> Scratch {
        if let Form::Own { .. } = architecture.form {
            return Scratch::default();
        }
        let bytes = |count: usize| vec![Bytes::ZERO; padded(count) / 32].into_boxed_slice();
        let [_, second] = architecture.hidden;
        Scratch {
            input: bytes(architecture.inputs()),
            list: vec![0; architecture.inputs() / 4 + 8].into(),
            sums: vec![0; padded(architecture.first_outputs().max(second))].into(),
            hidden: [bytes(second_inputs(architecture)), bytes(second)],
        }
    }

    /// The inputs of the first hidden layer, by perspective.
    #[inline(always)]
    pub fn halves(&mut self) -> [&mut [Bytes]; 2] {
        let (ours, theirs) = self.input.split_at_mut(self.input.len() / 2);
        [ours, theirs]
    }
}

impl Stack {
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
            list,
            sums,
            hidden: [first, second],
        } = scratch;
        let [to_first, to_second, to_output] = &self.layers;
        match architecture.activation {
            Activation::Clip => backend.affine(to_first, input, sums),
            // Few products of two activations are not zero.
            Activation::Square { .. } | Activation::Product { .. } => {
                backend.affine_sparse(to_first, input, list, sums);
            }
        }
        let mut shortcut = 0;
        let outputs = &sums[..to_first.biases.len()];
        match architecture.stacks() {
            Some(stacks) => {
                if stacks.has_shortcut {
                    shortcut = sums[architecture.hidden[0]];
                }
                backend.activate_both(outputs, first);
            }
            None => activate(backend, architecture, outputs, first),
        }
        backend.affine(to_second, first, sums);
        let outputs = &sums[..to_second.biases.len()];
        activate(backend, architecture, outputs, second);
        backend.affine(to_output, second, sums);
        sums[0].wrapping_add(shortcut)
    }
}

/// The activations of a hidden layer: squared if those of the first layer are.
#[inline(always)]
fn activate(backend: &dyn Backend, architecture: &Architecture, sums: &[i32], out: &mut [Bytes]) {
    backend.activate(sums, out);
    if let Activation::Square { .. } = architecture.activation {
        for byte in out.iter_mut().flat_map(|bytes| &mut bytes.0) {
            *byte = (u16::from(*byte) * u16::from(*byte) / 127) as u8;
        }
    }
}

/// Clears the weights from inputs that an output does not see.
pub(super) fn keep_shards(weights: &mut [i8], architecture: &Architecture, shards: Shards) {
    let inputs = padded(architecture.inputs());
    let outputs_of_group = architecture.first_outputs() / shards.groups;
    for (output, row) in weights.chunks_mut(inputs).enumerate() {
        let start = shards.common + output / outputs_of_group * shards.shard;
        for (input, weight) in row.iter_mut().enumerate().skip(shards.common) {
            if !(start..start + shards.shard).contains(&input) {
                *weight = 0;
            }
        }
    }
}

/// Moves the weights of the second hidden layer to where the kernels put its inputs: squares
/// first, then the clipped ones, each with room for the shortcut.
pub(super) fn spread(
    weights: &[i8],
    architecture: &Architecture,
    outputs: usize,
    inputs: usize,
) -> Vec<i8> {
    let first = architecture.hidden[0];
    let (stored, row) = (padded(architecture.second_inputs()), padded(inputs));
    let mut spread = vec![0; outputs * row];
    for (to, from) in spread.chunks_mut(row).zip(weights.chunks(stored)) {
        to[..first].copy_from_slice(&from[..first]);
        to[inputs / 2..][..first].copy_from_slice(&from[first..2 * first]);
    }
    spread
}
