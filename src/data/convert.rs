//! From one format to another: `komaoto data convert`.
#![forbid(unsafe_code)]

use super::error::{DataError, Problem};
use super::files::{Input, Output};
use super::header::Header;
use crate::cli::interrupt;
use crate::eval::units::ScoreUnit;
use std::path::Path;

/// What was converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Converted {
    /// Games.
    pub games: u64,
    /// Side lines of them.
    pub side_lines: u64,
    /// Positions with a score that the output takes.
    pub positions: u64,
    /// Those it does not take, because they stand in side lines or random moves came after them.
    pub undecided: u64,
    /// Positions that searches came by, which the output does not take.
    pub visited: u64,
    /// The last game of the input was cut short and is left out.
    pub torn: bool,
}

/// Converts a file by the ends of both names. Positions without a score, or without a result because
/// random moves came after them, are dropped where the format has no place for them, as are headers
/// and what searches came by.
///
/// # Errors
/// When one of the files cannot be used, or the second exists and `force` is not given. The second is
/// then as it was.
pub fn convert(from: &Path, to: &Path, force: bool) -> Result<Converted, DataError> {
    let mut input = Input::open(from)?;
    let mut header = input.header().cloned().unwrap_or_else(|| Header {
        engine: "unknown".into(),
        evaluation: "unknown".into(),
        evaluation_hash: 0,
        unit: ScoreUnit::CENTIPAWNS,
        settings: vec![("converted-from".into(), from.display().to_string())],
    });
    // Scores are converted as they are read.
    header.unit = ScoreUnit::CENTIPAWNS;
    let mut output = Output::create(to, &header, force)?;
    let mut converted = Converted {
        games: 0,
        side_lines: 0,
        positions: 0,
        undecided: 0,
        visited: 0,
        torn: false,
    };
    for game in input.by_ref() {
        if interrupt::is_interrupted() {
            return Err(DataError::of_file(to, Problem::Interrupted));
        }
        let game = game?;
        let written = output.write(&game)?;
        if game.is_side_line() {
            converted.side_lines += 1;
        } else {
            converted.games += 1;
        }
        if !output.takes_branches() {
            let visited = game.branches.iter().filter(|it| it.found.is_some());
            converted.visited += visited.count() as u64;
        }
        converted.positions += written as u64;
        converted.undecided += (game.searched() - written) as u64;
    }
    converted.torn = input.is_torn();
    output.finish()?;
    Ok(converted)
}
