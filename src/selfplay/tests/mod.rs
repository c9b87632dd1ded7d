//! Unit tests of the selfplay module.

mod play;
