//! Classic networks as plain integers, for training: read from and written to YaneuraOu's `nn.bin`.
//!
//! Quantisation: activations and the feature transformer by 127, weights of the other layers by 64, and
//! so their biases by 8128; only the output layer may differ.
#![forbid(unsafe_code)]

use super::error::NetError;
use super::reader::{NetReader, le_i16s};
use super::yaneuraou::{self, Header, Rows, VERSION, read_architecture};
use crate::eval::nnue::architecture::{
    Activation, Architecture, MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP, padded,
};
use crate::eval::nnue::features::{FeatureSet, HALF_KA_HM2, K_P, KingBuckets};
use crate::eval::nnue::network::Network;
use crate::eval::nnue::view;
use crate::position::Position;
use std::io::{Cursor, Read, Seek};

/// Active features of each perspective in every position with both kings.
const ACTIVE: usize = 40;

/// A feature set that can be trained.
struct TrainableSet {
    /// Its name on the command line.
    name: &'static str,
    /// The trained feature set, with a single king bucket.
    set: FeatureSet,
    /// The feature set in files, in which every king bucket has the trained weights.
    file: FeatureSet,
}

/// All feature sets that can be trained; their numbers start at 1.
static TRAINABLE: [TrainableSet; 2] = [
    TrainableSet {
        name: "kp",
        set: K_P,
        file: K_P,
    },
    TrainableSet {
        name: "halfkahm2",
        set: FeatureSet {
            king_buckets: KingBuckets::Shared(&[0; 45], 1),
            ..HALF_KA_HM2
        },
        file: HALF_KA_HM2,
    },
];

/// A dense layer, without padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassicLayer {
    /// One for each output.
    pub biases: Vec<i32>,
    /// A row for each output, with a weight for each input.
    pub weights: Vec<i8>,
}

/// A classic network as quantised integers, to be evaluated or trained further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassicNetwork {
    /// Number of the feature set, see [`ClassicNetwork::feature_set`].
    pub features: u32,
    /// Outputs of the feature transformer for one perspective: a multiple of 32.
    pub width: usize,
    /// Neurons of the hidden layers.
    pub hidden: [usize; 2],
    /// `FV_SCALE`.
    pub scale: u32,
    /// Biases of the feature transformer.
    pub biases: Vec<i16>,
    /// Weights of the feature transformer, a row of `width` for each feature of one king bucket.
    pub weights: Vec<i16>,
    /// Two hidden layers and the output.
    pub layers: [ClassicLayer; 3],
}

impl ClassicNetwork {
    /// The quantised value of 1 in accumulators and activations.
    pub const UNIT: i32 = 127;
    /// The quantised value of 1 in weights of the hidden layers.
    pub const WEIGHT_UNIT: i32 = 64;
    /// `FV_SCALE` of files that do not give it.
    pub const DEFAULT_SCALE: u32 = 16;
    /// Widest hidden layer.
    pub const MAX_HIDDEN: usize = MAX_HIDDEN;

    /// The number of a feature set by its name.
    pub fn feature_set(name: &str) -> Option<u32> {
        let at = TRAINABLE.iter().position(|trained| trained.name == name)?;
        Some(at as u32 + 1)
    }

    /// The name of a feature set by its number.
    pub fn feature_set_name(features: u32) -> Option<&'static str> {
        trainable_set(features).map(|trained| trained.name)
    }

    /// The number of trained features in a feature set.
    pub fn dimensions(features: u32) -> Option<usize> {
        trainable_set(features).map(|trained| trained.set.dimensions())
    }

    /// The active features of a position, side to move first. `None` if a king is missing.
    pub fn active(features: u32, position: &Position) -> Option<[[u16; ACTIVE]; 2]> {
        view::active_for_both(&trainable_set(features)?.set, position)
    }

    /// The architecture in a file.
    fn architecture(&self) -> Result<Architecture, NetError> {
        let Some(trained) = trainable_set(self.features) else {
            let what = format!("feature set {}", self.features);
            return Err(NetError::Untrainable(what));
        };
        let it = Architecture::classic(&trained.file, self.width, Activation::CReLU, self.hidden);
        let is_supported = (WIDTH_STEP..=MAX_WIDTH).contains(&self.width)
            && self.width.is_multiple_of(WIDTH_STEP)
            && self.hidden.iter().all(|it| (1..=MAX_HIDDEN).contains(it));
        is_supported
            .then_some(it)
            .ok_or_else(|| NetError::Untrainable(it.to_string()))
    }

    /// Parses the contents of a file.
    ///
    /// # Errors
    /// If the file is damaged, or the network is of a kind that cannot be trained.
    pub fn parse(bytes: &[u8]) -> Result<ClassicNetwork, NetError> {
        let mut reader = NetReader::new(Cursor::new(bytes), bytes.len() as u64)?;
        let version = reader.read_u32()?;
        let header = Header::read(&mut reader, version)?;
        if version != VERSION || header.is_stacked(&mut reader)? {
            return Err(NetError::Untrainable(
                "layer stacks or rshogi format".into(),
            ));
        }
        let (architecture, _) = read_architecture(&mut reader, &header.architecture_string)?;
        let known = TRAINABLE
            .iter()
            .position(|it| it.file.hash == architecture.features.hash);
        let (Some(at), Activation::CReLU) = (known, architecture.activation) else {
            return Err(NetError::Untrainable(architecture.to_string()));
        };
        let biases = le_i16s(&reader.read_bytes(2 * architecture.width)?);
        let weights =
            reader.read_bytes(2 * architecture.width * architecture.features.dimensions())?;
        let mut buckets = weights.chunks_exact(weights.len() / TRAINABLE[at].file.king_buckets());
        let first = buckets.next().unwrap_or_default();
        if !buckets.all(|bucket| bucket == first) {
            let what = format!("{architecture}, with weights that differ between king buckets");
            return Err(NetError::Untrainable(what));
        }
        reader.read_u32()?;
        let [one, two] = architecture.hidden;
        Ok(ClassicNetwork {
            features: at as u32 + 1,
            width: architecture.width,
            hidden: architecture.hidden,
            scale: header
                .architecture_string
                .fv_scale()
                .map_or(Self::DEFAULT_SCALE, i32::cast_unsigned),
            biases,
            weights: le_i16s(first),
            layers: [
                read_layer(&mut reader, architecture.inputs(), one)?,
                read_layer(&mut reader, one, two)?,
                read_layer(&mut reader, two, 1)?,
            ],
        })
    }

    /// The contents of its file.
    ///
    /// # Errors
    /// If its sizes are inconsistent or unsupported.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetError> {
        let architecture = self.architecture()?;
        let text = format!(
            "{},fv_scale={}",
            architecture.architecture_string(),
            self.scale
        );
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

    /// Converts it for evaluation.
    ///
    /// # Errors
    /// If its sizes are inconsistent or unsupported.
    pub fn into_network(self) -> Result<Network, NetError> {
        let bytes = self.to_bytes()?;
        let length = bytes.len() as u64;
        let mut reader = NetReader::new(Cursor::new(bytes), length)?;
        let version = reader.read_u32()?;
        let file = yaneuraou::read(reader, version, |_| Ok(None))?;
        Ok(Network::new(file.parameters, self.scale.cast_signed()))
    }
}

impl ClassicLayer {
    /// The weights with rows padded by zeros, as in files.
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
fn trainable_set(features: u32) -> Option<&'static TrainableSet> {
    TRAINABLE.get((features as usize).checked_sub(1)?)
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
