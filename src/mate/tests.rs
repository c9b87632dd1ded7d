//! Hand-made problems.

use super::*;

const LIMITS: MateLimits = MateLimits {
    nodes: Some(1_000_000),
    time: None,
    memory_mb: 16,
};

fn outcome(sfen: &str) -> String {
    let position = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
    match solve(&position, &LIMITS, &AtomicBool::new(false)) {
        MateOutcome::Mate(line) => {
            let moves: Vec<_> = line.iter().map(Move::to_string).collect();
            moves.join(" ")
        }
        MateOutcome::NoMate => "nomate".into(),
        MateOutcome::Timeout => "timeout".into(),
    }
}

#[test]
fn gold_on_the_head_mates() {
    assert_eq!(
        outcome("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"),
        "G*5b"
    );
}
