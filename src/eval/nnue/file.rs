//! Reads networks: those in the format of YaneuraOu's `nn.bin`, and our own (see [`own`]).
//!
//! YaneuraOu's: version, hash, a text; then the first layer and the others, each behind a hash, little-endian,
//! nothing compressed and nothing left over. Neither the text nor the hashes can be relied upon:
//! some trainers write the text of another network, some no hashes. What has to be right is the
//! size; hashes and text decide between networks of the same size.
#![forbid(unsafe_code)]

use super::architecture::{Architecture, Signs, detect, guess, padded};
use super::network::{Affine, Block, Parameters, Scale, Tail, Transformer};
use super::own::{self, OwnNetwork};
use super::squared::{MAX_TOTAL, MAX_WEIGHT};
use crate::memory::{Table, bytes_of_mut};
use std::io::{self, Read, Seek, SeekFrom};
use thiserror::Error;

/// First word of every file.
const VERSION: u32 = 0x7AF3_2F16;
/// Bytes before the text.
const HEADER: u64 = 12;
/// Longest text taken for one.
const MAX_TEXT: u32 = 4096;
/// What the texts of networks with layer stacks begin with.
const STACKED_TEXT: &str = "ModelType=SFNN";

/// Why there is no network to be had from a file.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A folder without a network.
    #[error("expected a file nn.bin in this folder, found none")]
    NoFileInFolder,
    /// The path is neither a file nor a folder.
    #[error("expected a file or a folder, found something else")]
    NoFile,
    /// Too short for any network.
    #[error("expected a header of at least {HEADER} bytes, found {0} bytes")]
    NoHeader(u64),
    /// Not a network, or of another dialect.
    #[error("expected version {VERSION:08X} at the start, found {0:08X}: no YaneuraOu network")]
    Version(u32),
    /// A header that cannot be right.
    #[error("expected a text of at most {MAX_TEXT} bytes in the header, found a length of {0}")]
    TextLength(u32),
    /// The file ends within its header.
    #[error("expected {expected} bytes of header, found a file of {found} bytes")]
    HeaderCut {
        /// Bytes the header should have.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// Another size than the architecture asks for.
    #[error("expected {expected} bytes of weights for {architecture}, found {found}: {what}")]
    Size {
        /// What the hashes say it is.
        architecture: String,
        /// Bytes of weights this has.
        expected: u64,
        /// Bytes in the file.
        found: u64,
        /// What seems to have happened.
        what: &'static str,
    },
    /// A number in the header of an own network that cannot be used.
    #[error("a network of Komaoto's with {name} of {found}, expected {expected}")]
    OwnField {
        /// Which number, with an article where it takes one.
        name: &'static str,
        /// The number in the file.
        found: u32,
        /// Numbers that can be used.
        expected: String,
    },
    /// A damaged own network.
    #[error("expected the checksum {expected:016X} of the header, found {found:016X}: damaged")]
    OwnChecksum {
        /// The checksum in the file.
        expected: u64,
        /// The checksum of what is in the file.
        found: u64,
    },
    /// Output weights of an own network that could overflow.
    #[error(
        "expected output weights up to {MAX_WEIGHT} and {MAX_TOTAL} altogether, found {largest} \
         and {total}"
    )]
    OwnWeights {
        /// The largest magnitude of an output's weight.
        largest: i32,
        /// The sum of the magnitudes of its weights.
        total: i32,
    },
    /// Layer stacks.
    #[error("expected a network with one stack of layers, found several (SFNN)")]
    Stacked,
    /// No architecture fits.
    #[error(
        "expected a network of known features, found {found} bytes of weights that are called \
         `{text}`"
    )]
    Unknown {
        /// Bytes of weights.
        found: u64,
        /// The text of the header, shortened.
        text: String,
    },
}

impl NetError {
    /// Another number of bytes of weights than expected.
    pub(super) fn size(architecture: &Architecture, expected: u64, found: u64) -> NetError {
        NetError::Size {
            architecture: architecture.to_string(),
            expected,
            found,
            what: if found < expected {
                "the end is missing"
            } else {
                "something was added"
            },
        }
    }
}

