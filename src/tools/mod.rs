//! Commands beside the protocol.

pub mod bench;
