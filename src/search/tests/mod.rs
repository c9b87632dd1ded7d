//! Tests of the search as a whole, and their helpers.

mod game_end;
mod lines;
mod movepick;
mod pvs;
mod reproducible;
mod root_mate;
mod tt;

use super::limits::Mode;
use super::tt::TranspositionTable;
use super::worker::{Job, Worker};
use super::*;
use crate::eval::Evaluator;
use crate::eval::nnue::embedded;
use crate::position::Position;
use crate::types::{Color, Depth, Move, Value, value};
use rand::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

const BENCH: &str = include_str!("../../../positions/bench.sfen");
const OPENINGS: &str = include_str!("../../../positions/openings.sfen");
const MATE_PROBLEMS: &str = include_str!("../../../positions/mates.sfen");

/// The positions of a file.
fn positions(text: &'static str) -> impl Iterator<Item = Position> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| position(line.split(" | ").next().unwrap()))
}

/// Positions of random play, one every few plies: kings run, hands fill.
fn random_positions(seed: u64, games: u32) -> impl Iterator<Item = Position> {
    (0..games).flat_map(move |game| {
        let mut rng = StdRng::seed_from_u64(seed << 32 | u64::from(game));
        let mut position = Position::startpos();
        let mut seen = Vec::new();
        for ply in 1..=160 {
            let Some(&mv) = position.legal_moves().choose(&mut rng) else {
                break;
            };
            position.do_move(mv);
            if ply % 16 == 0 && position.has_legal_move() {
                seen.push(position.clone());
            }
        }
        seen
    })
}

/// A worker about to search a position, with a hash table of 1 MB.
fn worker(position: &Position, mode: Mode) -> Worker {
    let table = Arc::new(TranspositionTable::new(1).unwrap());
    let mut worker = Worker::new(0);
    worker.begin(job(position, &table, 1, mode));
    worker
}

/// A job: searches a position to a depth.
fn job(position: &Position, table: &Arc<TranspositionTable>, depth: Depth, mode: Mode) -> Job {
    let options = options(mode);
    Job {
        tt: Arc::clone(table),
        correction_history: Arc::default(),
        control: Arc::new(control::Control::new(1, false)),
        position: position.clone(),
        root_moves: pool::root_moves(position, &[], &options),
        depth,
        options,
        network: embedded(),
        clear: false,
    }
}

/// Sends all output of a search to channels.
struct Recorder {
    infos: Sender<Info>,
    best_move: Sender<BestMove>,
}

impl Report for Recorder {
    fn info(&mut self, info: &Info) {
        self.infos.send(info.clone()).unwrap();
    }
    fn best_move(&mut self, best_move: BestMove) {
        self.best_move.send(best_move).unwrap();
    }
}

fn recorder() -> (Box<Recorder>, Receiver<Info>, Receiver<BestMove>) {
    let ((infos, received), (best_move, answered)) = (channel(), channel());
    (Box::new(Recorder { infos, best_move }), received, answered)
}

struct Outcome {
    infos: Vec<Info>,
    best_move: BestMove,
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
    let (report, infos, best_move) = recorder();
    searcher.go(position, limits, options, report);
    searcher.wait();
    Outcome {
        infos: infos.iter().collect(),
        best_move: best_move.recv().unwrap(),
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

fn options(mode: Mode) -> SearchOptions {
    SearchOptions {
        pv_interval: 0,
        mode,
        ..SearchOptions::default()
    }
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

/// Plays a line, checking that every move is legal; returns the final position.
fn play_line(root: &Position, line: &[Move]) -> Position {
    let mut position = root.clone();
    for (number, &mv) in line.iter().enumerate() {
        assert!(position.is_legal(mv), "{mv} of {line:?} from {root:?}");
        let rule = SearchOptions::default().entering_king_rule;
        let over = number > 0 && position.declaration_win(rule).is_some();
        assert!(!over, "{mv} of {line:?} after the game from {root:?}");
        position.do_move(mv);
    }
    position
}

fn assert_lines_are_legal(root: &Position, outcome: &Outcome) {
    for info in &outcome.infos {
        play_line(root, &info.pv);
    }
    if let BestMove::Play { mv, ponder } = outcome.best_move {
        let mut position = root.clone();
        assert!(position.is_legal(mv));
        position.do_move(mv);
        assert!(ponder.is_none_or(|reply| position.is_legal(reply)));
    }
}
