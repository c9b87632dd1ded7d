//! How widely a network spreads its values, measured on a sample of positions.
//!
//! Nothing in a file tells how large the values of a network are: that depends on what it was
//! trained for, and `FV_SCALE` only says what a user should be shown. But every margin of the search
//! is a number of units of value. So the outputs of each network are scaled such that its values
//! are spread as widely as those the margins were tuned with, and all networks are searched alike.
#![forbid(unsafe_code)]

use super::explain::output;
use super::network::Network;
use crate::position::Position;

/// Positions from openings: balanced, so that a few lopsided ones do not decide.
const SAMPLE: &str = include_str!("../../../positions/openings.sfen");
/// So many of them are enough, and take a fraction of a millisecond.
const POSITIONS: usize = 128;

/// The median size of a network's outputs over the sample, at least 1.
pub(super) fn spread(network: &Network) -> i32 {
    let mut outputs: Vec<u32> = SAMPLE
        .lines()
        .filter_map(|line| Position::from_sfen(line).ok())
        .take(POSITIONS)
        .map(|position| output(network, network.backend, &position, None).unsigned_abs())
        .collect();
    let middle = outputs.len() / 2;
    let (_, median, _) = outputs.select_nth_unstable(middle);
    (*median).clamp(1, i32::MAX as u32) as i32
}
