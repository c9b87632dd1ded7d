//! What the engine offers beside playing.

pub mod bench;
pub mod cpu;
