//! Attacks of rook and bishop from every square, under blockers as they occur in games.

use criterion::{Criterion, criterion_group, criterion_main};
use komaoto::bitboard::{Bitboard, attacks};
use komaoto::position::Position;
use komaoto::types::Square;
use std::hint::black_box;
use std::time::Duration;

/// Attacks of a slider on a square among blockers.
type Attacks = fn(Square, Bitboard) -> Bitboard;

fn bench(criterion: &mut Criterion) {
    let boards: Vec<Bitboard> = include_str!("../positions/bench.sfen")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|sfen| Position::from_sfen(sfen).unwrap().occupied())
        .collect();
    let mut group = criterion.benchmark_group("sliders");
    group.measurement_time(Duration::from_secs(2));
    let sliders: [(&str, Attacks); 2] = [("rook", attacks::rook), ("bishop", attacks::bishop)];
    for (name, attacks) in sliders {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let boards = black_box(&boards);
                let squares = boards
                    .iter()
                    .flat_map(|&occupied| Square::all().map(move |sq| attacks(sq, occupied)));
                squares.fold(Bitboard::EMPTY, |all, set| all ^ set)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
