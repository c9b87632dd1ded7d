//! Blocks of signed LEB128 integers, which compress the feature transformer of networks with layer stacks.
//!
//! A byte holds seven bits, the lowest first. Its highest bit is set if another byte follows; bit 6 of the
//! last byte is the sign. <https://en.wikipedia.org/wiki/LEB128>
#![forbid(unsafe_code)]

use crate::eval::nnue::layers::Block;
use crate::memory::bytes_of_mut;
use std::io::{self, Read};
use thiserror::Error;

/// The first bytes of a block, before its length.
pub const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";
/// Most bytes of a 16-bit integer.
const MAX_BYTES: usize = 3;

/// Why a block cannot be decoded.
#[derive(Debug, Error)]
pub enum Leb128Error {
    /// The block ends within an integer.
    #[error("integer {0} is truncated")]
    Truncated(usize),
    /// An integer has more bytes than any 16-bit integer needs.
    #[error("integer {0} has more than {MAX_BYTES} bytes")]
    TooLong(usize),
    /// An integer does not fit in 16 bits.
    #[error("integer {index} is {value}, out of the range of 16 bits")]
    OutOfRange {
        /// Its index in the block.
        index: usize,
        /// Its value.
        value: i32,
    },
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Bytes read at once.
const BUFFER: u64 = 1 << 16;

/// Reads `length` bytes and calls `visit` for each buffer of them. `visit` returns the number of bytes at
/// the end that it has not consumed; the next buffer starts with them.
fn for_each_buffer<E: From<io::Error>>(
    source: &mut impl Read,
    length: u64,
    mut visit: impl FnMut(&[u8]) -> Result<usize, E>,
) -> Result<(), E> {
    let mut buffer = Vec::new();
    let mut left = length;
    let mut kept = 0;
    while left > 0 {
        let new = BUFFER.min(left) as usize;
        buffer.resize(kept + new, 0);
        source.read_exact(&mut buffer[kept..])?;
        left -= new as u64;
        let seen = buffer.len();
        kept = visit(&buffer)?;
        buffer.copy_within(seen - kept.., 0);
    }
    Ok(())
}

/// Counts the integers in a block of `length` bytes.
pub fn count(source: &mut impl Read, length: u64) -> io::Result<usize> {
    let mut count = 0;
    for_each_buffer(source, length, |buffer| {
        // Only the last byte of an integer has its highest bit clear.
        count += buffer.iter().filter(|&&byte| byte < 0x80).count();
        io::Result::Ok(0)
    })?;
    Ok(count)
}

/// Bytes decoded together. Most weights take one byte.
const WINDOW: usize = 8;
/// The continuation bit of each byte of a window.
const CONTINUATION_BITS: u64 = 0x8080_8080_8080_8080;

/// Decodes the integer in the first `length` bytes, 1 to [`MAX_BYTES`], of a word.
#[inline(always)]
fn decode_one(word: u32, length: usize) -> i32 {
    let bits = word & 0x7F | word >> 1 & 0x3F80 | word >> 2 & 0x1F_C000;
    // Sign extension from the last byte.
    let unused = 32 - 7 * length;
    (bits << unused).cast_signed() >> unused
}

/// Decodes integers of one byte each. Compilers vectorise three loops, but not one.
#[inline(always)]
fn decode_one_byte_each(bytes: &[u8; WINDOW], numbers: &mut [[u8; 2]; WINDOW]) {
    let mut wide = [0; WINDOW];
    for (number, &byte) in wide.iter_mut().zip(bytes) {
        *number = i16::from(byte);
    }
    for number in &mut wide {
        *number = *number << 9 >> 9;
    }
    for (place, number) in numbers.iter_mut().zip(wide) {
        *place = number.to_ne_bytes();
    }
}

/// The 16-bit integer in native byte order, if `value` fits.
#[inline(always)]
fn to_bytes(value: i32, index: usize) -> Result<[u8; 2], Leb128Error> {
    let number = i16::try_from(value).map_err(|_| Leb128Error::OutOfRange { index, value })?;
    Ok(number.to_ne_bytes())
}

/// Decodes a block buffer by buffer.
struct Decoder<'a> {
    /// Where the integers go, in native byte order.
    numbers: &'a mut [[u8; 2]],
    /// Integers decoded so far.
    count: usize,
}

