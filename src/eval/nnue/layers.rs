//! Weights of the layers, in the layout of the kernels.
#![forbid(unsafe_code)]

use crate::memory::{Table, bytes_of};

/// 32 elements of an accumulator or of the weights of a feature. Slices of blocks have the alignment and
/// length that every kernel needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [i16; 32]);

impl Block {
    pub const ZERO: Block = Block([0; 32]);
}

/// 32 inputs of a dense layer: activations of 0 to 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Bytes(pub [u8; 32]);

impl Bytes {
    pub const ZERO: Bytes = Bytes([0; 32]);
}

/// 64 weights of a dense layer, signed bytes, aligned for the widest registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Weights(pub [u8; 64]);

/// The feature transformer: the first layer, with the same weights for both perspectives.
pub struct FeatureTransformer {
    pub biases: Box<[Block]>,
    /// A row of [`FeatureTransformer::blocks`] for every feature.
    pub weights: Table<Block>,
}

impl FeatureTransformer {
    /// Doubles all biases and weights, wrapping.
    pub fn double(&mut self) {
        for block in self.biases.iter_mut().chain(&mut *self.weights) {
            block.0 = block.0.map(|number| number.wrapping_mul(2));
        }
    }

    /// Zeroes the weights of some features.
    pub fn clear(&mut self, features: impl Iterator<Item = usize>) {
        let blocks = self.blocks();
        for feature in features {
            self.weights[feature * blocks..][..blocks].fill(Block::ZERO);
        }
    }

    /// Blocks in an accumulator and in a row of weights.
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

/// Most outputs of a tile.
pub const TILE: usize = 32;

/// A dense layer, cut into tiles of up to [`TILE`] outputs.
pub struct Affine {
    /// One for each output, padded by zeros to a multiple of eight.
    pub biases: Box<[i32]>,
    pub tiles: Box<[Tile]>,
}

/// The weights of up to [`TILE`] outputs, whose sums fit in registers.
pub struct Tile {
    /// See [`Tile::weights`].
    weights: Box<[Weights]>,
    /// Number of groups of eight outputs: 1 to 4.
    pub groups: usize,
    /// How many consecutive chunks have products that add up to 16 bits: 1, 2, 4 or 8.
    pub max_chained_adds: usize,
    /// How many chunks, whichever they are, have products that add up to 16 bits.
    pub max_sparse_chained_adds: usize,
}

impl Affine {
    /// A layer from rows of weights, one for each output, padded to a multiple of 32.
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

    /// The tiles, each with its biases and its part of `out`.
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
    /// A tile from rows of weights.
    fn new(rows: &[i8], inputs: usize) -> Tile {
        let groups = (rows.len() / inputs).div_ceil(8);
        let weight = |i: usize| {
            let (chunk, output, input) = (i / (32 * groups), i / 4 % (8 * groups), i % 4);
            let row = rows.get(output * inputs..).unwrap_or_default();
            row.get(4 * chunk + input)
                .map_or(0, |it| it.cast_unsigned())
        };
        let mut tile = Tile {
            weights: (0..inputs * groups / 8)
                .map(|i| Weights(std::array::from_fn(|j| weight(64 * i + j))))
                .collect(),
            groups,
            max_chained_adds: 1,
            max_sparse_chained_adds: 1,
        };
        while tile.max_chained_adds < 8 && tile.fits(tile.max_chained_adds * 2) {
            tile.max_chained_adds *= 2;
        }
        while tile.max_sparse_chained_adds < tile.max_chained_adds
            && tile.fits_sparse(tile.max_sparse_chained_adds * 2)
        {
            tile.max_sparse_chained_adds *= 2;
        }
        tile
    }

    /// The weights as signed bytes, by chunk of four inputs, then by output, then by input of the chunk:
    /// the order in which registers load them.
    #[inline(always)]
    pub fn weights(&self) -> &[u8] {
        bytes_of(&self.weights)
    }

    /// Whether the products of any `chunks` consecutive chunks, added in pairs as `maddubs` does, fit in 16
    /// bits for all inputs.
    fn fits(&self, chunks: usize) -> bool {
        let range = i32::from(i16::MIN)..=i32::from(i16::MAX);
        let row = 32 * self.groups;
        self.weights().chunks(chunks * row).all(|rows| {
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

    /// Whether `chunks` times the largest sum of a pair of products fits in 16 bits.
    fn fits_sparse(&self, chunks: usize) -> bool {
        let limit = i32::from(i16::MAX) / chunks as i32;
        let (pairs, _) = self.weights().as_chunks::<2>();
        pairs.iter().all(|pair| {
            let weights = pair.map(|weight| i32::from(weight.cast_signed()) * MAX_ACTIVATION);
            let most: i32 = weights.iter().map(|&weight| weight.max(0)).sum();
            let least: i32 = weights.iter().map(|&weight| weight.min(0)).sum();
            most.max(-least) <= limit
        })
    }
}
