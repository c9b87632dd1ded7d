//! A file as it is read: from front to back, with looks ahead.
#![forbid(unsafe_code)]

use std::io::{self, Read, Seek, SeekFrom};

/// A file of known length that is read from front to back.
pub(super) struct Source<R> {
    file: R,
    length: u64,
    at: u64,
}

impl<R: Read + Seek> Source<R> {
    pub fn new(file: R, length: u64) -> Source<R> {
        Source {
            file,
            length,
            at: 0,
        }
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

    /// So many bytes; whoever asks knows that the file has them.
    pub fn take_bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// So many numbers of 32 bits.
    pub fn numbers(&mut self, count: usize) -> io::Result<Vec<i32>> {
        let bytes = self.take_bytes(count * 4)?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|&bytes| i32::from_le_bytes(bytes)).collect())
    }

    /// The word at a place further on, if the file reaches so far. What is read next stays the
    /// same.
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

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}
