//! The native format, written by the trainer.
//!
//! Little-endian integers, of 32 bits unless stated:
//!
//! | offset | content |
//! |---|---|
//! | 0 | magic: `KOMAOTO` and a zero byte |
//! | 8 | version of the format, 1 |
//! | 12 | number of the feature set |
//! | 16 | width: outputs of the feature transformer for one perspective |
//! | 20 | number of output buckets |
//! | 24 | scale: centipawns for an output of 1 |
//! | 28 | quantised value of 1 in the feature transformer (16 bits), 255, and in output weights (16 bits) |
//! | 32 | checksum of all other bytes (FNV-1a, 64 bits) |
//! | 40 | feature transformer, 16 bits each: biases, then a row of weights for each feature |
//! | | output layer: a row of 16-bit weights for each bucket (side to move first), then the biases |
#![forbid(unsafe_code)]

use super::error::NetError;
use super::reader::{NetFile, le_i16s};
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

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"KOMAOTO\0";
/// Largest file in bytes: a limit on the memory that a damaged file can take.
pub const MAX_FILE: u64 = 1 << 30;
/// Size of the header in bytes.
const HEADER: usize = 40;
/// Bytes of the checksum.
const CHECKSUM: std::ops::Range<usize> = 32..40;
const VERSION: u32 = 1;
/// Possible quantised values of 1 in output weights.
const WEIGHT_UNITS: std::ops::RangeInclusive<u32> = 1..=4096;
const OUTPUTS: std::ops::RangeInclusive<u32> = 1..=16;
const SCALES: std::ops::RangeInclusive<u32> = 1..=10_000;

/// A network in the native format as quantised integers, to be evaluated or trained further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeNetwork {
    /// Number of the feature set, see [`NativeNetwork::dimensions`].
    pub features: u32,
    /// Outputs of the feature transformer for one perspective: a multiple of 32.
    pub width: usize,
    /// Centipawns for an output of 1.
    pub scale: u32,
    /// Biases of the feature transformer, quantised by 255.
    pub biases: Vec<i16>,
    /// Weights of the feature transformer, a row of `width` for each feature.
    pub weights: Vec<i16>,
    /// The quantised value of 1 in output weights.
    pub weight_unit: u32,
    /// Weights of the output layer, a row of twice `width` for each bucket, side to move first.
    pub output_weights: Vec<i16>,
    /// Biases of the output buckets, quantised by 255 times [`NativeNetwork::weight_unit`].
    pub output_biases: Vec<i32>,
}

/// The sizes of a network.
struct Shape {
    set: &'static FeatureSet,
    width: usize,
    outputs: usize,
}

impl Shape {
    /// Checks the fields of a header.
    fn new(
        features: u32,
        width: u32,
        outputs: u32,
        scale: u32,
        weight_unit: u32,
    ) -> Result<Shape, NetError> {
        let bad = |name, found, expected: String| {
            NetError::Invalid(format!("{name} {found}, expected {expected}"))
        };
        let set = set(features).ok_or_else(|| {
            let known = format!("1 to {}", NATIVE_FEATURE_SETS.len());
            bad("feature set", features, known)
        })?;
        let is_multiple = (width as usize).is_multiple_of(WIDTH_STEP);
        if !is_multiple || !(WIDTH_STEP..=MAX_WIDTH).contains(&(width as usize)) {
            let expected = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
            return Err(bad("width", width, expected));
        }
        for (name, found, known) in [
            ("output bucket count", outputs, OUTPUTS),
            ("scale", scale, SCALES),
            ("weight unit", weight_unit, WEIGHT_UNITS),
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

    /// Size of all weights and biases in bytes.
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
    /// Active features of each perspective in every position with both kings.
    pub const ACTIVE: usize = 40;
    /// The quantised value of 1 in accumulators and activations.
    pub const UNIT: i32 = UNIT;
    /// Largest magnitude of an output weight.
    pub const MAX_WEIGHT: i32 = MAX_WEIGHT as i32;
    /// Largest sum of the magnitudes of the weights of an output bucket.
    pub const MAX_TOTAL: i32 = MAX_TOTAL;

    /// The number of features and of king buckets of a feature set, if there is one of this number.
    pub fn dimensions(features: u32) -> Option<(usize, usize)> {
        set(features).map(|set| (set.dimensions(), set.king_buckets()))
    }

    /// The active features of a position, side to move first, and its output bucket out of `outputs`.
    /// `None` if a king is missing.
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

    /// Whether a file that starts with `bytes` is in the native format.
    pub fn is_start_of(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Parses the contents of a file.
    ///
    /// # Errors
    /// If the file is damaged, or of an unsupported version or size.
    pub fn parse(bytes: &[u8]) -> Result<NativeNetwork, NetError> {
        let Some((header, payload)) = bytes.split_at_checked(HEADER) else {
            return Err(NetError::TruncatedHeader {
                expected: HEADER as u64,
                found: bytes.len() as u64,
            });
        };
        let words = header.as_chunks::<4>().0;
        let word = |i: usize| u32::from_le_bytes(words[i]);
        let (unit, weight_unit) = (word(7) & 0xFFFF, word(7) >> 16);
        for (name, found, expected) in [
            ("format version", word(2), VERSION),
            ("unit", unit, UNIT as u32),
        ] {
            if found != expected {
                let what = format!("{name} {found}, expected {expected}");
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
        let output_biases = output_biases.as_chunks::<4>().0.iter();
        let network = NativeNetwork {
            features,
            width: shape.width,
            scale,
            biases: le_i16s(biases),
            weights: le_i16s(weights),
            weight_unit,
            output_weights: le_i16s(output_weights),
            output_biases: output_biases.map(|&b| i32::from_le_bytes(b)).collect(),
        };
        network.check_outputs()?;
        Ok(network)
    }

    /// Checks that no position can overflow the sums of the output layer.
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

    /// The contents of its file.
    ///
    /// # Errors
    /// If its sizes are inconsistent or its output weights too large.
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

    /// Converts the weights to the layout of the kernels.
    pub fn into_file(self) -> Result<NetFile, NetError> {
        let architecture = self.shape()?.architecture();
        let fv_scale = FvScale::new(UNIT * self.weight_unit as i32, self.scale as i32);
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
            fv_scale: Some(fv_scale),
            hashes_match: true,
        })
    }

    /// Converts it for evaluation.
    ///
    /// # Errors
    /// If its sizes are unsupported.
    pub fn into_network(self) -> Result<Network, NetError> {
        let file = self.into_file()?;
        Ok(Network::new(
            file.parameters,
            file.fv_scale.unwrap_or(1.into()),
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

/// FNV-1a of all bytes but the checksum itself.
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
fn checksum(bytes: &[u8]) -> u64 {
    let covered = bytes[..CHECKSUM.start].iter().chain(&bytes[CHECKSUM.end..]);
    covered.fold(0xCBF2_9CE4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}
