//! Classic networks as plain integers, for training: read from files in the format of YaneuraOu's
//! `nn.bin` and written as such.
//!
//! In the feature transformer 127 stands for 1. In the layers behind it, 64 stands for a weight of 1 and
//! 127 for an activation of 1, so that 8128 stands for a sum of 1; only the output may have other units.
#![forbid(unsafe_code)]

use super::error::NetError;
use super::reader::{NetReader, numbers};
use super::yaneuraou::{self, Header, Rows, VERSION, recognise};
use crate::eval::nnue::architecture::{
    Activation, Architecture, MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP, padded,
};
use crate::eval::nnue::features::{FeatureSet, HALF_KA_HM2, K_P, KingBuckets};
use crate::eval::nnue::network::Network;
use crate::eval::nnue::view;
use crate::position::Position;
use std::io::{Cursor, Read, Seek};

/// Features active in every position with both kings.
const ACTIVE: usize = 40;

/// A feature set that can be trained.
struct Trained {
    /// What users call it.
    name: &'static str,
    /// What is trained: a single king bucket.
    set: FeatureSet,
    /// What files have: every king bucket with these weights.
    file: FeatureSet,
}

/// All feature sets that can be trained, by number.
static TRAINED: [Trained; 2] = [
    Trained {
        name: "kp",
        set: K_P,
        file: K_P,
    },
    Trained {
        name: "halfkahm2",
        set: FeatureSet {
            king_buckets: KingBuckets::Shared(&[0; 45], 1),
            ..HALF_KA_HM2
        },
        file: HALF_KA_HM2,
    },
];

/// A layer after the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassicLayer {
    /// One for each output.
    pub biases: Vec<i32>,
    /// A row for each output, with a weight for each input.
    pub weights: Vec<i8>,
}

/// A classic network as it lies in a file: integers, ready to be evaluated or trained on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassicNetwork {
    /// Number of the feature set, see [`ClassicNetwork::features`].
    pub features: u32,
    /// Outputs of the feature transformer for one perspective: a multiple of 32.
    pub width: usize,
    /// Neurons of the hidden layers.
    pub hidden: [usize; 2],
    /// `FV_SCALE`.
    pub scale: u32,
    /// Biases of the feature transformer.
    pub biases: Vec<i16>,
    /// Weights of the feature transformer, `width` for each feature of one king bucket.
    pub weights: Vec<i16>,
    /// Two hidden layers and the output.
    pub layers: [ClassicLayer; 3],
}

impl ClassicNetwork {
    /// The accumulator value and the activation that stand for 1.
    pub const UNIT: i32 = 127;
    /// The weight of a hidden layer that stands for 1.
    pub const WEIGHT_UNIT: i32 = 64;
    /// `FV_SCALE` unless a file says otherwise.
    pub const SCALE: u32 = 16;
    /// Widest hidden layer.
    pub const MAX_HIDDEN: usize = MAX_HIDDEN;

    /// The number of a feature set by its name.
    pub fn features(name: &str) -> Option<u32> {
        let at = TRAINED.iter().position(|trained| trained.name == name)?;
        Some(at as u32 + 1)
    }

