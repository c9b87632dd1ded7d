//! YaneuraOu's `nn.bin` and rshogi's variants of it: version, hash and architecture string, then the
//! feature transformer and the other layers, each preceded by a hash. Little-endian.
//!
//! A classic network is uncompressed and fills the file exactly. Architecture string and hashes are
//! unreliable: some trainers copy the string of another network, some write no hashes. The size is always
//! right; hashes and string decide between architectures of the same size ([`super::detect`]). Networks
//! with layer stacks are read by [`super::layer_stacks`].
#![forbid(unsafe_code)]

use super::architecture_string::ArchitectureString;
use super::detect::{Evidence, detect, guess};
use super::error::NetError;
use super::layer_stacks;
use super::leb128::MAGIC;
use super::reader::{NetFile, NetReader};
use crate::eval::nnue::architecture::{Architecture, Shards, padded};
use crate::eval::nnue::layers::{Affine, Block, FeatureTransformer};
use crate::eval::nnue::network::Parameters;
use crate::eval::nnue::output_head::{LayerStack, LayerStacks, OutputHead, second_inputs};
use crate::eval::nnue::progress::GameProgress;
use crate::eval::units::FvScale;
use crate::memory::Table;
use std::io::{self, Read, Seek};

/// Version of YaneuraOu's files.
pub const VERSION: u32 = 0x7AF3_2F16;
/// Version of rshogi's files: classic, or with nine layer stacks.
const RSHOGI_VERSION: u32 = 0x7AF3_2F20;
/// Version of rshogi's files that give the number of layer stacks.
pub const RSHOGI_STACKS_VERSION: u32 = 0x7AF3_2F21;
/// Version of rshogi's files with layer stacks of different sizes.
const LAYERSTACK_V3_VERSION: u32 = 0x7AF3_3301;
/// Longest architecture string in bytes; a larger length means that the file is damaged.
const MAX_STRING: u32 = 4096;

/// The header of a network file.
pub struct Header {
    pub version: u32,
    pub hash: u32,
    pub architecture_string: ArchitectureString,
}

impl Header {
    /// Reads the rest of the header after its version.
    pub fn read<R: Read + Seek>(
        reader: &mut NetReader<R>,
        version: u32,
    ) -> Result<Header, NetError> {
        match version {
            VERSION | RSHOGI_VERSION | RSHOGI_STACKS_VERSION => {}
            LAYERSTACK_V3_VERSION => {
                return Err(NetError::Unsupported("layerstack_v3 (7AF33301)".into()));
            }
            _ => return Err(NetError::UnknownVersion(version)),
        }
        let hash = reader.read_u32()?;
        let length = reader.read_u32()?;
        if length > MAX_STRING {
            let what = format!("architecture string of {length} bytes, limit {MAX_STRING}");
            return Err(NetError::Invalid(what));
        }
        // The string, and the hashes before the feature transformer and before the other layers.
        let expected = u64::from(length) + 8;
        if reader.remaining() < expected {
            return Err(NetError::TruncatedHeader {
                expected: reader.offset() + expected,
                found: reader.offset() + reader.remaining(),
            });
        }
        let string = reader.read_bytes(length as usize)?;
        let architecture_string = ArchitectureString(String::from_utf8_lossy(&string).into_owned());
        architecture_string.check_supported()?;
        Ok(Header {
            version,
            hash,
            architecture_string,
        })
    }

    /// Whether it is a file of rshogi, whose networks have no feature for missing pieces.
    pub fn is_rshogi(&self) -> bool {
        self.version != VERSION
    }

    /// Whether the file is a network with layer stacks, by its header or its compressed feature
    /// transformer.
    pub fn is_stacked<R: Read + Seek>(&self, reader: &mut NetReader<R>) -> io::Result<bool> {
        Ok(self.version == RSHOGI_STACKS_VERSION
            || self.architecture_string.is_stacked()
            || is_compressed(reader)?)
    }
}

/// Whether a compressed block follows the next word, which is the hash of the feature transformer. Leaves
/// the reader where it is.
fn is_compressed<R: Read + Seek>(reader: &mut NetReader<R>) -> io::Result<bool> {
    let start = reader.offset();
    let mut bytes = [0; 4 + MAGIC.len() + 1];
    let count = bytes.len().min(reader.remaining() as usize);
    reader.read_exact(&mut bytes[..count])?;
    reader.seek(start)?;
    let after = &bytes[4..];
    Ok(after.starts_with(MAGIC) || after[1..].starts_with(MAGIC))
}

