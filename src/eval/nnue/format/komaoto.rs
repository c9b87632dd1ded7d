//! The native format: written by the trainer, read like any other network.
//!
//! Little-endian, 16- and 32-bit numbers:
//!
//! | offset | content |
//! |---|---|
//! | 0 | the eight bytes `KOMAOTO` and a zero |
//! | 8 | version of the format, 1 |
//! | 12 | number of the feature set |
//! | 16 | width: outputs of the feature transformer for one perspective |
//! | 20 | outputs of the whole |
//! | 24 | scale: centipawns for an output that stands for 1 |
//! | 28 | what stands for 1 in the feature transformer, 255, and in the weights of outputs (16 bits each) |
//! | 32 | checksum of all bytes but these eight (FNV-1a, 64 bits) |
//! | 40 | feature transformer, 16 bits each: biases, then the weights of each feature |
//! | | outputs: 16-bit weights of each (side to move first), then 32-bit biases |
#![forbid(unsafe_code)]

use super::error::NetError;
use super::reader::{NetFile, numbers};
use crate::eval::nnue::architecture::{Activation, Architecture, Form, MAX_WIDTH, WIDTH_STEP};
use crate::eval::nnue::features::{FeatureSet, NATIVE_FEATURE_SETS};
use crate::eval::nnue::layers::{Block, FeatureTransformer};
use crate::eval::nnue::network::{Network, Parameters};
use crate::eval::nnue::output_head::{
    MAX_TOTAL, MAX_WEIGHT, OutputHead, ScreluOutput, UNIT, output_bucket,
};
use crate::eval::nnue::view;
use crate::eval::units::FvScale;
use crate::position::Position;

/// What every file begins with.
pub const MAGIC: [u8; 8] = *b"KOMAOTO\0";
/// Longest file worth reading.
pub const MAX_FILE: u64 = 1 << 30;
/// Bytes before the weights.
const HEADER: usize = 40;
/// Where the checksum lies.
const CHECKSUM: std::ops::Range<usize> = 32..40;
const VERSION: u32 = 1;
/// Weights of the outputs that may stand for 1.
const WEIGHT_UNITS: std::ops::RangeInclusive<u32> = 1..=4096;
const OUTPUTS: std::ops::RangeInclusive<u32> = 1..=16;
const SCALES: std::ops::RangeInclusive<u32> = 1..=10_000;

/// A network of the native format as it lies in a file: integers, ready to be evaluated or trained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeNetwork {
    /// Number of the feature set, see [`NativeNetwork::dimensions`].
    pub features: u32,
    /// Outputs of the feature transformer for one perspective: a multiple of 32.
    pub width: usize,
    /// Centipawns for an output that stands for 1.
    pub scale: u32,
    /// Biases of the feature transformer: 255 stands for 1.
    pub biases: Vec<i16>,
    /// Weights of the feature transformer, `width` for each feature.
    pub weights: Vec<i16>,
    /// The weight of an output that stands for 1.
    pub weight_unit: u32,
    /// Weights of the outputs, twice `width` for each, side to move first.
    pub output_weights: Vec<i16>,
    /// Biases of the outputs: 255 times [`NativeNetwork::weight_unit`] stands for 1.
    pub output_biases: Vec<i32>,
}

/// The sizes of a network.
struct Shape {
    set: &'static FeatureSet,
    width: usize,
    outputs: usize,
}

