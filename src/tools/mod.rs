//! What the engine offers beside playing.

pub mod arguments;
pub mod bench;
pub mod cpu;
