//! The weights of a network in the order kernels want them, and the forward pass.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture};
use super::backend::Backend;
use super::features;
use super::layer_stack::{Scratch, Stack};
use super::progress::Progress;
use crate::position::Position;
use crate::types::value::MAX_EVAL;
use crate::types::{Square, Value};
use std::sync::Arc;

/// Part of a row of the first layer. Rows are slices of blocks, so that they are aligned and of a
/// length that suits every kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Block(pub [i16; 32]);

impl Block {
    pub const ZERO: Block = Block([0; 32]);
}

/// Part of the inputs of a layer: activations of 0 to 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub(super) struct Bytes(pub [u8; 32]);

impl Bytes {
    pub const ZERO: Bytes = Bytes([0; 32]);
}

/// The weights from four inputs to eight outputs, output by output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub(super) struct Lane(pub [i8; 32]);

/// The first layer: a row for every feature, the same for both perspectives.
pub(super) struct Transformer {
    pub biases: Box<[Block]>,
    pub weights: Box<[Block]>,
}

impl Transformer {
    /// Doubles all numbers, wrapping.
    pub fn double(&mut self) {
        for block in self.biases.iter_mut().chain(&mut self.weights) {
            block.0 = block.0.map(|number| number.wrapping_mul(2));
        }
    }

    /// Blocks of a row.
    #[inline(always)]
    pub fn blocks(&self) -> usize {
        self.biases.len()
    }

    /// The weights of a feature.
    #[inline(always)]
    pub fn row(&self, feature: u32) -> &[Block] {
        let blocks = self.blocks();
        &self.weights[feature as usize * blocks..][..blocks]
    }
}

/// Largest value of an activation.
const MAX_ACTIVATION: i32 = 127;

/// Outputs of a tile.
pub(super) const TILE: usize = 32;

/// A dense layer, cut into tiles of up to [`TILE`] outputs.
pub(super) struct Affine {
    /// One for each output, and zeros up to a multiple of eight.
    pub biases: Box<[i32]>,
    pub tiles: Box<[Tile]>,
}

/// The weights of some outputs, for kernels that keep all their sums in registers.
pub(super) struct Tile {
    /// By four inputs, then by eight outputs.
    pub weights: Box<[Lane]>,
    /// Lanes of the same four inputs: 1 to 4.
    pub groups: usize,
    /// How many lanes of the same outputs in a row can be summed up in 16 bits: 1, 2, 4 or 8.
    pub joined: usize,
}

impl Affine {
    /// Orders weights given as rows, one for each output, of a length that is a multiple of 32.
    pub fn new(biases: &[i32], weights: &[i8]) -> Affine {
        let inputs = weights.len() / biases.len();
        let mut padded_biases = biases.to_vec();
        padded_biases.resize(biases.len().next_multiple_of(8), 0);
        Affine {
            biases: padded_biases.into(),
            tiles: weights
                .chunks(TILE * inputs)
                .map(|rows| Tile::new(rows, inputs))
                .collect(),
        }
    }

    /// The tiles, each with its biases and its part of the outputs.
    #[inline(always)]
    pub fn tiles<'a>(
        &'a self,
        out: &'a mut [i32],
    ) -> impl Iterator<Item = (&'a Tile, &'a [i32], &'a mut [i32])> {
        let biases = self.biases.chunks(TILE);
        let out = out[..self.biases.len()].chunks_mut(TILE);
        let tiles = self.tiles.iter().zip(biases).zip(out);
        tiles.map(|((tile, biases), out)| (tile, biases, out))
    }
}

impl Tile {
    fn new(rows: &[i8], inputs: usize) -> Tile {
        let groups = (rows.len() / inputs).div_ceil(8);
        let lane = |i: usize| {
            let (input, output) = (i / groups * 4, i % groups * 8);
            Lane(std::array::from_fn(|j| {
                let at = (output + j / 4) * inputs + input + j % 4;
                rows.get(at).copied().unwrap_or(0)
            }))
        };
        let mut tile = Tile {
            weights: (0..inputs / 4 * groups).map(lane).collect(),
            groups,
            joined: 1,
        };
        while tile.joined < 8 && tile.fits(tile.joined * 2) {
            tile.joined *= 2;
        }
        tile
    }