/// What a file holds.
pub(super) struct NetFile {
    pub parameters: Parameters,
    /// The scale named in the text, if one is.
    pub scale: Option<Scale>,
    /// Whether its hashes are those of its architecture.
    pub is_consistent: bool,
}

/// Reads a network from a file of so many bytes.
pub(super) fn read(mut file: impl Read + Seek, length: u64) -> Result<NetFile, NetError> {
    if length < HEADER {
        return Err(NetError::NoHeader(length));
    }
    let version = read_word(&mut file)?;
    if version.to_le_bytes() == own::MAGIC[..4] {
        let mut bytes = version.to_le_bytes().to_vec();
        file.take(own::MAX_FILE).read_to_end(&mut bytes)?;
        return OwnNetwork::parse(&bytes)?.into_file();
    }
    if version != VERSION {
        return Err(NetError::Version(version));
    }
    let hash = read_word(&mut file)?;
    let text_length = read_word(&mut file)?;
    if text_length > MAX_TEXT {
        return Err(NetError::TextLength(text_length));
    }
    let start = HEADER + u64::from(text_length);
    // The hashes before both parts, between which the weights lie.
    let payload = length.checked_sub(start + 8).ok_or(NetError::HeaderCut {
        expected: start + 8,
        found: length,
    })?;
    let text = read_bytes(&mut file, text_length as usize)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let transformer_hash = read_word(&mut file)?;
    let signs = Signs {
        text: &text,
        payload,
        transformer_hash,
    };
    let mut word_after = |bytes: u64| {
        file.seek(SeekFrom::Start(start + 4 + bytes)).ok()?;
        read_word(&mut file).ok()
    };
    let Some(architecture) = detect(&signs, &mut word_after) else {
        return Err(no_match(&signs, guess(&signs, &mut word_after)));
    };
    file.seek(SeekFrom::Start(start + 4))?;
    let transformer = read_transformer(&mut file, &architecture)?;
    let network_hash = read_word(&mut file)?;
    let layers = read_layers(&mut file, &architecture)?;
    Ok(NetFile {
        is_consistent: hash == architecture.hash()
            && transformer_hash == architecture.transformer_hash()
            && network_hash == architecture.network_hash(),
        parameters: Parameters {
            architecture,
            transformer,
            tail: Tail::Hidden(layers),
        },
        scale: scale_in(&text).map(Scale::from),
    })
}

/// What to say about a file that is no known architecture.
fn no_match(signs: &Signs, guess: Option<Architecture>) -> NetError {
    let found = signs.payload;
    match guess {
        _ if signs.text.starts_with(STACKED_TEXT) => NetError::Stacked,
        Some(architecture) => NetError::size(&architecture, architecture.payload(), found),
        None => NetError::Unknown {
            found,
            text: shortened(signs.text),
        },
    }
}

/// A text from a file, fit to be shown on one line.
fn shortened(text: &str) -> String {
    text.chars()
        .take(80)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// The scale in a text such as `...,fv_scale=28,...`.
fn scale_in(text: &str) -> Option<i32> {
    let (_, rest) = text.split_once("fv_scale=")?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let scale = rest[..end.unwrap_or(rest.len())].parse().ok()?;
    (1..=128).contains(&scale).then_some(scale)
}

fn read_word(file: &mut impl Read) -> io::Result<u32> {
    let mut word = [0; 4];
    file.read_exact(&mut word)?;
    Ok(u32::from_le_bytes(word))
}

fn read_bytes(file: &mut impl Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
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

fn read_layers(file: &mut impl Read, architecture: &Architecture) -> io::Result<[Affine; 3]> {
    let [first, second] = architecture.hidden;
    Ok([
        read_affine(file, 2 * architecture.width, first)?,
        read_affine(file, first, second)?,
        read_affine(file, second, 1)?,
    ])
}

fn read_affine(file: &mut impl Read, inputs: usize, outputs: usize) -> io::Result<Affine> {
    let biases = read_bytes(file, outputs * 4)?;
    let biases: Vec<i32> = biases
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&bytes| i32::from_le_bytes(bytes))
        .collect();
    let weights = read_bytes(file, outputs * padded(inputs))?;
    let weights: Vec<i8> = weights.into_iter().map(u8::cast_signed).collect();
    Ok(Affine::new(&biases, &weights))
}
