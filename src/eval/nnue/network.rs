//! The weights of a network in the order kernels want them, and the forward pass.
#![forbid(unsafe_code)]

use super::accumulator::from_scratch;
use super::architecture::{Architecture, Form};
use super::backend::{self, Backend};
use super::layer_stack::{LayerStacks, Scratch};
use super::squared::Squared;
use crate::eval::units::{FvScale, OutputScale, ScoreUnit};
use crate::memory::{Table, bytes_of};
use crate::position::Position;
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

/// Weights of a dense layer, signed bytes, aligned to suit the widest registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(super) struct Weights(pub [u8; 64]);

/// The first layer: a row for every feature, the same for both perspectives.
pub(super) struct Transformer {
    pub biases: Box<[Block]>,
    pub weights: Table<Block>,
}

impl Transformer {
    /// Doubles all numbers, wrapping.
    pub fn double(&mut self) {
        for block in self.biases.iter_mut().chain(&mut *self.weights) {
            block.0 = block.0.map(|number| number.wrapping_mul(2));
        }
    }

    /// Makes the weights of some features zero.
    fn forget(&mut self, features: impl Iterator<Item = usize>) {
        let blocks = self.blocks();
        for feature in features {
            self.weights[feature * blocks..][..blocks].fill(Block::ZERO);
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
    /// See [`Tile::weights`].
    weights: Box<[Weights]>,
    /// The outputs are so many times eight: 1 to 4.
    pub groups: usize,
    /// The products of how many steps in a row can be summed up in 16 bits: 1, 2, 4 or 8.
    pub joined: usize,
    /// The same for steps that are not in a row.
    pub joined_apart: usize,
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
    /// Orders some rows of a layer.
    fn new(rows: &[i8], inputs: usize) -> Tile {
        let groups = (rows.len() / inputs).div_ceil(8);
        let weight = |i: usize| {
            let (step, output, input) = (i / (32 * groups), i / 4 % (8 * groups), i % 4);
            let row = rows.get(output * inputs..).unwrap_or_default();
            row.get(4 * step + input).map_or(0, |it| it.cast_unsigned())
        };
        let mut tile = Tile {
            weights: (0..inputs * groups / 8)
                .map(|i| Weights(std::array::from_fn(|j| weight(64 * i + j))))
                .collect(),
            groups,
            joined: 1,
            joined_apart: 1,
        };
        while tile.joined < 8 && tile.fits(tile.joined * 2) {
            tile.joined *= 2;
        }
        while tile.joined_apart < tile.joined && tile.fits_apart(tile.joined_apart * 2) {
            tile.joined_apart *= 2;
        }
        tile
    }

    /// The weights by steps of four inputs, then by outputs, then by input of the step: signed
    /// bytes, as registers load them.
    #[inline(always)]
    pub fn weights(&self) -> &[u8] {
        bytes_of(&self.weights)
    }

    /// Whether no input can make the sum of the products of so many steps, taken in pairs as the
    /// instructions do, exceed 16 bits.
    fn fits(&self, joined: usize) -> bool {
        let range = i32::from(i16::MIN)..=i32::from(i16::MAX);
        let row = 32 * self.groups;
        self.weights().chunks(joined * row).all(|rows| {
            (0..row / 2).all(|pair| {
                let pairs = rows
                    .chunks(row)
                    .flat_map(|row| row.as_chunks::<2>().0[pair]);
                let (mut least, mut most) = (0, 0);
                for weight in pairs.map(|weight| i32::from(weight.cast_signed())) {
                    least += weight.min(0) * MAX_ACTIVATION;
                    most += weight.max(0) * MAX_ACTIVATION;
                }
                range.contains(&least) && range.contains(&most)
            })
        })
    }

    /// Whether the same holds for any steps: for so many times the largest products of a step.
    fn fits_apart(&self, joined: usize) -> bool {
        let limit = i32::from(i16::MAX) / joined as i32;
        let (pairs, _) = self.weights().as_chunks::<2>();
        pairs.iter().all(|pair| {
            let weights = pair.map(|weight| i32::from(weight.cast_signed()) * MAX_ACTIVATION);
            let most: i32 = weights.iter().map(|&weight| weight.max(0)).sum();
            let least: i32 = weights.iter().map(|&weight| weight.min(0)).sum();
            most.max(-least) <= limit
        })
    }
}

/// All weights of a network. Large; shared by all threads.
pub(super) struct Parameters {
    pub architecture: Architecture,
    pub transformer: Transformer,
    pub tail: Tail,
}

/// The layers after the first.
pub(super) enum Tail {
    /// Two hidden layers and an output, perhaps in many copies.
    Layers(LayerStacks),
    /// Outputs of squared activations.
    Squared(Squared),
}

/// A network ready for use: its weights and how to scale its output.
#[derive(Clone)]
pub struct Network {
    pub(super) parameters: Arc<Parameters>,
    pub(super) backend: &'static dyn Backend,
    pub(super) scale: OutputScale,
}

/// Balanced positions, so that a few lopsided ones do not decide what the median output is.
const SAMPLE: &str = include_str!("../../../positions/openings.sfen");
/// So many of them are enough, and take a fraction of a millisecond.
const SAMPLE_SIZE: usize = 128;

impl Network {
    /// A network with these weights.
    pub(super) fn new(parameters: Parameters, fv_scale: impl Into<FvScale>) -> Network {
        let backend = backend::select();
        // Of the file formats, only the native one counts in centipawns.
        let format_unit = match parameters.architecture.form {
            Form::Own { .. } => ScoreUnit::CENTIPAWNS,
            Form::Classic | Form::Stacked(_) => ScoreUnit::YANEURAOU,
        };
        let median_output = parameters.median_output(backend);
        Network {
            parameters: Arc::new(parameters),
            backend,
            scale: OutputScale::new(fv_scale.into(), format_unit, median_output),
        }
    }

    /// The same network with another `FV_SCALE`: it changes what a score is called, not the search.
    pub fn with_scale(&self, fv_scale: i32) -> Network {
        let mut network = self.clone();
        network.scale.fv_scale = fv_scale.into();
        network
    }

    /// The same network on each instruction set of this CPU, for tests and measurements: all give
    /// the same values. The fastest comes first; that is the one in use otherwise.
    pub fn on_each_instruction_set(&self) -> Vec<Network> {
        let on = |backend| Network {
            backend,
            ..self.clone()
        };
        backend::available().into_iter().map(on).collect()
    }

    /// The name of the instruction set the network is evaluated with.
    pub fn kernels(&self) -> &'static str {
        self.backend.name()
    }

    /// `FV_SCALE`.
    pub fn fv_scale(&self) -> FvScale {
        self.scale.fv_scale
    }

    /// The shape of the network.
    pub fn architecture(&self) -> &Architecture {
        &self.parameters.architecture
    }

    /// The unit of [`Evaluator::evaluate`](super::Evaluator::evaluate).
    pub fn unit(&self) -> ScoreUnit {
        self.scale.unit()
    }

    /// The value of an output.
    #[inline(always)]
    pub(super) fn value(&self, output: i32) -> Value {
        self.scale.value(output)
    }

    /// The output for the side to move, worked out from scratch.
    pub fn output(&self, position: &Position) -> i32 {
        self.parameters.output(self.backend, position, None)
    }
}

impl Parameters {
    /// The output for the side to move, from scratch, without the piece on a square of choice.
    pub fn output(
        &self,
        backend: &dyn Backend,
        position: &Position,
        without: Option<Square>,
    ) -> i32 {
        let us = position.side_to_move();
        let rows = [us, !us].map(|perspective| {
            let mut row = vec![Block::ZERO; self.transformer.blocks()];
            from_scratch(self, backend, position, perspective, without, &mut row);
            row
        });
        let mut scratch = Scratch::new(&self.architecture);
        let output = self.propagate(backend, position, [&rows[0], &rows[1]], &mut scratch);
        output.wrapping_add(self.piece_values(position, without))
    }