impl Decoder<'_> {
    /// Decodes all complete integers. Returns how many bytes remain: the start of the next integer.
    fn decode(&mut self, bytes: &[u8]) -> Result<usize, Leb128Error> {
        let mut rest = self.decode_windows(bytes)?;
        while let Some(last) = rest.iter().position(|&byte| byte < 0x80) {
            let (number, others) = rest.split_at(last + 1);
            if number.len() > MAX_BYTES {
                return Err(Leb128Error::TooLong(self.count));
            }
            let mut word = [0; 4];
            word[..number.len()].copy_from_slice(number);
            let value = decode_one(u32::from_le_bytes(word), number.len());
            let number = to_bytes(value, self.count)?;
            if let Some(place) = self.numbers.get_mut(self.count) {
                *place = number;
            }
            self.count += 1;
            rest = others;
        }
        if rest.len() > MAX_BYTES {
            return Err(Leb128Error::TooLong(self.count));
        }
        Ok(rest.len())
    }

    /// Decodes while there are bytes and room for a whole window; returns the remaining bytes.
    fn decode_windows<'a>(&mut self, mut bytes: &'a [u8]) -> Result<&'a [u8], Leb128Error> {
        while let Some(window) = bytes.first_chunk::<WINDOW>()
            && let Some(room) = self.numbers.get_mut(self.count..)
            && let Some(room) = room.first_chunk_mut::<WINDOW>()
        {
            // Decode as if every integer took one byte, which is right up to the first longer one. The
            // rest is overwritten by the next windows.
            decode_one_byte_each(window, room);
            // Decode the first longer one, or the last of the window if there is none. A special case for
            // windows without a longer one would cost mispredicted branches.
            let word = u64::from_le_bytes(*window);
            let first = word & CONTINUATION_BITS | 1 << 63;
            let short = first.trailing_zeros() as usize / 8;
            let before = !first & (first - 1);
            let ends = !word & CONTINUATION_BITS & !before;
            let index = self.count + short;
            if ends == 0 && short + MAX_BYTES >= WINDOW {
                // It continues beyond the window; start the next window with it.
                self.count = index;
                bytes = &bytes[short..];
                continue;
            }
            let length = ends.trailing_zeros() as usize / 8 + 1 - short;
            if length > MAX_BYTES {
                return Err(Leb128Error::TooLong(index));
            }
            let value = decode_one((word >> (8 * short)) as u32, length);
            room[short] = to_bytes(value, index)?;
            self.count = index + 1;
            bytes = &bytes[short + length..];
        }
        Ok(bytes)
    }
}

/// Decodes a block of `length` bytes into `blocks`; integers beyond their end are checked and dropped. What
/// `blocks` hold beyond the last integer is unspecified.
pub fn read(source: &mut impl Read, length: u64, blocks: &mut [Block]) -> Result<(), Leb128Error> {
    let (numbers, _) = bytes_of_mut(blocks).as_chunks_mut::<2>();
    let mut decoder = Decoder { numbers, count: 0 };
    let mut unconsumed = 0;
    for_each_buffer(source, length, |buffer| {
        unconsumed = decoder.decode(buffer)?;
        Ok::<_, Leb128Error>(unconsumed)
    })?;
    match unconsumed {
        0 => Ok(()),
        _ => Err(Leb128Error::Truncated(decoder.count)),
    }
}

/// Appends an encoded integer, for tests.
#[cfg(test)]
pub fn write(bytes: &mut Vec<u8>, number: i16) {
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
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

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
    fn numbers_come_back_wherever_buffers_end() {
        // Integers of one to three bytes in random order, over several buffers.
        let mut random = StdRng::seed_from_u64(7);
        let numbers: Vec<i16> = (0..3 * BUFFER)
            .map(|_| random.random::<i16>() >> random.random_range(0..16))
            .collect();
        let mut bytes = Vec::new();
        for &number in &numbers {
            write(&mut bytes, number);
        }
        let found = decode(&bytes).unwrap();
        let wrong = found.iter().zip(&numbers).position(|(a, b)| a != b);
        assert_eq!((wrong, found.len()), (None, numbers.len()));
        // Errors give the index of the integer, at the end of a buffer too.
        let before = BUFFER as usize - 2;
        for (fault, told) in [
            (&[0x80, 0x80, 0x80, 0x00][..], "has more than 3 bytes"),
            (&[0xFF, 0xFF, 0x02], "is 49151, out"),
            (&[0x80, 0x80, 0x80], "is truncated"),
            (&[0x80], "is truncated"),
        ] {
            for ones in [before, before + 1, 4, 8] {
                let mut bytes = vec![1; ones];
                bytes.extend(fault);
                let error = decode(&bytes).unwrap_err().to_string();
                assert!(
                    error.starts_with(&format!("integer {ones} {told}")),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn known_bytes() {
        let known = [0x02, 0x7E, 0xFF, 0x00, 0x80, 0x7F, 0x80, 0x01, 0x81, 0x7F];
        assert_eq!(decode(&known).unwrap(), [2, -2, 127, -128, 128, -127]);
        // Overlong encodings of up to three bytes are accepted.
        assert_eq!(decode(&[0x80, 0x80, 0x00]).unwrap(), [0]);
    }

    #[test]
    fn bad_blocks_are_told_apart() {
        let says = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(says(&[1, 2, 0x80]), "integer 2 is truncated");
        let long = says(&[1, 0x80, 0x80, 0x80, 0x00]);
        assert_eq!(long, "integer 1 has more than 3 bytes");
        // 32768
        let large = says(&[0x80, 0x80, 0x02]);
        assert!(large.starts_with("integer 0 is 32768"), "{large}");
        assert!(matches!(
            read(&mut &[1_u8][..], 5, &mut []),
            Err(Leb128Error::Io(_))
        ));
    }
}
