//! Numbers of variable length: blocks of signed LEB128, as networks with layer stacks compress the
//! first layer with.
//!
//! Seven bits to a byte, the lowest first; the highest bit of a byte says that another follows,
//! and the next one of the last byte is the sign. <https://en.wikipedia.org/wiki/LEB128>
#![forbid(unsafe_code)]

use super::network::Block;
use std::io::{self, Read};
use thiserror::Error;

/// What a block begins with.
pub(super) const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";
/// Most bytes of a number of 16 bits.
const MAX_BYTES: u32 = 3;

/// Why a block cannot be read.
#[derive(Debug, Error)]
pub enum Leb128Error {
    /// The block ends within a number.
    #[error("number {0} is cut off")]
    Cut(usize),
    /// More bytes than any number of 16 bits takes.
    #[error("number {0} has more than {MAX_BYTES} bytes")]
    Long(usize),
    /// A number of more than 16 bits.
    #[error("number {index} is {value}, which has more than 16 bits")]
    Range {
        /// Which number of the block.
        index: usize,
        /// What it is.
        value: i32,
    },
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Puts numbers together from bytes.
#[derive(Default)]
struct Decoder {
    blocks: Vec<Block>,
    /// Numbers so far.
    count: usize,
    /// Bits of the number begun.
    bits: u32,
    /// Bytes of the number begun.
    bytes: u32,
}

impl Decoder {
    #[inline(always)]
    fn feed(&mut self, byte: u8) -> Result<(), Leb128Error> {
        if self.bytes == MAX_BYTES {
            return Err(Leb128Error::Long(self.count));
        }
        self.bits |= u32::from(byte & 0x7F) << (7 * self.bytes);
        self.bytes += 1;
        if byte & 0x80 != 0 {
            return Ok(());
        }
        // The last byte's sign fills what is above.
        let unused = 32 - 7 * self.bytes;
        let value = (self.bits << unused).cast_signed() >> unused;
        (self.bits, self.bytes) = (0, 0);
        let Ok(number) = i16::try_from(value) else {
            return Err(Leb128Error::Range {
                index: self.count,
                value,
            });
        };
        let at = self.count % 32;
        if at == 0 {
            self.blocks.push(Block::ZERO);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.0[at] = number;
        }
        self.count += 1;
        Ok(())
    }
}

/// Reads the numbers of a block of so many bytes: the numbers, with zeros to fill the last
/// [`Block`], and how many there are.
pub(super) fn read(
    source: &mut impl Read,
    length: u64,
) -> Result<(Vec<Block>, usize), Leb128Error> {
    const PIECE: u64 = 1 << 16;
    let mut decoder = Decoder::default();
    // Most numbers take one byte.
    decoder.blocks.reserve(length as usize / 32);
    let mut buffer = vec![0; PIECE.min(length) as usize];
    let mut left = length;
    while left > 0 {
        let piece = &mut buffer[..PIECE.min(left) as usize];
        source.read_exact(piece)?;
        left -= piece.len() as u64;
        for &byte in &*piece {
            decoder.feed(byte)?;
        }
    }
    if decoder.bytes > 0 {
        return Err(Leb128Error::Cut(decoder.count));
    }
    Ok((decoder.blocks, decoder.count))
}

/// Appends a number, for tests.
#[cfg(test)]
pub(super) fn write(bytes: &mut Vec<u8>, number: i16) {
    let mut rest = number;
    loop {
        let byte = (rest & 0x7F) as u8;
        rest >>= 7;
        let is_last = rest == if byte & 0x40 == 0 { 0 } else { -1 };
        bytes.push(byte | if is_last { 0 } else { 0x80 });
        if is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Vec<i16>, Leb128Error> {
        let (blocks, count) = read(&mut &bytes[..], bytes.len() as u64)?;
        assert_eq!(blocks.len(), count.div_ceil(32));
        let numbers = blocks.iter().flat_map(|block| block.0);
        Ok(numbers.take(count).collect())
    }

    #[test]
    fn every_number_comes_back() {
        let numbers: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        let mut bytes = Vec::new();
        for &number in &numbers {
            write(&mut bytes, number);
        }
        assert_eq!(decode(&bytes).unwrap(), numbers);
        assert!(decode(&[]).unwrap().is_empty());
    }

    #[test]
    fn known_bytes() {
        let known = [0x02, 0x7E, 0xFF, 0x00, 0x80, 0x7F, 0x80, 0x01, 0x81, 0x7F];
        assert_eq!(decode(&known).unwrap(), [2, -2, 127, -128, 128, -127]);
        // Longer than need be, but not too long.
        assert_eq!(decode(&[0x80, 0x80, 0x00]).unwrap(), [0]);
    }

    #[test]
    fn bad_blocks_are_told_apart() {
        let says = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(says(&[1, 2, 0x80]), "number 2 is cut off");
        let long = says(&[1, 0x80, 0x80, 0x80, 0x00]);
        assert_eq!(long, "number 1 has more than 3 bytes");
        // 32768
        let large = says(&[0x80, 0x80, 0x02]);
        assert!(large.starts_with("number 0 is 32768"), "{large}");
        assert!(matches!(read(&mut &[1_u8][..], 5), Err(Leb128Error::Io(_))));
    }
}