    /// The median magnitude of the outputs over the sample.
    fn median_output(&self, backend: &dyn Backend) -> i32 {
        let mut outputs: Vec<u32> = SAMPLE
            .lines()
            .filter_map(|line| Position::from_sfen(line).ok())
            .take(SAMPLE_SIZE)
            .map(|position| self.output(backend, &position, None).unsigned_abs())
            .collect();
        let middle = outputs.len() / 2;
        let (_, &mut median, _) = outputs.select_nth_unstable(middle);
        median.min(i32::MAX as u32) as i32
    }

    /// The output for a position, given its sums of the first layer, those of the side to move
    /// first.
    #[inline]
    pub fn propagate(
        &self,
        backend: &dyn Backend,
        position: &Position,
        sums: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        match &self.tail {
            Tail::Layers(it) => it.output(backend, &self.architecture, position, sums, scratch),
            Tail::Squared(squared) => squared.output(backend, position, sums),
        }
    }

    /// What values of pieces besides the layers add to the output, but for the piece on a square
    /// of choice.
    #[inline(always)]
    pub fn piece_values(&self, position: &Position, without: Option<Square>) -> i32 {
        match &self.tail {
            Tail::Layers(it) => it.piece_values(&self.architecture, position, without),
            Tail::Squared(_) => 0,
        }
    }

    /// Makes pieces that are missing count for nothing.
    pub fn forget_missing_pieces(&mut self) {
        let features = self.architecture.features;
        self.transformer.forget(features.missing());
        if let Tail::Layers(layers) = &mut self.tail {
            layers.forget(features.missing());
        }
    }
}
