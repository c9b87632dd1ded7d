//! The header of a game file: what the games in it are.
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | `KOMAGAME` |
//! | 8 | u32 | version, 1 |
//! | 12 | u32 | length *n* of the text |
//! | 16 | *n* bytes | lines `key value`, UTF-8 |
//! | 16 + *n* | u32 | CRC-32 of everything before |
#![forbid(unsafe_code)]

use super::error::Problem;
use crate::eval::units::ScoreUnit;

/// First bytes of every game file.
const MAGIC: &[u8; 8] = b"KOMAGAME";
/// Version of the format.
pub const VERSION: u32 = 1;
/// Bytes before the text.
const FIXED: usize = 16;
/// Longest text taken for one.
const MAX_TEXT: usize = 1 << 16;
/// Longest header.
pub(super) const MAX_LENGTH: usize = FIXED + MAX_TEXT + 4;

/// What the games of a file are.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// Name and version of the engine that played.
    pub engine: String,
    /// The evaluation it played with.
    pub evaluation: String,
    /// Hash of the file of that evaluation; 0 if it came from none.
    pub evaluation_hash: u64,
    /// The unit of the scores in the file, from the view of the side to move: centipawns in new files.
    pub unit: ScoreUnit,
    /// Whatever else decided the games, by name: nodes, seed and so on.
    pub settings: Vec<(String, String)>,
}

impl Header {
    /// A setting by name.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The text: one line for every field.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let fields = [
            ("engine", self.engine.clone()),
            ("evaluation", self.evaluation.clone()),
            ("evaluation-hash", format!("{:016x}", self.evaluation_hash)),
            ("pawn", self.unit.pawn().to_string()),
        ];
        let settings = self.settings.iter();
        let settings = settings.map(|(key, value)| (key.as_str(), value.clone()));
        for (key, value) in fields.into_iter().chain(settings) {
            // A line break in a value would make two lines of it.
            let value = value.replace(['\n', '\r'], " ");
            text.push_str(&format!("{key} {value}\n"));
        }
        text
    }

    fn from_text(text: &str) -> Result<Header, &'static str> {
        let mut lines = text
            .lines()
            .map(|line| line.split_once(' ').unwrap_or((line, "")));
        let mut field = |name| match lines.next() {
            Some((key, value)) if key == name => Ok(value),
            _ => Err("a field is missing"),
        };
        Ok(Header {
            engine: field("engine")?.into(),
            evaluation: field("evaluation")?.into(),
            evaluation_hash: u64::from_str_radix(field("evaluation-hash")?, 16)
                .map_err(|_| "its hash of the evaluation is none")?,
            unit: match field("pawn")?.parse() {
                Ok(0) | Err(_) => return Err("its value of a pawn is none"),
                Ok(pawn) => ScoreUnit::new(pawn),
            },
            settings: lines
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        })
    }

    /// The bytes of the header.
    pub(super) fn encode(&self) -> Vec<u8> {
        let text = self.text();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a header from the first bytes of a file; also says how long it is.
    pub(super) fn decode(bytes: &[u8]) -> Result<(Header, usize), Problem> {
        const CUT: Problem = Problem::Header("it is cut short");
        let number = |at: usize| -> Result<u32, Problem> {
            let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk());
            chunk.map(|&chunk| u32::from_le_bytes(chunk)).ok_or(CUT)
        };
        let shown = bytes.len().min(MAGIC.len());
        if bytes.is_empty() {
            return Err(Problem::Empty);
        }
        if bytes[..shown] != MAGIC[..shown] {
            return Err(Problem::NoGameFile);
        }
        let version = number(8)?;
        if version != VERSION {
            return Err(Problem::Version(version));
        }
        let end = FIXED + (number(12)? as usize).min(MAX_TEXT + 1);
        if end > FIXED + MAX_TEXT {
            return Err(Problem::Header("its length is not possible"));
        }
        let text = bytes.get(FIXED..end).ok_or(CUT)?;
        if number(end)? != crc32fast::hash(&bytes[..end]) {
            return Err(Problem::Header("its checksum is wrong"));
        }
        let text = std::str::from_utf8(text).map_err(|_| Problem::Header("it is no text"))?;
        let header = Header::from_text(text).map_err(Problem::Header)?;
        Ok((header, end + 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            engine: "Komaoto 0.1.0".into(),
            evaluation: "hand-written".into(),
            evaluation_hash: 0x1234,
            unit: ScoreUnit::CENTIPAWNS,
            settings: vec![("nodes".into(), "1000".into()), ("seed".into(), "7".into())],
        }
    }

    #[test]
    fn headers_round_trip() {
        let bytes = header().encode();
        let (read, length) = Header::decode(&[&bytes[..], b"more"].concat()).unwrap();
        assert_eq!((read, length), (header(), bytes.len()));
        assert_eq!(header().setting("seed"), Some("7"));
        assert_eq!(header().setting("speed"), None);
    }

    #[test]
    fn no_part_of_a_header_is_a_header() {
        let bytes = header().encode();
        for length in 0..bytes.len() {
            assert!(Header::decode(&bytes[..length]).is_err(), "{length}");
        }
        for index in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[index] ^= 1;
            assert!(Header::decode(&bytes).is_err(), "{index}");
        }
    }
}
