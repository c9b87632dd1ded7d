//! Reads networks: those in the format of YaneuraOu's `nn.bin` and in what rshogi made of it, and
//! our own (see [`own`]).
//!
//! YaneuraOu's: version, hash, a text; then the first layer and the others, each behind a hash, little-endian.
//! In a classic network nothing is compressed and nothing left over. Neither the text nor the
//! hashes can be relied upon: some trainers write the text of another network, some no hashes. What
//! has to be right is the size; hashes and text decide between networks of the same size. What
//! differs in networks with many stacks of layers is in [`stacked_file`].
#![forbid(unsafe_code)]

use super::architecture::{Architecture, padded};
use super::detect::{Signs, detect, guess};
use super::error::NetError;
use super::layer_stack::{LayerStacks, Stack, keep_shards, second_inputs, spread};
use super::leb128::MAGIC;
use super::network::{Affine, Block, Parameters, Tail, Transformer};
use super::own::{self, OwnNetwork};
use super::progress::Progress;
use super::source::Source;
use super::stacked_file;
use super::text::Text;
use crate::eval::units::FvScale;
use crate::memory::{Table, bytes_of_mut};
use std::io::{self, BufReader, Read, Seek};

/// First word of a file of YaneuraOu.
pub(super) const VERSION: u32 = 0x7AF3_2F16;
/// First word of rshogi's files; with stacks of layers there are nine.
const RSHOGI_VERSION: u32 = 0x7AF3_2F20;
/// First word of rshogi's files with stacks of layers that say how many.
pub(super) const COUNTED_VERSION: u32 = 0x7AF3_2F21;
/// First word of a third version of layer stacks, whose sizes differ from stack to stack.
const UNEVEN_VERSION: u32 = 0x7AF3_3301;
/// Bytes before the text.
const HEADER: u64 = 12;
/// Longest text taken for one.
const MAX_TEXT: u32 = 4096;

/// What a file holds.
pub(super) struct NetFile {
    pub parameters: Parameters,
    /// The scale named in the text, if one is.
    pub scale: Option<FvScale>,
    /// Whether its hashes are those of its architecture.
    pub is_consistent: bool,
}

/// What the header of a file says.
pub(super) struct Header<'a> {
    pub version: u32,
    pub hash: u32,
    pub text: Text<'a>,
}

impl Header<'_> {
    /// Whether it is a file of rshogi. Pieces that are missing do not count in these.
    pub fn is_rshogi(&self) -> bool {
        self.version != VERSION
    }
}

/// Reads a network from a file of so many bytes. `progress` reads the weights of the progress of
/// the game that lie beside it, for so many stages, if there are any.
pub(super) fn read(
    file: impl Read + Seek,
    length: u64,
    progress: impl FnOnce(usize) -> Result<Option<Progress>, NetError>,
) -> Result<NetFile, NetError> {
    let mut source = open(file, length)?;
    let version = source.word()?;
    if version.to_le_bytes() == own::MAGIC[..4] {
        let mut bytes = version.to_le_bytes().to_vec();
        source.take(own::MAX_FILE).read_to_end(&mut bytes)?;
        return OwnNetwork::parse(&bytes)?.into_file();
    }
    let (hash, text) = read_header(&mut source, version)?;
    let header = Header {
        version,
        hash,
        text: Text(&text),
    };
    header.text.check()?;
    let is_stacked =
        version == COUNTED_VERSION || header.text.is_stacked() || starts_compressed(&mut source)?;
    let mut net = if is_stacked {
        stacked_file::read(source, &header, progress)?
    } else {
        read_classic(source, &header)?
    };
    net.scale = header.text.scale().map(FvScale::from);
    if header.is_rshogi() {
        net.parameters.forget_missing_pieces();
    }
    if net.parameters.architecture.activation.doubles() {
        net.parameters.transformer.double();
    }
    Ok(net)
}

/// The start of a file that is long enough for a header.
pub(super) fn open<R: Read + Seek>(file: R, length: u64) -> Result<Source<BufReader<R>>, NetError> {
    if length < HEADER {
        return Err(NetError::NoHeader {
            expected: HEADER,
            found: length,
        });
    }
    let file = BufReader::with_capacity(1 << 16, file);
    Ok(Source::new(file, length))
}

/// Hash and text of a header, behind its version.
pub(super) fn read_header<R: Read + Seek>(
    source: &mut Source<R>,
    version: u32,
) -> Result<(u32, String), NetError> {
    match version {
        VERSION | RSHOGI_VERSION | COUNTED_VERSION => {}
        UNEVEN_VERSION => return Err(NetError::Dialect("7AF33301 (layerstack_v3)")),
        _ => return Err(NetError::Version(version)),
    }
    let hash = source.word()?;
    let text_length = source.word()?;
    if text_length > MAX_TEXT {
        return Err(NetError::TextLength {
            limit: MAX_TEXT,
            found: text_length,
        });
    }
    // The hashes before both parts, between which the weights lie.
    let expected = u64::from(text_length) + 8;
    if source.left() < expected {
        return Err(NetError::HeaderCut {
            expected: HEADER + expected,
            found: source.at() + source.left(),
        });
    }
    let text = source.take_bytes(text_length as usize)?;
    Ok((hash, String::from_utf8_lossy(&text).into_owned()))
}

