//! What the commands of the command line have in common.

use rand::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub mod arguments;
pub mod console;
pub mod cpu;
pub mod files;
#[allow(unsafe_code, reason = "signals; the use says why it is sound")]
pub mod interrupt;
#[cfg(test)]
pub(crate) mod testing;

/// A generator of random numbers that are the same with every version, on every machine.
pub type StableRng = Xoshiro256PlusPlus;

/// The generator for one of several uses of a seed, such as one of its games.
pub fn stable_rng(seed: u64, purpose: u64) -> StableRng {
    // Seeding hashes the number: neighbouring seeds and purposes have nothing in common.
    let base = StableRng::seed_from_u64(seed).next_u64();
    StableRng::seed_from_u64(base ^ purpose)
}

/// Logical CPUs, the default number of threads.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        assert_eq!(stable_rng(1, 2).next_u64(), 9_339_522_238_128_297_617);
        assert_eq!(stable_rng(2, 1).next_u64(), 16_324_589_802_674_584_642);
    }
}