/// Reads the rest of a file after its version. `progress` reads the `progress.bin` beside it, if there is
/// one, given the number of game stages.
pub fn read<R: Read + Seek>(
    mut reader: NetReader<R>,
    version: u32,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<NetFile, NetError> {
    let header = Header::read(&mut reader, version)?;
    let mut net = if header.is_stacked(&mut reader)? {
        layer_stacks::read(reader, &header, progress)?
    } else {
        read_classic(reader, &header)?
    };
    net.fv_scale = header.architecture_string.fv_scale().map(FvScale::from);
    if header.is_rshogi() {
        net.parameters.ignore_missing_pieces();
    }
    if net.parameters.architecture.activation.doubles() {
        net.parameters.transformer.double();
    }
    Ok(net)
}

fn read_classic<R: Read + Seek>(
    mut reader: NetReader<R>,
    header: &Header,
) -> Result<NetFile, NetError> {
    let (architecture, transformer_hash) =
        read_architecture(&mut reader, &header.architecture_string)?;
    let blocks = architecture.width / 32;
    let mut biases = vec![Block::ZERO; blocks];
    reader.read_blocks(&mut biases)?;
    let mut weights = Table::zeroed(blocks * architecture.features.dimensions());
    reader.read_blocks(&mut weights)?;
    let network_hash = reader.read_u32()?;
    let stack = read_stack(&mut reader, &architecture)?;
    Ok(NetFile {
        hashes_match: header.hash == architecture.hash()
            && transformer_hash == architecture.transformer_hash()
            && network_hash == architecture.network_hash(),
        parameters: Parameters {
            architecture,
            transformer: FeatureTransformer {
                biases: biases.into(),
                weights,
            },
            head: OutputHead::LayerStacks(LayerStacks::single(stack)),
        },
        fv_scale: None,
    })
}

/// Detects the architecture of a classic network and reads the hash before its feature transformer.
pub fn read_architecture<R: Read + Seek>(
    reader: &mut NetReader<R>,
    architecture_string: &ArchitectureString,
) -> Result<(Architecture, u32), NetError> {
    let payload = reader.remaining() - 8;
    let transformer_hash = reader.read_u32()?;
    let start = reader.offset();
    let evidence = Evidence {
        architecture_string: &architecture_string.0,
        activation: architecture_string.activation()?,
        payload,
        transformer_hash,
    };
    let mut u32_after = |bytes: u64| reader.peek_u32_at(start + bytes);
    if let Some(architecture) = detect(&evidence, &mut u32_after) {
        return Ok((architecture, transformer_hash));
    }
    Err(match guess(&evidence, &mut u32_after) {
        Some(architecture) => NetError::size(&architecture, architecture.payload(), payload),
        None => NetError::Invalid(format!(
            "unknown architecture `{}` with {payload} bytes of weights",
            architecture_string.shortened()
        )),
    })
}

/// Reads a layer stack. The caller checks that the file is long enough.
pub fn read_stack<R: Read + Seek>(
    reader: &mut NetReader<R>,
    architecture: &Architecture,
) -> io::Result<LayerStack> {
    let [_, second] = architecture.hidden;
    let mut first = Rows::read(reader, architecture.inputs(), architecture.first_outputs())?;
    let mut hidden = Rows::read(reader, architecture.second_inputs(), second)?;
    let output = Rows::read(reader, second, 1)?;
    if let Some(stacks) = architecture.stacks() {
        if let Some(shards) = stacks.shards {
            first.mask_shards(architecture, shards);
        }
        hidden.interleave_weights(architecture, second_inputs(architecture));
    }
    let layers = [first, hidden, output].map(|rows| Affine::new(&rows.biases, &rows.weights));
    Ok(LayerStack { layers })
}

/// A dense layer as stored in a file: a row of weights for each output, padded with zeros.
pub struct Rows {
    pub biases: Vec<i32>,
    pub weights: Vec<i8>,
}

impl Rows {
    /// Reads a layer. The caller checks that the file is long enough.
    pub fn read<R: Read + Seek>(
        reader: &mut NetReader<R>,
        inputs: usize,
        outputs: usize,
    ) -> io::Result<Rows> {
        let biases = reader.read_i32s(outputs)?;
        let weights = reader.read_bytes(outputs * padded(inputs))?;
        let weights = weights.into_iter().map(u8::cast_signed).collect();
        Ok(Rows { biases, weights })
    }

    /// Zeroes the weights of the first hidden layer for inputs outside the shard of each output.
    fn mask_shards(&mut self, architecture: &Architecture, shards: Shards) {
        let inputs = padded(architecture.inputs());
        let outputs_of_group = architecture.first_outputs() / shards.groups;
        for (output, row) in self.weights.chunks_mut(inputs).enumerate() {
            let start = shards.common + output / outputs_of_group * shards.shard;
            for (input, weight) in row.iter_mut().enumerate().skip(shards.common) {
                if !(start..start + shards.shard).contains(&input) {
                    *weight = 0;
                }
            }
        }
    }

    /// Moves the weights of the second hidden layer to where the kernels put its inputs: the SqrClippedReLU
    /// half, then the ClippedReLU half, each with room for the skip connection.
    fn interleave_weights(&mut self, architecture: &Architecture, inputs: usize) {
        let first = architecture.hidden[0];
        let (stored, row) = (padded(architecture.second_inputs()), padded(inputs));
        let mut weights = vec![0; self.biases.len() * row];
        for (to, from) in weights.chunks_mut(row).zip(self.weights.chunks(stored)) {
            to[..first].copy_from_slice(&from[..first]);
            to[inputs / 2..][..first].copy_from_slice(&from[first..2 * first]);
        }
        self.weights = weights;
    }
}

/// Sizes, hashes and the architecture string of files.
impl Architecture {
    /// Inputs of the second hidden layer as stored, without padding.
    pub(in crate::eval::nnue) fn second_inputs(&self) -> usize {
        self.hidden[0] * if self.stacks().is_some() { 2 } else { 1 }
    }

    /// Size of the uncompressed feature transformer in bytes.
    pub(super) fn transformer_bytes(&self) -> u64 {
        2 * self.width as u64 * (1 + self.features.dimensions() as u64)
    }

    /// Size of one layer stack in bytes.
    pub(super) fn stack_bytes(&self) -> u64 {
        let layer = |inputs: usize, outputs: usize| outputs * (4 + padded(inputs));
        let [_, second] = self.hidden;
        let bytes = layer(self.inputs(), self.first_outputs())
            + layer(self.second_inputs(), second)
            + layer(second, 1);
        bytes as u64
    }

    /// Size of all weights and biases of a classic network in bytes.
    pub(in crate::eval::nnue) fn payload(&self) -> u64 {
        self.transformer_bytes() + self.stack_bytes()
    }

    /// Hash of the feature transformer of a classic network.
    pub(in crate::eval::nnue) fn transformer_hash(&self) -> u32 {
        self.features.hash ^ (2 * self.width as u32)
    }

    /// Hash of the layers after the feature transformer of a classic network.
    pub(in crate::eval::nnue) fn network_hash(&self) -> u32 {
        let affine = |hash: u32, outputs: usize| {
            0xCC03_DAE4_u32.wrapping_add(outputs as u32) ^ (hash >> 1) ^ (hash << 31)
        };
        let input = 0xEC42_E90D ^ (2 * self.width as u32);
        let hidden = self.hidden.into_iter().fold(input, |hash, outputs| {
            affine(hash, outputs).wrapping_add(0x538D_24C7)
        });
        affine(hidden, 1)
    }

    /// Hash in the header of a classic network.
    pub(in crate::eval::nnue) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.network_hash()
    }

    /// The sizes of the feature transformer in the architecture string.
    pub(super) fn transformer_string(&self) -> String {
        format!("[{}->{}x2]", self.features.dimensions(), self.width)
    }

    /// The architecture string of a classic network, as most trainers write it.
    pub(in crate::eval::nnue) fn architecture_string(&self) -> String {
        let [first, second] = self.hidden;
        let input = 2 * self.width;
        format!(
            "Features={}{},Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}]\
             (AffineTransform[{first}<-{input}](InputSlice[{input}(0:{input})])))))",
            self.features.name,
            self.transformer_string()
        )
    }
}
