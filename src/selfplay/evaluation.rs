//! The evaluation games are played with, and how the header of a file names it.
#![forbid(unsafe_code)]

use crate::eval::Evaluator;
use crate::eval::nnue::{LoadedNetwork, NetError, Network, embedded};
use crate::position::Position;
use crate::selfplay::random::Random;
use std::path::Path;
use std::sync::Arc;

/// A network with its name.
pub struct Evaluation {
    /// The network.
    pub network: Arc<Network>,
    /// What it is.
    pub name: String,
    /// Hash of its values in many positions.
    pub hash: u64,
    /// What a pawn is worth in the unit of its values.
    pub pawn: u16,
}

impl Evaluation {
    /// The network from a file, or the embedded one.
    ///
    /// # Errors
    /// When the file holds no network that can be used.
    pub fn load(path: Option<&Path>) -> Result<Evaluation, NetError> {
        let network = match path {
            None => embedded(),
            Some(path) => Arc::new(LoadedNetwork::read(path)?.network),
        };
        Ok(Evaluation {
            name: format!(
                "network {}, FV_SCALE {}",
                network.architecture(),
                network.scale()
            ),
            hash: fingerprint(Evaluator::new(Arc::clone(&network))),
            pawn: network.pawn(),
            network,
        })
    }
}

/// A hash of the values of many positions: another version of the evaluation has another one.
fn fingerprint(mut evaluator: Evaluator) -> u64 {
    const GAMES: u32 = 32;
    const PLIES: usize = 40;
    let mut values = Vec::new();
    for game in 0..GAMES {
        let mut random = Random::of_game(0, game);
        let mut position = Position::startpos();
        for _ in 0..PLIES {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.do_move(moves[random.below(moves.len())]);
            evaluator.reset(&position);
            values.extend(evaluator.evaluate(&position).to_le_bytes());
        }
    }
    fnv1a(values)
}

/// FNV-1a of 64 bits, <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn fnv1a(bytes: Vec<u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(fnv1a(b"".to_vec()), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv1a(b"foobar".to_vec()), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn the_same_evaluation_has_the_same_hash() {
        let evaluation = || Evaluation::load(None).unwrap();
        assert_eq!(evaluation().hash, evaluation().hash);
    }
}
