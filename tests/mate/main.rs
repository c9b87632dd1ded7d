//! The mate solver: its answers against an exhaustive solver, and its limits.

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod random;

use common::position;
use komaoto::mate::{MateLimits, MateOutcome, solve};
use komaoto::position::{GameRepetition, Position};
use komaoto::types::Move;
use oracle::{Truth, allowed_moves, truth};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LIMITS: MateLimits = MateLimits {
    nodes: Some(2_000_000),
    time: None,
    plies: None,
    memory_mb: 16,
};

fn run(position: &Position, limits: &MateLimits) -> MateOutcome {
    solve(position, limits, &AtomicBool::new(false), &mut |_| {})
}

/// Checks a line: every move is allowed, no position repeats, and the last one is mate.
fn assert_mates(start: &Position, line: &[Move]) {
    let mut position = start.clone();
    let mut seen = vec![position.key()];
    for (ply, &mv) in line.iter().enumerate() {
        let allowed = allowed_moves(&mut position, ply % 2 == 0);
        assert!(allowed.contains(&mv), "{mv} of {line:?} in {start:?}");
        position.do_move(mv);
        assert!(!seen.contains(&position.key()), "{line:?} in {start:?}");
        seen.push(position.key());
    }
    assert!(
        position.in_check() && !position.has_legal_move(),
        "{line:?} in {start:?}"
    );
    assert_eq!(position.game_repetition(), GameRepetition::None);
}

/// What the solver finds; `None` for a timeout.
fn solved(start: &Position, limits: &MateLimits) -> Option<Truth> {
    match run(start, limits) {
        MateOutcome::Mate(line) => {
            assert_mates(start, &line);
            Some(Truth::Mate(line.len()))
        }
        MateOutcome::NoMate => Some(Truth::NoMate),
        MateOutcome::Timeout => None,
    }
}

/// Random positions that the oracle can solve.
fn random_problems(
    seed: u64,
    count: usize,
    limit: usize,
) -> impl Iterator<Item = (Position, Truth)> {
    let mut rng = StdRng::seed_from_u64(seed);
    let positions = std::iter::from_fn(move || Some(random::random_position(&mut rng)));
    positions
        .flatten()
        .filter_map(move |position| {
            let truth = truth(&position, limit)?;
            Some((position, truth))
        })
        .take(count)
}

#[test]
fn random_positions_are_solved_correctly() {
    let (mut mates, mut others) = (0, 0);
    for (position, truth) in random_problems(1, 300, 400) {
        assert_eq!(solved(&position, &LIMITS), Some(truth), "{position:?}");
        match truth {
            Truth::Mate(_) => mates += 1,
            Truth::NoMate => others += 1,
        }
    }
    assert!(mates > 40 && others > 40, "{mates} {others}");
}

/// The problems of `positions/mates.sfen` with their recorded solutions.
fn problems() -> Vec<(Position, Truth)> {
    let text = include_str!("../../positions/mates.sfen");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").collect();
            let truth = match fields[1] {
                "nomate" => Truth::NoMate,
                plies => Truth::Mate(plies.parse().expect("plies")),
            };
            (position(fields[0]), truth)
        })
        .collect()
}

#[test]
fn recorded_solutions_are_correct() {
    let mut checked = 0;
    for (position, expected) in problems() {
        if let Some(truth) = truth(&position, 20_000) {
            assert_eq!(truth, expected, "{position:?}");
            checked += 1;
        }
    }
    assert!(checked >= 35, "{checked}");
}

#[test]
fn problems_are_solved_correctly() {
    for (position, expected) in problems() {
        assert_eq!(solved(&position, &LIMITS), Some(expected), "{position:?}");
    }
}

/// Asserts that the solver is right, though it may time out or find a longer mate.
fn assert_no_wrong_answer(limits: &MateLimits) {
    for (position, expected) in problems() {
        match (solved(&position, limits), expected) {
            (Some(Truth::Mate(found)), Truth::Mate(shortest)) => assert!(found >= shortest),
            (Some(Truth::NoMate), Truth::NoMate) | (None, _) => {}
            (found, _) => panic!("{found:?} instead of {expected:?} in {position:?}"),
        }
    }
}

#[test]
fn a_table_too_small_gives_no_wrong_answer() {
    assert_no_wrong_answer(&MateLimits {
        nodes: Some(200_000),
        memory_mb: 0,
        ..LIMITS
    });
}

#[test]
fn few_nodes_give_no_wrong_answer() {
    for nodes in [0, 1, 10, 100, 1000] {
        assert_no_wrong_answer(&MateLimits {
            nodes: Some(nodes),
            ..LIMITS
        });
    }
}

/// A problem with a full set of pieces that takes far longer than these tests: a king that walks
/// over an open board.
const ENDLESS: &str = "4k4/9/9/9/9/9/9/9/9 b RBGSNrb3g3s3n4l18p 1";

#[test]
fn time_limits_and_the_stop_flag_end_a_search_soon() {
    let start = position(ENDLESS);
    let unlimited = MateLimits {
        nodes: None,
        plies: None,
        time: None,
        memory_mb: 16,
    };
    let soon = |began: Instant| began.elapsed() < Duration::from_secs(2);

    let began = Instant::now();
    let timed = MateLimits {
        time: Some(Duration::from_millis(100)),
        ..unlimited
    };
    assert_eq!(run(&start, &timed), MateOutcome::Timeout);
    assert!(soon(began));

    let stop = AtomicBool::new(true);
    assert_eq!(
        solve(&start, &unlimited, &stop, &mut |_| {}),
        MateOutcome::Timeout
    );
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let solving = scope.spawn(|| solve(&start, &unlimited, &stop, &mut |_| {}));
        std::thread::sleep(Duration::from_millis(50));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(solving.join().ok(), Some(MateOutcome::Timeout));
    });
    assert!(soon(began));
}

#[test]
fn without_a_king_of_the_defender_there_is_no_mate() {
    let start = position("9/9/9/9/9/9/9/9/4K4 b RG 1");
    assert_eq!(run(&start, &LIMITS), MateOutcome::NoMate);
}