/// Whether a compressed block follows the next word. What is read next stays the same.
pub(super) fn starts_compressed<R: Read + Seek>(source: &mut Source<R>) -> io::Result<bool> {
    let start = source.at();
    let mut bytes = [0; 4 + MAGIC.len() + 1];
    let count = bytes.len().min(source.left() as usize);
    source.read_exact(&mut bytes[..count])?;
    source.seek(start)?;
    let after = &bytes[4..];
    Ok(after.starts_with(MAGIC) || after[1..].starts_with(MAGIC))
}

/// The architecture of a classic network and the hash before its first layer, which comes next.
pub(super) fn recognise<R: Read + Seek>(
    source: &mut Source<R>,
    text: Text,
) -> Result<(Architecture, u32), NetError> {
    let payload = source.left() - 8;
    let transformer_hash = source.word()?;
    let start = source.at();
    let signs = Signs {
        text: text.0,
        activation: text.activation()?,
        payload,
        transformer_hash,
    };
    let mut word_after = |bytes: u64| source.word_at(start + bytes);
    match detect(&signs, &mut word_after) {
        Some(architecture) => Ok((architecture, transformer_hash)),
        None => Err(no_match(&signs, guess(&signs, &mut word_after))),
    }
}

fn read_classic<R: Read + Seek>(
    mut source: Source<R>,
    header: &Header,
) -> Result<NetFile, NetError> {
    let (architecture, transformer_hash) = recognise(&mut source, header.text)?;
    let transformer = read_transformer(&mut source, &architecture)?;
    let network_hash = source.word()?;
    let stack = read_stack(&mut source, &architecture)?;
    Ok(NetFile {
        is_consistent: header.hash == architecture.hash()
            && transformer_hash == architecture.transformer_hash()
            && network_hash == architecture.network_hash(),
        parameters: Parameters {
            architecture,
            transformer,
            tail: Tail::Layers(LayerStacks::single(stack)),
        },
        scale: None,
    })
}

/// What to say about a file that is no known architecture.
fn no_match(signs: &Signs, guess: Option<Architecture>) -> NetError {
    let found = signs.payload;
    match guess {
        Some(architecture) => NetError::size(&architecture, architecture.payload(), found),
        None => NetError::Unknown {
            found,
            text: Text(signs.text).shortened(),
        },
    }
}

fn read_transformer(file: &mut impl Read, architecture: &Architecture) -> io::Result<Transformer> {
    let blocks = architecture.width / 32;
    let mut biases = vec![Block::ZERO; blocks];
    read_blocks(file, &mut biases)?;
    let mut weights = Table::zeroed(blocks * architecture.features.dimensions());
    read_blocks(file, &mut weights)?;
    Ok(Transformer {
        biases: biases.into(),
        weights,
    })
}

/// Reads 16-bit numbers to where they are wanted.
fn read_blocks(file: &mut impl Read, blocks: &mut [Block]) -> io::Result<()> {
    file.read_exact(bytes_of_mut(blocks))?;
    if cfg!(target_endian = "big") {
        for number in blocks.iter_mut().flat_map(|block| &mut block.0) {
            *number = i16::from_le(*number);
        }
    }
    Ok(())
}

/// Reads a stack of layers, which the file is known to have.
pub(super) fn read_stack<R: Read + Seek>(
    source: &mut Source<R>,
    architecture: &Architecture,
) -> io::Result<Stack> {
    let [_, second] = architecture.hidden;
    let mut rows = read_rows(source, architecture.inputs(), architecture.first_outputs())?;
    if let Some(shards) = architecture.stacks().and_then(|stacks| stacks.shards) {
        keep_shards(&mut rows.weights, architecture, shards);
    }
    let to_first = rows.into_layer();
    let mut rows = read_rows(source, architecture.second_inputs(), second)?;
    if architecture.stacks().is_some() {
        let inputs = second_inputs(architecture);
        rows.weights = spread(&rows.weights, architecture, second, inputs);
    }
    let to_second = rows.into_layer();
    let to_output = read_rows(source, second, 1)?.into_layer();
    Ok(Stack {
        layers: [to_first, to_second, to_output],
    })
}

/// A dense layer as it is stored.
struct Rows {
    biases: Vec<i32>,
    weights: Vec<i8>,
}

impl Rows {
    fn into_layer(self) -> Affine {
        Affine::new(&self.biases, &self.weights)
    }
}

fn read_rows<R: Read + Seek>(
    source: &mut Source<R>,
    inputs: usize,
    outputs: usize,
) -> io::Result<Rows> {
    let biases = source.numbers(outputs)?;
    let weights = source.take_bytes(outputs * padded(inputs))?;
    let weights = weights.into_iter().map(u8::cast_signed).collect();
    Ok(Rows { biases, weights })
}
