//! Lookup tables made from the weights: small enough to stay in the first-level cache.
#![forbid(unsafe_code)]

use super::params::{CLOSENESS, Params, RINGS, STANDARD};
use crate::types::{Color, Hand, Piece, PieceType, Square};
use once_cell::sync::Lazy;

/// A step as (files, ranks), as Black sees it: ahead is a negative number of ranks.
type Step = (i32, i32);

/// Offsets of a square from a king: file distances 0..9 times rank differences -8..=8.
const OFFSETS: usize = 9 * 17;

/// What a hand is worth.
#[derive(Clone, Copy, Default)]
pub(super) struct HandValue {
    /// Centipawns.
    pub value: i32,
    /// How much it sharpens the safety of the enemy king, in 1/256 of it.
    pub power: i32,
}

/// Everything the evaluation looks up, in centipawns.
pub(super) struct Tables {
    /// Material and placement, by kind and square as the piece's side sees it.
    placement: [[i16; Square::COUNT]; 16],
    /// Material alone, by kind.
    material: [i16; 16],
    /// Value about a king, by whose the piece is (0 the king's side), kind and offset.
    about_king: [[[i16; OFFSETS]; 16]; 2],
    /// Pieces in hand by kind and count: value and power.
    hand: [[(i16, i16); 19]; 8],
    /// Pressure on a king that the attackers' co-operation doubles.
    pub cooperation: i32,
    /// The right to move.
    pub tempo: i32,
}

/// The tables of the standard weights.
pub(super) fn standard() -> &'static Tables {
    static TABLES: Lazy<Tables> = Lazy::new(|| Tables::new(&STANDARD));
    &TABLES
}

impl Tables {
    /// Works the tables out.
    pub fn new(params: &Params) -> Tables {
        let mut tables = Tables {
            placement: [[0; Square::COUNT]; 16],
            material: [0; 16],
            about_king: [[[0; OFFSETS]; 16]; 2],
            hand: [[(0, 0); 19]; 8],
            cooperation: params.cooperation.round() as i32,
            tempo: params.tempo.round() as i32,
        };
        for (i, kind) in PieceType::ALL.into_iter().enumerate() {
            tables.material[kind.index()] = round(params.material[i]);
            for sq in Square::all() {
                let (file, rank) = (usize::from(sq.file()), usize::from(sq.rank()));
                tables.placement[kind.index()][sq.index()] = round(
                    params.material[i] + params.rank[i][rank] + params.file[i][file.min(8 - file)],
                );
            }
            for (file, rank) in (0..9).flat_map(|file| (-8..=8).map(move |rank| (file, rank))) {
                let at = offset(file, rank);
                tables.about_king[0][kind.index()][at] = round(defence(params, i, (file, rank)));
                tables.about_king[1][kind.index()][at] = round(attack(params, i, (file, rank)));
            }
        }
        for (i, kind) in PieceType::HAND.into_iter().enumerate() {
            for count in 1..=kind.total() as usize {
                let n = count as f32;
                tables.hand[kind.index()][count] = (
                    round(n * params.hand[i] + params.first_in_hand[i]),
                    round(n * params.power[i]),
                );
            }
        }
        tables
    }

    /// Material and placement of a piece on a square.
    #[inline(always)]
    pub fn placement(&self, piece: Piece, sq: Square) -> i32 {
        i32::from(self.placement[piece.kind_index()][sq.relative(piece.color()).index()])
    }

    /// The material part of [`Tables::placement`].
    pub fn material(&self, piece: Piece) -> i32 {
        i32::from(self.material[piece.kind_index()])
    }

    /// The values about a king on a square.
    #[inline(always)]
    pub fn king_view(&self, color: Color, king: Square) -> KingView<'_> {
        let king = king.relative(color);
        KingView {
            about_king: &self.about_king,
            color,
            file: king.file(),
            rank: king.rank(),
        }
    }

    /// What a hand is worth.
    #[inline(always)]
    pub fn hand(&self, hand: Hand) -> HandValue {
        let mut sum = HandValue::default();
        if hand.is_empty() {
            return sum;
        }
        for kind in PieceType::HAND {
            let (value, power) = self.hand[kind.index()][(hand.count(kind) as usize).min(18)];
            sum.value += i32::from(value);
            sum.power += i32::from(power);
        }
        sum
    }
}

