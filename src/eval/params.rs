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

/// The weights in use: set by hand, then fitted by logistic regression to results and scores of
/// Komaoto's games against itself, held near the first setting by a ridge penalty.
#[rustfmt::skip]
pub(super) const STANDARD: Params = Params {
    material: [101.0, 274.0, 281.0, 433.0, 668.0, 687.0, 476.0, 0.0,
        463.0, 365.0, 466.0, 449.0, 929.0, 1107.0],
    hand: [67.0, 294.0, 285.0, 497.0, 819.0, 1089.0, 712.0],
    power: [7.0, 10.0, 12.0, 19.0, 21.0, 30.0, 24.0],
    rank: [
        [0.0, 23.0, 18.0, 31.0, 6.0, 16.0, -10.0, 1.0, 1.0], // P
        [0.0, -3.0, -10.0, -12.0, -20.0, -23.0, -16.0, -2.0, 7.0], // L
        [0.0, 0.0, -2.0, 1.0, 7.0, -20.0, 14.0, 1.0, -11.0], // N
        [-17.0, 4.0, 1.0, 6.0, 12.0, 10.0, 11.0, 2.0, -20.0], // S
        [-21.0, -11.0, -10.0, -5.0, -1.0, 2.0, 7.0, 10.0, -3.0], // B
        [20.0, 21.0, 21.0, 4.0, -8.0, -8.0, 0.0, -7.0, 5.0], // R
        [-44.0, -12.0, -1.0, 1.0, -2.0, -2.0, 2.0, 31.0, -8.0], // G
        [100.0, 90.0, 60.0, -20.0, -90.0, -80.0, -44.0, 2.0, 9.0], // K
        [-19.0, -3.0, 4.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0], // +P
        [-24.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], // +L
        [-23.0, -1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0], // +N
        [-20.0, 0.0, -2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], // +S
        [-5.0, 1.0, -3.0, 2.0, 20.0, 22.0, 22.0, 19.0, 21.0], // +B
        [22.0, 21.0, 21.0, -2.0, 1.0, -1.0, -1.0, -1.0, 0.0], // +R
    ],
    file: [
        [-2.0, 7.0, 9.0, -1.0, -4.0], // P
        [-7.0, -1.0, 4.0, 1.0, 0.0], // L
        [-11.0, -12.0, 4.0, -2.0, 2.0], // N
        [-19.0, -8.0, 5.0, 2.0, -4.0], // S
        [-2.0, -2.0, 3.0, -1.0, -1.0], // B
        [-24.0, 3.0, -3.0, 6.0, -5.0], // R
        [-26.0, -8.0, 4.0, 13.0, -3.0], // G
        [8.0, 20.0, 33.0, -7.0, -20.0], // K
        [-20.0, 3.0, -1.0, 3.0, 0.0], // +P
        [-16.0, 0.0, -1.0, -2.0, -1.0], // +L
        [-19.0, 0.0, 1.0, 1.0, 0.0], // +N
        [-15.0, -3.0, -2.0, 2.0, 1.0], // +S
        [-3.0, -1.0, 1.0, 1.0, 1.0], // +B
        [2.0, -3.0, 2.0, -1.0, -1.0], // +R
    ],
    near_own: [13.0, 11.0, 4.0, 0.0, 0.0, -34.0, 33.0, 0.0,
        0.0, 0.0, 3.0, 0.0, 20.0, -3.0],
    near_enemy: [21.0, -14.0, 10.0, 24.0, 7.0, 9.0, -7.0, -2.0,
        30.0, 20.0, 24.0, 18.0, 17.0, 37.0],
    cover: [
        [0.0, 8.7, 8.8, -1.1], // before
        [0.7, 6.5, 4.1, -1.0], // beside
        [0.0, 2.7, 1.1, -0.5], // behind
    ],
    pressure: [
        [0.0, 13.9, 11.1, 4.4], // before
        [5.1, 10.5, 5.7, 2.0], // beside
        [0.0, 10.1, 4.4, 2.2], // behind
    ],
    reach: 0.82,
    cooperation: 253.0,
    first_pawn: 29.0,
    tempo: 24.0,
};
