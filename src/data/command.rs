//! `komaoto data`: statistics and conversion of files of games.
#![forbid(unsafe_code)]

use super::error::{DataError, DataProblem};
use super::files::{GameInput, GameOutput};
use super::header::GameFileHeader;
use super::info::info;
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::{console, interrupt};
use crate::eval::units::ScoreUnit;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

const HELP: &str = "\
komaoto data: files of games and positions
  komaoto data info FILE...               statistics: results, scores, move numbers, duplicates
  komaoto data convert IN OUT [--force]   converts to another format; --force overwrites OUT
Formats by extension: .koma (games of komaoto datagen), .psv or .bin (PackedSfenValue of
YaneuraOu), .hcpe (Apery, dlshogi, cshogi). Scores are converted to the unit of the format.";

/// Why `komaoto data` fails.
#[derive(Debug, Error)]
pub(super) enum CommandError {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("expected {0}")]
    Expected(&'static str),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("cannot write: {0}")]
    Stdout(#[from] io::Error),
}

/// Runs `komaoto data` with the arguments behind it.
pub fn main(mut arguments: Vec<OsString>) -> ExitCode {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    let rest = arguments.split_off(1);
    match run(&arguments[0], Arguments::new(rest)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the report has closed the pipe.
        Err(CommandError::Stdout(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            console::eprint_line(format_args!("komaoto data: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &OsString, mut arguments: Arguments) -> Result<(), CommandError> {
    match command.to_str() {
        Some("info") => {
            let files: Vec<PathBuf> = arguments.rest()?.into_iter().map(PathBuf::from).collect();
            if files.is_empty() {
                return Err(CommandError::Expected("info FILE..."));
            }
            Ok(info(&files, &mut io::stdout().lock())?)
        }
        Some("convert") => {
            let force = arguments.switch("--force");
            let files = arguments.rest()?;
            let [from, to] = &files[..] else {
                return Err(CommandError::Expected("convert IN OUT"));
            };
            interrupt::watch();
            let converted = convert(Path::new(from), Path::new(to), force)?;
            console::eprint_line(converted.summary());
            Ok(())
        }
        _ => Err(CommandError::Expected("info or convert")),
    }
}

/// What was converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Converted {
    pub games: u64,
    side_lines: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Positions that the format has no place for, as they are in side lines or before random moves.
    pub undecided: u64,
    /// TreeStrap positions that the format has no place for.
    pub treestrap: u64,
    /// The last game is truncated and left out.
    is_torn: bool,
}

impl Converted {
    fn summary(&self) -> String {
        let mut text = format!("{} games", self.games);
        if self.side_lines > 0 {
            text += &format!(" and {} side lines", self.side_lines);
        }
        text += &format!(", {} positions", self.positions);
        if self.undecided > 0 {
            text += &format!(
                "\nskipped {} positions without a result, in side lines or before random moves: the \
                 format requires one",
                self.undecided
            );
        }
        if self.treestrap > 0 {
            text += &format!(
                "\nskipped {} TreeStrap positions, which the format does not support",
                self.treestrap
            );
        }
        if self.is_torn {
            text += "\nskipped the last game, which is truncated";
        }
        text
    }
}

/// Converts a file to the format that the extension of `to` names, without what that format does not support.
///
/// # Errors
/// When one of the files cannot be used, or `to` exists and `force` is not given. An existing file is
/// kept then.
pub(super) fn convert(from: &Path, to: &Path, force: bool) -> Result<Converted, DataError> {
    let mut input = GameInput::open(from)?;
    let mut header = input.header().cloned().unwrap_or_else(|| GameFileHeader {
        engine: "unknown".into(),
        evaluation: "unknown".into(),
        evaluation_hash: 0,
        unit: ScoreUnit::CENTIPAWNS,
        settings: vec![("converted-from".into(), from.display().to_string())],
    });
    // Scores are converted as they are read.
    header.unit = ScoreUnit::CENTIPAWNS;
    let mut output = GameOutput::create(to, &header, force)?;
    let mut converted = Converted::default();
    for game in input.by_ref() {
        if interrupt::is_interrupted() {
            let problem = DataProblem::File("interrupted, nothing written");
            return Err(DataError::of_file(to, problem));
        }
        let game = game?;
        let written = output.write(&game)?;
        match game.is_side_line() {
            true => converted.side_lines += 1,
            false => converted.games += 1,
        }
        converted.positions += written as u64;
        converted.undecided += (game.searched() - written) as u64;
        if !output.has_treestrap() {
            converted.treestrap += game.treestrap() as u64;
        }
    }
    converted.is_torn = input.is_torn();
    output.finish()?;
    Ok(converted)
}
