//! Attacks of all pieces.
//!
//! Step attacks are table lookups. Slider attacks along ranks and diagonals use hyperbola
//! quintessence (`o ^ (o - 2r)`, with bytes swapped for the other direction), those along files a
//! table, because a file is nine adjacent bits.
//! <https://www.chessprogramming.org/Hyperbola_Quintessence>
#![forbid(unsafe_code)]

use super::Bitboard;
use super::lines::{EAST, NORTH, NORTH_EAST, SOUTH, SOUTH_EAST, STEPS, line, ray, step};
use crate::types::{Color, PieceType, Square};

type StepTable = [[Bitboard; 81]; 2];

/// File and rank steps of Black's pieces.
const PAWN: &[(i8, i8)] = &[(0, -1)];
const KNIGHT: &[(i8, i8)] = &[(-1, -2), (1, -2)];
const SILVER: &[(i8, i8)] = &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD: &[(i8, i8)] = &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];

const fn step_table(steps: &[(i8, i8)]) -> StepTable {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut sq = 0;
    while sq < 81 {
        let mut i = 0;
        while i < steps.len() {
            let (file, rank) = steps[i];
            if let Some(to) = step(sq, (file, rank)) {
                table[0][sq] = table[0][sq].or(Bitboard::raw(1 << to));
            }
            if let Some(to) = step(sq, (-file, -rank)) {
                table[1][sq] = table[1][sq].or(Bitboard::raw(1 << to));
            }
            i += 1;
        }
        sq += 1;
    }
    table
}

static PAWN_ATTACKS: StepTable = step_table(PAWN);
static KNIGHT_ATTACKS: StepTable = step_table(KNIGHT);
static SILVER_ATTACKS: StepTable = step_table(SILVER);
static GOLD_ATTACKS: StepTable = step_table(GOLD);
static KING_ATTACKS: [Bitboard; 81] = step_table(&STEPS)[0];

/// Squares a pawn attacks.
#[inline(always)]
pub const fn pawn(color: Color, sq: Square) -> Bitboard {
    PAWN_ATTACKS[color.index()][sq.index()]
}

/// Squares a knight attacks.
#[inline(always)]
pub const fn knight(color: Color, sq: Square) -> Bitboard {
    KNIGHT_ATTACKS[color.index()][sq.index()]
}

/// Squares a silver attacks.
#[inline(always)]
pub const fn silver(color: Color, sq: Square) -> Bitboard {
    SILVER_ATTACKS[color.index()][sq.index()]
}

/// Squares a gold or a promoted pawn, lance, knight or silver attacks.
#[inline(always)]
pub const fn gold(color: Color, sq: Square) -> Bitboard {
    GOLD_ATTACKS[color.index()][sq.index()]
}

/// Squares a king attacks.
#[inline(always)]
pub const fn king(sq: Square) -> Bitboard {
    KING_ATTACKS[sq.index()]
}

/// Squares a lance attacks: its ray up to the first blocker, the highest bit for Black and the
/// lowest for White.
#[inline(always)]
pub fn lance(color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
    let ray = lance_ray(color, sq).bits();
    let blockers = ray & occupied.bits();
    match color {
        // Without a blocker the ray ends at the edge: bit 0 lies at or beyond its end.
        Color::Black => Bitboard::raw(ray & u128::MAX << (127 - (blockers | 1).leading_zeros())),
        Color::White => Bitboard::raw(ray & (blockers ^ blockers.wrapping_sub(1))),
    }
}

/// Attacks both ways along a rank or diagonal. Swapping bytes is as good as reversing bits, because
/// no byte holds two squares of such a line.
#[inline(always)]
fn line_attacks(sq: Square, direction: usize, occupied: Bitboard) -> Bitboard {
    let line = line(sq, direction).bits();
    let slider = Bitboard::of(sq).bits();
    let blockers = line & occupied.bits();
    let upward = blockers.wrapping_sub(slider);
    let downward = blockers.swap_bytes().wrapping_sub(slider.swap_bytes());
    Bitboard::raw((upward ^ downward.swap_bytes()) & line)
}

