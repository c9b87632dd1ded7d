//! `bench`: a fixed search that measures speed and shows whether behaviour changed.
#![forbid(unsafe_code)]

/// Searches the bench positions. `depth` in plies, `hash` in megabytes.
pub fn run(_depth: Option<i32>, _threads: Option<usize>, _hash: Option<usize>) {}
