//! Which squares a piece attacks.
//!
//! Steps are tables. On ranks and diagonals a slider is worked out by subtraction: taking the
//! slider's bit from the blockers flips everything up to the first blocker, and the same on the
//! board turned round finds the other direction. A file is nine neighbouring bits: a table.
//! <https://www.chessprogramming.org/Hyperbola_Quintessence>
#![forbid(unsafe_code)]

use super::Bitboard;
use super::lines::{NORTH, SOUTH, STEPS, line, ray, step};
use crate::types::{Color, PieceType, Square};

type StepTable = [[Bitboard; 81]; 2];

/// Steps of Black's pieces; White's are the same turned round.
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
pub fn pawn(color: Color, sq: Square) -> Bitboard {
    PAWN_ATTACKS[color.index()][sq.index()]
}

/// Squares a knight attacks.
#[inline(always)]
pub fn knight(color: Color, sq: Square) -> Bitboard {
    KNIGHT_ATTACKS[color.index()][sq.index()]
}

/// Squares a silver attacks.
#[inline(always)]
pub fn silver(color: Color, sq: Square) -> Bitboard {
    SILVER_ATTACKS[color.index()][sq.index()]
}

/// Squares a gold or a promoted small piece attacks.
#[inline(always)]
pub fn gold(color: Color, sq: Square) -> Bitboard {
    GOLD_ATTACKS[color.index()][sq.index()]
}

/// Squares a king attacks.
#[inline(always)]
pub fn king(sq: Square) -> Bitboard {
    KING_ATTACKS[sq.index()]
}

/// Squares a lance attacks: its ray up to the first blocker, which for White is the lowest set
/// bit and for Black the highest.
#[inline(always)]
pub fn lance(color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
    let ray = lance_ray(color, sq).bits();
    let blockers = ray & occupied.bits();
    match color {
        // Square 0 ends every ray that reaches it, so it may stand in for "no blocker".
        Color::Black => Bitboard::raw(ray & u128::MAX << (127 - (blockers | 1).leading_zeros())),
        Color::White => Bitboard::raw(ray & (blockers ^ blockers.wrapping_sub(1))),
    }
}

/// Both directions of a rank or diagonal, given by its falling direction (1..4). Bytes can be
/// swapped in place of bits because such a line has at most one square in every byte.
#[inline(always)]
fn along(sq: Square, direction: usize, occupied: Bitboard) -> Bitboard {
    let line = line(sq, direction).bits();
    let slider = Bitboard::of(sq).bits();
    let blockers = line & occupied.bits();
    let rising = blockers.wrapping_sub(slider);
    let falling = blockers.swap_bytes().wrapping_sub(slider.swap_bytes());
    Bitboard::raw((rising ^ falling.swap_bytes()) & line)
}

/// Attacks along a file, by rank of the slider and blockers on the seven inner ranks.
static FILE_ATTACKS: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut rank = 0;
    while rank < 9 {
        let mut inner = 0;
        while inner < 128 {
            table[rank][inner] = file_attacks(rank, inner << 1);
            inner += 1;
        }
        rank += 1;
    }
    table
};

const fn file_attacks(rank: usize, blockers: usize) -> u16 {
    let mut attacks = 0;
    let mut south = rank + 1;
    while south < 9 {
        attacks |= 1 << south;
        south = if blockers >> south & 1 == 0 {
            south + 1
        } else {
            9
        };
    }
    let mut north = rank;
    while north > 0 {
        north -= 1;
        attacks |= 1 << north;
        north = if blockers >> north & 1 == 0 { north } else { 0 };
    }
    attacks
}

/// Both directions of a file.
#[inline(always)]
fn along_file(sq: Square, occupied: Bitboard) -> Bitboard {
    let shift = u32::from(sq.file()) * 9;
    let inner = (occupied.bits() >> (shift + 1)) as usize & 127;
    let attacks = FILE_ATTACKS[usize::from(sq.rank())][inner];
    Bitboard::raw(u128::from(attacks) << shift)
}

/// Squares a bishop attacks.
#[inline(always)]
pub fn bishop(sq: Square, occupied: Bitboard) -> Bitboard {
    along(sq, 1, occupied) | along(sq, 3, occupied)
}

