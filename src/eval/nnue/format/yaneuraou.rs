//! Files in the format of YaneuraOu's `nn.bin` and in what rshogi made of it: version, hash, a text; then
//! the feature transformer and the other layers, each behind a hash, little-endian.
//!
//! In a classic network nothing is compressed and nothing left over. Neither the text nor the hashes can
//! be relied upon: some trainers write the text of another network, some no hashes. What has to be right
//! is the size; hashes and text decide between networks of the same size, see [`super::detect`]. What
//! differs in networks with layer stacks is in [`super::layer_stacks`].
#![forbid(unsafe_code)]

use super::detect::{Clues, detect, guess};
use super::error::NetError;
use super::layer_stacks;
use super::leb128::MAGIC;
use super::reader::{NetFile, NetReader};
use super::text::Text;
use crate::eval::nnue::architecture::{Architecture, Shards, padded};
use crate::eval::nnue::layers::{Affine, Block, FeatureTransformer};
use crate::eval::nnue::network::Parameters;
use crate::eval::nnue::output_head::{LayerStack, LayerStacks, OutputHead, second_inputs};
use crate::eval::nnue::progress::GameProgress;
use crate::eval::units::FvScale;
use crate::memory::Table;
use std::io::{self, Read, Seek};

/// First word of a file of YaneuraOu.
pub const VERSION: u32 = 0x7AF3_2F16;
/// First word of rshogi's files; with layer stacks there are nine.
const RSHOGI_VERSION: u32 = 0x7AF3_2F20;
/// First word of rshogi's files with layer stacks that say how many.
pub const COUNTED_VERSION: u32 = 0x7AF3_2F21;
/// First word of a third version of layer stacks, whose sizes differ from stack to stack.
const UNEVEN_VERSION: u32 = 0x7AF3_3301;
/// Longest text taken for one.
const MAX_TEXT: u32 = 4096;

/// The header of a file.
pub struct Header {
    pub version: u32,
    pub hash: u32,
    pub text: Text,
}

impl Header {
    /// Reads the header behind its version.
    pub fn read<R: Read + Seek>(
        reader: &mut NetReader<R>,
        version: u32,
    ) -> Result<Header, NetError> {
        match version {
            VERSION | RSHOGI_VERSION | COUNTED_VERSION => {}
            UNEVEN_VERSION => return Err(NetError::Unsupported("layerstack_v3 (7AF33301)".into())),
            _ => return Err(NetError::Version(version)),
        }
        let hash = reader.word()?;
        let text_length = reader.word()?;
        if text_length > MAX_TEXT {
            let found = format!("a text of {text_length} bytes in the header, limit {MAX_TEXT}");
            return Err(NetError::Invalid(found));
        }
        // The hashes before both parts, between which the weights lie.
        let expected = u64::from(text_length) + 8;
        if reader.left() < expected {
            return Err(NetError::HeaderCut {
                expected: reader.at() + expected,
                found: reader.at() + reader.left(),
            });
        }
        let text = reader.take_bytes(text_length as usize)?;
        let text = Text(String::from_utf8_lossy(&text).into_owned());
        text.check()?;
        Ok(Header {
            version,
            hash,
            text,
        })
    }

    /// Whether it is a file of rshogi. Missing pieces do not count in these.
    pub fn is_rshogi(&self) -> bool {
        self.version != VERSION
    }

    /// Whether it is the header of a network with layer stacks, by what follows it as well.
    pub fn is_stacked<R: Read + Seek>(&self, reader: &mut NetReader<R>) -> io::Result<bool> {
        Ok(self.version == COUNTED_VERSION || self.text.is_stacked() || starts_compressed(reader)?)
    }
}

/// Whether a compressed block follows the next word. Does not move the reader.
fn starts_compressed<R: Read + Seek>(reader: &mut NetReader<R>) -> io::Result<bool> {
    let start = reader.at();
    let mut bytes = [0; 4 + MAGIC.len() + 1];
    let count = bytes.len().min(reader.left() as usize);
    reader.read_exact(&mut bytes[..count])?;
    reader.seek(start)?;
    let after = &bytes[4..];
    Ok(after.starts_with(MAGIC) || after[1..].starts_with(MAGIC))
}

/// Reads what follows the version of a file. `progress` reads the weights of the progress of the game
/// that lie beside the file, for so many stages, if there are any.
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
    net.scale = header.text.scale().map(FvScale::from);
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
    let (architecture, transformer_hash) = recognise(&mut reader, &header.text)?;
    let blocks = architecture.width / 32;
    let mut biases = vec![Block::ZERO; blocks];
    reader.read_blocks(&mut biases)?;
    let mut weights = Table::zeroed(blocks * architecture.features.dimensions());
    reader.read_blocks(&mut weights)?;
    let network_hash = reader.word()?;
    let stack = read_stack(&mut reader, &architecture)?;
    Ok(NetFile {
        is_consistent: header.hash == architecture.hash()
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
        scale: None,
    })
}

