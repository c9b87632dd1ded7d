//! Numbers of variable length: blocks of signed LEB128, with which networks with layer stacks compress the
//! feature transformer.
//!
//! Seven bits to a byte, the lowest first; the highest bit of a byte says that another follows,
//! and the next one of the last byte is the sign. <https://en.wikipedia.org/wiki/LEB128>
#![forbid(unsafe_code)]

use crate::eval::nnue::layers::Block;
use crate::memory::bytes_of_mut;
use std::io::{self, Read};
use thiserror::Error;

/// What a block begins with.
pub const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";
/// Most bytes of a number of 16 bits.
const MAX_BYTES: usize = 3;

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

/// Calls `visit` with `length` bytes, piece by piece. It returns how many of the bytes of a piece, few
/// at its end, it wants to see again at the start of the next one.
fn pieces<E: From<io::Error>>(
    source: &mut impl Read,
    length: u64,
    mut visit: impl FnMut(&[u8]) -> Result<usize, E>,
) -> Result<(), E> {
    let mut buffer = Vec::new();
    let mut left = length;
    let mut kept = 0;
    while left > 0 {
        let new = PIECE.min(left) as usize;
        buffer.resize(kept + new, 0);
        source.read_exact(&mut buffer[kept..])?;
        left -= new as u64;
        let seen = buffer.len();
        kept = visit(&buffer)?;
        buffer.copy_within(seen - kept.., 0);
    }
    Ok(())
}

/// Counts the numbers of a block of `length` bytes.
pub fn count(source: &mut impl Read, length: u64) -> io::Result<usize> {
    let mut count = 0;
    pieces(source, length, |piece| {
        // What is no last byte of a number has its highest bit set.
        count += piece.iter().filter(|&&byte| byte < 0x80).count();
        io::Result::Ok(0)
    })?;
    Ok(count)
}

/// Bytes decoded together. Most numbers of a network take one.
const WINDOW: usize = 8;
/// The highest bit of each byte of a window.
const HIGHEST: u64 = 0x8080_8080_8080_8080;

/// The number in the first `length` bytes, 1 to [`MAX_BYTES`], of a word.
#[inline(always)]
fn number_in(word: u32, length: usize) -> i32 {
    let bits = word & 0x7F | word >> 1 & 0x3F80 | word >> 2 & 0x1F_C000;
    // The last byte's sign fills what is above.
    let unused = 32 - 7 * length;
    (bits << unused).cast_signed() >> unused
}

/// Decodes numbers of one byte each. Three loops, because compilers then see vectors.
#[inline(always)]
fn decode_short(bytes: &[u8; WINDOW], numbers: &mut [[u8; 2]; WINDOW]) {
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

/// A number as memory has it.
#[inline(always)]
fn to_bytes(value: i32, index: usize) -> Result<[u8; 2], Leb128Error> {
    let number = i16::try_from(value).map_err(|_| Leb128Error::Range { index, value })?;
    Ok(number.to_ne_bytes())
}

/// Puts numbers together from bytes.
struct Decoder<'a> {
    numbers: &'a mut [[u8; 2]],
    /// Numbers so far.
    count: usize,
}

