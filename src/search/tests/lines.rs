//! Reported PVs are legal and end with the game; mates have the right length.

use super::*;

#[test]
fn every_line_reported_is_legal() {
    let mut searcher = small();
    for root in positions(BENCH) {
        let options = SearchOptions {
            multi_pv: 3,
            ..options(Mode::Full)
        };
        let outcome = go(&mut searcher, &root, to_depth(6), &options);
        assert_lines_are_legal(&root, &outcome);
    }
}

/// What must hold for the lines of a search, however it ends.
fn assert_lines_are_honest(root: &Position, outcome: &Outcome, multi_pv: usize) {
    assert_lines_are_legal(root, outcome);
    let context = format!("{root:?}: {:?} {:#?}", outcome.best_move, outcome.infos);
    let lines = multi_pv.min(root.legal_moves().len());
    let mut depths = vec![1; lines];
    let mut expected = 1;
    for info in &outcome.infos {
        // In blocks of lines 1 to `lines`, of which the last may have no score yet.
        assert!(info.multi_pv == expected || info.multi_pv == 1, "{context}");
        expected = info.multi_pv % lines + 1;
        let depth = &mut depths[info.multi_pv - 1];
        assert!(info.multi_pv > 1 || info.depth >= *depth, "{context}");
        *depth = info.depth;
        assert!(
            info.score.abs() < value::INFINITE && !info.pv.is_empty(),
            "{context}"
        );
    }
    // The first iteration at once, and the move played last.
    assert_eq!(outcome.infos[0].depth, 1, "{context}");
    let block = outcome
        .infos
        .iter()
        .rev()
        .find(|info| info.multi_pv == 1)
        .unwrap();
    match outcome.best_move {
        BestMove::Play { mv, ponder } => {
            assert_eq!(block.pv[0], mv, "{context}");
            assert!(
                ponder.is_none_or(|ponder| block.pv.get(1) == Some(&ponder)),
                "{context}"
            );
        }
        BestMove::Win | BestMove::Resign => {}
    }
}

/// Two lines of one depth, neither a bound, are the same: what an iteration finds is not shown with the depth
/// of the one before. Mates need no depth.
fn assert_depths_tell_iterations(outcome: &Outcome) {
    for pair in outcome.infos.windows(2) {
        let [before, after] = [&pair[0], &pair[1]];
        let is_exact = [before, after]
            .iter()
            .all(|it| it.bound == ScoreBound::Exact && !value::is_decisive(it.score));
        if is_exact && before.depth == after.depth {
            assert_eq!(before.score, after.score, "{:#?}", outcome.infos);
            assert_eq!(before.pv[0], after.pv[0], "{:#?}", outcome.infos);
        }
    }
}

#[test]
fn lines_are_honest_however_a_search_ends() {
    let mut rng = StdRng::seed_from_u64(4);
    let (mut one, mut two) = (small(), small());
    two.set_threads(2).unwrap();
    let roots = positions(OPENINGS)
        .step_by(2)
        .chain(positions(BENCH))
        .chain(random_positions(5, 30));
    for root in roots.filter(Position::has_legal_move) {
        let multi_pv = [1, 1, rng.random_range(2..=8)][rng.random_range(0..3)];
        let options = SearchOptions {
            multi_pv,
            pv_interval: [0, 5, 300][rng.random_range(0..3)],
            ..SearchOptions::default()
        };
        let mut limits = Limits::default();
        let mut stop = None;
        match rng.random_range(0..4) {
            0 => limits.movetime = Some(rng.random_range(1..=40)),
            1 => stop = Some(rng.random_range(0..=20_000)),
            _ => limits.nodes = Some(10f64.powf(rng.random_range(0.0..4.7)) as u64),
        }
        let searcher = if rng.random_bool(0.5) || options.pv_interval == 0 {
            &mut one
        } else {
            &mut two
        };
        let (report, infos, best_move) = recorder();
        searcher.go(&root, limits, &options, report);
        if let Some(micros) = stop {
            std::thread::sleep(std::time::Duration::from_micros(micros));
            searcher.stop();
        }
        searcher.wait();
        let outcome = Outcome {
            infos: infos.iter().collect(),
            best_move: best_move.recv().unwrap(),
        };
        assert_lines_are_honest(&root, &outcome, multi_pv);
        if multi_pv == 1 && options.pv_interval == 0 {
            assert_depths_tell_iterations(&outcome);
        }
    }
}

#[test]
fn lines_are_legal_whatever_the_hash_table_holds() {
    // The table is small and never cleared, so it is full of entries of other positions.
    let mut searcher = Searcher::new();
    searcher.set_hash(1).unwrap();
    let options = options(Mode::Full);
    for root in positions(OPENINGS)
        .step_by(2)
        .chain(random_positions(1, 40))
    {
        let outcome = go(&mut searcher, &root, to_depth(5), &options);
        assert_lines_are_legal(&root, &outcome);
        let last = outcome.last();
        assert!(!last.pv.is_empty() && last.pv.len() <= last.seldepth.max(1));
    }
}

