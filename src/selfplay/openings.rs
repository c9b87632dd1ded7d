//! Files of start positions: one SFEN per line, with or without the word `sfen` before it; lines that begin
//! with `#` are comments.
#![forbid(unsafe_code)]

use crate::cli::files;
use crate::position::{Position, SfenError};
use crate::types::Color;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file of openings cannot be used.
#[derive(Debug, Error)]
#[error("openings {}{}: {problem}", .path.display(), .line.map_or(String::new(), |line| format!(", line {line}")))]
pub struct OpeningsError {
    path: PathBuf,
    /// The line, from 1; `None` for the file as a whole.
    line: Option<usize>,
    problem: OpeningsProblem,
}

#[derive(Debug, Error)]
enum OpeningsProblem {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Sfen(#[from] SfenError),
    #[error("expected both kings and a legal move")]
    Over,
    #[error("expected an SFEN per line, found none")]
    Empty,
}

/// Reads the positions of a file: at least one.
///
/// # Errors
/// When the file cannot be read, has no position, or has a line that is not an SFEN or where no game can
/// start.
pub fn read(path: &Path) -> Result<Vec<Position>, OpeningsError> {
    let fail = |line, problem| OpeningsError {
        path: path.to_path_buf(),
        line,
        problem,
    };
    let bytes = files::read(path).map_err(|error| fail(None, error.into()))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().map(str::trim).zip(1..);
    let openings: Vec<Position> = lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(text, line)| parse(text).map_err(|problem| fail(Some(line), problem)))
        .collect::<Result<_, _>>()?;
    match openings.is_empty() {
        true => Err(fail(None, OpeningsProblem::Empty)),
        false => Ok(openings),
    }
}

fn parse(text: &str) -> Result<Position, OpeningsProblem> {
    let position = Position::from_sfen(text.strip_prefix("sfen ").unwrap_or(text))?;
    let has_kings = Color::ALL.iter().all(|&side| position.king(side).is_some());
    match has_kings && position.has_legal_move() {
        true => Ok(position),
        false => Err(OpeningsProblem::Over),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Folder;
    use std::fs;

    #[test]
    fn errors_name_their_line() {
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
            text.ends_with("expected an SFEN per line, found none"),
            "{text}"
        );
        let text = read(&folder.file("missing")).unwrap_err().to_string();
        assert!(text.contains("missing"), "{text}");
    }
}
