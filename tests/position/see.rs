//! Static exchange evaluation against exchanges played out.

use crate::common::{effort, rollouts};
use komaoto::bitboard::{Bitboard, lines};
use komaoto::position::{Position, see_value};
use komaoto::types::{Color, Move, PieceType, Square, Value};

/// Place of a kind in the order in which the pieces of a side capture.
fn capture_order(kind: PieceType) -> Option<usize> {
    use PieceType::*;
    let order = [
        Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, Horse, Dragon, King,
    ];
    let kind = if kind.moves_like_gold() { Gold } else { kind };
    order.into_iter().position(|other| other == kind)
}

/// An exchange on one square, played out recursively.
struct Exchange<'a> {
    position: &'a Position,
    to: Square,
}

impl Exchange<'_> {
    /// Whether a piece may not go to the square because of a slider that pinned it before the exchange
    /// and still stands.
    fn is_pinned(&self, from: Square, color: Color, occupied: Bitboard) -> bool {
        let Some(king) = self.position.king(color) else {
            return false;
        };
        if king == from || lines::same_ray(king, from, self.to) {
            return false;
        }
        let root = self.position.occupied();
        let without = root ^ Bitboard::of(from);
        let checks = self.position.attackers_to(!color, king, root);
        self.position
            .attackers_to(!color, king, without)
            .without(checks)
            .intersects(occupied)
    }

    /// What a side gains at best by capturing a piece of this value.
    fn gain(&self, side: Color, value: Value, occupied: Bitboard) -> Value {
        let attackers =
            |color: Color| self.position.attackers_to(color, self.to, occupied) & occupied;
        let next = attackers(side)
            .into_iter()
            .filter(|&from| !self.is_pinned(from, side, occupied))
            .min_by_key(|&from| {
                let kind = self.position.piece_on(from).kind();
                (capture_order(kind), from.index())
            });
        let Some(from) = next else { return 0 };
        let piece = self.position.piece_on(from);
        if piece.kind() == PieceType::King && attackers(!side).any() {
            return 0;
        }
        let left = occupied.without(Bitboard::of(from));
        (value - self.gain(!side, see_value(piece), left)).max(0)
    }

    /// What a move gains: its capture less what the opponent gains by recapturing.
    fn of(position: &Position, mv: Move) -> Value {
        let to = mv.to();
        let exchange = Exchange { position, to };
        let us = position.side_to_move();
        let mut occupied = position.occupied() | Bitboard::of(to);
        let moved = if mv.is_drop() {
            position.moved_piece_after(mv)
        } else {
            occupied = occupied.without(Bitboard::of(mv.from()));
            position.piece_on(mv.from())
        };
        see_value(position.piece_on(to)) - exchange.gain(!us, see_value(moved), occupied)
    }
}

#[test]
fn see_equals_the_exchange_played_out() {
    let mut exchanges = 0;
    rollouts(10, effort(200, 60), 160, |position, _| {
        for &mv in position.legal_moves().iter() {
            let value = Exchange::of(position, mv);
            for threshold in [value - 1, value, value + 1] {
                assert_eq!(
                    position.see_ge(mv, threshold),
                    value >= threshold,
                    "{mv} is worth {value}, asked for {threshold} in {position:?}"
                );
            }
            exchanges += usize::from(value != 0);
        }
    });
    assert!(exchanges > 1000);
}