/// The board as a king sees it.
pub(super) struct KingView<'a> {
    about_king: &'a [[[i16; OFFSETS]; 16]; 2],
    color: Color,
    file: u8,
    rank: u8,
}

impl KingView<'_> {
    /// Whose king it is.
    #[inline(always)]
    pub fn color(&self) -> Color {
        self.color
    }

    /// What a piece means to the king: cover from its own side, pressure from the other.
    #[inline(always)]
    pub fn value(&self, piece: Piece, sq: Square) -> i32 {
        let sq = sq.relative(self.color);
        let enemy = usize::from(piece.color() != self.color);
        let at = offset(
            i32::from(sq.file().abs_diff(self.file)),
            i32::from(sq.rank()) - i32::from(self.rank),
        );
        i32::from(self.about_king[enemy][piece.kind_index()][at])
    }
}

/// Index of an offset from a king.
#[inline(always)]
fn offset(file: i32, rank: i32) -> usize {
    (file * 17 + rank + 8) as usize
}

fn round(centipawns: f32) -> i16 {
    centipawns.round() as i16
}

/// Distance in king steps.
fn distance((file, rank): Step) -> usize {
    file.abs().max(rank.abs()) as usize
}

/// Cover a piece gives its own king from an offset.
fn defence(params: &Params, i: usize, at: Step) -> f32 {
    params.near_own[i] * CLOSENESS[distance(at)]
        + control(PieceType::ALL[i], 1, at, &params.cover, params.reach)
}

/// Pressure an enemy piece puts on a king from an offset.
fn attack(params: &Params, i: usize, at: Step) -> f32 {
    params.near_enemy[i] * CLOSENESS[distance(at)]
        + control(PieceType::ALL[i], -1, at, &params.pressure, params.reach)
}

/// Sums the weights of the squares around a king at (0, 0) that a piece controls from `at`.
/// `ahead` is 1 for the king's own side and -1 for the other. Kings control nothing here.
fn control(kind: PieceType, ahead: i32, at: Step, weights: &[[f32; RINGS]; 3], reach: f32) -> f32 {
    let weight = |steps: i32, (file, rank): Step| {
        let target = (at.0 + file * steps, at.1 + rank * steps * ahead);
        let zone = (target.1.signum() + 1) as usize;
        weights[zone].get(distance(target)).copied().unwrap_or(0.0)
    };
    let steps: f32 = steps(kind).iter().map(|&step| weight(1, step)).sum();
    let slide = |&step: &Step| -> f32 {
        // Repeated multiplication, as powers differ between machines.
        let reaches = std::iter::successors(Some(1.0), |kept| Some(kept * reach));
        (1..9)
            .zip(reaches)
            .map(|(k, kept)| weight(k, step) * kept)
            .sum()
    };
    steps + slides(kind).iter().map(slide).sum::<f32>()
}

const GOLD: [Step; 6] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [Step; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
const STRAIGHT: [Step; 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];

/// Single steps of a kind.
fn steps(kind: PieceType) -> &'static [Step] {
    use PieceType::*;
    match kind {
        Pawn => &[(0, -1)],
        Knight => &[(-1, -2), (1, -2)],
        Silver => &[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)],
        Gold | ProPawn | ProLance | ProKnight | ProSilver => &GOLD,
        Horse => &STRAIGHT,
        Dragon => &DIAGONAL,
        Lance | Bishop | Rook | King => &[],
    }
}

/// Directions in which a kind slides.
fn slides(kind: PieceType) -> &'static [Step] {
    use PieceType::*;
    match kind {
        Lance => &[(0, -1)],
        Bishop | Horse => &DIAGONAL,
        Rook | Dragon => &STRAIGHT,
        _ => &[],
    }
}
