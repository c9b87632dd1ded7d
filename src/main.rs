//! The program: see the library for what it does.

use komaoto::{tools::cpu, usi};

/// Looks at the CPU before anything else runs, the Rust runtime included.
// SAFETY: these are the sections that hold pointers to functions without arguments to be called
// before `main`; the function does not depend on anything being initialised.
#[used]
#[cfg_attr(
    any(target_os = "linux", target_os = "android", target_os = "freebsd"),
    unsafe(link_section = ".init_array")
)]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static CHECK_CPU: extern "C" fn() = cpu::require;

fn main() {
    usi::run(std::env::args_os().skip(1).collect())
}
