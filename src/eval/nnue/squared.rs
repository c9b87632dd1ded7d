//! The layer after the first in Komaoto's own networks: the sums, limited to 0 to 255 and squared,
//! go straight into one output (SCReLU).
//!
//! A sum of [`UNIT`] stands for 1; for weights it is a number that the network says, and for
//! outputs the product of both. There may be several sets of weights, chosen by how many pieces
//! are in hand.
#![forbid(unsafe_code)]

use super::backend::Backend;
use super::network::Block;
use crate::position::Position;
use crate::types::{Color, PieceType};

/// The sum of the first layer that stands for 1, and the limit of an activation.
pub(super) const UNIT: i32 = 255;
/// Largest magnitude of a weight: an activation times a weight has to fit 16 bits.
pub(super) const MAX_WEIGHT: i16 = 127;
/// Largest sum of the magnitudes of an output's weights: the sum of their products with squared
/// activations has to fit 32 bits.
pub(super) const MAX_TOTAL: i32 = i32::MAX / (UNIT * UNIT);

/// Weights and biases of the outputs.
pub(super) struct Squared {
    /// For each output the weights of the side to move, then those of the other side.
    weights: Box<[Block]>,
    biases: Box<[i32]>,
}

impl Squared {
    /// As many outputs as there are biases. The weights must keep to [`MAX_WEIGHT`] and
    /// [`MAX_TOTAL`].
    pub fn new(weights: Box<[Block]>, biases: Box<[i32]>) -> Squared {
        Squared { weights, biases }
    }

    /// The output for a position, given its sums of the first layer, those of the side to move
    /// first.
    #[inline]
    pub fn output(
        &self,
        backend: &dyn Backend,
        position: &Position,
        [us, them]: [&[Block]; 2],
    ) -> i32 {
        let output = output_number(position, self.biases.len());
        let weights = &self.weights[output * 2 * us.len()..][..2 * us.len()];
        let (ours, theirs) = weights.split_at(us.len());
        let sum = backend
            .squared(us, ours)
            .wrapping_add(backend.squared(them, theirs));
        (sum / UNIT).wrapping_add(self.biases[output])
    }
}

/// Which of several outputs is that of a position: one more for every two pieces in hand.
pub(super) fn output_number(position: &Position, outputs: usize) -> usize {
    if outputs == 1 {
        return 0;
    }
    let count = |color| {
        let hand = position.hand(color);
        PieceType::HAND
            .iter()
            .map(|&kind| hand.count(kind))
            .sum::<u32>()
    };
    let pieces: u32 = Color::ALL.into_iter().map(count).sum();
    (pieces as usize / 2).min(outputs - 1)
}
