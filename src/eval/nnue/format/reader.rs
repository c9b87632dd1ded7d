//! A little-endian reader of network files, sequential with lookahead.
#![forbid(unsafe_code)]

use super::error::NetError;
use crate::eval::nnue::layers::Block;
use crate::eval::nnue::network::Parameters;
use crate::eval::units::FvScale;
use crate::memory::bytes_of_mut;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The contents of a network file.
pub struct NetFile {
    pub parameters: Parameters,
    /// `FV_SCALE`, if the file gives it.
    pub fv_scale: Option<FvScale>,
    /// Whether the hashes in the file are those of its architecture.
    pub hashes_match: bool,
}

/// Size of the shortest header in bytes: version, hash, length of the architecture string.
const MIN_LENGTH: u64 = 12;

/// A network file of known length.
pub struct NetReader<R> {
    file: BufReader<R>,
    length: u64,
    offset: u64,
}

impl<R: Read + Seek> NetReader<R> {
    /// A reader at the start of a file of `length` bytes; an error if no header is that short.
    pub fn new(file: R, length: u64) -> Result<NetReader<R>, NetError> {
        if length < MIN_LENGTH {
            return Err(NetError::TruncatedHeader {
                expected: MIN_LENGTH,
                found: length,
            });
        }
        Ok(NetReader {
            file: BufReader::with_capacity(1 << 16, file),
            length,
            offset: 0,
        })
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes left to read.
    pub fn remaining(&self) -> u64 {
        self.length.saturating_sub(self.offset)
    }

    /// Reads a 32-bit unsigned integer.
    pub fn read_u32(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads `count` bytes. The caller checks that the file has them, so that a damaged count cannot
    /// exhaust memory.
    pub fn read_bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads `count` 32-bit signed integers.
    pub fn read_i32s(&mut self, count: usize) -> io::Result<Vec<i32>> {
        let bytes = self.read_bytes(count * 4)?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    /// Fills `blocks` with 16-bit signed integers.
    pub fn read_blocks(&mut self, blocks: &mut [Block]) -> io::Result<()> {
        self.read_exact(bytes_of_mut(blocks))?;
        if cfg!(target_endian = "big") {
            for number in blocks.iter_mut().flat_map(|block| &mut block.0) {
                *number = i16::from_le(*number);
            }
        }
        Ok(())
    }

    /// The 32-bit integer at an offset from the start of the file, if the file reaches that far. Leaves
    /// the reader where it is.
    pub fn peek_u32_at(&mut self, offset: u64) -> Option<u32> {
        let current = self.offset;
        self.seek(offset).ok()?;
        let word = self.read_u32().ok();
        self.seek(current).ok()?;
        word
    }

    /// Moves to an offset from the start of the file.
    pub fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.offset = self.file.seek(SeekFrom::Start(offset))?;
        Ok(())
    }
}

impl<R: Read> Read for NetReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Little-endian 16-bit signed integers from their bytes.
pub fn le_i16s(bytes: &[u8]) -> Vec<i16> {
    let numbers = bytes.as_chunks::<2>().0.iter();
    numbers.map(|&bytes| i16::from_le_bytes(bytes)).collect()
}
