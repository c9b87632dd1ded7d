//! The match: the full search against the search without a technique, from each opening with both
//! colours.
#![forbid(unsafe_code)]

use super::score::Score;
use super::settings::Settings;
use super::threads::share_out;
use super::{AblationError, MAX_MOVES, Searchers};
use crate::data::GameResult;
use crate::position::Position;
use crate::search::{Solo, Technique};
use crate::tools::interrupt;
use crate::tools::referee::Referee;
use crate::types::{Color, Depth, value};

/// A game is given to the side that this many searches in a row see mating. Nothing less is safe.
const AGREEMENT: u32 = 4;

/// The games of a technique, from the view of the full search.
pub type Match = Score;

/// Two searchers that play each other.
struct Players {
    full: Solo,
    without: Solo,
    referee: Referee,
    /// Nodes of every search.
    nodes: u64,
}

/// Plays the match of a technique.
pub fn play(
    technique: Technique,
    settings: &Settings,
    searchers: &Searchers,
    openings: &[Position],
) -> Result<Match, AblationError> {
    let players = || {
        Ok(Players {
            full: searchers.without(Technique::empty())?,
            without: searchers.without(technique)?,
            referee: Referee::new(MAX_MOVES, value::MATE_IN_MAX_PLY, AGREEMENT),
            nodes: settings.nodes,
        })
    };
    let pairs = share_out(
        settings.threads,
        settings.games.div_ceil(2),
        players,
        |players, number| {
            let [first, second] = Color::ALL.map(|color| players.play(&openings[number], color));
            Some([first?, second?])
        },
    )?;
    Ok(Score::of(pairs))
}

impl Players {
    /// Plays a game in which the full search has a colour: 1 won, 0 drawn, -1 lost. `None` when
    /// the user has had enough.
    fn play(&mut self, opening: &Position, color: Color) -> Option<i8> {
        self.full.clear();
        self.without.clear();
        let mut position = opening.clone();
        self.referee.begin(&position);
        loop {
            if let Some((_, result)) = self.referee.ended(&position) {
                return Some(result.for_side(color));
            }
            if interrupt::is_interrupted() {
                return None;
            }
            let side = position.side_to_move();
            let solo = if side == color {
                &mut self.full
            } else {
                &mut self.without
            };
            let Some(found) = solo.search_within(&position, Depth::MAX, self.nodes) else {
                return Some(GameResult::Win(!side).for_side(color));
            };
            self.referee.scored(found.score, side);
            position.do_move(found.mv);
            self.referee.played(&position);
        }
    }
}
