//! Classic networks as plain integers, for training: read from files in the format of YaneuraOu's
//! `nn.bin` and written as such. See [`mod@super::file`] for how files are recognised.
//!
//! In the first layer 127 stands for 1. In the layers after it, 64 stands for a weight of 1 and 127
//! for an activation of 1, so that 8128 stands for a sum of 1; only the output may have other units.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture, MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP, padded};
use super::error::NetError;
use super::features::{Buckets, FeatureSet, HALF_KA_HM2, K_P};
use super::file::{self, VERSION};
use super::network::Network;
use super::own::{OwnNetwork, numbers};
use super::source::Source;
use super::text::Text;
use super::view;
use crate::position::Position;
use std::io::{Cursor, Read, Seek};

/// A feature set that can be trained.
struct Trained {
    /// What users call it.
    name: &'static str,
    /// What is trained: one copy of the features.
    set: FeatureSet,
    /// What files have: the same weights in each copy.
    file: FeatureSet,
}

/// All of them, in the order of their numbers.
static TRAINED: [Trained; 2] = [
    Trained {
        name: "kp",
        set: K_P,
        file: K_P,
    },
    Trained {
        name: "halfkahm2",
        set: FeatureSet {
            buckets: Buckets::Shared(&[0; 45], 1),
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
    /// Outputs of the first layer for one perspective: a multiple of 32.
    pub width: usize,
    /// Neurons of the hidden layers.
    pub hidden: [usize; 2],
    /// What the output is divided by (`FV_SCALE`).
    pub scale: u32,
    /// Biases of the first layer.
    pub biases: Vec<i16>,
    /// Weights of the first layer, `width` for each feature of one copy.
    pub weights: Vec<i16>,
    /// Two hidden layers and the output.
    pub layers: [ClassicLayer; 3],
}

impl ClassicNetwork {
    /// The sum of the first layer and the activation that stand for 1.
    pub const UNIT: i32 = 127;
    /// The weight of a hidden layer that stands for 1.
    pub const WEIGHT_UNIT: i32 = 64;
    /// What outputs are divided by unless a file says otherwise.
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
    pub fn active(features: u32, position: &Position) -> Option<[[u16; OwnNetwork::ACTIVE]; 2]> {
        view::active_for_both(&trained(features)?.set, position)
    }

    /// The architecture of the file.
    fn architecture(&self) -> Result<Architecture, NetError> {
        let Some(trained) = trained(self.features) else {
            let found = format!("features of number {}", self.features);
            return Err(NetError::NotTrained(found));
        };
        let it = Architecture::classic(&trained.file, self.width, Activation::Clip, self.hidden);
        let known = (WIDTH_STEP..=MAX_WIDTH).contains(&self.width)
            && self.width.is_multiple_of(WIDTH_STEP)
            && self.hidden.iter().all(|it| (1..=MAX_HIDDEN).contains(it));
        known
            .then_some(it)
            .ok_or_else(|| NetError::NotTrained(it.to_string()))
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Anything that keeps the network from being trained, with what was expected and found.
    pub fn parse(bytes: &[u8]) -> Result<ClassicNetwork, NetError> {
        let mut source = file::open(Cursor::new(bytes), bytes.len() as u64)?;
        let version = source.word()?;
        let (_, text) = file::read_header(&mut source, version)?;
        let text = Text(&text);
        text.check()?;
        if version != VERSION || text.is_stacked() || file::starts_compressed(&mut source)? {
            let found = "one of many layer stacks, or of rshogi";
            return Err(NetError::NotTrained(found.into()));
        }
        let (architecture, _) = file::recognise(&mut source, text)?;
        let known = TRAINED
            .iter()
            .position(|it| it.file.hash == architecture.features.hash);
        let (Some(at), Activation::Clip) = (known, architecture.activation) else {
            return Err(NetError::NotTrained(architecture.to_string()));
        };
        let biases = numbers(&source.take_bytes(2 * architecture.width)?);
        let weights =
            source.take_bytes(2 * architecture.width * architecture.features.dimensions())?;
        let copies = TRAINED[at].file.copies();
        let mut parts = weights.chunks_exact(weights.len() / copies);
        let first = parts.next().unwrap_or_default();
        if let Some(other) = parts.position(|copy| copy != first) {
            return Err(NetError::Copies(other + 2));
        }
        source.word()?;
        let [one, two] = architecture.hidden;
        Ok(ClassicNetwork {
            features: at as u32 + 1,
            width: architecture.width,
            hidden: architecture.hidden,
            scale: text.scale().map_or(Self::SCALE, i32::cast_unsigned),
            biases,
            weights: numbers(first),
            layers: [
                read_layer(&mut source, architecture.inputs(), one)?,
                read_layer(&mut source, one, two)?,
                read_layer(&mut source, two, 1)?,
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
        for _ in 0..architecture.features.copies() {
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

    /// The same, ready for use.
    ///
    /// # Errors
    /// When its sizes are not those of a network.
    pub fn into_network(self) -> Result<Network, NetError> {
        let bytes = self.to_bytes()?;
        let length = bytes.len() as u64;
        let file = file::read(Cursor::new(bytes), length, |_| Ok(None))?;
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
    source: &mut Source<R>,
    inputs: usize,
    outputs: usize,
) -> Result<ClassicLayer, NetError> {
    let biases = source.numbers(outputs)?;
    let rows = source.take_bytes(outputs * padded(inputs))?;
    let rows = rows.chunks(padded(inputs)).map(|row| &row[..inputs]);
    Ok(ClassicLayer {
        biases,
        weights: rows.flatten().map(|&it| it.cast_signed()).collect(),
    })
}
