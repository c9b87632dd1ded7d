//! The search against plain minimax and against itself.

use super::*;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::types::{Depth, Move, Value, value};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Sends on everything reported.
struct Recorder {
    infos: Sender<Info>,
    answer: Sender<Answer>,
}

impl Report for Recorder {
    fn info(&mut self, info: &Info) {
        self.infos.send(info.clone()).unwrap();
    }
    fn answer(&mut self, answer: Answer) {
        self.answer.send(answer).unwrap();
    }
}

fn recorder() -> (Box<Recorder>, Receiver<Info>, Receiver<Answer>) {
    let ((infos, received), (answer, answered)) = (channel(), channel());
    (Box::new(Recorder { infos, answer }), received, answered)
}

struct Outcome {
    infos: Vec<Info>,
    answer: Answer,
}

impl Outcome {
    fn last(&self) -> &Info {
        self.infos
            .last()
            .expect("a search reports at least one line")
    }
    fn score(&self) -> Value {
        self.last().score
    }
}

fn go(
    searcher: &mut Searcher,
    position: &Position,
    limits: Limits,
    options: &SearchOptions,
) -> Outcome {
    let (report, infos, answer) = recorder();
    searcher.go(position, limits, options, report);
    searcher.wait();
    Outcome {
        infos: infos.iter().collect(),
        answer: answer.recv().unwrap(),
    }
}

fn to_depth(depth: Depth) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn small() -> Searcher {
    let mut searcher = Searcher::new();
    searcher.set_hash(4).unwrap();
    searcher
}

fn options(techniques: Techniques) -> SearchOptions {
    SearchOptions {
        pv_interval: 0,
        techniques,
        ..SearchOptions::default()
    }
}

/// Nothing but some techniques. Unlikely moves are left out in any case, so that the moves are
/// those of minimax.
fn only(techniques: Technique) -> Techniques {
    Techniques::without(
        Technique::all()
            .difference(techniques)
            .difference(Technique::UNLIKELY_MOVES),
    )
}

