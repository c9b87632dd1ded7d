//! A file as it is read: from front to back, with looks ahead.
#![forbid(unsafe_code)]

use super::error::NetError;
use crate::eval::nnue::layers::Block;
use crate::eval::nnue::network::Parameters;
use crate::eval::units::FvScale;
use crate::memory::bytes_of_mut;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// What a file holds.
pub struct NetFile {
    pub parameters: Parameters,
    /// `FV_SCALE`, if the file says it.
    pub scale: Option<FvScale>,
    /// Whether its hashes are those of its architecture.
    pub is_consistent: bool,
}

/// Bytes of the shortest header.
const MIN_LENGTH: u64 = 12;

/// A file of known length that is read from front to back.
pub struct NetReader<R> {
    file: BufReader<R>,
    length: u64,
    at: u64,
}

impl<R: Read + Seek> NetReader<R> {
    /// Reads a file of this length from its start, if that is enough for any header.
    pub fn new(file: R, length: u64) -> Result<NetReader<R>, NetError> {
        if length < MIN_LENGTH {
            return Err(NetError::HeaderCut {
                expected: MIN_LENGTH,
                found: length,
            });
        }
        Ok(NetReader {
            file: BufReader::with_capacity(1 << 16, file),
            length,
            at: 0,
        })
    }

    /// Bytes before what is read next.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Bytes not read yet.
    pub fn left(&self) -> u64 {
        self.length.saturating_sub(self.at)
    }

    /// The next word.
    pub fn word(&mut self) -> io::Result<u32> {
        let mut word = [0; 4];
        self.read_exact(&mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    /// The next `count` bytes; the caller knows that the file has them.
    pub fn take_bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next `count` numbers of 32 bits.
    pub fn numbers(&mut self, count: usize) -> io::Result<Vec<i32>> {
        let bytes = self.take_bytes(count * 4)?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    /// Reads numbers of 16 bits to where they are wanted.
    pub fn read_blocks(&mut self, blocks: &mut [Block]) -> io::Result<()> {
        self.read_exact(bytes_of_mut(blocks))?;
        if cfg!(target_endian = "big") {
            for number in blocks.iter_mut().flat_map(|block| &mut block.0) {
                *number = i16::from_le(*number);
            }
        }
        Ok(())
    }

    /// The word at an offset, if the file reaches that far. Does not move the reader.
    pub fn word_at(&mut self, at: u64) -> Option<u32> {
        let now = self.at;
        self.seek(at).ok()?;
        let word = self.word().ok();
        self.seek(now).ok()?;
        word
    }

    /// Continues at a place.
    pub fn seek(&mut self, at: u64) -> io::Result<()> {
        self.at = self.file.seek(SeekFrom::Start(at))?;
        Ok(())
    }
}

impl<R: Read> Read for NetReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The numbers of 16 bits in some bytes.
pub fn numbers(bytes: &[u8]) -> Vec<i16> {
    let numbers = bytes.as_chunks::<2>().0;
    numbers
        .iter()
        .map(|&bytes| i16::from_le_bytes(bytes))
        .collect()
}
