//! The layers after the first: how an output comes out of activations.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture, Shards, padded};
use super::backend::Backend;
use super::network::{Affine, Bytes};

/// Two hidden layers and the output.
pub(super) struct Stack {
    pub layers: [Affine; 3],
}

/// Memory for the values between the layers of one evaluation.
pub(super) struct Scratch {
    input: Box<[Bytes]>,
    sums: Box<[i32]>,
    hidden: [Box<[Bytes]>; 2],
}

/// Inputs of the second hidden layer: with stacks of layers, twice the outputs of the first as
/// kernels have them, the shortcut and padding included. The weights of these are zero.
pub(super) fn second_inputs(architecture: &Architecture) -> usize {
    match architecture.stacks {
        Some(_) => 2 * architecture.first_outputs().next_multiple_of(8),
        None => architecture.hidden[0],
    }
}

impl Scratch {
    pub fn new(architecture: &Architecture) -> Scratch {
        let bytes = |count: usize| vec![Bytes::ZERO; padded(count) / 32].into_boxed_slice();
        let [_, second] = architecture.hidden;
        Scratch {
            input: bytes(architecture.inputs()),
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
    pub fn propagate(
        &self,
        backend: &dyn Backend,
        architecture: &Architecture,
        scratch: &mut Scratch,
    ) -> i32 {
        let Scratch {
            input,
            sums,
            hidden: [first, second],
        } = scratch;
        let [to_first, to_second, to_output] = &self.layers;
        backend.affine(to_first, input, sums);
        let mut shortcut = 0;
        let outputs = &sums[..to_first.biases.len()];
        match architecture.stacks {
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
