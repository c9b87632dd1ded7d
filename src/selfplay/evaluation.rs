//! The evaluation games are played with, and how the header of a file names it.
#![forbid(unsafe_code)]

use crate::cli::stable_rng;
use crate::eval::Evaluator;
use crate::eval::nnue::{LoadedNetwork, NetError, Network, embedded};
use crate::position::Position;
use rand::seq::IndexedRandom;
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
                network.fv_scale()
            ),
            hash: fingerprint(Evaluator::new(Arc::clone(&network))),
            network,
        })
    }
}

/// A hash of the values of many positions: another version of the evaluation has another one.
fn fingerprint(mut evaluator: Evaluator) -> u64 {
    const GAMES: u64 = 32;
    const PLIES: usize = 40;
    let mut hash = crc32fast::Hasher::new();
    for game in 0..GAMES {
        let mut rng = stable_rng(0, game);
        let mut position = Position::startpos();
        for _ in 0..PLIES {
            let Some(&mv) = position.legal_moves().choose(&mut rng) else {
                break;
            };
            position.do_move(mv);
            evaluator.reset(&position);
            hash.update(&evaluator.evaluate(&position).to_le_bytes());
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_evaluation_has_the_same_hash() {
        let evaluation = || Evaluation::load(None).unwrap();
        assert_eq!(evaluation().hash, evaluation().hash);
    }
}
