//! Shared by the integration tests: reading `positions/`, and random play.
#![allow(dead_code, reason = "every test crate uses its own part")]

use komaoto::position::{CheckInfo, Position};
use komaoto::types::Move;
use rand::prelude::*;

/// The records of a file in `positions/`: its lines without comments, split at semicolons.
pub fn records(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(';').map(str::trim).collect())
}

/// The words of a field, none for `-`.
pub fn words(field: &str) -> Vec<&str> {
    field
        .split_whitespace()
        .filter(|&word| word != "-")
        .collect()
}

/// Reads a valid SFEN.
pub fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// Reads a USI move.
pub fn usi(text: &str) -> Move {
    Move::from_usi(text).unwrap()
}

/// Plays legal moves.
pub fn play(position: &mut Position, moves: &str) {
    for mv in words(moves).into_iter().map(usi) {
        assert!(position.is_legal(mv), "{mv} in {position:?}");
        position.do_move(mv);
    }
}

/// Moves as sorted USI text.
pub fn sorted(moves: &[Move]) -> Vec<String> {
    let mut texts: Vec<_> = moves.iter().map(Move::to_string).collect();
    texts.sort();
    texts
}

/// Which moves a random game prefers.
type Preference = fn(&Position, &CheckInfo, Move) -> bool;

const PREFERENCES: [Preference; 4] = [
    |_, _, _| true,
    // Hands fill.
    |position, _, mv| position.is_capture(mv) || mv.is_promotion(),
    // Kings run.
    |position, info, mv| position.gives_check(mv, info),
    // Pieces meet, and kings enter.
    |_, _, mv| !mv.is_drop(),
];

/// A random legal move, mostly a preferred one.
fn random_move(position: &Position, prefers: Preference, rng: &mut StdRng) -> Option<Move> {
    let moves = position.legal_moves();
    let info = position.check_info();
    let mut preferred = moves.clone();
    preferred.retain(|&mv| prefers(position, &info, mv));
    let from = if !preferred.is_empty() && rng.random_bool(0.7) {
        preferred
    } else {
        moves
    };
    from.choose(rng).copied()
}

/// Starts of random games: the even position, full hands, a middle game, and a mate problem without
/// the attacker's king.
const STARTS: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "8k/9/9/9/9/9/9/9/9 b R2GSr2b2g3s4n4l18p 1",
];

/// Plays random games of at most `plies` plies with a fixed seed, and calls `visit` with every
/// position, which must be unchanged afterwards.
pub fn rollouts(
    seed: u64,
    games: usize,
    plies: usize,
    mut visit: impl FnMut(&mut Position, &mut StdRng),
) {
    let mut rng = StdRng::seed_from_u64(seed);
    for game in 0..games {
        let mut position = position(STARTS[game / PREFERENCES.len() % STARTS.len()]);
        let prefers = PREFERENCES[game % PREFERENCES.len()];
        for _ in 0..plies {
            visit(&mut position, &mut rng);
            let Some(mv) = random_move(&position, prefers, &mut rng) else {
                break;
            };
            position.do_move(mv);
        }
    }
}

/// How much to test: `full` in release builds, less with debug assertions.
pub const fn effort(full: usize, debug: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { full }
}