impl Decoder<'_> {
    /// Decodes as many numbers as the bytes hold to their end. How many bytes are left over: the
    /// beginning of a number.
    fn decode(&mut self, bytes: &[u8]) -> Result<usize, Leb128Error> {
        let mut rest = self.decode_windows(bytes)?;
        while let Some(last) = rest.iter().position(|&byte| byte < 0x80) {
            let (number, others) = rest.split_at(last + 1);
            if number.len() > MAX_BYTES {
                return Err(Leb128Error::Long(self.count));
            }
            let mut word = [0; 4];
            word[..number.len()].copy_from_slice(number);
            let value = number_in(u32::from_le_bytes(word), number.len());
            let number = to_bytes(value, self.count)?;
            if let Some(place) = self.numbers.get_mut(self.count) {
                *place = number;
            }
            self.count += 1;
            rest = others;
        }
        if rest.len() > MAX_BYTES {
            return Err(Leb128Error::Long(self.count));
        }
        Ok(rest.len())
    }

    /// Decodes while there are bytes and room for a whole window; returns the bytes left.
    fn decode_windows<'a>(&mut self, mut bytes: &'a [u8]) -> Result<&'a [u8], Leb128Error> {
        while let Some(window) = bytes.first_chunk::<WINDOW>()
            && let Some(room) = self.numbers.get_mut(self.count..)
            && let Some(room) = room.first_chunk_mut::<WINDOW>()
        {
            // As if all numbers took one byte: true of those before the first that does not. What
            // is wrong behind it is overwritten later.
            decode_short(window, room);
            // That one, or the last one of the window if there is none, is decoded in full: with
            // one way through there is nothing for the processor to guess.
            let word = u64::from_le_bytes(*window);
            let first = word & HIGHEST | 1 << 63;
            let short = first.trailing_zeros() as usize / 8;
            let before = !first & (first - 1);
            let ends = !word & HIGHEST & !before;
            let index = self.count + short;
            if ends == 0 && short + MAX_BYTES >= WINDOW {
                // It goes on behind the window; the next one begins with it.
                self.count = index;
                bytes = &bytes[short..];
                continue;
            }
            let length = ends.trailing_zeros() as usize / 8 + 1 - short;
            if length > MAX_BYTES {
                return Err(Leb128Error::Long(index));
            }
            let value = number_in((word >> (8 * short)) as u32, length);
            room[short] = to_bytes(value, index)?;
            self.count = index + 1;
            bytes = &bytes[short + length..];
        }
        Ok(bytes)
    }
}

/// Reads the numbers of a block of `length` bytes, as many as there is room for. Room that is left
/// over may be written to as well.
pub fn read(source: &mut impl Read, length: u64, blocks: &mut [Block]) -> Result<(), Leb128Error> {
    let (numbers, _) = bytes_of_mut(blocks).as_chunks_mut::<2>();
    let mut decoder = Decoder { numbers, count: 0 };
    let mut left_over = 0;
    pieces(source, length, |piece| {
        left_over = decoder.decode(piece)?;
        Ok::<_, Leb128Error>(left_over)
    })?;
    match left_over {
        0 => Ok(()),
        _ => Err(Leb128Error::Cut(decoder.count)),
    }
}

/// Appends a number, for tests.
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
    fn numbers_come_back_wherever_pieces_end() {
        // Of all lengths in any order, three bytes each at most, over more than one piece.
        let mut random = StdRng::seed_from_u64(7);
        let numbers: Vec<i16> = (0..3 * PIECE)
            .map(|_| random.random::<i16>() >> random.random_range(0..16))
            .collect();
        let mut bytes = Vec::new();
        for &number in &numbers {
            write(&mut bytes, number);
        }
        let found = decode(&bytes).unwrap();
        let wrong = found.iter().zip(&numbers).position(|(a, b)| a != b);
        assert_eq!((wrong, found.len()), (None, numbers.len()));
        // Faults are told by the number they are in, at the end of a piece as well.
        let before = PIECE as usize - 2;
        for (fault, told) in [
            (&[0x80, 0x80, 0x80, 0x00][..], "has more than 3 bytes"),
            (&[0xFF, 0xFF, 0x02], "is 49151, which"),
            (&[0x80, 0x80, 0x80], "is cut off"),
            (&[0x80], "is cut off"),
        ] {
            for ones in [before, before + 1, 4, 8] {
                let mut bytes = vec![1; ones];
                bytes.extend(fault);
                let error = decode(&bytes).unwrap_err().to_string();
                assert!(
                    error.starts_with(&format!("number {ones} {told}")),
                    "{error}"
                );
            }
        }
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