    /// Whether no input can make the sum of the products of so many lanes, taken in pairs as the
    /// instructions do, exceed 16 bits.
    fn fits(&self, joined: usize) -> bool {
        let range = i32::from(i16::MIN)..=i32::from(i16::MAX);
        self.weights.chunks(joined * self.groups).all(|lanes| {
            (0..self.groups * 16).all(|pair| {
                let (group, pair) = (pair / 16, pair % 16);
                let weights = lanes.iter().skip(group).step_by(self.groups);
                let pairs = weights.flat_map(|lane| [lane.0[2 * pair], lane.0[2 * pair + 1]]);
                let (mut least, mut most) = (0, 0);
                for weight in pairs {
                    least += i32::from(weight).min(0) * MAX_ACTIVATION;
                    most += i32::from(weight).max(0) * MAX_ACTIVATION;
                }
                range.contains(&least) && range.contains(&most)
            })
        })
    }
}

/// A value for every feature and stack, besides the layers.
pub(super) struct PieceValues {
    /// By feature, then by stack.
    pub weights: Box<[i32]>,
}

/// All weights of a network. Large; shared by all threads.
pub(super) struct Parameters {
    pub architecture: Architecture,
    pub transformer: Transformer,
    /// The layers after the first, at least one stack of them.
    pub stacks: Box<[Stack]>,
    /// If it counts for the choice of a stack.
    pub progress: Option<Progress>,
    pub values: Option<PieceValues>,
}

/// A network ready for use: its weights and how to scale its output.
#[derive(Clone)]
pub struct Network {
    pub(super) parameters: Arc<Parameters>,
    scale: i32,
}

impl Network {
    /// A network with these weights whose output is to be divided by `scale`.
    pub(super) fn new(parameters: Parameters, scale: i32) -> Network {
        Network {
            parameters: Arc::new(parameters),
            scale: scale.max(1),
        }
    }

    /// The same weights with another scale.
    pub fn with_scale(&self, scale: i32) -> Network {
        Network {
            parameters: Arc::clone(&self.parameters),
            scale: scale.max(1),
        }
    }

    /// What the output is divided by.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The shape of the network.
    pub fn architecture(&self) -> &Architecture {
        &self.parameters.architecture
    }

    /// The value of an output. YaneuraOu stops at 31753, two further from zero: the two values
    /// beyond [`MAX_EVAL`] mean superior and inferior repetitions here.
    #[inline(always)]
    pub(super) fn value(&self, output: i32) -> Value {
        (output / self.scale).clamp(-MAX_EVAL, MAX_EVAL)
    }
}

impl Parameters {
    /// The output for a position, given the sums of the first layer, those of the side to move
    /// first.
    #[inline]
    pub fn propagate(
        &self,
        backend: &dyn Backend,
        position: &Position,
        sums: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        let architecture = &self.architecture;
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
        self.stacks[self.stack(position)].propagate(backend, architecture, scratch)
    }

    /// Makes pieces that are missing count for nothing.
    pub fn forget_missing_pieces(&mut self) {
        let blocks = self.transformer.blocks();
        let stacks = self.stacks.len();
        for feature in self.architecture.features.missing() {
            self.transformer.weights[feature * blocks..][..blocks].fill(Block::ZERO);
            if let Some(values) = &mut self.values {
                values.weights[feature * stacks..][..stacks].fill(0);
            }
        }
    }

    /// Which stack a position uses.
    #[inline]
    pub fn stack(&self, position: &Position) -> usize {
        let Some(stacks) = &self.architecture.stacks else {
            return 0;
        };
        let stage = self.progress.as_ref().map_or(0, |it| it.stage(position));
        stacks.scheme.stack(position, stage)
    }

    /// What the values of the pieces add to the output, but for the piece on a square of choice.
    #[inline]
    pub fn piece_values(&self, position: &Position, without: Option<Square>) -> i32 {
        let Some(values) = &self.values else {
            return 0;
        };
        let (stack, stacks) = (self.stack(position), self.stacks.len());
        let us = position.side_to_move();
        let [ours, theirs] = [us, !us].map(|perspective| {
            let set = self.architecture.features;
            let active = features::active(set, perspective, position, without);
            let features = active.as_slice().iter();
            features.fold(0_i32, |sum, &feature| {
                sum.wrapping_add(values.weights[feature as usize * stacks + stack])
            })
        });
        ours.wrapping_sub(theirs) / 2
    }
}
