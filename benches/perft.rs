//! Perft of three positions: the start, a middle game with drops, and the most moves possible.

use criterion::{Criterion, criterion_group, criterion_main};
use komaoto::position::{Position, STARTPOS_SFEN, perft};
use std::hint::black_box;
use std::time::Duration;

const POSITIONS: [(&str, &str, u32); 3] = [
    ("start", STARTPOS_SFEN, 4),
    (
        "middle game",
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        3,
    ),
    (
        "593 moves",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        2,
    ),
];

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    group.measurement_time(Duration::from_secs(2));
    for (name, sfen, depth) in POSITIONS {
        let mut position = Position::from_sfen(sfen).unwrap();
        group.bench_function(format!("{name}, {depth} plies"), |bencher| {
            bencher.iter(|| perft(black_box(&mut position), depth));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
