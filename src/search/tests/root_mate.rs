//! Mates found by the solver during a search.

use crate::eval::nnue::embedded;
use crate::position::{EnteringKingRule, Position};
use crate::search::control::Control;
use crate::search::iterate::RootMove;
use crate::search::limits::{Limits, SearchOptions};
use crate::search::pool::root_moves;
use crate::search::report::NullReport;
use crate::search::root_mate::*;
use crate::search::time::TimeManager;
use crate::search::tt::TranspositionTable;
use crate::search::worker::{Job, MainThread, Worker};
use crate::types::{Depth, MAX_PLY, Move, value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A search to run on a worker.
struct Task {
    position: Position,
    searchmoves: Vec<Move>,
    nodes: u64,
    options: SearchOptions,
}

impl Task {
    fn new(sfen: &str, nodes: u64) -> Task {
        Task {
            position: Position::from_sfen(sfen).unwrap(),
            searchmoves: Vec::new(),
            nodes,
            options: SearchOptions::default(),
        }
    }

    /// Prepares the search on a worker.
    fn begin(&self, worker: &mut Worker) {
        worker.begin(Job {
            tt: Arc::new(TranspositionTable::new(4).unwrap()),
            correction_history: Arc::default(),
            control: Arc::new(Control::new(1, false)),
            position: self.position.clone(),
            root_moves: root_moves(&self.position, &self.searchmoves, &self.options),
            depth: MAX_PLY as Depth - 1,
            options: self.options.clone(),
            network: embedded(),
            clear: true,
        });
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        let (now, report) = (Instant::now(), Box::new(NullReport));
        let main = MainThread::new(&self.position, &limits, &self.options, now, report);
        worker.main = Some(main);
    }

    /// Runs the search on a worker.
    fn run_on(&self, worker: &mut Worker) {
        self.begin(worker);
        worker.iterate();
    }

    fn run(&self) -> Worker {
        let mut worker = Worker::new(0);
        self.run_on(&mut worker);
        worker
    }

    /// Runs only the solver, as if `nodes` nodes had been searched already.
    fn solve_after(&self, nodes: u64) -> Worker {
        let mut worker = Worker::new(0);
        self.begin(&mut worker);
        worker.nodes = nodes;
        worker.control.set_nodes(0, nodes);
        worker.look_for_mate();
        worker
    }
}

fn mv(text: &str) -> Move {
    Move::from_usi(text).unwrap()
}

/// The PV of the best move; checks that it mates by checks.
fn mating_line(root: &Position, worker: &Worker) -> Vec<Move> {
    let best = &worker.root_moves[0];
    let mut position = root.clone();
    for (ply, &mv) in best.pv.iter().enumerate() {
        assert!(position.is_legal(mv), "{mv} of {:?}", best.pv);
        position.do_move(mv);
        assert!(ply % 2 == 1 || position.in_check(), "{:?}", best.pv);
    }
    assert!(!position.has_legal_move(), "{:?}", best.pv);
    assert_eq!(best.score, value::mate_in(best.pv.len()), "{:?}", best.pv);
    assert_eq!(best.pv[0], best.mv);
    best.pv.clone()
}

/// Mates with their length.
const MATES: [(&str, usize); 5] = [
    (
        "lnng4l/6+P2/k1G+RR4/+b4p3/1pS1p2pp/1PP2S3/1GSP1P2P/+p1K1G4/1N5NL b S4Pbl2p 109",
        9,
    ),
    (
        "l+R6l/3sp4/p2pb1n1p/4ls1p1/2p2k3/2PPPNP2/PP1+n4P/1K1S1+r3/LNGsG4 w b2g5p 118",
        9,
    ),
    (
        "l+B2p1g2/3S1k1s+R/p1Bplpgp1/2K1n1p1p/5P1PP/P1P1P4/1+p1P2P2/1p1G5/5R1+n1 b GSN2LPsn 131",
        9,
    ),
    (
        "ln7/9/p1p5n/6p2/6+R1p/1pPB4k/Pg1P1P1+p1/1PGSLS3/LNK1G3+l b RB2SN4Pg3p 107",
        11,
    ),
    (
        "ln1g3nl/2s3k1g/p1pppp1pp/9/4+b1S2/P1P2P1P1/1+p1PP1KSP/4N4/L1+r3G1L w BSPrgn2p 78",
        11,
    ),
];

#[test]
fn mates_out_of_reach_of_the_search_are_found() {
    let mut missed = 0;
    for (sfen, length) in MATES {
        let mut task = Task::new(sfen, 200_000);
        let worker = task.run();
        assert!(worker.nodes <= task.nodes);
        let line = mating_line(&task.position, &worker);
        assert!(line.len() <= length, "{line:?} in {sfen}");
        // The solver does not run with MultiPV.
        task.options.multi_pv = 2;
        let score = task.run().root_moves[0].score;
        missed += usize::from(!value::is_win(score));
    }
    // Which of them depends on the constants of the search.
    assert!(missed >= 1, "no mate needs the solver");
}

#[test]
fn a_worker_repeats_itself() {
    let mut worker = Worker::new(0);
    let mut took = Vec::new();
    for (sfen, _) in MATES.into_iter().take(2).cycle().take(4) {
        let task = Task::new(sfen, 1_000_000);
        task.run_on(&mut worker);
        mating_line(&task.position, &worker);
        took.push((worker.nodes, worker.mate.nodes));
    }
    assert_eq!(took[..2], took[2..]);
    assert!(took.iter().all(|&(_, solver)| solver > 0));
}

#[test]
fn the_solver_keeps_to_searchmoves() {
    // One move mates.
    let mut task = Task::new(MATES[0].0, 150_000);
    let all = root_moves(&task.position, &[], &task.options);
    task.searchmoves = all.iter().map(|m| m.mv).collect();
    task.searchmoves.retain(|&other| other != mv("S*8d"));
    let worker = task.run();
    assert!(worker.mate.nodes > 0);
    assert_eq!(worker.root_moves.len(), task.searchmoves.len());
    let left = |m: &RootMove| task.searchmoves.contains(&m.mv);
    assert!(worker.root_moves.iter().all(left));
    task.searchmoves = vec![mv("7e7f"), mv("S*8d")];
    let worker = task.run();
    assert_eq!(mating_line(&task.position, &worker)[0], mv("S*8d"));
}

#[test]
fn a_mate_may_begin_with_a_move_the_search_does_not_generate() {
    // The bishop must not promote.
    let task = Task::new("7l1/8k/4G1P1n/6SRB/9/9/9/9/9 b P 1", 1 << 30);
    let usual = root_moves(&task.position, &[], &task.options);
    assert!(usual.iter().all(|m| m.mv != mv("1d2c")));
    let mut worker = task.solve_after(1 << 20);
    let line = mating_line(&task.position, &worker);
    assert_eq!(line[0], mv("1d2c"));
    worker.iterate();
    assert!(mating_line(&task.position, &worker).len() <= line.len());
    assert_eq!(worker.root_moves[0].mv, mv("1d2c"));
}

#[test]
fn checks_without_mate_give_no_line() {
    for sfen in [
        "4k4/9/9/3+R5/9/9/9/9/4K4 b - 1",
        "k8/9/1+R7/9/9/9/9/9/8K b - 1",
        "3lkl3/3p1p3/4G4/9/9/9/9/9/4K4 b P 1",
    ] {
        let worker = Task::new(sfen, 1 << 30).solve_after(1 << 20);
        assert!(worker.mate.nodes > 0, "{sfen}");
        assert_eq!(worker.mate.state, SolverState::Done, "{sfen}");
        assert!(worker.mate.line.is_empty(), "{sfen}");
    }
    let game = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let worker = Task::new(game, 100_000).run();
    assert!(worker.mate.nodes > 0);
    assert!(!value::is_win(worker.root_moves[0].score));
}

#[test]
fn a_mate_by_perpetual_check_is_rejected() {
    // The mating check repeats one already given; the king goes to and fro.
    let mut task = Task::new("8k/9/7+P1/9/9/9/9/9/K7R w G 1", 1 << 30);
    task.searchmoves = vec![mv("5i1i")];
    for checks in 1..=3 {
        for text in ["1a2a", "1i5i", "2a1a"] {
            task.position.do_move(mv(text));
        }
        let worker = task.solve_after(1 << 20);
        assert!(worker.mate.nodes > 0);
        if checks < 3 {
            assert_eq!(mating_line(&task.position, &worker).len(), 3);
        } else {
            assert!(worker.mate.line.is_empty());
        }
        task.position.do_move(mv("5i1i"));
    }
}

#[test]
fn a_mate_beyond_max_moves_to_draw_is_rejected() {
    let mut task = Task::new("7nl/7k1/9/7P1/9/9/9/9/K8 b 2G 1", 1 << 30);
    for (limit, found) in [(0, true), (3, true), (2, false)] {
        task.options.max_moves_to_draw = limit;
        let worker = task.solve_after(1 << 20);
        assert_eq!(!worker.mate.line.is_empty(), found, "{limit}");
    }
}

#[test]
fn the_solver_does_not_run_where_it_is_useless() {
    let nodes = |change: fn(&mut SearchOptions), sfen| {
        let mut task = Task::new(sfen, 1 << 30);
        change(&mut task.options);
        let worker = task.solve_after(1 << 20);
        (worker.mate.nodes, worker.mate.solver.is_some())
    };
    let sfen = MATES[0].0;
    assert!(nodes(|_| {}, sfen).0 > 0);
    assert_eq!(nodes(|options| options.multi_pv = 2, sfen), (0, false));
    let try_rule = |options: &mut SearchOptions| {
        options.entering_king_rule = EnteringKingRule::TryRule;
    };
    assert_eq!(nodes(try_rule, sfen), (0, false));
    // No check to give.
    assert_eq!(nodes(|_| {}, "4k4/9/9/9/9/9/9/9/4K4 b - 1"), (0, false));
    // Too early.
    let worker = Task::new(sfen, NODES_BEFORE - 1).run();
    assert!(worker.mate.solver.is_none());
}

/// A king that walks over an open board: far too much for these tests.
const ENDLESS: &str = "4k4/9/9/9/9/9/9/9/9 b RBGSNrb3g3s3n4l18p 1";

#[test]
fn a_search_stopped_in_a_slice_ends_at_once() {
    // By the limit of nodes.
    let searched = 1 << 40;
    let worker = Task::new(ENDLESS, searched + 1000).solve_after(searched);
    assert_eq!(worker.nodes, searched + 1000);
    assert!(worker.stopped);

    // By the stop flag.
    let mut worker = Worker::new(0);
    let task = Task::new(ENDLESS, 1 << 50);
    task.begin(&mut worker);
    worker.nodes = searched;
    let control = Arc::clone(&worker.control);
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            control.stop();
        });
        worker.look_for_mate();
    });
    assert!(began.elapsed() < Duration::from_secs(2));
    assert!(worker.stopped && worker.mate.nodes > 0);
    assert!(worker.mate.line.is_empty());

    // By the clock.
    let mut worker = Worker::new(0);
    task.begin(&mut worker);
    worker.nodes = searched;
    let limits = Limits {
        movetime: Some(50),
        ..Limits::default()
    };
    if let Some(main) = &mut worker.main {
        main.time = TimeManager::new(&task.position, &limits, &task.options, Instant::now());
    }
    let began = Instant::now();
    worker.look_for_mate();
    assert!(began.elapsed() < Duration::from_secs(2));
    assert!(worker.stopped);
}

#[test]
fn the_share_of_the_solver_is_small() {
    let worker = Task::new(ENDLESS, 150_000).run();
    assert_eq!(worker.mate.state, SolverState::Solving);
    let share = worker.mate.nodes as f64 / worker.nodes as f64;
    assert!(share > 0.04 && share <= 1.0 / SHARE as f64, "{share}");
}