/// Attacks along a file, by the slider's rank and the occupancy of the seven inner ranks.
static FILE_ATTACKS: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut rank = 0;
    while rank < 9 {
        let mut inner = 0;
        while inner < 128 {
            table[rank][inner] = file_attack_bits(rank, inner << 1);
            inner += 1;
        }
        rank += 1;
    }
    table
};

const fn file_attack_bits(rank: usize, occupied: usize) -> u16 {
    let mut attacks = 0;
    let mut at = rank;
    while at < 8 {
        at += 1;
        attacks |= 1 << at;
        if occupied >> at & 1 != 0 {
            break;
        }
    }
    at = rank;
    while at > 0 {
        at -= 1;
        attacks |= 1 << at;
        if occupied >> at & 1 != 0 {
            break;
        }
    }
    attacks
}

/// Attacks both ways along a file.
#[inline(always)]
fn file_attacks(sq: Square, occupied: Bitboard) -> Bitboard {
    let shift = u32::from(sq.file()) * 9;
    let inner = (occupied.bits() >> (shift + 1)) as usize & 127;
    let attacks = FILE_ATTACKS[usize::from(sq.rank())][inner];
    Bitboard::raw(u128::from(attacks) << shift)
}

/// Squares a bishop attacks.
#[inline(always)]
pub fn bishop(sq: Square, occupied: Bitboard) -> Bitboard {
    line_attacks(sq, SOUTH_EAST, occupied) | line_attacks(sq, NORTH_EAST, occupied)
}

/// Squares a rook attacks.
#[inline(always)]
pub fn rook(sq: Square, occupied: Bitboard) -> Bitboard {
    file_attacks(sq, occupied) | line_attacks(sq, EAST, occupied)
}

/// Squares a horse (promoted bishop) attacks.
#[inline(always)]
pub fn horse(sq: Square, occupied: Bitboard) -> Bitboard {
    bishop(sq, occupied) | king(sq)
}

/// Squares a dragon (promoted rook) attacks.
#[inline(always)]
pub fn dragon(sq: Square, occupied: Bitboard) -> Bitboard {
    rook(sq, occupied) | king(sq)
}

/// Squares a bishop attacks on an empty board.
#[inline(always)]
pub const fn bishop_rays(sq: Square) -> Bitboard {
    line(sq, SOUTH_EAST).or(line(sq, NORTH_EAST))
}

/// Squares a rook attacks on an empty board.
#[inline(always)]
pub const fn rook_rays(sq: Square) -> Bitboard {
    line(sq, NORTH).or(line(sq, EAST))
}

/// Squares a lance attacks on an empty board.
#[inline(always)]
pub const fn lance_ray(color: Color, sq: Square) -> Bitboard {
    match color {
        Color::Black => ray(sq, NORTH),
        Color::White => ray(sq, SOUTH),
    }
}

/// Squares a piece of any kind attacks.
#[inline]
pub fn of(kind: PieceType, color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => pawn(color, sq),
        PieceType::Lance => lance(color, sq, occupied),
        PieceType::Knight => knight(color, sq),
        PieceType::Silver => silver(color, sq),
        PieceType::Bishop => bishop(sq, occupied),
        PieceType::Rook => rook(sq, occupied),
        PieceType::King => king(sq),
        PieceType::Horse => horse(sq, occupied),
        PieceType::Dragon => dragon(sq, occupied),
        _ => gold(color, sq),
    }
}

/// Squares from which a piece can attack a square next to a king. Pieces elsewhere cannot take a
/// flight square from that king.
pub struct KingAttackOrigins {
    /// For step attacks, those of horses and dragons included.
    pub steppers: Bitboard,
    /// For knights, by colour.
    pub knights: [Bitboard; 2],
    /// For lances, by colour.
    pub lances: [Bitboard; 2],
    /// For bishops and horses.
    pub bishops: Bitboard,
    /// For rooks and dragons.
    pub rooks: Bitboard,
}

