//! Which types of the search are taken from the system as zeroed memory.

use super::history::PieceTo;
use crate::memory::Zeroable;
pub(super) use crate::memory::{HUGE_PAGE, zeroed_slice};

// SAFETY: statistics are integers, and integers of zero bytes are zeros.
unsafe impl Zeroable for PieceTo {}
