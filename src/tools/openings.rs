//! Lists of positions that games start from: one SFEN a line; lines that begin with `#` are comments.
#![forbid(unsafe_code)]

use crate::position::{Position, SfenError};
use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// The file.
    #[error("openings {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        error: io::Error,
    },
    /// One of them.
    #[error("openings {}, line {line}: {error}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        error: SfenError,
    },
    /// All of them.
    #[error("openings {}: expected an SFEN a line, found none", .path.display())]
    None {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the positions of a file: at least one.
///
/// # Errors
/// When it cannot be read, holds a line that is no SFEN, or no position.
pub fn read(path: &Path) -> Result<Vec<Position>, OpeningsError> {
    let text = fs::read_to_string(path).map_err(|error| OpeningsError::Read {
        path: path.into(),
        error,
    })?;
    parse(&text, path)
}

/// Reads the positions of a text, which errors call by this path.
///
/// # Errors
/// When it holds a line that is no SFEN, or no position.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Position>, OpeningsError> {
    let lines = text.lines().map(str::trim).zip(1..);
    let openings: Vec<Position> = lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(text, line)| {
            Position::from_sfen(text).map_err(|error| OpeningsError::Line {
                path: path.into(),
                line,
                error,
            })
        })
        .collect::<Result<_, _>>()?;
    if openings.is_empty() {
        return Err(OpeningsError::None { path: path.into() });
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::Folder;

    #[test]
    fn faults_are_told_with_their_line() {
        let folder = Folder::new("openings");
        let path = folder.file("a.sfen");
        let start = Position::startpos().to_sfen();
        let read_text = |text: &str| {
            fs::write(&path, text).unwrap();
            read(&path).map_err(|error| error.to_string())
        };
        let found = read_text(&format!("# two of them\n{start}\n\n  {start}\n")).unwrap();
        assert_eq!(found.len(), 2);
        let text = read_text(&format!("{start}\n# next\nabc\n")).unwrap_err();
        assert!(text.contains("a.sfen, line 3: "), "{text}");
        let text = read_text("# none\n").unwrap_err();
        assert!(
            text.ends_with("expected an SFEN a line, found none"),
            "{text}"
        );
        let text = read(&folder.file("missing")).unwrap_err().to_string();
        assert!(text.contains("missing"), "{text}");
    }
}