impl Shape {
    /// Checks the numbers of a header.
    fn new(
        features: u32,
        width: u32,
        outputs: u32,
        scale: u32,
        weight_unit: u32,
    ) -> Result<Shape, NetError> {
        let bad = |name, found, expected: String| {
            NetError::Invalid(format!("{name} of {found}, expected {expected}"))
        };
        let set = set(features).ok_or_else(|| {
            let known = format!("1 to {}", NATIVE_FEATURE_SETS.len());
            bad("feature set", features, known)
        })?;
        let in_steps = (width as usize).is_multiple_of(WIDTH_STEP);
        if !in_steps || !(WIDTH_STEP..=MAX_WIDTH).contains(&(width as usize)) {
            let expected = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
            return Err(bad("width", width, expected));
        }
        for (name, found, known) in [
            ("number of outputs", outputs, OUTPUTS),
            ("scale", scale, SCALES),
            ("unit of weights", weight_unit, WEIGHT_UNITS),
        ] {
            if !known.contains(&found) {
                let expected = format!("{} to {}", known.start(), known.end());
                return Err(bad(name, found, expected));
            }
        }
        Ok(Shape {
            set,
            width: width as usize,
            outputs: outputs as usize,
        })
    }

    fn architecture(&self) -> Architecture {
        Architecture {
            features: self.set,
            width: self.width,
            activation: Activation::SCReLU { limit: 255 },
            hidden: [0; 2],
            form: Form::Native {
                outputs: self.outputs,
            },
        }
    }

    /// Bytes of the weights.
    fn payload(&self) -> usize {
        let first = 2 * self.width * (1 + self.set.dimensions());
        first + self.outputs * (4 * self.width + 4)
    }
}

/// The feature set of a number.
fn set(number: u32) -> Option<&'static FeatureSet> {
    NATIVE_FEATURE_SETS.iter().find(|set| set.hash == number)
}

impl NativeNetwork {
    /// Features active in every position with both kings.
    pub const ACTIVE: usize = 40;
    /// The activation and the sum of the feature transformer that stand for 1.
    pub const UNIT: i32 = UNIT;
    /// Largest magnitude of an output's weight.
    pub const MAX_WEIGHT: i32 = MAX_WEIGHT as i32;
    /// Largest sum of the magnitudes of an output's weights.
    pub const MAX_TOTAL: i32 = MAX_TOTAL;

    /// Features of a feature set, if there is one of this number, and how many king
    /// buckets they are in.
    pub fn dimensions(features: u32) -> Option<(usize, usize)> {
        set(features).map(|set| (set.dimensions(), set.king_buckets()))
    }

    /// The features of a position for the side to move, then for the other side, and which of so
    /// many outputs counts. `None` unless both kings are there.
    pub fn active(
        features: u32,
        outputs: usize,
        position: &Position,
    ) -> Option<([[u16; NativeNetwork::ACTIVE]; 2], usize)> {
        let set = set(features)?;
        let active = view::active_for_both(set, position)?;
        Some((active, output_bucket(position, outputs)))
    }

    fn shape(&self) -> Result<Shape, NetError> {
        let outputs = self.output_biases.len() as u32;
        let (width, unit) = (self.width as u32, self.weight_unit);
        Shape::new(self.features, width, outputs, self.scale, unit)
    }

