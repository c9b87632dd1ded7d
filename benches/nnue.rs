//! Cost of evaluation by a network, for each instruction set: from scratch, after one move, and
//! with the sums of the first layer known. The networks are made up, of sizes that are in use.

use criterion::{Criterion, criterion_group, criterion_main};
use komaoto::eval::Evaluator;
use komaoto::eval::nnue::{LoadedNetwork, NativeNetwork, Network};
use komaoto::position::Position;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

const MIDDLE_GAME: &str = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1";

/// A network: what its header says, how many features it has and how wide its first layer is.
struct Made {
    text: &'static str,
    features: usize,
    width: usize,
    /// Stacks of layers, each with a hash before it; none for a classic network.
    stacks: usize,
}

const NETWORKS: [Made; 3] = [
    Made {
        text: "Features=K+P[1710->256x2]",
        features: 1710,
        width: 256,
        stacks: 0,
    },
    Made {
        text: "Features=HalfKP(Friend)[125388->256x2]",
        features: 125_388,
        width: 256,
        stacks: 0,
    },
    Made {
        text: "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2],\
               Network=SFNN-1536{LayerStack=9}",
        features: 73_305,
        width: 1536,
        stacks: 9,
    },
];

impl Made {
    /// The bytes of a network of small random numbers, as those of trained ones are.
    fn file(&self) -> Vec<u8> {
        let mut rng = StdRng::seed_from_u64(1);
        let mut bytes = Vec::new();
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        word(&mut bytes, 0x7AF3_2F16);
        word(&mut bytes, 0);
        word(&mut bytes, self.text.len() as u32);
        bytes.extend(self.text.bytes());
        word(&mut bytes, 0x5F13_4AB8);
        let rows = |bytes: &mut Vec<u8>, numbers: usize, rng: &mut StdRng| {
            let start = bytes.len();
            bytes.resize(start + numbers, 0);
            rng.fill_bytes(&mut bytes[start..]);
            for byte in &mut bytes[start..] {
                *byte = (*byte & 15) + (*byte >> 4);
            }
        };
        if self.stacks == 0 {
            rows(&mut bytes, 2 * self.width * (1 + self.features), &mut rng);
            for high in bytes[16 + self.text.len()..].iter_mut().skip(1).step_by(2) {
                *high = 0;
            }
            word(&mut bytes, 0);
            dense(&mut bytes, 2 * self.width, 32, &mut rng);
            dense(&mut bytes, 32, 32, &mut rng);
            dense(&mut bytes, 32, 1, &mut rng);
            return bytes;
        }
        for numbers in [self.width, self.width * self.features] {
            bytes.extend(b"COMPRESSED_LEB128");
            word(&mut bytes, numbers as u32);
            let start = bytes.len();
            rows(&mut bytes, numbers, &mut rng);
            // Numbers of one byte about zero; biases lie below, so that few activations are not
            // zero.
            let centre = if numbers == self.width { 50 } else { 15 };
            for byte in &mut bytes[start..] {
                *byte = byte.wrapping_sub(centre) & 0x7F;
            }
        }
        for _ in 0..self.stacks {
            word(&mut bytes, 0x6333_718A);
            dense(&mut bytes, self.width, 16, &mut rng);
            dense(&mut bytes, 32, 32, &mut rng);
            dense(&mut bytes, 32, 1, &mut rng);
        }
        bytes
    }

    fn network(&self) -> LoadedNetwork {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench.nn.bin");
        fs::write(&path, self.file()).expect("room for a file");
        LoadedNetwork::read(&path).expect("a sound file")
    }
}

/// A layer of no biases and random weights.
fn dense(bytes: &mut Vec<u8>, inputs: usize, outputs: usize, rng: &mut StdRng) {
    let start = bytes.len() + 4 * outputs;
    bytes.resize(start + inputs * outputs, 0);
    rng.fill_bytes(&mut bytes[start..]);
    for byte in &mut bytes[start..] {
        *byte = (byte.cast_signed() / 16).cast_unsigned();
    }
}

/// A network of our own, of random numbers.
fn own_network() -> Network {
    let mut rng = StdRng::seed_from_u64(1);
    let mut numbers = |count: usize| (0..count).map(|_| rng.random_range(-60..=60)).collect();
    let width = 256;
    let (dimensions, _) = NativeNetwork::dimensions(1).expect("a known feature set");
    let network = NativeNetwork {
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
    let networks = NETWORKS.map(|made| made.network().network);
    for network in networks.into_iter().chain([own_network()]) {
        for network in network.on_each_instruction_set() {
            let kernels = network.instruction_set();
            let mut evaluator = Evaluator::new(Arc::new(network.clone()));
            let mut group = c.benchmark_group(format!("{} {kernels}", network.architecture()));
            group.bench_function("from scratch", |b| {
                b.iter(|| {
                    evaluator.reset(black_box(&position));
                    evaluator.evaluate(&position)
                })
            });
            evaluator.evaluate(&position);
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
