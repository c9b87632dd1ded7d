//! The formula of the hand-written evaluation.
//!
//! A side's score is its material and piece placement, its hand, and the safety of its king.
//! Safety is the cover its own pieces give less the pressure of the enemy's, where attackers
//! that act together count more; and it matters the more, the more the enemy has in hand to
//! throw in. The value is the difference of the two scores, plus the right to move.
#![forbid(unsafe_code)]

use super::accumulator::Sums;
use super::tables::Tables;
use crate::position::Position;
use crate::types::value::MAX_EVAL;
use crate::types::{Color, PieceType, Value};
use std::fmt::Write;

/// Pressure beyond this adds no co-operation; far above what a game reaches.
const MAX_PRESSURE: i32 = 2_000;

/// The parts of one side's score, in centipawns.
struct Score {
    placement: i32,
    hand: i32,
    /// Cover less pressure, as they are.
    safety: i32,
    /// Loss to attackers that act together.
    cooperation: i32,
    /// What the enemy's hand makes of all this.
    sharpness: i32,
}

impl Score {
    #[inline(always)]
    fn new(tables: &Tables, sums: &Sums, position: &Position, color: Color) -> Score {
        let us = color.index();
        let pressure = sums.pressure(color);
        let safety = sums.cover(color) - pressure;
        let joint = pressure.clamp(0, MAX_PRESSURE);
        let cooperation = (joint * joint * tables.cooperation) >> 16;
        let first_pawn = if position.hand(color).has(PieceType::Pawn) {
            tables.first_pawn
        } else {
            0
        };
        Score {
            placement: sums.placement[us],
            hand: sums.hand[us] + first_pawn,
            safety,
            cooperation,
            sharpness: (safety - cooperation) * sums.power[(!color).index()] / 256,
        }
    }

    #[inline(always)]
    fn total(&self) -> i32 {
        self.placement + self.hand + self.safety - self.cooperation + self.sharpness
    }
}

/// Value in centipawns for the side to move.
#[inline(always)]
pub(super) fn value(tables: &Tables, sums: Sums, position: &Position) -> Value {
    let us = position.side_to_move();
    let ours = Score::new(tables, &sums, position, us).total();
    let theirs = Score::new(tables, &sums, position, !us).total();
    (ours - theirs + tables.tempo).clamp(-MAX_EVAL, MAX_EVAL)
}

/// An account of the value, as a table of ASCII text in centipawns.
pub(super) fn explain(tables: &Tables, position: &Position) -> String {
    let sums = Sums::of(tables, position);
    let [black, white] = Color::ALL.map(|color| Score::new(tables, &sums, position, color));
    let material = Color::ALL.map(|color| {
        let pieces = position.by_color(color).into_iter();
        pieces
            .map(|sq| tables.material(position.piece_on(sq)))
            .sum::<i32>()
    });
    let (us, sign) = match position.side_to_move() {
        Color::Black => (0, 1),
        Color::White => (1, -1),
    };
    let mut tempo = [0; 2];
    tempo[us] = tables.tempo;
    let rows = [
        ("material", material),
        (
            "placement",
            [black.placement - material[0], white.placement - material[1]],
        ),
        ("hand", [black.hand, white.hand]),
        ("king: cover", Color::ALL.map(|color| sums.cover(color))),
        (
            "king: pressure",
            Color::ALL.map(|color| -sums.pressure(color)),
        ),
        (
            "king: attackers together",
            [-black.cooperation, -white.cooperation],
        ),
        ("king: enemy hand", [black.sharpness, white.sharpness]),
        ("to move", tempo),
        (
            "total",
            [black.total() + tempo[0], white.total() + tempo[1]],
        ),
    ];
    let mut text = format!("{:<26}{:>8}{:>8}{:>8}\n", "", "black", "white", "balance");
    for (name, [black, white]) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<26}{black:>8}{white:>8}{:>+8}", black - white);
    }
    let balance = black.total() - white.total() + sign * tables.tempo;
    let value = (sign * balance).clamp(-MAX_EVAL, MAX_EVAL);
    let _ = writeln!(text, "value for the side to move {value:+} centipawns");
    text
}
