//! What a search asks of a position, each over all positions of `positions/bench.sfen`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use komaoto::position::{CheckInfo, Position};
use komaoto::types::{MAX_MOVES, Move};
use std::hint::black_box;
use std::time::Duration;

/// A position with what the search would know about it.
struct Node {
    position: Position,
    info: CheckInfo,
    moves: Vec<Move>,
}

fn nodes() -> Vec<Node> {
    include_str!("../positions/bench.sfen")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|sfen| {
            let position = Position::from_sfen(sfen).unwrap();
            Node {
                info: position.check_info(),
                moves: position.legal_moves(),
                position,
            }
        })
        .collect()
}

/// Measures one round over all nodes.
fn measure<R>(criterion: &mut Criterion, name: &str, mut work: impl FnMut(&mut Node) -> R) {
    let mut nodes = nodes();
    let mut group = criterion.benchmark_group("bench positions");
    group.measurement_time(Duration::from_secs(1));
    group.warm_up_time(Duration::from_millis(500));
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter(|| {
            for node in &mut nodes {
                black_box(work(node));
            }
        });
    });
    group.finish();
}

/// Measures a generator that writes to a list.
fn measure_generator(
    criterion: &mut Criterion,
    name: &str,
    generate: impl Fn(&Node, &mut Vec<Move>),
) {
    let mut moves = Vec::with_capacity(MAX_MOVES);
    measure(criterion, name, |node| {
        moves.clear();
        generate(node, &mut moves);
        moves.len()
    });
}

fn generators(criterion: &mut Criterion) {
    measure_generator(criterion, "captures", |node, moves| {
        node.position.generate_captures::<false>(moves);
    });
    measure_generator(criterion, "quiets", |node, moves| {
        node.position.generate_quiets::<false>(moves);
    });
    measure_generator(criterion, "all", |node, moves| {
        node.position.generate_legal::<true>(moves);
    });
    measure_generator(criterion, "checks", |node, moves| {
        node.position.generate_checks::<false>(&node.info, moves);
    });
    measure(criterion, "count", |node| node.position.count_legal_moves());
}

fn queries(criterion: &mut Criterion) {
    measure(criterion, "check_info", |node| node.position.check_info());
    measure(criterion, "see_ge of every move", |node| {
        let good = |mv: &&Move| node.position.see_ge(**mv, 0);
        node.moves.iter().filter(good).count()
    });
    measure(criterion, "is_legal of every move", |node| {
        let legal = |mv: &&Move| node.position.is_legal(**mv);
        node.moves.iter().filter(legal).count()
    });
    measure(criterion, "gives_check of every move", |node| {
        let checks = |mv: &&Move| node.position.gives_check(**mv, &node.info);
        node.moves.iter().filter(checks).count()
    });
    measure(criterion, "mate_in_one", |node| node.position.mate_in_one());
}

fn play(criterion: &mut Criterion) {
    measure(criterion, "do and undo every move", |node| {
        for &mv in node.moves.iter() {
            node.position.do_move(mv);
            node.position.undo_move(mv);
        }
    });
    measure(criterion, "copy of the position", |node| {
        node.position.clone()
    });
}

criterion_group!(benches, generators, queries, play);
criterion_main!(benches);