static KING_ATTACK_ORIGINS: [KingAttackOrigins; 81] = {
    const NONE: KingAttackOrigins = KingAttackOrigins {
        steppers: Bitboard::EMPTY,
        knights: [Bitboard::EMPTY; 2],
        lances: [Bitboard::EMPTY; 2],
        bishops: Bitboard::EMPTY,
        rooks: Bitboard::EMPTY,
    };
    let mut table = [NONE; 81];
    let mut i = 0;
    while i < 81 * 8 {
        let origins = &mut table[i / 8];
        if let Some(target) = step(i / 8, STEPS[i % 8]) {
            let target = Square::from_index(target);
            // A piece attacks the target from the squares that an enemy piece of its kind would
            // attack from the target.
            let (black, white) = (Color::Black, Color::White);
            origins.steppers = origins.steppers.or(king(target));
            origins.knights[0] = origins.knights[0].or(knight(white, target));
            origins.knights[1] = origins.knights[1].or(knight(black, target));
            origins.lances[0] = origins.lances[0].or(lance_ray(white, target));
            origins.lances[1] = origins.lances[1].or(lance_ray(black, target));
            origins.bishops = origins.bishops.or(bishop_rays(target));
            origins.rooks = origins.rooks.or(rook_rays(target));
        }
        i += 1;
    }
    table
};

/// The attack origins around a king's square.
#[inline(always)]
pub fn king_attack_origins(sq: Square) -> &'static KingAttackOrigins {
    &KING_ATTACK_ORIGINS[sq.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(sq: Square, directions: &[usize], occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &d in directions {
            let mut at = sq.index();
            while let Some(next) = step(at, STEPS[d]) {
                set |= Bitboard::of(Square::from_index(next));
                if occupied.contains(Square::from_index(next)) {
                    break;
                }
                at = next;
            }
        }
        set
    }

    #[test]
    fn sliders_match_walking() {
        let mut bits = 0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15_u128;
        for round in 0..200 {
            bits = bits.wrapping_mul(0xda94_2042_e4dd_58b5).rotate_left(41) ^ round;
            let sparse = bits & bits.rotate_left(13) & bits.rotate_left(71);
            for occupied in [0, bits, sparse, u128::MAX].map(Bitboard::from_bits) {
                for sq in Square::all() {
                    assert_eq!(bishop(sq, occupied), walk(sq, &[1, 3, 4, 6], occupied));
                    assert_eq!(rook(sq, occupied), walk(sq, &[0, 2, 5, 7], occupied));
                    assert_eq!(lance(Color::Black, sq, occupied), walk(sq, &[0], occupied));
                    assert_eq!(lance(Color::White, sq, occupied), walk(sq, &[7], occupied));
                }
            }
        }
    }

    #[test]
    fn attacks_turn_with_the_board() {
        for kind in PieceType::ALL {
            for sq in Square::all() {
                let black = of(kind, Color::Black, sq, Bitboard::EMPTY);
                let white = of(kind, Color::White, sq.flip(), Bitboard::EMPTY);
                let turned: Bitboard = white.into_iter().map(Square::flip).collect();
                assert_eq!(black, turned, "{kind:?} {sq}");
            }
        }
    }

    #[test]
    fn king_attack_origins_are_all_squares_that_attack_next_to_the_king() {
        for ksq in Square::all() {
            let ring = king(ksq);
            let origins = |kind, color| -> Bitboard {
                Square::all()
                    .filter(|&sq| of(kind, color, sq, Bitboard::EMPTY).intersects(ring))
                    .collect()
            };
            let found = king_attack_origins(ksq);
            assert_eq!(found.rooks, origins(PieceType::Rook, Color::Black));
            assert_eq!(found.bishops, origins(PieceType::Bishop, Color::Black));
            assert_eq!(found.steppers, origins(PieceType::King, Color::Black));
            for color in Color::ALL {
                let (lances, knights) = (found.lances[color.index()], found.knights[color.index()]);
                assert_eq!(lances, origins(PieceType::Lance, color));
                assert_eq!(knights, origins(PieceType::Knight, color));
            }
        }
    }
}
