//! When a game is over: by the rules, by the move limit, or by adjudication.
#![forbid(unsafe_code)]

use crate::data::{GameEnd, GameResult};
use crate::position::{EnteringKingRule, GameRepetition, Position};
use crate::types::{Color, Value};

/// The declaration rule of all games.
pub const DECLARATION_RULE: EnteringKingRule = EnteringKingRule::CSARule27;
/// A game is adjudicated when the searches of this many plies in a row agree on the winner.
pub const AGREEMENT: u32 = 4;

/// Watches a game.
#[derive(Clone)]
pub struct Referee {
    max_moves: u32,
    /// The score that searches have to agree on, in centipawns.
    adjudication: Value,
    /// Plies in a row that agree on the winner; negative for White.
    agreed: i32,
}

impl Referee {
    /// A referee of a game that is drawn after `max_moves` plies, and adjudicated when searches agree on
    /// a score of at least `adjudication`.
    pub fn new(max_moves: u32, adjudication: Value) -> Referee {
        Referee {
            max_moves,
            adjudication,
            agreed: 0,
        }
    }

    /// Notes the score of a search, in centipawns for `side`, which is to move.
    pub fn note_score(&mut self, score: Value, side: Color) {
        let score = match side {
            Color::Black => score,
            Color::White => -score,
        };
        self.agreed = if score >= self.adjudication {
            self.agreed.max(0) + 1
        } else if score <= -self.adjudication {
            self.agreed.min(0) - 1
        } else {
            0
        };
    }

    /// How the game ends at a position; `None` if it goes on.
    pub fn verdict(&self, position: &Position) -> Option<(GameEnd, GameResult)> {
        let side = position.side_to_move();
        if !position.has_legal_move() {
            return Some((GameEnd::Mate, GameResult::Win(!side)));
        }
        match position.game_repetition() {
            GameRepetition::None => {}
            GameRepetition::Draw => return Some((GameEnd::Repetition, GameResult::Draw)),
            GameRepetition::Loses(loser) => {
                return Some((GameEnd::PerpetualCheck, GameResult::Win(!loser)));
            }
        }
        if position.declaration_win(DECLARATION_RULE).is_some() {
            return Some((GameEnd::Declaration, GameResult::Win(side)));
        }
        if position.game_ply() > self.max_moves {
            return Some((GameEnd::MaxMoves, GameResult::Draw));
        }
        let winner = if self.agreed > 0 {
            Color::Black
        } else {
            Color::White
        };
        (self.agreed.unsigned_abs() >= AGREEMENT)
            .then_some((GameEnd::Adjudication, GameResult::Win(winner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move;

    /// How a game stands after some moves.
    fn verdict(sfen: &str, moves: &str) -> Option<(GameEnd, GameResult)> {
        let referee = Referee::new(100, 3000);
        let mut position = Position::from_sfen(sfen).unwrap();
        for text in moves.split_whitespace() {
            position.do_move(Move::from_usi(text).unwrap());
        }
        referee.verdict(&position)
    }

    #[test]
    fn games_end_by_the_rules() {
        let bare = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
        let shuffle = "5i5h 5a5b 5h5i 5b5a ";
        assert_eq!(verdict(bare, &shuffle.repeat(2)), None);
        let draw = Some((GameEnd::Repetition, GameResult::Draw));
        assert_eq!(verdict(bare, &shuffle.repeat(3)), draw);

        let checks = "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
        let white = GameResult::Win(Color::White);
        assert_eq!(
            verdict(checks, &"4f5f 5d4d 5f4f 4d5d ".repeat(3)),
            Some((GameEnd::PerpetualCheck, white))
        );
        assert_eq!(
            verdict("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
            Some((GameEnd::Mate, GameResult::Win(Color::Black)))
        );
        assert_eq!(
            verdict(
                "4K4/9/9/9/9/9/9/4k3+p/+p+p+p+p+p+b+b+r+r w 4G4S4N4L10P2p 40",
                ""
            ),
            Some((GameEnd::Declaration, white))
        );
    }

    #[test]
    fn the_last_move_allowed_may_still_mate() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 100";
        assert_eq!(verdict(mate, "").map(|end| end.0), None);
        assert_eq!(verdict(mate, "G*5b").map(|end| end.0), Some(GameEnd::Mate));
        assert_eq!(
            verdict(mate, "G*6b").map(|end| end.0),
            Some(GameEnd::MaxMoves)
        );
    }

    #[test]
    fn adjudication_takes_four_plies_in_a_row() {
        let mut referee = Referee::new(100, 3000);
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
        let mut note = |score: Value, side: Color| {
            referee.note_score(score, side);
            referee.verdict(&position).map(|(_, result)| result)
        };
        for _ in 0..2 {
            // Scores are those of the side to move; one that falls short breaks the row.
            for (score, side) in [
                (3000, Color::Black),
                (-3000, Color::White),
                (31_999, Color::Black),
            ] {
                assert_eq!(note(score, side), None);
            }
            assert_eq!(note(-2999, Color::White), None);
        }
        for (score, side) in [
            (-9000, Color::Black),
            (3000, Color::White),
            (-3000, Color::Black),
        ] {
            assert_eq!(note(score, side), None);
        }
        assert_eq!(
            note(3000, Color::White),
            Some(GameResult::Win(Color::White))
        );
    }
}
