//! The program: see the library for what it does.

use komaoto::{tools::cpu, usi};

fn main() {
    cpu::require();
    usi::run(std::env::args_os().skip(1).collect())
}
