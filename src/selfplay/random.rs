//! Random numbers that are the same everywhere: SplitMix64, <https://prng.di.unimi.it/splitmix64.c>.
#![forbid(unsafe_code)]

/// A generator.
pub struct Random(u64);

/// What the state grows by: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// A generator for one of several uses of a seed.
    pub fn new(seed: u64, purpose: u64) -> Random {
        let mut random = Random(seed);
        Random(random.number() ^ Random(purpose).number().rotate_left(32))
    }

    /// The generator of one game of a run.
    pub fn of_game(seed: u64, game: u32) -> Random {
        // Neighbouring seeds and games must not run through the same numbers.
        Random::new(seed, u64::from(game))
    }

    /// Any number, all equally likely.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number from 0 to `bound` - 1, all equally likely; `bound` is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        // The bias is below bound / 2^64.
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// A number from -1 to 1.
    pub fn symmetric(&mut self) -> f32 {
        // 24 bits are what a float can tell apart.
        (self.number() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Puts some things into random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            things.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random(1_234_567);
        let numbers = [random.number(), random.number(), random.number()];
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(numbers, published);
    }

    #[test]
    fn numbers_are_spread_and_games_differ() {
        let mut counts = [0; 11];
        for game in 0..11_000 {
            counts[Random::of_game(1, game).below(11)] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)));
        let first = |seed, game| Random::of_game(seed, game).number();
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(1, 2), first(1, 3));
    }
}
