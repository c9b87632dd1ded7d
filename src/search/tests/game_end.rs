//! Every search ends, by itself or when stopped, with exactly one answer.

use super::*;
use crate::search::pvs::Pv;
use crate::types::MAX_PLY;

/// Boards from an editor: no kings, two pawns on a file, dead pawns, more pieces of a kind than a set has.
#[test]
fn irregular_positions_are_searched() {
    for sfen in [
        "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
        "pnsgkgsnp/1r5b1/pp1pppp1p/2p4p1/4P4/9/PPP2PPPP/1B2P2R1/LNSGKGSNP b - 1",
        "4k3P/9/9/9/9/9/9/9/p3K4 b 2Pp 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 31P 1",
        "rrr1k1bbb/9/9/9/9/9/9/9/4K4 w 7G7S7N 1",
        "9/9/9/9/9/9/9/9/9 b R7Gr 1",
    ] {
        let (position, irregularities) = Position::from_any_sfen(sfen).unwrap();
        assert!(!irregularities.is_empty(), "{sfen}");
        assert!(Position::from_sfen(sfen).is_err());
        let mut searcher = SingleSearcher::new(1, embedded(), SearchOptions::default()).unwrap();
        let result = searcher.search(&position, 3000).unwrap();
        assert!(position.is_legal(result.mv), "{sfen}");
    }
}

#[test]
fn node_limits_are_exact_with_one_thread() {
    let mut searcher = small();
    let root = Position::startpos();
    for limit in [1000, 20_000] {
        let limits = Limits {
            nodes: Some(limit),
            ..Limits::default()
        };
        let outcome = go(&mut searcher, &root, limits, &options(Mode::Full));
        let nodes = outcome.last().progress.nodes;
        assert!(nodes <= limit, "{nodes} of {limit}");
        assert_lines_are_legal(&root, &outcome);
    }
}

#[test]
fn the_first_iteration_is_completed_whatever_the_limits() {
    // Mate in one, by a move that is not the first to be searched.
    let root = position("4k4/9/4P4/9/9/9/9/1R7/4K4 b G 1");
    let clock = |milliseconds| Clock {
        time: [milliseconds; 2],
        ..Clock::default()
    };
    let all = [
        Limits {
            nodes: Some(1),
            ..Limits::default()
        },
        Limits {
            movetime: Some(0),
            ..Limits::default()
        },
        Limits {
            clock: Some(clock(1)),
            ..Limits::default()
        },
        Limits {
            infinite: true,
            ..Limits::default()
        },
    ];
    for threads in [1, 2] {
        let mut searcher = small();
        searcher.set_threads(threads).unwrap();
        for limits in &all {
            let (report, infos, best_move) = recorder();
            searcher.clear();
            searcher.go(&root, limits.clone(), &options(Mode::Full), report);
            if limits.infinite {
                searcher.stop();
            }
            searcher.wait();
            let mate = Move::from_usi("G*5b").unwrap();
            assert_eq!(best_move.recv(), Ok(BestMove::play(mate)), "{limits:?}");
            let last = infos.iter().last().unwrap();
            assert_eq!(last.score, value::mate_in(1), "{limits:?}");
            assert!(last.depth >= 1);
        }
    }
}

#[test]
fn an_exploding_first_iteration_is_interrupted() {
    // Checks without end for both sides: depth 1 takes tens of thousands of nodes.
    let root = position("8k/6G2/9/7N1/4G4/9/9/9/B8 b 2rb2g4s3n4l18p 1");
    let limits = Limits {
        nodes: Some(1),
        ..Limits::default()
    };
    let outcome = go(&mut small(), &root, limits, &options(Mode::Full));
    assert!((1000..=11_000).contains(&outcome.last().progress.nodes));
    assert_lines_are_legal(&root, &outcome);
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
                &options(Mode::Full),
            );
            assert!(outcome.last().depth <= 9);
        }
    }
}

#[test]
fn stop_always_leaves_an_answer() {
    let mut searcher = small();
    searcher.set_threads(2).unwrap();
    for round in 0..50 {
        let (report, _infos, answer) = recorder();
        let limits = Limits {
            infinite: round % 2 == 0,
            ponder: round % 3 == 0,
            ..Limits::default()
        };
        searcher.go(&Position::startpos(), limits, &options(Mode::Full), report);
        if round % 5 == 0 {
            searcher.ponderhit(None);
        }
        searcher.stop();
        searcher.wait();
        assert!(matches!(answer.try_recv(), Ok(BestMove::Play { .. })));
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
        searcher.go(&Position::startpos(), limits, &options(Mode::Full), report);
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
fn an_infinite_search_waits_for_stop_even_without_a_search() {
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
        searcher.go(&position(sfen), limits, &options(Mode::Full), report);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(answer.try_recv().is_err(), "{sfen}");
        searcher.stop();
        searcher.wait();
        assert!(answer.try_recv().is_ok(), "{sfen}");
    }
}

#[test]
fn quiescence_search_comes_to_an_end() {
    let mut worker = Worker::new(0);
    let table = Arc::new(TranspositionTable::new(1).unwrap());
    let (mut deepest, mut most) = (0, 0);
    for root in random_positions(5, 100) {
        worker.begin(job(&root, &table, 1, Mode::Full));
        worker.quiescence::<Pv>(0, -value::INFINITE, value::INFINITE);
        deepest = deepest.max(worker.seldepth);
        most = most.max(worker.nodes);
    }
    assert!(deepest <= 40, "{deepest} plies");
    assert!(most <= 20_000, "{most} nodes");
}

#[test]
fn lines_up_to_the_maximum_ply_can_be_searched() {
    for root in positions(BENCH).step_by(10) {
        let mut worker = worker(&root, Mode::Full);
        worker.root_depth = MAX_PLY as Depth;
        worker.root_delta = 2 * value::INFINITE;
        for ply in MAX_PLY - 4..MAX_PLY {
            let (low, high) = (-value::INFINITE, value::INFINITE);
            worker.stack.clear();
            let value = worker.pvs::<Pv>(ply, low, high, 8, false);
            assert!(low < value && value < high);
            assert!(worker.position == root);
        }
    }
}

#[test]
fn a_null_move_overwrites_the_move_in_its_frame() {
    let root = Position::startpos();
    let mut worker = worker(&root, Mode::Full);
    worker.do_move(0, Move::from_usi("7g7f").unwrap());
    worker.do_null_move(1);
    // Histories must see neither the null move nor an earlier move of this ply.
    let frame = worker.stack.at(1);
    assert_eq!(frame.mv, Move::NULL);
    assert_eq!(frame.continuation, history::ContinuationIndex::NONE);
    assert!(!frame.capture);
    worker.undo_null_move();
    worker.undo_move(Move::from_usi("7g7f").unwrap());
    assert!(worker.position == root);
}

#[test]
fn the_engine_does_not_resign_before_every_move_is_searched() {
    // The first move searched, a capture, loses the rook; the other moves are fine.
    let root = position("4k4/4g4/4p4/9/9/9/9/4R4/4K4 b - 1");
    let options = SearchOptions {
        resign_value: 300,
        ..options(Mode::Full)
    };
    for nodes in 1..30 {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let outcome = go(&mut small(), &root, limits, &options);
        assert!(
            matches!(outcome.best_move, BestMove::Play { .. }),
            "{nodes} nodes"
        );
    }
}