fn plain() -> Techniques {
    only(Technique::empty())
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

/// Small positions, so that minimax can go a few plies: with and without hands, in check, with
/// mates near.
const SMALL: [&str; 12] = [
    "4k4/9/4p4/9/9/9/4P4/9/4K4 b - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b G 1",
    "3gk4/9/4P4/9/9/9/9/9/4K4 b G 1",
    "4k4/4r4/9/9/9/9/9/4G4/4K4 b P 1",
    "8k/7pp/9/9/9/9/9/9/K7R b - 1",
    "8k/9/7+P1/9/9/9/9/9/K8 b G 1",
    "k8/1+R7/9/9/9/9/9/9/8K w g 1",
    "4k4/9/9/9/4l4/9/9/9/4K4 b g 1",
    "3sks3/9/9/3N1N3/9/9/9/9/4K4 b - 1",
    "4k4/2b3s2/9/9/9/9/2S3B2/9/4K4 b - 1",
    "2k6/9/2P6/9/9/9/9/9/2K6 b r 1",
    "7nk/6+R2/9/9/9/9/9/9/K8 b N 1",
];

/// Value by the definition: the best of all moves, the other side's best subtracted.
fn minimax(position: &mut Position, depth: Depth, ply: usize) -> Value {
    if depth == 0 {
        let mut evaluator = Evaluator::new();
        evaluator.reset(position);
        return evaluator.evaluate(position);
    }
    let mut moves: Vec<Move> = Vec::new();
    position.generate_legal::<false>(&mut moves);
    let mut best = value::mated_in(ply);
    for mv in moves {
        position.do_move(mv);
        best = best.max(-minimax(position, depth - 1, ply + 1));
        position.undo_move(mv);
    }
    best
}

#[test]
fn without_selectivity_the_value_is_that_of_minimax() {
    let mut searcher = small();
    let mut compared = 0;
    let openings = include_str!("../../positions/openings.sfen");
    let openings = openings.lines().filter(|line| !line.starts_with('#'));
    let cases = SMALL
        .iter()
        .map(|sfen| (*sfen, 3))
        .chain(openings.take(100).map(|sfen| (sfen, 2)));
    for (sfen, deepest) in cases {
        let mut root = position(sfen);
        for depth in 1..=deepest {
            searcher.clear();
            let outcome = go(&mut searcher, &root, to_depth(depth), &options(plain()));
            assert_eq!(
                outcome.score(),
                minimax(&mut root, depth, 0),
                "{sfen} depth {depth}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 200);
}

#[test]
fn the_table_does_not_change_the_value_of_plain_search() {
    let mut searcher = small();
    let with_table = only(Technique::TABLE_CUTOFF | Technique::TABLE_MOVE);
    for sfen in SMALL {
        let root = position(sfen);
        searcher.clear();
        let plain = go(&mut searcher, &root, to_depth(3), &options(plain())).score();
        searcher.clear();
        let cut = go(&mut searcher, &root, to_depth(3), &options(with_table)).score();
        assert_eq!(plain, cut, "{sfen}");
    }
}

#[test]
fn aspiration_finds_what_the_full_window_finds() {
    let mut searcher = small();
    // Delta pruning and its like answer by the window, and are left out.
    let windows = only(Technique::ASPIRATION | Technique::QUIESCENCE);
    let full = only(Technique::QUIESCENCE);
    for sfen in SMALL {
        let root = position(sfen);
        searcher.clear();
        let narrow = go(&mut searcher, &root, to_depth(5), &options(windows)).score();
        searcher.clear();
        let wide = go(&mut searcher, &root, to_depth(5), &options(full)).score();
        assert_eq!(narrow, wide, "{sfen}");
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
fn mates_are_found_with_their_length_again_and_again() {
    let mut searcher = small();
    for (sfen, length) in MATES {
        let root = position(sfen);
        for round in 0..3 {
            let outcome = go(
                &mut searcher,
                &root,
                to_depth(12),
                &options(Techniques::ALL),
            );
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
fn a_mate_in_the_table_is_read_right_at_another_ply() {
    // The mate is stored when its position is the root; then it is met two plies deeper.
    let mut searcher = small();
    let mate = position("7nl/7k1/9/7P1/9/9/9/9/K8 b 2G 3");
    let solved = go(
        &mut searcher,
        &mate,
        to_depth(12),
        &options(Techniques::ALL),
    );
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
    let outcome = go(&mut searcher, &before, limits, &options(Techniques::ALL));
    // White need not walk into it; but if a mate is seen, it is at least two plies longer.
    assert!(outcome.score() <= value::mate_in(5));
}

fn assert_lines_are_legal(root: &Position, outcome: &Outcome) {
    for info in &outcome.infos {
        let mut position = root.clone();
        for &mv in &info.pv {
            assert!(position.is_legal(mv), "{mv} of {:?} from {root:?}", info.pv);
            position.do_move(mv);
        }
    }
    if let Answer::Play { mv, ponder } = outcome.answer {
        let mut position = root.clone();
        assert!(position.is_legal(mv));
        position.do_move(mv);
        assert!(ponder.is_none_or(|reply| position.is_legal(reply)));
    }
}

#[test]
fn every_line_reported_is_legal() {
    let mut searcher = small();
    let lines = include_str!("../../positions/bench.sfen");
    for sfen in lines.lines().filter(|line| !line.starts_with('#')) {
        let root = position(sfen);
        let options = SearchOptions {
            multi_pv: 3,
            ..options(Techniques::ALL)
        };
        let outcome = go(&mut searcher, &root, to_depth(6), &options);
        assert_lines_are_legal(&root, &outcome);
    }
}

#[test]
fn the_same_search_twice_takes_the_same_nodes() {
    let root = Position::startpos();
    let nodes = |searcher: &mut Searcher| {
        go(searcher, &root, to_depth(9), &options(Techniques::ALL))
            .last()
            .nodes
    };
    let mut searcher = small();
    let first = nodes(&mut searcher);
    go(
        &mut searcher,
        &position(SMALL[9]),
        to_depth(6),
        &options(Techniques::ALL),
    );
    searcher.clear();
    assert_eq!(
        nodes(&mut searcher),
        first,
        "after other work and usinewgame"
    );
    assert_eq!(nodes(&mut small()), first, "in a fresh searcher");
}

#[test]
fn node_limits_are_exact_with_one_thread() {
    let mut searcher = small();
    for limit in [1, 2, 30, 1000, 20_000] {
        let limits = Limits {
            nodes: Some(limit),
            ..Limits::default()
        };
        let outcome = go(
            &mut searcher,
            &Position::startpos(),
            limits,
            &options(Techniques::ALL),
        );
        assert!(
            outcome.last().nodes <= limit,
            "{} of {limit}",
            outcome.last().nodes
        );
        assert_lines_are_legal(&Position::startpos(), &outcome);
    }
}

#[test]
fn a_full_warm_table_does_not_keep_a_search_from_ending() {
    let mut searcher = Searcher::new();
    searcher.set_hash(1).unwrap();
    for sfen in [
        SMALL[0],
        SMALL[9],
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    ] {
        for _ in 0..3 {
            let outcome = go(
                &mut searcher,
                &position(sfen),
                to_depth(9),
                &options(Techniques::ALL),
            );
            assert!(outcome.last().depth <= 9);
        }
    }
}

#[test]
fn a_lone_repetition_is_worth_a_draw_whatever_the_table() {
    // Black is far behind and lives by the repetition of rook checks that White must answer, but
    // perpetual check is forbidden: only quiet repetition may score as a draw.
    let mut scores = Vec::new();
    for megabytes in [1, 256] {
        let mut searcher = Searcher::new();
        searcher.set_hash(megabytes).unwrap();
        let mut root = Position::startpos();
        // Three occurrences of the start position, Black to move: shuffling on would be a draw.
        for _ in 0..2 {
            for mv in ["5i5h", "5a5b", "5h5i", "5b5a"] {
                root.do_move(Move::from_usi(mv).unwrap());
            }
        }
        for mv in ["5i5h", "5a5b", "5h5i"] {
            root.do_move(Move::from_usi(mv).unwrap());
        }
        let limits = Limits {
            searchmoves: vec![Move::from_usi("5b5a").unwrap()],
            ..to_depth(4)
        };
        let outcome = go(&mut searcher, &root, limits, &options(Techniques::ALL));
        assert!(
            (outcome.score() - value::DRAW).abs() <= 4,
            "{}",
            outcome.score()
        );
        scores.push(outcome.score());
    }
    assert_eq!(scores[0], scores[1]);
}

#[test]
fn stop_always_leaves_an_answer() {
    let mut searcher = small();
    searcher.set_threads(2);
    for round in 0..50 {
        let (report, _infos, answer) = recorder();
        let limits = Limits {
            infinite: round % 2 == 0,
            ponder: round % 3 == 0,
            ..Limits::default()
        };
        searcher.go(
            &Position::startpos(),
            limits,
            &options(Techniques::ALL),
            report,
        );
        if round % 5 == 0 {
            searcher.ponderhit(None);
        }
        searcher.stop();
        searcher.wait();
        assert!(matches!(answer.try_recv(), Ok(Answer::Play { .. })));
        assert!(answer.try_recv().is_err(), "one answer only");
        assert!(!searcher.is_searching());
    }
}

#[test]
fn a_limit_reached_while_pondering_waits_for_the_hit() {
    let mut searcher = small();
    for limits in [
        Limits {
            nodes: Some(100),
            ponder: true,
            ..Limits::default()
        },
        Limits {
            depth: Some(2),
            ponder: true,
            ..Limits::default()
        },
        Limits {
            nodes: Some(100),
            infinite: true,
            ..Limits::default()
        },
    ] {
        let infinite = limits.infinite;
        let (report, _infos, answer) = recorder();
        searcher.go(
            &Position::startpos(),
            limits,
            &options(Techniques::ALL),
            report,
        );
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(
            answer.try_recv().is_err(),
            "answered on the opponent's time"
        );
        if infinite {
            searcher.stop();
        } else {
            searcher.ponderhit(None);
        }
        searcher.wait();
        assert!(answer.try_recv().is_ok());
    }
}

#[test]
fn an_infinite_search_waits_even_when_there_is_nothing_to_find() {
    let mut searcher = small();
    // Mated; a declaration; a single reply.
    for sfen in [
        "8k/8+P/8G/9/9/9/9/9/K8 w - 1",
        "+R+R+B+B+P+P+P+P+P/+P3K4/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 301",
        "7nk/8P/9/9/9/9/9/9/K8 w - 1",
    ] {
        let (report, _infos, answer) = recorder();
        let limits = Limits {
            infinite: true,
            depth: Some(3),
            ..Limits::default()
        };
        searcher.go(&position(sfen), limits, &options(Techniques::ALL), report);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(answer.try_recv().is_err(), "{sfen}");
        searcher.stop();
        searcher.wait();
        assert!(answer.try_recv().is_ok(), "{sfen}");
    }
}
