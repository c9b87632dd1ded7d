//! Checks the incrementally updated state of a position against recomputation, after every move in
//! debug builds.
#![forbid(unsafe_code)]

use super::{Position, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Piece, PieceType, Square};

impl Position {
    /// Checks the invariants of [`crate::position`].
    ///
    /// # Errors
    /// The name of the first invariant that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        let check = |holds: bool, name: &'static str| if holds { Ok(()) } else { Err(name) };

        let squares_with = |wanted: &dyn Fn(Piece) -> bool| -> Bitboard {
            Square::all()
                .filter(|&sq| wanted(self.piece_on(sq)))
                .collect()
        };
        for color in Color::ALL {
            check(
                self.by_color(color) == squares_with(&|p| p.is_color(color)),
                "by_color",
            )?;
            let king = squares_with(&|p| p == Piece::new(color, PieceType::King));
            check(
                self.king(color) == king.first() && !king.more_than_one(),
                "king",
            )?;
            let hand = self.hand(color);
            check(
                PieceType::HAND
                    .iter()
                    .all(|&k| hand.count(k) <= Hand::capacity(k)),
                "hand",
            )?;
        }
        for kind in PieceType::ALL {
            check(
                self.by_kind(kind) == squares_with(&|p| p.try_kind() == Some(kind)),
                "by_kind",
            )?;
        }
        let gold = |p: Piece| p.try_kind().is_some_and(PieceType::moves_like_gold);
        check(self.golds() == squares_with(&gold), "golds")?;

        check(
            self.state.board_key == self.compute_board_key(),
            "board key",
        )?;
        check(
            self.state.hand_key == zobrist::hands(self.state.hands),
            "hand key",
        )?;

        let attackers = |color: Color| match self.king(color) {
            Some(king) => self.attackers_to(!color, king, self.occupied()),
            None => Bitboard::EMPTY,
        };
        check(self.checkers() == attackers(self.side), "checkers")?;
        check(
            attackers(!self.side).is_empty(),
            "the side not to move is in check",
        )?;
        if let Some(king) = self.king(self.side) {
            let checkers = self.checkers();
            let shields = |sq: &Square| {
                let without = self.occupied() ^ Bitboard::of(*sq);
                *sq != king
                    && self
                        .attackers_to(!self.side, king, without)
                        .without(checkers)
                        .any()
            };
            let pinned: Bitboard = self
                .by_color(self.side)
                .into_iter()
                .filter(shields)
                .collect();
            check(self.pinned() == pinned, "pinned")?;
        }
        Ok(())
    }
}
