//! The evaluation games are played with, and how the header of a file names it.
#![forbid(unsafe_code)]

use crate::eval::Evaluator;
use crate::eval::nnue::{LoadedNetwork, NetError, Network};
use crate::position::Position;
use crate::tools::random::Random;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// An evaluation with its name.
pub struct Evaluation {
    /// The network; `None` for the hand-written evaluation.
    pub network: Option<Arc<Network>>,
    /// What it is.
    pub name: String,
    /// Hash of its file; of its values if it has none.
    pub hash: u64,
    /// What a pawn is worth in the unit of its values.
    pub pawn: u16,
}

/// Centipawns, the unit of the hand-written evaluation.
const CENTIPAWNS: u16 = 100;
/// The unit that networks of YaneuraOu are trained for.
const YANEURAOU: u16 = 90;

impl Evaluation {
    /// The evaluation from a file, or the engine's own.
    ///
    /// # Errors
    /// When the file holds no network that can be used.
    pub fn load(path: Option<&Path>) -> Result<Evaluation, NetError> {
        let Some(path) = path else {
            return Ok(Evaluation {
                network: None,
                name: "hand-written".into(),
                hash: fingerprint(Evaluator::new()),
                pawn: CENTIPAWNS,
            });
        };
        let loaded = LoadedNetwork::read(path)?;
        Ok(Evaluation {
            name: format!(
                "network {}, FV_SCALE {}",
                loaded.network.architecture(),
                loaded.network.scale()
            ),
            hash: fnv1a(fs::read(&loaded.path)?),
            network: Some(Arc::new(loaded.network)),
            pawn: YANEURAOU,
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
        let hash = || Evaluation::load(None).unwrap().hash;
        assert_eq!(hash(), hash());
    }
}
