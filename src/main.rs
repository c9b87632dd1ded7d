//! The `komaoto` executable: runs a subcommand, or else USI.

use komaoto::cli::{console, cpu};
use komaoto::{data, selfplay, train, usi};
use std::process::ExitCode;

fn main() -> ExitCode {
    cpu::require();
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let first = arguments.first().and_then(|argument| argument.to_str());
    match first {
        Some("data") => data::command::main(arguments.split_off(1)),
        Some("datagen") => selfplay::main(arguments.split_off(1)),
        Some("train") => train::main(arguments.split_off(1)),
        Some("--help" | "-h") => usi::run(vec!["help".into()]),
        Some("--version" | "-V") => {
            console::print(concat!("Komaoto ", env!("CARGO_PKG_VERSION")));
            ExitCode::SUCCESS
        }
        _ => usi::run(arguments),
    }
}
