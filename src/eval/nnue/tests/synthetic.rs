//! Files of synthetic networks: every weight is a hash of its index in the file.

use crate::eval::nnue::architecture::{Activation, Architecture, Form, Stacks, padded};
use crate::eval::nnue::features::{ATTACK_FEATURE_SETS, FEATURE_SETS, FeatureSet};
use crate::eval::nnue::format::NetError;
use crate::eval::nnue::format::files::read;
use crate::eval::nnue::format::leb128;
use crate::eval::nnue::format::reader::NetFile;
use crate::eval::nnue::network::Network;
use crate::eval::nnue::progress::WEIGHTS;
use crate::eval::nnue::stack_buckets::StackBuckets;
use std::io::Cursor;

/// The synthetic weight of an index, of magnitude up to `limit`.
pub fn weight(number: u32, limit: u32) -> i32 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9);
    z ^= z >> 16;
    z = z.wrapping_mul(0x85EB_CA6B);
    z ^= z >> 13;
    z = z.wrapping_mul(0xC2B2_AE35);
    z ^= z >> 16;
    (z % (2 * limit + 1)) as i32 - limit as i32
}

/// The architecture string of a classic network.
pub fn text(architecture: &Architecture) -> String {
    architecture.architecture_string()
}

/// A feature set by its name.
pub fn set(name: &str) -> &'static FeatureSet {
    let mut sets = FEATURE_SETS.iter().chain(&ATTACK_FEATURE_SETS);
    sets.find(|set| set.name == name).unwrap()
}

/// Reads a file without a `progress.bin`.
pub fn read_bytes(bytes: &[u8]) -> Result<NetFile, NetError> {
    read(Cursor::new(bytes), bytes.len() as u64, |_| Ok(None))
}

/// The network of a valid file.
pub fn network(bytes: &[u8]) -> Network {
    Network::new(read_bytes(bytes).unwrap().parameters, 1)
}

/// Writes the file of a synthetic network.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
    number: u32,
}

impl Writer {
    pub fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn weight(&mut self, limit: u32) -> i32 {
        let weight = weight(self.number, limit);
        self.number += 1;
        weight
    }

    fn affine(&mut self, inputs: usize, outputs: usize) {
        for _ in 0..outputs {
            let bias = self.weight(1000);
            self.bytes.extend(bias.to_le_bytes());
        }
        for _ in 0..outputs {
            for _ in 0..inputs {
                let weight = self.weight(8) as i8;
                self.bytes.extend(weight.to_le_bytes());
            }
            let padding = padded(inputs) - inputs;
            self.bytes.resize(self.bytes.len() + padding, 0);
        }
    }

    /// Version, hash and architecture string.
    pub fn header(&mut self, version: u32, hash: u32, text: &str) {
        self.word(version);
        self.word(hash);
        self.word(text.len() as u32);
        self.bytes.extend(text.bytes());
    }

    /// A layer stack.
    pub fn stack(&mut self, architecture: &Architecture) {
        let [_, second] = architecture.hidden;
        self.affine(architecture.inputs(), architecture.first_outputs());
        self.affine(architecture.second_inputs(), second);
        self.affine(second, 1);
    }

    /// 16-bit integers in a compressed block.
    pub fn block(&mut self, parts: &[(usize, u32)]) {
        self.bytes.extend(leb128::MAGIC);
        let at = self.bytes.len();
        self.word(0);
        for &(count, limit) in parts {
            for _ in 0..count {
                let weight = self.weight(limit) as i16;
                leb128::write(&mut self.bytes, weight);
            }
        }
        let length = (self.bytes.len() - at - 4) as u32;
        self.bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// 32-bit integers.
    pub fn numbers(&mut self, count: usize, limit: u32) {
        for _ in 0..count {
            let number = self.weight(limit);
            self.bytes.extend(number.to_le_bytes());
        }
    }
}

/// The file of the synthetic network of a classic architecture.
pub fn classic(architecture: &Architecture, text: &str) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bytes.reserve(architecture.payload() as usize + 1024);
    writer.header(0x7AF3_2F16, architecture.hash(), text);
    writer.word(architecture.transformer_hash());
    for _ in 0..architecture.width {
        let bias = writer.weight(40) as i16;
        writer.bytes.extend(bias.to_le_bytes());
    }
    for _ in 0..architecture.width * architecture.features.dimensions() {
        let weight = writer.weight(30) as i16;
        writer.bytes.extend(weight.to_le_bytes());
    }
    writer.word(architecture.network_hash());
    writer.stack(architecture);
    writer.bytes
}

