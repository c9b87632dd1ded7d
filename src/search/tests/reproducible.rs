//! Searches are deterministic and leave nothing behind.

use super::*;
use crate::search::stack::Frame;
use crate::search::worker::MainThread;

#[test]
fn the_same_search_twice_takes_the_same_nodes() {
    let root = Position::startpos();
    let nodes = |searcher: &mut Searcher| {
        go(searcher, &root, to_depth(9), &options(Mode::Full))
            .last()
            .progress
            .nodes
    };
    let mut searcher = small();
    let first = nodes(&mut searcher);
    go(
        &mut searcher,
        &position(SMALL[9]),
        to_depth(6),
        &options(Mode::Full),
    );
    searcher.clear();
    assert_eq!(
        nodes(&mut searcher),
        first,
        "after other work and usinewgame"
    );
    assert_eq!(nodes(&mut small()), first, "in a fresh searcher");
}

/// The main thread of a search with a node limit.
fn main_thread(position: &Position, nodes: u64) -> Option<MainThread> {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let (options, now) = (SearchOptions::default(), std::time::Instant::now());
    let report = Box::new(NullReport);
    Some(MainThread::new(position, &limits, &options, now, report))
}

#[test]
fn the_pv_interval_does_not_change_the_search() {
    let nodes = |pv_interval: u64| {
        let options = SearchOptions {
            pv_interval,
            ..options(Mode::Full)
        };
        go(&mut small(), &Position::startpos(), to_depth(9), &options)
            .last()
            .progress
            .nodes
    };
    assert_eq!(nodes(0), nodes(100_000_000));
}

/// The nodes of a search by a worker that may have searched before; its histories are cleared.
fn nodes_of(worker: &mut Worker, root: &Position) -> u64 {
    let table = Arc::new(TranspositionTable::new(1).unwrap());
    worker.begin(Job {
        clear: true,
        ..job(root, &table, 7, Mode::Full)
    });
    worker.iterate();
    worker.nodes
}

#[test]
fn nothing_leaks_from_one_search_into_the_next() {
    let root = Position::startpos();
    let mut worker = Worker::new(0);
    let clean = nodes_of(&mut worker, &root);
    // Anything that an earlier search could leave behind, and worse.
    for ply in 0..crate::types::MAX_PLY {
        *worker.stack.at_mut(ply) = Frame {
            mv: Move::from_usi("5e5d").unwrap(),
            continuation: history::ContinuationIndex::NONE,
            static_eval: value::MAX_EVAL,
            excluded: Move::from_usi("7g7f").unwrap(),
            capture: true,
            move_count: usize::MAX,
            cutoffs: u32::MAX,
            reduction: Depth::MAX,
            history: i32::MAX,
            in_check: true,
            tt_hit: true,
            pawns: history::PawnIndex::NONE,
            follows_pv: true,
            tt_pv: true,
        };
    }
    worker.pv_index = 30;
    worker.root_side = Color::White;
    worker.root_depth = Depth::MAX;
    worker.root_delta = 0;
    worker.completed_depth = Depth::MAX;
    worker.seldepth = usize::MAX;
    worker.nodes = u64::MAX;
    worker.best_move_changes = f64::MAX;
    worker.stopped = true;
    assert_eq!(nodes_of(&mut worker, &root), clean);
}

#[test]
fn a_search_stopped_anywhere_restores_the_position_and_has_a_legal_move() {
    let mut worker = Worker::new(0);
    let table = Arc::new(TranspositionTable::new(1).unwrap());
    let limits = (1..200).chain((200..20_000).step_by(997));
    for root in positions(BENCH)
        .step_by(17)
        .chain(random_positions(4, 1).take(2))
    {
        for limit in limits.clone() {
            worker.begin(job(&root, &table, 60, Mode::Full));
            worker.main = main_thread(&root, limit);
            worker.iterate();
            assert!(worker.position == root, "stopped after {limit} nodes");
            let mut evaluator = Evaluator::new(embedded());
            evaluator.reset(&root);
            let value = worker.evaluator.evaluate(&root);
            assert_eq!(
                value,
                evaluator.evaluate(&root),
                "stopped after {limit} nodes"
            );
            play_line(&root, &worker.root_moves[0].pv);
            let known = worker.completed_depth > 0;
            assert!(!known || worker.best_score().abs() < value::INFINITE);
        }
    }
}
