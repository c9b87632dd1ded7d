//! When a game is over: by the rules, by the limit of moves, or because the searches of both sides
//! agree on who has won.
#![forbid(unsafe_code)]

use crate::data::{End, GameResult};
use crate::position::{EnteringKingRule, GameRepetition, Position};
use crate::types::{Color, Value};

/// The declaration rule of all games.
pub const DECLARATION: EnteringKingRule = EnteringKingRule::CSARule27;

/// Watches a game.
#[derive(Clone)]
pub struct Referee {
    /// The game is drawn when this many plies were played.
    max_moves: u32,
    /// A game is given to the side that every search of `agreement` plies in a row gives at least
    /// this score.
    adjudication: Value,
    agreement: u32,
    /// Plies in a row that agree on a winner; negative for White.
    agreed: i32,
}

impl Referee {
    /// A referee of games that are drawn after `max_moves` plies, and given to the side that every
    /// search of `agreement` plies in a row gives a score of `adjudication`.
    pub fn new(max_moves: u32, adjudication: Value, agreement: u32) -> Referee {
        Referee {
            max_moves,
            adjudication,
            agreement,
            agreed: 0,
        }
    }

    /// A game begins.
    pub fn begin(&mut self) {
        self.agreed = 0;
    }

    /// The search of the side to move gave this score.
    pub fn scored(&mut self, score: Value, side: Color) {
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

    /// Whether the game is over, now that it has come to this position.
    pub fn ended(&self, position: &Position) -> Option<(End, GameResult)> {
        let side = position.side_to_move();
        if !position.has_legal_move() {
            return Some((End::Mate, GameResult::Win(!side)));
        }
        match position.game_repetition() {
            GameRepetition::None => {}
            GameRepetition::Draw => return Some((End::Repetition, GameResult::Draw)),
            GameRepetition::Loses(loser) => {
                return Some((End::PerpetualCheck, GameResult::Win(!loser)));
            }
        }
        if position.declaration_win(DECLARATION).is_some() {
            return Some((End::Declaration, GameResult::Win(side)));
        }
        if position.game_ply() > self.max_moves {
            return Some((End::MaxMoves, GameResult::Draw));
        }
        let winner = if self.agreed > 0 {
            Color::Black
        } else {
            Color::White
        };
        (self.agreed.unsigned_abs() >= self.agreement)
            .then_some((End::Adjudication, GameResult::Win(winner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move;

    /// How a game stands after some moves.
    fn ended(sfen: &str, moves: &str) -> Option<(End, GameResult)> {
        let referee = Referee::new(100, 3000, 4);
        let mut position = Position::from_sfen(sfen).unwrap();
        for text in moves.split_whitespace() {
            position.do_move(Move::from_usi(text).unwrap());
        }
        referee.ended(&position)
    }

    #[test]
    fn games_end_by_the_rules() {
        let bare = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
        let shuffle = "5i5h 5a5b 5h5i 5b5a ";
        assert_eq!(ended(bare, &shuffle.repeat(2)), None);
        let draw = Some((End::Repetition, GameResult::Draw));
        assert_eq!(ended(bare, &shuffle.repeat(3)), draw);

        let checks = "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
        let white = GameResult::Win(Color::White);
        assert_eq!(
            ended(checks, &"4f5f 5d4d 5f4f 4d5d ".repeat(3)),
            Some((End::PerpetualCheck, white))
        );
        assert_eq!(
            ended("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
            Some((End::Mate, GameResult::Win(Color::Black)))
        );
        assert_eq!(
            ended(
                "4K4/9/9/9/9/9/9/4k3+p/+p+p+p+p+p+b+b+r+r w 4G4S4N4L10P2p 40",
                ""
            ),
            Some((End::Declaration, white))
        );
    }

    #[test]
    fn the_last_move_allowed_may_still_mate() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 100";
        assert_eq!(ended(mate, "").map(|end| end.0), None);
        assert_eq!(ended(mate, "G*5b").map(|end| end.0), Some(End::Mate));
        assert_eq!(ended(mate, "G*6b").map(|end| end.0), Some(End::MaxMoves));
    }

    #[test]
    fn agreement_must_last() {
        let mut referee = Referee::new(100, 3000, 4);
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
        let mut note = |score: Value, side: Color| {
            referee.scored(score, side);
            referee.ended(&position).map(|(_, result)| result)
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
        referee.begin();
        assert_eq!(referee.ended(&position), None);
    }
}