/// A synthetic network with layer stacks, in any of the file formats for them.
#[derive(Clone)]
pub struct Stacked {
    pub features: &'static str,
    pub width: usize,
    pub hidden: [usize; 2],
    pub buckets: &'static str,
    pub text: String,
    pub version: u32,
    /// Number of layer stacks, if it differs from the number of buckets.
    pub count: Option<usize>,
    /// Number of layer stacks in the header.
    pub counted: Option<u32>,
    /// Whether biases and weights of the feature transformer are in one block.
    pub one_block: bool,
    /// Whether there is a `_` before each compressed block.
    pub underscore: bool,
    /// Whether it has a PSQT.
    pub psqt: bool,
}

impl Stacked {
    /// A network in YaneuraOu's format.
    pub fn new(
        features: &'static str,
        width: usize,
        hidden: [usize; 2],
        buckets: &'static str,
    ) -> Stacked {
        let [first, second] = hidden;
        let stacks = StackBuckets::parse(buckets).unwrap().count();
        let dimensions = set(features).dimensions();
        Stacked {
            features,
            width,
            hidden,
            buckets,
            text: format!(
                "ModelType=SFNNWithoutPsqt;Features={features}[{dimensions}->{width}x2],\
                 Network=SFNN_{}_{width}_{first}_{second}_{}{{LayerStack={stacks}}}",
                features.trim_end_matches("(Friend)").replace('_', ""),
                buckets.to_uppercase(),
            ),
            version: 0x7AF3_2F16,
            count: None,
            counted: None,
            one_block: false,
            underscore: false,
            psqt: false,
        }
    }

    /// Its architecture.
    pub fn architecture(&self) -> Architecture {
        let buckets = StackBuckets::parse(self.buckets).unwrap();
        Architecture {
            features: set(self.features),
            width: self.width,
            activation: Activation::Pairwise { limit: 254 },
            hidden: self.hidden,
            form: Form::Stacked(Stacks {
                buckets,
                count: self.count.unwrap_or(buckets.count()),
                has_skip: self.hidden[0] % 8 == 7,
                shards: None,
            }),
        }
    }

    /// The bytes of the file.
    pub fn file(&self) -> Vec<u8> {
        let architecture = self.architecture();
        let stacks = *architecture.stacks().unwrap();
        let has_stages = stacks.buckets.stages > 1;
        let dimensions = architecture.features.dimensions();
        let mut writer = Writer::default();
        let hash = 0x3C20_3B32 ^ if has_stages { 0x6F50_524F } else { 0 };
        writer.header(self.version, hash, &self.text);
        if let Some(count) = self.counted {
            writer.word(count);
        }
        writer.word(0x5F13_4AB8);
        let (biases, weights) = ((self.width, 40), (self.width * dimensions, 30));
        let blocks: &[&[(usize, u32)]] = if self.one_block {
            &[&[biases, weights]]
        } else {
            &[&[biases], &[weights]]
        };
        for block in blocks {
            if self.underscore {
                writer.bytes.push(b'_');
            }
            writer.block(block);
        }
        if self.psqt {
            writer.numbers(stacks.count * (1 + dimensions), 100);
        }
        if has_stages {
            writer.word(0x6F50_524F);
            writer.numbers(1, 1000);
            writer.numbers(WEIGHTS, 12_000);
        }
        for _ in 0..stacks.count {
            writer.word(0x6333_718A);
            writer.stack(&architecture);
        }
        writer.bytes
    }
}
