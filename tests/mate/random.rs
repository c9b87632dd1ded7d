//! Small random positions around a king, for comparing solvers.

use komaoto::position::Position;
use rand::Rng;
use rand::rngs::StdRng;

/// A random position with few pieces; `None` if it breaks a rule.
pub fn random_position(rng: &mut StdRng) -> Option<Position> {
    let mut board = vec![vec![String::new(); 9]; 9];
    let rank = rng.random_range(0..2);
    let file = rng.random_range(0..3);
    board[rank][file] = "k".into();
    if rng.random_bool(0.3) {
        let rank = rng.random_range(0..9);
        let file = rng.random_range(0..9);
        place(&mut board, rank, file, "K".into());
    }
    for _ in 0..rng.random_range(2..8) {
        scatter(&mut board, (rank, file), 1, "pplnsgbr", rng);
    }
    for _ in 0..rng.random_range(2..6) {
        scatter(&mut board, (rank, file), 2, "PPLNSSGGBR", rng);
    }
    let mut hands = String::new();
    for kind in "RBGSNLP".chars() {
        let count = rng.random_range(0..10);
        if count < 2 || kind == 'P' && count < 4 {
            hands.push(kind);
        }
    }
    for kind in "rbgsnlp".chars() {
        if rng.random_bool(0.03) {
            hands.push(kind);
        }
    }
    if hands.is_empty() {
        hands.push('-');
    }
    let rows: Vec<String> = board.iter().map(|row| row_text(row)).collect();
    Position::from_sfen(&format!("{} b {hands} 1", rows.join("/"))).ok()
}

/// Puts a piece of one of these letters near a square.
fn scatter(
    board: &mut [Vec<String>],
    (rank, file): (usize, usize),
    reach: usize,
    letters: &str,
    rng: &mut StdRng,
) {
    let near = |at: usize, rng: &mut StdRng| {
        (at + rng.random_range(0..=2 * reach))
            .saturating_sub(reach)
            .min(8)
    };
    let letter = letters.as_bytes()[rng.random_range(0..letters.len())] as char;
    let promoted = !matches!(letter, 'g' | 'G') && rng.random_bool(0.25);
    let piece = format!("{}{letter}", if promoted { "+" } else { "" });
    let (rank, file) = (near(rank, rng), near(file, rng));
    place(board, rank, file, piece);
}

fn place(board: &mut [Vec<String>], rank: usize, file: usize, piece: String) {
    if board[rank][file].is_empty() {
        board[rank][file] = piece;
    }
}

fn row_text(row: &[String]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for piece in row {
        if piece.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        empty = 0;
        text += piece;
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}
