//! Lookup tables made from the weights: small enough to stay in the first-level cache.
#![forbid(unsafe_code)]

use super::params::{CLOSENESS, Params, RINGS, STANDARD};
use crate::types::{Color, Piece, PieceType, Square};
use once_cell::sync::Lazy;

/// A step as (files, ranks), as Black sees it: ahead is a negative number of ranks.
type Step = (i32, i32);

/// Offsets of a square from a king: file differences -8..=8 times rank differences -8..=8.
const OFFSETS: usize = 17 * 17;
/// The index of no offset at all.
const CENTRE: i32 = 8 * 17 + 8;

/// Squares as `file * 17 + rank`, so that their differences are offsets.
const POINTS: [i16; Square::COUNT] = {
    let mut points = [0; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let sq = Square::from_index(i);
        points[i] = sq.file() as i16 * 17 + sq.rank() as i16;
        i += 1;
    }
    points
};

/// Everything the evaluation looks up, in centipawns.
pub(super) struct Tables {
    /// Material and placement, by kind and square as the piece's side sees it.
    placement: [[i16; Square::COUNT]; 16],
    /// Material alone, by kind.
    material: [i16; 16],
    /// Value about a king by piece, with Black for the king's own side, and offset.
    about_king: [[i16; OFFSETS]; Piece::COUNT],
    /// Worth of a piece in hand, by kind.
    hand: [i16; 8],
    /// How much a piece in hand sharpens the safety of the enemy king, by kind, in 1/256 of it.
    power: [i16; 8],
    /// What the first pawn in hand is worth beyond the others.
    pub first_pawn: i32,
    /// Loss to attackers that act together, in 1/65536 of the squared pressure.
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
            about_king: [[0; OFFSETS]; Piece::COUNT],
            hand: [0; 8],
            power: [0; 8],
            first_pawn: params.first_pawn.round() as i32,
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
            for offset in 0..OFFSETS {
                let at = (offset as i32 / 17 - 8, offset as i32 % 17 - 8);
                let [own, enemy] = Color::ALL.map(|color| Piece::new(color, kind).index());
                tables.about_king[own][offset] = round(defence(params, i, at));
                tables.about_king[enemy][offset] = round(attack(params, i, at));
            }
        }
        for (i, kind) in PieceType::HAND.into_iter().enumerate() {
            tables.hand[kind.index()] = round(params.hand[i]);
            tables.power[kind.index()] = round(params.power[i]);
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

    /// What a piece on a square means to a king: cover from its own side, pressure from the
    /// other.
    #[inline(always)]
    pub fn about_king(&self, king: King, piece: Piece, sq: Square) -> i32 {
        let difference = i32::from(POINTS[sq.index()]) - king.point;
        let (side, at) = match king.color {
            Color::Black => (0, CENTRE + difference),
            Color::White => (16, CENTRE - difference),
        };
        i32::from(self.about_king[piece.index() ^ side][at as usize])
    }

    /// Worth of a piece in hand, whatever side it would stand on.
    #[inline(always)]
    pub fn hand(&self, kind: PieceType) -> i32 {
        i32::from(self.hand[kind.index() & 7])
    }

    /// How much a piece in hand sharpens the safety of the enemy king, in 1/256 of it.
    #[inline(always)]
    pub fn power(&self, kind: PieceType) -> i32 {
        i32::from(self.power[kind.index() & 7])
    }
}

/// A king and where it stands.
#[derive(Clone, Copy)]
pub(super) struct King {
    pub color: Color,
    point: i32,
}

impl King {
    /// The king of a side on a square.
    #[inline(always)]
    pub fn new(color: Color, sq: Square) -> King {
        King {
            color,
            point: i32::from(POINTS[sq.index()]),
        }
    }
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
