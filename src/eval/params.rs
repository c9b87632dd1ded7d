//! The weights of the hand-written evaluation, in centipawns unless said otherwise.
#![forbid(unsafe_code)]

/// Distances (in king steps) from a king up to which control of a square counts: 0 to 3.
pub(super) const RINGS: usize = 4;

/// All weights. Arrays by kind are in the order of [`crate::types::PieceType::ALL`]:
/// P L N S B R G K, then the promoted +P +L +N +S +B +R.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Params {
    /// A piece on the board.
    pub material: [f32; 14],
    /// A piece in hand, in the order of [`crate::types::PieceType::HAND`].
    pub hand: [f32; 7],
    /// How much a piece in hand sharpens the safety of the enemy king, in 1/256 of it.
    pub power: [f32; 7],
    /// A piece by the rank it stands on, counted from the enemy's edge.
    pub rank: [[f32; 9]; 14],
    /// A piece by the distance of its file from the nearer edge.
    pub file: [[f32; 5]; 14],
    /// Closeness of a piece to its own king; full at distance 1, see [`CLOSENESS`].
    pub near_own: [f32; 14],
    /// Closeness of a piece to the enemy king.
    pub near_enemy: [f32; 14],
    /// Control of a square by the king's side: before, beside, behind the king, by distance.
    pub cover: [[f32; RINGS]; 3],
    /// Control of a square by the other side, likewise.
    pub pressure: [[f32; RINGS]; 3],
    /// What control along a line keeps from one square to the next, as other pieces may block it.
    pub reach: f32,
    /// Loss to attackers that act together, in 1/65536 of the squared pressure.
    pub cooperation: f32,
    /// What the first pawn in hand is worth beyond the others.
    pub first_pawn: f32,
    /// The right to move.
    pub tempo: f32,
}

/// How close a distance of 0 to 8 king steps is.
pub(super) const CLOSENESS: [f32; 9] = [0.0, 1.0, 0.85, 0.6, 0.35, 0.15, 0.0, -0.1, -0.2];

/// The weights in use.
#[rustfmt::skip]
pub(super) const STANDARD: Params = Params {
    //           P      L      N      S      B      R      G    K
    material: [90.0, 315.0, 405.0, 495.0, 855.0, 990.0, 540.0, 0.0,
               500.0, 510.0, 520.0, 530.0, 1100.0, 1395.0],
    hand: [90.0, 300.0, 370.0, 500.0, 900.0, 1050.0, 560.0],
    power: [3.0, 8.0, 10.0, 18.0, 20.0, 30.0, 24.0],
    rank: [
        [0.0, 20.0, 20.0, 20.0, 12.0, 6.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, -10.0, -10.0, -20.0, -20.0, -15.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 5.0, -20.0, 10.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 5.0, 10.0, 15.0, 12.0, 5.0, -15.0],
        [-20.0, -10.0, -10.0, -10.0, 0.0, 0.0, 10.0, 10.0, 0.0],
        [20.0, 20.0, 20.0, 0.0, -10.0, -10.0, 0.0, 0.0, 10.0],
        [-40.0, -10.0, 0.0, 0.0, 0.0, 0.0, 5.0, 10.0, 0.0],
        [100.0, 90.0, 60.0, -20.0, -90.0, -80.0, -40.0, 0.0, 10.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 20.0, 20.0, 20.0, 20.0, 20.0],
        [20.0, 20.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ],
    file: [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-15.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0],
        [-20.0, 0.0, 0.0, 0.0, 0.0],
        [10.0, 25.0, 20.0, 0.0, -20.0],
        [-15.0, 0.0, 0.0, 0.0, 0.0],
        [-15.0, 0.0, 0.0, 0.0, 0.0],
        [-15.0, 0.0, 0.0, 0.0, 0.0],
        [-15.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
    ],
    near_own: [0.0, 0.0, 0.0, 5.0, 0.0, -25.0, 15.0, 0.0, 0.0, 0.0, 0.0, 0.0, 15.0, 0.0],
    near_enemy: [0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 10.0, 0.0, 20.0, 20.0, 20.0, 20.0, 20.0, 30.0],
    cover: [
        [0.0, 8.0, 4.0, 1.0],
        [0.0, 7.0, 3.0, 1.0],
        [0.0, 4.0, 2.0, 0.0],
    ],
    pressure: [
        [0.0, 10.0, 5.0, 2.0],
        [5.0, 11.0, 5.0, 2.0],
        [0.0, 9.0, 4.0, 2.0],
    ],
    reach: 0.75,
    cooperation: 110.0,
    first_pawn: 25.0,
    tempo: 25.0,
};
