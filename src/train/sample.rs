//! A position as the trainer sees it.
#![forbid(unsafe_code)]

use crate::eval::nnue::OwnNetwork;
use crate::eval::units::PONANZA;
use crate::search::ScoreBound;

/// Features of a position for one side.
pub const ACTIVE: usize = OwnNetwork::ACTIVE;

/// A position with what is known about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Features for the side to move, then for the other side.
    pub features: [[u16; ACTIVE]; 2],
    /// Centipawns for the side to move.
    pub score: i16,
    /// What became of the side to move: 1 won, 0 drawn, -1 lost; [`NO_RESULT`] if a random move came
    /// between.
    pub result: i8,
    /// Which output of the network counts.
    pub output: u8,
    /// Whether the score is no more than a bound.
    pub bound: ScoreBound,
}

/// Bytes of a sample on disk.
pub const BYTES: usize = 4 * ACTIVE + 5;
/// In place of a result where there is none.
pub const NO_RESULT: i8 = i8::MIN;

/// The chance to win.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Sample {
    /// The chance to win by the search.
    pub fn by_score(&self) -> f32 {
        sigmoid(f32::from(self.score) / PONANZA)
    }

    /// The points of the game: 1, 0.5 or 0.
    pub fn by_result(&self) -> Option<f32> {
        (self.result != NO_RESULT).then(|| (f32::from(self.result) + 1.0) / 2.0)
    }

    /// What the network is to say: `lambda` parts of the search, the rest of the result if there is
    /// one.
    pub fn target(&self, lambda: f32) -> f32 {
        let score = self.by_score();
        lambda * score + (1.0 - lambda) * self.by_result().unwrap_or(score)
    }

    /// By how much a chance to win is more than what is known; 0 within a bound.
    pub fn error(&self, chance: f32, lambda: f32) -> f32 {
        let error = chance - self.target(lambda);
        match self.bound {
            ScoreBound::Exact => error,
            ScoreBound::Lower => error.min(0.0),
            ScoreBound::Upper => error.max(0.0),
        }
    }

    /// Appends the bytes of the sample.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        for &feature in self.features.as_flattened() {
            bytes.extend(feature.to_le_bytes());
        }
        bytes.extend(self.score.to_le_bytes());
        bytes.extend([self.result.cast_unsigned(), self.output, self.bound as u8]);
    }

    /// Reads back [`Sample::encode`].
    pub fn decode(bytes: &[u8; BYTES]) -> Sample {
        let (pairs, _) = bytes.as_chunks::<2>();
        let number = |i: usize| u16::from_le_bytes(pairs[i]);
        let side = |first| std::array::from_fn(|i| number(first + i));
        Sample {
            features: [side(0), side(ACTIVE)],
            score: number(2 * ACTIVE).cast_signed(),
            result: bytes[BYTES - 3].cast_signed(),
            output: bytes[BYTES - 2],
            bound: match bytes[BYTES - 1] {
                0 => ScoreBound::Exact,
                1 => ScoreBound::Lower,
                _ => ScoreBound::Upper,
            },
        }
    }
}