#[test]
fn several_threads_report_legal_lines_too() {
    let mut searcher = small();
    searcher.set_threads(3).unwrap();
    for root in positions(BENCH).step_by(5) {
        let outcome = go(&mut searcher, &root, to_depth(7), &options(Mode::Full));
        assert_lines_are_legal(&root, &outcome);
        assert!(outcome.last().depth <= 7, "helpers keep to the depth too");
    }
}

/// Mates, with their length in plies.
const MATES: [(&str, usize); 4] = [
    ("8k/9/7+P1/9/9/9/9/9/K8 b G 1", 1),
    ("7nl/7k1/9/7P1/9/9/9/9/K8 b 2G 1", 3),
    ("7nk/6+R2/9/9/9/9/9/9/K8 b N 1", 1),
    ("k8/9/1+R7/9/9/9/9/9/8K b G 1", 1),
];

#[test]
fn repeated_searches_find_mates_of_the_same_length() {
    let mut searcher = small();
    for (sfen, length) in MATES {
        let root = position(sfen);
        for round in 0..3 {
            let outcome = go(&mut searcher, &root, to_depth(12), &options(Mode::Full));
            assert_eq!(
                outcome.score(),
                value::mate_in(length),
                "{sfen} round {round}"
            );
            assert_eq!(outcome.last().pv.len(), length, "{sfen}");
        }
    }
}

#[test]
fn mate_scores_in_the_hash_table_are_adjusted_to_the_ply() {
    // The mate is stored with its position at the root, then probed two plies deeper.
    let mut searcher = small();
    let mate = position("7nl/7k1/9/7P1/9/9/9/9/K8 b 2G 3");
    let solved = go(&mut searcher, &mate, to_depth(12), &options(Mode::Full));
    assert_eq!(solved.score(), value::mate_in(3));
    let mut before = position("7nl/6k2/9/7P1/9/9/9/9/1K7 b 2G 1");
    for mv in ["8i9i", "3b2b"] {
        before.do_move(Move::from_usi(mv).unwrap());
    }
    assert_eq!(before.key(), mate.key());
    let before = position("7nl/6k2/9/7P1/9/9/9/9/1K7 b 2G 1");
    let limits = Limits {
        searchmoves: vec![Move::from_usi("8i9i").unwrap()],
        ..to_depth(6)
    };
    let outcome = go(&mut searcher, &before, limits, &options(Mode::Full));
    // White can avoid the mate; if the search sees one, it is at least two plies longer.
    assert!(outcome.score() <= value::mate_in(5));
}

#[test]
fn mate_problems_are_solved_by_ordinary_search() {
    let mut searcher = small();
    let records = MATE_PROBLEMS.lines().filter(|line| !line.starts_with('#'));
    let mut solved = 0;
    for fields in records.map(|line| line.split(" | ").collect::<Vec<_>>()) {
        let Ok(length @ 1..=7) = fields[1].parse::<usize>() else {
            continue;
        };
        searcher.clear();
        for round in 0..3 {
            let limits = Limits {
                nodes: Some(500_000),
                ..Limits::default()
            };
            let root = position(fields[0]);
            let outcome = go(&mut searcher, &root, limits, &options(Mode::Full));
            // Quiet moves may mate sooner than checks alone.
            assert!(
                outcome.score() >= value::mate_in(length),
                "{} round {round}: {}",
                fields[0],
                outcome.score()
            );
        }
        solved += 1;
    }
    assert!(solved >= 25);
}

/// Checks that the PV of a mate score ends in mate after that many plies.
fn assert_mates(root: &Position, info: &Info) {
    let plies = (value::MATE - info.score.abs()) as usize;
    let end = play_line(root, &info.pv);
    let context = format!("mate in {plies} by {:?} from {root:?}", info.pv);
    if end.has_legal_move() {
        // A declaration wins like a mate that takes one ply more.
        let rule = SearchOptions::default().entering_king_rule;
        assert!(end.declaration_win(rule).is_some(), "{context}");
        assert_eq!(info.pv.len() + 1, plies, "{context}");
    } else {
        assert_eq!(info.pv.len(), plies, "{context}");
    }
}

#[test]
fn the_pv_of_a_mate_score_ends_in_mate() {
    // A table too small for the search, for many replacements and collisions.
    let mut searcher = Searcher::new();
    searcher.set_hash(1).unwrap();
    let mut mates = 0;
    let all = positions(MATE_PROBLEMS).chain(random_positions(2, 60));
    for root in all.filter(Position::has_legal_move) {
        let outcome = go(&mut searcher, &root, to_depth(6), &options(Mode::Full));
        for info in &outcome.infos {
            let is_mate = info.score.abs() >= value::MATE_IN_MAX_PLY;
            if is_mate && info.bound == ScoreBound::Exact {
                assert_mates(&root, info);
                mates += 1;
            }
        }
    }
    assert!(mates > 100, "{mates}");
}
