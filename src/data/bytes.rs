//! Reading little-endian numbers from bytes.
#![forbid(unsafe_code)]

/// The bytes not read yet, and the error when they are too few.
pub struct ByteReader<'a> {
    pub rest: &'a [u8],
    pub truncated: &'static str,
}

impl<'a> ByteReader<'a> {
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        self.rest.split_off(..length).ok_or(self.truncated)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(self.truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    pub fn u8(&mut self) -> Result<u8, &'static str> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Result<u16, &'static str> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, &'static str> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, &'static str> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn i16(&mut self) -> Result<i16, &'static str> {
        self.array().map(i16::from_le_bytes)
    }
}