    /// The name of a feature set by its number.
    pub fn name(features: u32) -> Option<&'static str> {
        trained(features).map(|trained| trained.name)
    }

    /// Features of a feature set that are trained.
    pub fn dimensions(features: u32) -> Option<usize> {
        trained(features).map(|trained| trained.set.dimensions())
    }

    /// The features of a position for the side to move, then for the other side. `None` unless both
    /// kings are there.
    pub fn active(features: u32, position: &Position) -> Option<[[u16; ACTIVE]; 2]> {
        view::active_for_both(&trained(features)?.set, position)
    }

    /// The architecture of the file.
    fn architecture(&self) -> Result<Architecture, NetError> {
        let Some(trained) = trained(self.features) else {
            let what = format!("feature set {}", self.features);
            return Err(NetError::Untrainable(what));
        };
        let it = Architecture::classic(&trained.file, self.width, Activation::CReLU, self.hidden);
        let known = (WIDTH_STEP..=MAX_WIDTH).contains(&self.width)
            && self.width.is_multiple_of(WIDTH_STEP)
            && self.hidden.iter().all(|it| (1..=MAX_HIDDEN).contains(it));
        known
            .then_some(it)
            .ok_or_else(|| NetError::Untrainable(it.to_string()))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Anything that keeps the network from being trained, with what was expected and found.
    pub fn parse(bytes: &[u8]) -> Result<ClassicNetwork, NetError> {
        let mut reader = NetReader::new(Cursor::new(bytes), bytes.len() as u64)?;
        let version = reader.word()?;
        let header = Header::read(&mut reader, version)?;
        if version != VERSION || header.is_stacked(&mut reader)? {
            return Err(NetError::Untrainable("layer stacks, or of rshogi".into()));
        }
        let (architecture, _) = recognise(&mut reader, &header.text)?;
        let known = TRAINED
            .iter()
            .position(|it| it.file.hash == architecture.features.hash);
        let (Some(at), Activation::CReLU) = (known, architecture.activation) else {
            return Err(NetError::Untrainable(architecture.to_string()));
        };
        let biases = numbers(&reader.take_bytes(2 * architecture.width)?);
        let weights =
            reader.take_bytes(2 * architecture.width * architecture.features.dimensions())?;
        let mut buckets = weights.chunks_exact(weights.len() / TRAINED[at].file.king_buckets());
        let first = buckets.next().unwrap_or_default();
        if !buckets.all(|bucket| bucket == first) {
            let what = format!("{architecture}, with weights that differ between king buckets");
            return Err(NetError::Untrainable(what));
        }
        reader.word()?;
        let [one, two] = architecture.hidden;
        Ok(ClassicNetwork {
            features: at as u32 + 1,
            width: architecture.width,
            hidden: architecture.hidden,
            scale: header.text.scale().map_or(Self::SCALE, i32::cast_unsigned),
            biases,
            weights: numbers(first),
            layers: [
                read_layer(&mut reader, architecture.inputs(), one)?,
                read_layer(&mut reader, one, two)?,
                read_layer(&mut reader, two, 1)?,
            ],
        })
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// When the network could not be read again.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetError> {
        let architecture = self.architecture()?;
        let text = format!("{},fv_scale={}", architecture.text(), self.scale);
        let length = architecture.payload() + text.len() as u64 + 20;
        let mut bytes = Vec::with_capacity(length as usize);
        for word in [VERSION, architecture.hash(), text.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(text.bytes());
        bytes.extend(architecture.transformer_hash().to_le_bytes());
        bytes.extend(self.biases.iter().flat_map(|it| it.to_le_bytes()));
        for _ in 0..architecture.features.king_buckets() {
            bytes.extend(self.weights.iter().flat_map(|it| it.to_le_bytes()));
        }
        bytes.extend(architecture.network_hash().to_le_bytes());
        for layer in &self.layers {
            bytes.extend(layer.biases.iter().flat_map(|it| it.to_le_bytes()));
            bytes.extend(layer.padded_weights().into_iter().map(i8::cast_unsigned));
        }
        let found = bytes.len() as u64;
        if found != length {
            return Err(NetError::size(&architecture, length, found));
        }
        Ok(bytes)
    }

    /// The network ready for use.
    ///
    /// # Errors
    /// When its sizes are not those of a network.
    pub fn into_network(self) -> Result<Network, NetError> {
        let bytes = self.to_bytes()?;
        let length = bytes.len() as u64;
        let mut reader = NetReader::new(Cursor::new(bytes), length)?;
        let version = reader.word()?;
        let file = yaneuraou::read(reader, version, |_| Ok(None))?;
        Ok(Network::new(file.parameters, self.scale.cast_signed()))
    }
}

impl ClassicLayer {
    /// The weights as files have them: rows filled up with zeros.
    fn padded_weights(&self) -> Vec<i8> {
        let inputs = self.weights.len() / self.biases.len().max(1);
        let mut padded_weights = Vec::new();
        for row in self.weights.chunks(inputs.max(1)) {
            padded_weights.extend(row);
            padded_weights.resize(padded_weights.len() + padded(inputs) - inputs, 0);
        }
        padded_weights
    }
}

/// The feature set of a number.
fn trained(features: u32) -> Option<&'static Trained> {
    TRAINED.get((features as usize).checked_sub(1)?)
}

fn read_layer<R: Read + Seek>(
    reader: &mut NetReader<R>,
    inputs: usize,
    outputs: usize,
) -> Result<ClassicLayer, NetError> {
    let rows = Rows::read(reader, inputs, outputs)?;
    let weights = rows.weights.chunks(padded(inputs));
    Ok(ClassicLayer {
        biases: rows.biases,
        weights: weights.flat_map(|row| &row[..inputs]).copied().collect(),
    })
}
