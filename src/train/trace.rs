//! Scores that look farther ahead: what the search said about a position is averaged with what it
//! said about those that came of it later in the game, with weights that fall from ply to ply:
//! TD(lambda), <https://www.chessprogramming.org/Temporal_Difference_Learning>.
#![forbid(unsafe_code)]

use super::sample::sigmoid;
use crate::data::Game;
use crate::eval::units::PONANZA;

/// What is known about a position, in centipawns for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scores {
    /// The score of its own search.
    pub own: i32,
    /// The same with those of later positions.
    pub traced: i16,
}

/// The scores of all positions of a game. `trace` is the share of the next position in what is said
/// about one, from 0 to 1; `centipawns` converts scores of the file.
pub fn scores(
    game: &Game,
    trace: f32,
    centipawns: impl Fn(i16) -> i32,
) -> impl Iterator<Item = Option<Scores>> {
    let mut scores = Vec::with_capacity(game.moves.len());
    // The chance of the side that has the move in the position after.
    let mut after: Option<f32> = None;
    for played in game.moves.iter().rev() {
        let own = played.score.map(&centipawns);
        let own_chance = own.map(|own| sigmoid(own as f32 / PONANZA));
        let chance = match (own_chance, after) {
            (Some(own), Some(after)) => Some(own + trace * (1.0 - after - own)),
            (own, _) => own,
        };
        scores.push(own.zip(chance).map(|(own, chance)| Scores {
            own,
            traced: if trace == 0.0 {
                own as i16
            } else {
                by_chance(chance)
            },
        }));
        after = chance;
    }
    scores.into_iter().rev()
}

/// The score that promises a chance to win, in centipawns; beyond 99.99 % all are alike.
fn by_chance(chance: f32) -> i16 {
    let chance = chance.clamp(1e-4, 1.0 - 1e-4);
    (PONANZA * (chance / (1.0 - chance)).ln()).round() as i16
}
