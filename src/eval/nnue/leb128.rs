//! Numbers of variable length: blocks of signed LEB128, as networks with layer stacks compress the
//! first layer with.
//!
//! Seven bits to a byte, the lowest first; the highest bit of a byte says that another follows,
//! and the next one of the last byte is the sign. <https://en.wikipedia.org/wiki/LEB128>
#![forbid(unsafe_code)]

use super::network::Block;
use crate::memory::bytes_of_mut;
use std::io::{self, Read};
use std::slice;
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

/// Bytes that are read at once.
const PIECE: u64 = 1 << 16;

/// Calls `visit` with so many bytes, piece by piece.
fn pieces<E: From<io::Error>>(
    source: &mut impl Read,
    length: u64,
    mut visit: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; PIECE.min(length) as usize];
    let mut left = length;
    while left > 0 {
        let piece = &mut buffer[..PIECE.min(left) as usize];
        source.read_exact(piece)?;
        left -= piece.len() as u64;
        visit(piece)?;
    }
    Ok(())
}

/// How many numbers a block of so many bytes holds.
pub(super) fn count(source: &mut impl Read, length: u64) -> io::Result<usize> {
    let mut count = 0;
    pieces(source, length, |piece| {
        // What is no last byte of a number has its highest bit set.
        count += piece.iter().filter(|&&byte| byte < 0x80).count();
        io::Result::Ok(())
    })?;
    Ok(count)
}

/// Puts numbers together from bytes.
struct Decoder<'a> {
    numbers: slice::IterMut<'a, [u8; 2]>,
    /// Numbers so far.
    count: usize,
    /// Bits of the number begun.
    bits: u32,
    /// Bytes of the number begun.
    bytes: u32,
}

impl Decoder<'_> {
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
        let Ok(value) = i16::try_from(value) else {
            let index = self.count;
            return Err(Leb128Error::Range { index, value });
        };
        if let Some(number) = self.numbers.next() {
            *number = value.to_ne_bytes();
        }
        self.count += 1;
        Ok(())
    }
}

/// Reads the numbers of a block of so many bytes, as many as there is room for.
pub(super) fn read(
    source: &mut impl Read,
    length: u64,
    blocks: &mut [Block],
) -> Result<(), Leb128Error> {
    let (numbers, _) = bytes_of_mut(blocks).as_chunks_mut::<2>();
    let mut decoder = Decoder {
        numbers: numbers.iter_mut(),
        count: 0,
        bits: 0,
        bytes: 0,
    };
    pieces(source, length, |piece| {
        piece.iter().try_for_each(|&byte| decoder.feed(byte))
    })?;
    match decoder.bytes {
        0 => Ok(()),
        _ => Err(Leb128Error::Cut(decoder.count)),
    }
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
        let length = bytes.len() as u64;
        let count = count(&mut &bytes[..], length)?;
        let mut blocks = vec![Block::ZERO; count.div_ceil(32)];
        read(&mut &bytes[..], length, &mut blocks)?;
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
        assert!(matches!(
            read(&mut &[1_u8][..], 5, &mut []),
            Err(Leb128Error::Io(_))
        ));
    }
}
