//! Cost of evaluation by a network, for each instruction set: from scratch, after one move, and
//! with the sums of the first layer known. The networks are made up, of sizes that are in use.

use criterion::{Criterion, criterion_group, criterion_main};
use komaoto::eval::Evaluator;
use komaoto::eval::nnue::{LoadedNetwork, Network, OwnNetwork};
use komaoto::position::Position;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

const MIDDLE_GAME: &str = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1";

/// Texts of networks with 256 outputs of the first layer, and how many features they have.
const NETWORKS: [(&str, usize); 2] = [
    ("Features=K+P[1710->256x2]", 1710),
    ("Features=HalfKP(Friend)[125388->256x2]", 125_388),
];

/// Writes a network of random numbers with hidden layers of 32 to a file and reads it.
fn network((text, features): (&str, usize)) -> LoadedNetwork {
    let mut bytes = 0x7AF3_2F16_u32.to_le_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.bytes());
    let start = bytes.len();
    let dense = start + 4 + 512 * (1 + features) + 4;
    bytes.resize(dense + 32 * (4 + 512) + 32 * (4 + 32) + 4 + 32, 0);
    StdRng::seed_from_u64(1).fill_bytes(&mut bytes[start..]);
    // Trained weights of the dense layers are small.
    for byte in &mut bytes[dense..] {
        *byte = (byte.cast_signed() / 16).cast_unsigned();
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench.nn.bin");
    fs::write(&path, bytes).expect("room for a file");
    LoadedNetwork::read(&path).expect("a sound file")
}

/// A network of our own, of random numbers.
fn own_network() -> Network {
    let mut rng = StdRng::seed_from_u64(1);
    let mut numbers = |count: usize| (0..count).map(|_| rng.random_range(-60..=60)).collect();
    let width = 256;
    let (dimensions, _) = OwnNetwork::dimensions(1).expect("a known feature set");
    let network = OwnNetwork {
        features: 1,
        width,
        scale: 600,
        biases: numbers(width),
        weights: numbers(width * dimensions),
        weight_unit: 64,
        output_weights: numbers(2 * width),
        output_biases: vec![0],
    };
    network.into_network().expect("a sound network")
}

fn networks(c: &mut Criterion) {
    let mut position = Position::from_sfen(MIDDLE_GAME).expect("a sound position");
    let king = position.king(position.side_to_move());
    let moves = position.legal_moves();
    let mut board_moves = moves.iter().filter(|mv| !mv.is_drop());
    let mv = *board_moves
        .find(|mv| Some(mv.from()) != king)
        .expect("a move of another piece than the king");
    let networks = NETWORKS.map(|it| network(it).network);
    for network in networks.into_iter().chain([own_network()]) {
        for network in network.on_each_instruction_set() {
            let kernels = network.kernels();
            let mut evaluator = Evaluator::with_network(Some(Arc::new(network.clone())));
            let mut group = c.benchmark_group(format!("{} {kernels}", network.architecture()));
            group.bench_function("from scratch", |b| {
                b.iter(|| {
                    evaluator.reset(black_box(&position));
                    evaluator.evaluate(&position)
                })
            });
            let dirty = position.do_move(mv);
            evaluator.push(dirty);
            group.bench_function("after a move", |b| {
                b.iter(|| {
                    evaluator.pop();
                    evaluator.push(black_box(dirty));
                    evaluator.evaluate(&position)
                })
            });
            group.bench_function("sums known", |b| {
                b.iter(|| evaluator.evaluate(black_box(&position)))
            });
            evaluator.pop();
            position.undo_move(mv);
        }
    }
}

criterion_group!(benches, networks);
criterion_main!(benches);
