//! `komaoto data`.
#![forbid(unsafe_code)]

use super::convert::convert;
use super::error::DataError;
use super::info::{InfoError, info};
use crate::cli::arguments::{ArgumentError, Arguments};
use crate::cli::{console, interrupt};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

const HELP: &str = "\
komaoto data: files of games and positions
  komaoto data info FILE...               counts, results, scores, move numbers, duplicates
  komaoto data convert IN OUT [--force]   from one format to another; --force replaces OUT
The end of a name tells the format: .koma (games of komaoto datagen), .psv or .bin (PackedSfenValue
of YaneuraOu), .hcpe (Apery, cshogi). Scores are converted to the unit of the format.";

#[derive(Debug, Error)]
enum CommandError {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("expected convert IN OUT")]
    ConvertWhat,
    #[error("expected info FILE...")]
    InfoWhat,
    #[error("expected info or convert, found `{0}`")]
    Unknown(String),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Info(#[from] InfoError),
}

/// Carries out `komaoto data` with the arguments behind it.
pub fn main(mut arguments: Vec<OsString>) -> ExitCode {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help") {
        console::print(HELP);
        return ExitCode::SUCCESS;
    }
    let rest = arguments.split_off(1);
    match run(&arguments[0], Arguments::new(rest)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the report has seen enough.
        Err(CommandError::Info(InfoError::Output(error)))
            if error.kind() == io::ErrorKind::BrokenPipe =>
        {
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
                return Err(CommandError::InfoWhat);
            }
            Ok(info(&files, &mut io::stdout().lock())?)
        }
        Some("convert") => {
            let force = arguments.switch("--force");
            let files = arguments.rest()?;
            let [from, to] = &files[..] else {
                return Err(CommandError::ConvertWhat);
            };
            interrupt::watch();
            let converted = convert(Path::new(from), Path::new(to), force)?;
            let side_lines = match converted.side_lines {
                0 => String::new(),
                count => format!(" and {count} side lines"),
            };
            console::eprint_line(format_args!(
                "{} games{side_lines}, {} positions",
                converted.games, converted.positions
            ));
            if converted.undecided > 0 {
                console::eprint_line(format_args!(
                    "{} positions are left out: they stand in side lines or random moves came after \
                     them, and the format has no place for a result that is not known",
                    converted.undecided
                ));
            }
            if converted.visited > 0 {
                console::eprint_line(format_args!(
                    "{} positions that searches came by are left out: the format has no place for them",
                    converted.visited
                ));
            }
            if converted.torn {
                console::eprint_line("a last game was cut short and is left out");
            }
            Ok(())
        }
        _ => Err(CommandError::Unknown(command.to_string_lossy().into())),
    }
}
