//! Lists of positions that games start from: one SFEN a line, with or without the word `sfen` before
//! it; lines that begin with `#` are comments.
#![forbid(unsafe_code)]

use crate::cli::files;
use crate::position::{Position, SfenError};
use crate::types::Color;
use std::io;
use std::path::{Path, PathBuf};
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
    /// A game cannot start from one of them.
    #[error("openings {}, line {line}: expected both kings and a legal move", .path.display())]
    Over {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
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
/// When it cannot be read, holds a line that is no SFEN or no start of a game, or no position.
pub fn read(path: &Path) -> Result<Vec<Position>, OpeningsError> {
    let bytes = files::read(path).map_err(|error| OpeningsError::Read {
        path: path.into(),
        error,
    })?;
    parse(&String::from_utf8_lossy(&bytes), path)
}

/// Reads the positions of a text, which errors call by this path.
///
/// # Errors
/// When it holds a line that is no SFEN or no start of a game, or no position.
pub fn parse(text: &str, path: &Path) -> Result<Vec<Position>, OpeningsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().map(str::trim).zip(1..);
    let openings: Vec<Position> = lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(text, line)| {
            let text = text.strip_prefix("sfen ").unwrap_or(text);
            let position = Position::from_sfen(text).map_err(|error| OpeningsError::Line {
                path: path.into(),
                line,
                error,
            })?;
            let has_kings = Color::ALL.map(|side| position.king(side).is_some()) == [true; 2];
            if !has_kings || !position.has_legal_move() {
                let path = path.into();
                return Err(OpeningsError::Over { path, line });
            }
            Ok(position)
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
    use crate::cli::testing::Folder;
    use std::fs;

    #[test]
    fn faults_are_told_with_their_line() {
        let folder = Folder::new("openings");
        let path = folder.file("a.sfen");
        let start = Position::startpos().to_sfen();
        let read_text = |text: &str| {
            fs::write(&path, text).unwrap();
            read(&path).map_err(|error| error.to_string())
        };
        let text = format!("\u{feff}# two of them\n{start}\n\n  sfen {start}\n");
        let found = read_text(&text).unwrap();
        assert_eq!(found.len(), 2);
        let text = read_text(&format!("{start}\n# next\nabc\n")).unwrap_err();
        assert!(text.contains("a.sfen, line 3: "), "{text}");
        for over in [
            "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
            "4k4/9/9/9/9/9/9/9/9 b - 1",
        ] {
            let text = read_text(over).unwrap_err();
            assert!(
                text.ends_with("line 1: expected both kings and a legal move"),
                "{text}"
            );
        }
        let text = read_text("# none\n").unwrap_err();
        assert!(
            text.ends_with("expected an SFEN a line, found none"),
            "{text}"
        );
        let text = read(&folder.file("missing")).unwrap_err().to_string();
        assert!(text.contains("missing"), "{text}");
    }
}
