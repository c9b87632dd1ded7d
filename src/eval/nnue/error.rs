//! Why a network cannot be used.
#![forbid(unsafe_code)]

use super::architecture::Architecture;
use super::leb128::Leb128Error;
use super::squared::{MAX_TOTAL, MAX_WEIGHT};
use std::io;
use thiserror::Error;

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
    #[error("expected a header of at least {expected} bytes, found {found} bytes")]
    NoHeader {
        /// Bytes of the smallest header.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// Not a network, or of another dialect.
    #[error(
        "expected version 7AF32F16, 7AF32F20 or 7AF32F21 at the start, found {0:08X}: no network \
         of YaneuraOu or rshogi"
    )]
    Version(u32),
    /// A dialect that is known, but not well enough.
    #[error("expected a dialect that can be read, found {0}")]
    Dialect(&'static str),
    /// A header that cannot be right.
    #[error("expected a text of at most {limit} bytes in the header, found a length of {found}")]
    TextLength {
        /// Longest text taken for one.
        limit: u32,
        /// Length in the header.
        found: u32,
    },
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
    /// A network of YaneuraOu's of a kind that is not trained.
    #[error("expected a classic network of K+P or HalfKA_hm2 to train, found {0}")]
    NotTrained(String),
    /// A network whose weights differ from square to square of the king.
    #[error(
        "expected the same weights of HalfKA_hm2 for every square of the own king, as they are \
         trained, found others for square {0} of 45"
    )]
    Copies(usize),
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
    /// Something in the text of the header that is not understood.
    #[error("expected a network without {0}, which is not supported")]
    Unsupported(String),
    /// No compressed block where one should be.
    #[error("expected the {part} as a block COMPRESSED_LEB128 at byte {at}, found something else")]
    NoBlock {
        /// What the block should hold.
        part: &'static str,
        /// Where in the file.
        at: u64,
    },
    /// A compressed block that is longer than the file.
    #[error(
        "expected the {part} to end within the file, found a block of {length} bytes with {left} left"
    )]
    BlockCut {
        /// What the block should hold.
        part: &'static str,
        /// Its length, as it says.
        length: u32,
        /// Bytes left in the file.
        left: u64,
    },
    /// A compressed block with a bad number.
    #[error("expected numbers of 16 bits in the {part}, but {error}")]
    Block {
        /// What the block should hold.
        part: &'static str,
        /// What is wrong.
        error: Leb128Error,
    },
    /// A first layer of a size that cannot be.
    #[error(
        "expected a first layer of a multiple of 64 outputs up to {limit} and known features, \
         found {biases} biases and {weights} weights"
    )]
    FirstLayer {
        /// Widest first layer.
        limit: usize,
        /// Numbers in the block of biases; 0 if both came in one block.
        biases: usize,
        /// Numbers in the block of weights.
        weights: usize,
    },
    /// Layers that do not fit what is left of the file.
    #[error("expected stacks of layers{named}, found {found} bytes that are no such stacks")]
    Stacks {
        /// What the text of the header says about them.
        named: String,
        /// Bytes left in the file.
        found: u64,
    },
    /// A number of stacks that cannot be.
    #[error("expected 1 to {limit} stacks of layers in the header, found {found}")]
    StackCount {
        /// Most stacks of this dialect.
        limit: u32,
        /// What the header says.
        found: u32,
    },
    /// A way to choose a stack that is not known.
    #[error("expected a known way to choose one of the stacks of layers, found `{0}`")]
    Scheme(String),
    /// Another number of stacks than the way to choose one asks for.
    #[error("expected {expected} stacks of layers for {scheme}, found {found}")]
    SchemeCount {
        /// The way to choose a stack.
        scheme: String,
        /// Stacks it needs.
        expected: usize,
        /// Stacks in the file.
        found: usize,
    },
    /// The weights of the progress of the game are missing.
    #[error("expected the weights of the progress of the game for {0}, found none")]
    NoProgress(String),
    /// A file of weights of the progress of the game that is none.
    #[error("expected {expected} bytes of numbers in the progress.bin beside it, found {found}")]
    ProgressFile {
        /// Bytes the file should have.
        expected: usize,
        /// Bytes it has.
        found: usize,
    },
    /// A weight of the progress of the game that makes no sense.
    #[error("expected small numbers in the progress.bin beside it, found others")]
    ProgressNumbers,
    /// An impossible division of the first layer's outputs.
    #[error(
        "expected shards that make up {width} inputs and divide {outputs} outputs, found {found}"
    )]
    Shards {
        /// Inputs of the layer.
        width: usize,
        /// Outputs of the layer.
        outputs: usize,
        /// The division in the text.
        found: String,
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