    /// Whether a file that begins with these bytes is in the native format.
    pub fn is_start_of(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Anything that keeps the network from being used, with what was expected and found.
    pub fn parse(bytes: &[u8]) -> Result<NativeNetwork, NetError> {
        let Some((header, payload)) = bytes.split_at_checked(HEADER) else {
            return Err(NetError::HeaderCut {
                expected: HEADER as u64,
                found: bytes.len() as u64,
            });
        };
        let words = header.as_chunks::<4>().0;
        let word = |i: usize| u32::from_le_bytes(words[i]);
        let (unit, weight_unit) = (word(7) & 0xFFFF, word(7) >> 16);
        for (name, found, expected) in [("format", word(2), VERSION), ("unit", unit, UNIT as u32)] {
            if found != expected {
                let what = format!("{name} of {found}, expected {expected}");
                return Err(NetError::Invalid(what));
            }
        }
        let (features, scale) = (word(3), word(6));
        let shape = Shape::new(features, word(4), word(5), scale, weight_unit)?;
        if payload.len() != shape.payload() {
            let (expected, found) = (shape.payload() as u64, payload.len() as u64);
            return Err(NetError::size(&shape.architecture(), expected, found));
        }
        let (expected, found) = (
            u64::from(word(8)) | u64::from(word(9)) << 32,
            checksum(bytes),
        );
        if expected != found {
            return Err(NetError::Checksum);
        }
        let (biases, rest) = payload.split_at(2 * shape.width);
        let (weights, rest) = rest.split_at(2 * shape.width * shape.set.dimensions());
        let (output_weights, output_biases) = rest.split_at(4 * shape.width * shape.outputs);
        let biases_of_outputs = output_biases.as_chunks::<4>().0;
        let network = NativeNetwork {
            features,
            width: shape.width,
            scale,
            biases: numbers(biases),
            weights: numbers(weights),
            weight_unit,
            output_weights: numbers(output_weights),
            output_biases: biases_of_outputs
                .iter()
                .map(|&b| i32::from_le_bytes(b))
                .collect(),
        };
        network.check_outputs()?;
        Ok(network)
    }

    /// Whether no position can make a sum of the outputs overflow.
    fn check_outputs(&self) -> Result<(), NetError> {
        for weights in self.output_weights.chunks(2 * self.width) {
            let magnitudes = weights.iter().map(|&weight| i32::from(weight).abs());
            let largest = magnitudes.clone().max().unwrap_or(0);
            let total: i32 = magnitudes.sum();
            if largest > i32::from(MAX_WEIGHT) || total > MAX_TOTAL {
                return Err(NetError::Invalid(format!(
                    "output weights up to {largest}, {total} in total; limits {MAX_WEIGHT}, {MAX_TOTAL}"
                )));
            }
        }
        Ok(())
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// When the network could not be read again.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetError> {
        let shape = self.shape()?;
        self.check_outputs()?;
        let mut bytes = Vec::with_capacity(HEADER + shape.payload());
        bytes.extend(MAGIC);
        let outputs = self.output_biases.len() as u32;
        for word in [
            VERSION,
            self.features,
            self.width as u32,
            outputs,
            self.scale,
            UNIT as u32 | self.weight_unit << 16,
            0,
            0,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        for numbers in [&self.biases, &self.weights, &self.output_weights] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(
            self.output_biases
                .iter()
                .flat_map(|bias| bias.to_le_bytes()),
        );
        let (expected, found) = ((HEADER + shape.payload()) as u64, bytes.len() as u64);
        if expected != found {
            return Err(NetError::size(&shape.architecture(), expected, found));
        }
        let sum = checksum(&bytes).to_le_bytes();
        bytes[CHECKSUM].copy_from_slice(&sum);
        Ok(bytes)
    }

    /// The network with its weights in the order of the kernels.
    pub fn into_file(self) -> Result<NetFile, NetError> {
        let architecture = self.shape()?.architecture();
        let scale = FvScale::new(UNIT * self.weight_unit as i32, self.scale as i32);
        Ok(NetFile {
            parameters: Parameters {
                architecture,
                transformer: FeatureTransformer {
                    biases: blocks(&self.biases),
                    weights: blocks(&self.weights),
                },
                head: OutputHead::Screlu(ScreluOutput {
                    weights: blocks(&self.output_weights),
                    biases: self.output_biases.into(),
                }),
            },
            scale: Some(scale),
            is_consistent: true,
        })
    }

    /// The network, ready for use.
    ///
    /// # Errors
    /// When its sizes are not those of a network.
    pub fn into_network(self) -> Result<Network, NetError> {
        let file = self.into_file()?;
        Ok(Network::new(
            file.parameters,
            file.scale.unwrap_or(1.into()),
        ))
    }
}

fn blocks<B: FromIterator<Block>>(numbers: &[i16]) -> B {
    numbers
        .as_chunks::<32>()
        .0
        .iter()
        .map(|&numbers| Block(numbers))
        .collect()
}

/// FNV-1a of everything but the checksum itself.
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
fn checksum(bytes: &[u8]) -> u64 {
    let covered = bytes[..CHECKSUM.start].iter().chain(&bytes[CHECKSUM.end..]);
    covered.fold(0xCBF2_9CE4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}