/// The architecture of a classic network and the hash before its feature transformer, which comes next.
pub fn recognise<R: Read + Seek>(
    reader: &mut NetReader<R>,
    text: &Text,
) -> Result<(Architecture, u32), NetError> {
    let payload = reader.left() - 8;
    let transformer_hash = reader.word()?;
    let start = reader.at();
    let clues = Clues {
        text: &text.0,
        activation: text.activation()?,
        payload,
        transformer_hash,
    };
    let mut word_after = |bytes: u64| reader.word_at(start + bytes);
    if let Some(architecture) = detect(&clues, &mut word_after) {
        return Ok((architecture, transformer_hash));
    }
    Err(match guess(&clues, &mut word_after) {
        Some(architecture) => NetError::size(&architecture, architecture.payload(), payload),
        None => NetError::Invalid(format!(
            "unknown architecture `{}` with {payload} bytes of weights",
            text.shortened()
        )),
    })
}

/// Reads a stack of layers, which the file is known to have.
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
            first.keep_shards(architecture, shards);
        }
        hidden.interleave_weights(architecture, second_inputs(architecture));
    }
    let layers = [first, hidden, output].map(|rows| Affine::new(&rows.biases, &rows.weights));
    Ok(LayerStack { layers })
}

/// A dense layer as it is stored: rows of weights filled up with zeros.
pub struct Rows {
    pub biases: Vec<i32>,
    pub weights: Vec<i8>,
}

impl Rows {
    /// Reads a layer.
    pub fn read<R: Read + Seek>(
        reader: &mut NetReader<R>,
        inputs: usize,
        outputs: usize,
    ) -> io::Result<Rows> {
        let biases = reader.numbers(outputs)?;
        let weights = reader.take_bytes(outputs * padded(inputs))?;
        let weights = weights.into_iter().map(u8::cast_signed).collect();
        Ok(Rows { biases, weights })
    }

    /// Clears the weights of the first hidden layer from inputs that an output does not see.
    fn keep_shards(&mut self, architecture: &Architecture, shards: Shards) {
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

    /// Moves the weights of the second hidden layer to where the kernels put its inputs: squares first,
    /// then the clipped ones, each with room for the skip connection.
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

/// Sizes, hashes and text of a file.
impl Architecture {
    /// Inputs of the second hidden layer, as stored.
    pub(in crate::eval::nnue) fn second_inputs(&self) -> usize {
        self.hidden[0] * if self.stacks().is_some() { 2 } else { 1 }
    }

    /// Bytes of the feature transformer, uncompressed.
    pub(super) fn transformer_bytes(&self) -> u64 {
        2 * self.width as u64 * (1 + self.features.dimensions() as u64)
    }

    /// Bytes of the layers behind it, of one stack.
    pub(super) fn stack_bytes(&self) -> u64 {
        let layer = |inputs: usize, outputs: usize| outputs * (4 + padded(inputs));
        let [_, second] = self.hidden;
        let bytes = layer(self.inputs(), self.first_outputs())
            + layer(self.second_inputs(), second)
            + layer(second, 1);
        bytes as u64
    }

    /// Bytes of all weights and biases of a classic network.
    pub(in crate::eval::nnue) fn payload(&self) -> u64 {
        self.transformer_bytes() + self.stack_bytes()
    }

    /// Hash of the feature transformer of a classic network.
    pub(in crate::eval::nnue) fn transformer_hash(&self) -> u32 {
        self.features.hash ^ (2 * self.width as u32)
    }

    /// Hash of the layers behind it.
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

    /// Hash of the whole, as in the header of a classic network.
    pub(in crate::eval::nnue) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.network_hash()
    }

    /// How the text in the header should give the sizes of the feature transformer.
    pub(super) fn transformer_text(&self) -> String {
        format!("[{}->{}x2]", self.features.dimensions(), self.width)
    }

    /// The text in the header of a classic network, as most programs write it.
    pub(in crate::eval::nnue) fn text(&self) -> String {
        let [first, second] = self.hidden;
        let input = 2 * self.width;
        format!(
            "Features={}{},Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}]\
             (AffineTransform[{first}<-{input}](InputSlice[{input}(0:{input})])))))",
            self.features.name,
            self.transformer_text()
        )
    }
}
