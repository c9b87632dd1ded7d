//! Hand-made problems, and solving in slices.

use super::*;

const LIMITS: MateLimits = MateLimits {
    nodes: Some(1_000_000),
    time: None,
    plies: None,
    memory_mb: 16,
};

fn outcome(sfen: &str) -> String {
    let position = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
    match solve(&position, &LIMITS, &AtomicBool::new(false), &mut |_| {}) {
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

#[test]
fn a_dropped_pawn_does_not_mate_but_a_pawn_that_moves_does() {
    assert_eq!(outcome("3lkl3/3p1p3/4G4/9/9/9/9/9/9 b P 1"), "nomate");
    assert_eq!(outcome("3lkl3/3p1p3/9/4P4/4R4/9/9/9/9 b - 1"), "nomate");
    assert_eq!(outcome("7lk/9/7GP/9/9/9/9/9/9 b - 1"), "1c1b+");
}

#[test]
fn perpetual_check_is_no_mate() {
    assert_eq!(outcome("k8/9/1+R7/9/9/9/9/9/9 b - 1"), "nomate");
    assert_eq!(outcome("4k4/9/9/3+R5/9/9/9/9/9 b - 1"), "nomate");
}

#[test]
fn an_attacker_in_check_answers_it_with_check() {
    assert_eq!(outcome("lkl6/p1p6/9/9/9/9/1n5R1/9/K8 b - 1"), "2g8g");
    assert_eq!(outcome("8k/9/8P/9/9/9/9/8r/8K b G 1"), "nomate");
}

#[test]
fn every_interposition_counts() {
    let line = outcome("8k/6G2/9/7N1/4G4/9/9/9/B8 b 2rb2g4s3n4l18p 1");
    assert_eq!(line.split(' ').count(), 15, "{line}");
}

#[test]
fn positions_that_occurred_three_times_in_the_game_are_known() {
    let mut game = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").expect("legal");
    let shuffle = ["5i4i", "5a4a", "4i5i", "4a5a"].map(|mv| Move::from_usi(mv).expect("move"));
    let start = game.key();
    for mv in shuffle.into_iter().cycle().take(7) {
        game.do_move(mv);
    }
    assert!(solver::thrice_repeated(&game).is_empty());
    game.do_move(shuffle[3]);
    assert_eq!(solver::thrice_repeated(&game), [start]);
}

#[test]
fn a_solver_run_in_slices_finds_what_one_run_does() {
    let problems = [
        ("8k/6G2/9/7N1/4G4/9/9/9/B8 b 2rb2g4s3n4l18p 1", 15),
        ("4R1n1k/5Gn2/7p1/9/7N1/5L3/9/9/9 b 2P 1", 5),
        ("4k4/9/9/3+R5/9/9/9/9/9 b - 1", 0),
    ];
    let mut solver = Solver::new(&Position::startpos(), 16, 200);
    for (sfen, length) in problems.into_iter().cycle().take(6) {
        let position = Position::from_sfen(sfen).expect("legal");
        solver.restart(&position);
        let mut slices = 0;
        while !solver.is_finished() {
            let mut interrupt = |_| false;
            let mut budget = NodeBudget::new(1000, &mut interrupt);
            solver.solve(&mut budget);
            solver.shorten(&mut budget);
            assert!(budget.nodes() <= 1000, "{sfen}");
            slices += 1;
            assert!(slices < 5000, "{sfen}");
        }
        assert_eq!(solver.line().len(), length, "{sfen}");
        assert!(slices > 1 || length < 15);
    }
}

#[test]
fn a_mate_beyond_the_limit_of_plies_is_not_decided() {
    let position = Position::from_sfen("9/9/kBr6/1L7/9/G8/9/9/9 b GP 1").expect("legal");
    for plies in 1..=13 {
        let limits = MateLimits {
            plies: Some(plies),
            ..LIMITS
        };
        let mut reports = Vec::new();
        let outcome = solve(&position, &limits, &AtomicBool::new(false), &mut |it| {
            reports.push((it.nodes, it.line.len()));
        });
        match outcome {
            MateOutcome::Mate(line) => assert!(plies >= 11 && line.len() == 11),
            outcome => assert!(plies < 11 && outcome == MateOutcome::Timeout),
        }
        let (nodes, length) = *reports.last().expect("a last report");
        assert!(nodes > 0 && length == if plies >= 11 { 11 } else { 0 });
    }
}
