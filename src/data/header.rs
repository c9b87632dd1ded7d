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

use super::bytes::ByteReader;
use super::error::DataProblem;
use crate::eval::units::ScoreUnit;

/// First bytes of every game file.
const MAGIC: &[u8; 8] = b"KOMAGAME";
/// Version of the format.
pub const VERSION: u32 = 1;
/// Longest text.
const MAX_TEXT: usize = 1 << 16;
/// Longest header.
pub(super) const MAX_LENGTH: usize = MAGIC.len() + 8 + MAX_TEXT + 4;

/// What the games of a file are.
#[derive(Clone, PartialEq, Debug)]
pub struct GameFileHeader {
    /// Name and version of the engine that played.
    pub engine: String,
    /// The network it played with.
    pub evaluation: String,
    /// Hash of the values of that network; 0 if it is unknown.
    pub evaluation_hash: u64,
    /// The unit of the scores in the file: centipawns in new files.
    pub unit: ScoreUnit,
    /// The settings that decided the games, by name: nodes, seed and so on.
    pub settings: Vec<(String, String)>,
}

impl GameFileHeader {
    /// A setting by name.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.settings.iter();
        let (_, value) = settings.find(|(key, _)| key == name)?;
        Some(value)
    }

    /// The text: a line for each field.
    pub fn text(&self) -> String {
        let fields = [
            ("engine", self.engine.clone()),
            ("evaluation", self.evaluation.clone()),
            ("evaluation-hash", format!("{:016x}", self.evaluation_hash)),
            ("pawn", self.unit.pawn().to_string()),
        ];
        let settings = self.settings.iter();
        let settings = settings.map(|(key, value)| (key.as_str(), value.clone()));
        // A line break in a value would begin another field.
        let line =
            |(key, value): (&str, String)| format!("{key} {}\n", value.replace(['\n', '\r'], " "));
        fields.into_iter().chain(settings).map(line).collect()
    }

    fn from_text(text: &str) -> Result<GameFileHeader, &'static str> {
        let mut lines = text
            .lines()
            .map(|line| line.split_once(' ').unwrap_or((line, "")));
        let mut field = |name| match lines.next() {
            Some((key, value)) if key == name => Ok(value),
            _ => Err("missing field"),
        };
        Ok(GameFileHeader {
            engine: field("engine")?.into(),
            evaluation: field("evaluation")?.into(),
            evaluation_hash: u64::from_str_radix(field("evaluation-hash")?, 16)
                .map_err(|_| "invalid evaluation hash")?,
            unit: match field("pawn")?.parse() {
                Ok(0) | Err(_) => return Err("invalid value of a pawn"),
                Ok(pawn) => ScoreUnit::new(pawn),
            },
            settings: lines
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        })
    }

    /// The first line that differs from another header, in both.
    pub(super) fn difference(&self, other: &GameFileHeader) -> Option<(String, String)> {
        let texts = [self.text(), other.text()];
        let name_of = |line: &str| line.split(' ').next().unwrap_or_default().to_string();
        let names = texts.iter().flat_map(|text| text.lines().map(name_of));
        let pairs = names.map(|name| {
            texts.each_ref().map(|text| {
                let line = text.lines().find(|line| name_of(line) == name);
                line.map_or_else(|| format!("no {name}"), str::to_string)
            })
        });
        pairs.map(<(String, String)>::from).find(|(a, b)| a != b)
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

    /// Reads a header from the first bytes of a file; also returns its length.
    pub(super) fn decode(bytes: &[u8]) -> Result<(GameFileHeader, usize), DataProblem> {
        if bytes.is_empty() {
            return Err(DataProblem::File("empty file"));
        }
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let problem = "expected a Komaoto game file, found something else";
            return Err(DataProblem::File(problem));
        };
        let mut reader = ByteReader {
            rest,
            truncated: "truncated",
        };
        let version = reader.u32().map_err(DataProblem::Header)?;
        if version != VERSION {
            return Err(DataProblem::Version(version));
        }
        let mut parse = || {
            let length = reader.u32()? as usize;
            if length > MAX_TEXT {
                return Err("too long");
            }
            let text = reader.take(length)?;
            let end = bytes.len() - reader.rest.len();
            if reader.u32()? != crc32fast::hash(&bytes[..end]) {
                return Err("checksum mismatch");
            }
            let text = std::str::from_utf8(text).map_err(|_| "invalid UTF-8")?;
            Ok((GameFileHeader::from_text(text)?, end + 4))
        };
        parse().map_err(DataProblem::Header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> GameFileHeader {
        GameFileHeader {
            engine: "Komaoto 0.1.0".into(),
            evaluation: "network".into(),
            evaluation_hash: 0x1234,
            unit: ScoreUnit::CENTIPAWNS,
            settings: vec![("nodes".into(), "1000".into()), ("seed".into(), "7".into())],
        }
    }

    #[test]
    fn headers_round_trip() {
        let bytes = header().encode();
        let (read, length) = GameFileHeader::decode(&[&bytes[..], b"more"].concat()).unwrap();
        assert_eq!((read, length), (header(), bytes.len()));
        assert_eq!(header().setting("seed"), Some("7"));
        assert_eq!(header().setting("speed"), None);
    }

    #[test]
    fn no_part_of_a_header_is_a_header() {
        let bytes = header().encode();
        for length in 0..bytes.len() {
            assert!(
                GameFileHeader::decode(&bytes[..length]).is_err(),
                "{length}"
            );
        }
        for index in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[index] ^= 1;
            assert!(GameFileHeader::decode(&bytes).is_err(), "{index}");
        }
    }
}
