//! Why a network cannot be used.
#![forbid(unsafe_code)]

use crate::eval::nnue::architecture::Architecture;
use std::io;
use thiserror::Error;

/// Why there is no network to be had from a file.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A folder without a network.
    #[error("no nn.bin in this folder")]
    NoFileInFolder,
    /// The path leads to something else.
    #[error("neither a file nor a folder")]
    NoFile,
    /// The file ends within its header.
    #[error("truncated header: {found} of {expected} bytes")]
    HeaderCut {
        /// Bytes the header should have.
        expected: u64,
        /// Bytes of the file.
        found: u64,
    },
    /// No network of any known format.
    #[error("unrecognised network version {0:08X}")]
    Version(u32),
    /// Something that is known and not supported.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// Another size than the architecture asks for.
    #[error("{architecture} has {expected} bytes of weights, found {found}: {what}")]
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
    /// Damaged contents.
    #[error("checksum mismatch")]
    Checksum,
    /// Contents that make no sense.
    #[error("{0}")]
    Invalid(String),
    /// A network that can be evaluated but not trained.
    #[error("cannot be trained: {0}")]
    Untrainable(String),
}

impl NetError {
    /// Another number of bytes of weights than expected.
    pub(super) fn size(architecture: &Architecture, expected: u64, found: u64) -> NetError {
        NetError::Size {
            architecture: architecture.to_string(),
            expected,
            found,
            what: if found < expected {
                "truncated"
            } else {
                "trailing bytes"
            },
        }
    }
}