/// Squares a rook attacks.
#[inline(always)]
pub fn rook(sq: Square, occupied: Bitboard) -> Bitboard {
    along_file(sq, occupied) | along(sq, 2, occupied)
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

/// Squares a bishop would attack on an empty board.
#[inline(always)]
pub fn bishop_rays(sq: Square) -> Bitboard {
    line(sq, 1) | line(sq, 3)
}

/// Squares a rook would attack on an empty board.
#[inline(always)]
pub fn rook_rays(sq: Square) -> Bitboard {
    line(sq, NORTH) | line(sq, 2)
}

/// Squares a lance would attack on an empty board.
#[inline(always)]
pub fn lance_ray(color: Color, sq: Square) -> Bitboard {
    match color {
        Color::Black => ray(sq, NORTH),
        Color::White => ray(sq, SOUTH),
    }
}

/// Squares any piece attacks.
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

/// Where pieces must stand to be able to attack a square next to a king: all that
/// [`crate::position`] has to look at when it asks where the king may go.
pub struct KingAttackOrigins {
    /// Pieces that step, and the king-like steps of horse and dragon.
    pub steppers: Bitboard,
    /// Knights of each side.
    pub knights: [Bitboard; 2],
    /// Lances of each side.
    pub lances: [Bitboard; 2],
    /// Bishops and horses.
    pub bishops: Bitboard,
    /// Rooks and dragons.
    pub rooks: Bitboard,
}

static KING_ATTACK_ORIGINS: [KingAttackOrigins; 81] = {
    const EMPTY: KingAttackOrigins = KingAttackOrigins {
        steppers: Bitboard::EMPTY,
        knights: [Bitboard::EMPTY; 2],
        lances: [Bitboard::EMPTY; 2],
        bishops: Bitboard::EMPTY,
        rooks: Bitboard::EMPTY,
    };
    let mut zones = [EMPTY; 81];
    let mut sq = 0;
    while sq < 81 {
        let mut d = 0;
        while d < 8 {
            if let Some(next) = step(sq, STEPS[d]) {
                let zone = &mut zones[sq];
                zone.steppers = zone.steppers.or(KING_ATTACKS[next]);
                // The origins of an attack are the targets of the other side's piece.
                zone.knights[0] = zone.knights[0].or(KNIGHT_ATTACKS[1][next]);
                zone.knights[1] = zone.knights[1].or(KNIGHT_ATTACKS[0][next]);
                let mut e = 0;
                while e < 8 {
                    let mut at = next;
                    while let Some(far) = step(at, STEPS[e]) {
                        let far_set = 1 << far;
                        match e {
                            NORTH => {
                                zone.lances[1] = zone.lances[1].or(Bitboard::raw(far_set));
                                zone.rooks = zone.rooks.or(Bitboard::raw(far_set));
                            }
                            SOUTH => {
                                zone.lances[0] = zone.lances[0].or(Bitboard::raw(far_set));
                                zone.rooks = zone.rooks.or(Bitboard::raw(far_set));
                            }
                            2 | 5 => zone.rooks = zone.rooks.or(Bitboard::raw(far_set)),
                            _ => zone.bishops = zone.bishops.or(Bitboard::raw(far_set)),
                        }
                        at = far;
                    }
                    e += 1;
                }
            }
            d += 1;
        }
        sq += 1;
    }
    zones
};

/// The zone around a king's square.
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
            for occupied in [0, bits, sparse, ALL].map(Bitboard::from_bits) {
                for sq in Square::all() {
                    assert_eq!(bishop(sq, occupied), walk(sq, &[1, 3, 4, 6], occupied));
                    assert_eq!(rook(sq, occupied), walk(sq, &[0, 2, 5, 7], occupied));
                    assert_eq!(lance(Color::Black, sq, occupied), walk(sq, &[0], occupied));
                    assert_eq!(lance(Color::White, sq, occupied), walk(sq, &[7], occupied));
                }
            }
        }
        const ALL: u128 = u128::MAX;
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
    fn king_attack_origins_hold_exactly_what_can_attack_the_ring() {
        for ksq in Square::all() {
            let ring = king(ksq);
            let zone = king_attack_origins(ksq);
            for sq in Square::all() {
                let hits = |kind, color| of(kind, color, sq, Bitboard::EMPTY).intersects(ring);
                assert_eq!(zone.rooks.contains(sq), hits(PieceType::Rook, Color::Black));
                assert_eq!(
                    zone.bishops.contains(sq),
                    hits(PieceType::Bishop, Color::Black)
                );
                assert_eq!(
                    zone.steppers.contains(sq),
                    hits(PieceType::King, Color::Black)
                );
                for color in Color::ALL {
                    let index = color.index();
                    assert_eq!(
                        zone.lances[index].contains(sq),
                        hits(PieceType::Lance, color)
                    );
                    assert_eq!(
                        zone.knights[index].contains(sq),
                        hits(PieceType::Knight, color)
                    );
                }
            }
        }
    }
}
