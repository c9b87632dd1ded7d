//! Errors of network files.
#![forbid(unsafe_code)]

use crate::eval::nnue::architecture::Architecture;
use std::io;
use thiserror::Error;

/// Why a network cannot be read, written or trained.
#[derive(Debug, Error)]
pub enum NetError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The folder has no `nn.bin`.
    #[error("no nn.bin in this folder")]
    NoNetworkInFolder,
    /// The path is neither a file nor a folder.
    #[error("neither a file nor a folder")]
    NotAFile,
    /// The file ends within its header.
    #[error("truncated header: {found} of {expected} bytes")]
    TruncatedHeader {
        /// Size of the header in bytes.
        expected: u64,
        /// Size of the file in bytes.
        found: u64,
    },
    /// The first word is not the version of any known format.
    #[error("unrecognised network version {0:08X}")]
    UnknownVersion(u32),
    /// A known format or feature that is not supported.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The weights do not have the size of the architecture.
    #[error("{architecture} has {expected} bytes of weights, found {found}: {what}")]
    Size {
        /// The architecture by its hashes.
        architecture: String,
        /// Size of its weights in bytes.
        expected: u64,
        /// Size of the weights in the file in bytes.
        found: u64,
        /// Whether the file is truncated or has trailing bytes.
        what: &'static str,
    },
    /// The checksum does not match the contents.
    #[error("checksum mismatch")]
    Checksum,
    /// Invalid contents.
    #[error("{0}")]
    Invalid(String),
    /// A network that can be evaluated but not trained.
    #[error("cannot be trained: {0}")]
    Untrainable(String),
}

impl NetError {
    /// The error for `found` bytes of weights instead of `expected`.
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
