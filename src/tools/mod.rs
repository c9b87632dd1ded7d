//! What the engine offers beside playing, and what its commands have in common.

pub mod arguments;
pub mod bench;
pub mod console;
pub mod cpu;
pub mod files;
#[allow(unsafe_code, reason = "signals; the use says why it is sound")]
pub mod interrupt;
pub mod openings;
pub mod random;
pub mod referee;
