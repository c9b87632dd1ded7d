//! What the commands of the command line have in common.

pub mod arguments;
pub mod console;
pub mod cpu;
pub mod files;
#[allow(unsafe_code, reason = "signals; the use says why it is sound")]
pub mod interrupt;
#[cfg(test)]
pub(crate) mod testing;

/// Logical CPUs, the default number of threads.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}
