//! The program: see the library for what it does.

use komaoto::{tools::cpu, usi};
use std::process::ExitCode;

fn main() -> ExitCode {
    if cpu::complain_if_unfit() {
        return ExitCode::FAILURE;
    }
    start()
}

/// Not part of `main`, which runs before the CPU is known to be fit for more than the basics.
#[inline(never)]
fn start() -> ! {
    usi::run(std::env::args_os().skip(1).collect())
}
