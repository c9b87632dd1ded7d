//! What the test files share: reading `positions/` and random play.
#![allow(dead_code, reason = "every test file uses its own part")]

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

/// Reads an SFEN that must be good.
pub fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// Plays moves in USI text that must be legal.
pub fn play(position: &mut Position, moves: &str) {
    for text in words(moves) {
        let mv = Move::from_usi(text).unwrap();
        assert!(position.is_legal(mv), "{text} in {position:?}");
        position.do_move(mv);
    }
}

/// Moves as sorted USI text.
pub fn sorted(moves: &[Move]) -> Vec<String> {
    let mut texts: Vec<_> = moves.iter().map(Move::to_string).collect();
    texts.sort();
    texts
}

/// What random play likes best.
#[derive(Clone, Copy, Debug)]
pub enum Taste {
    /// Any move.
    Anything,
    /// Captures and promotions, so that hands fill.
    Captures,
    /// Checks, so that kings run.
    Checks,
    /// Moves on the board, so that pieces meet and kings enter.
    BoardMoves,
}

/// Every taste.
pub const TASTES: [Taste; 4] = [
    Taste::Anything,
    Taste::Captures,
    Taste::Checks,
    Taste::BoardMoves,
];

impl Taste {
    fn likes(self, position: &Position, info: &CheckInfo, mv: Move) -> bool {
        match self {
            Taste::Anything => true,
            Taste::Captures => position.is_capture(mv) || mv.is_promotion(),
            Taste::Checks => position.gives_check(mv, info),
            Taste::BoardMoves => !mv.is_drop(),
        }
    }

    /// A random legal move, mostly one of those liked.
    pub fn choose(self, position: &Position, rng: &mut StdRng) -> Option<Move> {
        let moves = position.legal_moves();
        let info = position.check_info();
        let liked: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|&mv| self.likes(position, &info, mv))
            .collect();
        let from: &[Move] = if !liked.is_empty() && rng.random_bool(0.7) {
            &liked
        } else {
            &moves
        };
        from.choose(rng).copied()
    }
}

/// Starts of random play: the even position, full hands, a mate problem without attacker's king.
pub const STARTS: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "8k/9/9/9/9/9/9/9/9 b R2GSr2b2g3s4n4l18p 1",
];

/// Plays random games of at most `plies` plies with a fixed seed and shows every position,
/// with the moves that led to it, to a visitor, who must leave it as it was.
pub fn rollouts(
    seed: u64,
    games: usize,
    plies: usize,
    mut visit: impl FnMut(&mut Position, &mut StdRng),
) {
    let mut rng = StdRng::seed_from_u64(seed);
    for game in 0..games {
        let mut position = position(STARTS[game / TASTES.len() % STARTS.len()]);
        let taste = TASTES[game % TASTES.len()];
        for _ in 0..plies {
            visit(&mut position, &mut rng);
            let Some(mv) = taste.choose(&position, &mut rng) else {
                break;
            };
            position.do_move(mv);
        }
    }
}

/// A part of `full` in release builds, fewer with debug assertions.
pub const fn effort(full: usize, debug: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { full }
}
