//! What the subcommands share: arguments, terminal output, files, signals, threads, random numbers.

pub mod arguments;
pub mod console;
pub mod cpu;
pub mod files;
#[allow(unsafe_code, reason = "signal handlers")]
pub mod interrupt;
#[cfg(test)]
pub(crate) mod testing;

use rand::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::thread;

/// Logical CPUs, the default number of threads.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Applies a function to each item on a thread of its own. The results are in the order of the items.
pub fn parallel_map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let spawn = |item| scope.spawn(move || work(item));
        let threads: Vec<_> = items.into_iter().map(spawn).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results.map(|it| it.expect("a worker panicked")).collect()
    })
}

/// A random number generator with the same output in every version and on every machine.
pub type StableRng = Xoshiro256PlusPlus;

/// The generator for one purpose of a seed, such as the number of a game.
pub fn stable_rng(seed: u64, purpose: u64) -> StableRng {
    // Seeding hashes the number, so neighbouring seeds and purposes are independent.
    let base = StableRng::seed_from_u64(seed).next_u64();
    StableRng::seed_from_u64(base ^ purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_give_the_same_numbers_for_ever() {
        assert_eq!(stable_rng(1, 2).next_u64(), 9_339_522_238_128_297_617);
        assert_eq!(stable_rng(2, 1).next_u64(), 16_324_589_802_674_584_642);
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let squares = parallel_map(0..8u64, |number| number * number);
        assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49]);
    }
}
