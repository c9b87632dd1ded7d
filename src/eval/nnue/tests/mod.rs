//! Synthetic networks: golden outputs, and equal outputs of all backends and of incremental updates.

mod classic;
mod mutated;
mod native;
mod stacked;
mod symmetry;
mod synthetic;

use super::architecture::{Activation, Architecture, padded};
use super::backend::{Backend, available};
use super::features::FeatureSet;
use super::layers::{Affine, Block, Bytes, FeatureTransformer};
use super::network::Network;
use super::view::Update;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::types::{Move, Square};
use rand::prelude::*;
use std::sync::Arc;

pub use synthetic::{Stacked, classic, read_bytes, text};
use synthetic::{set, weight};

pub const POSITIONS: [&str; 7] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/7P1/2P6/PP1PPPP1P/1SG4R1/LN2KGSNL b Bb 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "1k6l/9/2+P6/9/9/9/9/6+p2/4K4 b RB4G4S4N3L8Prb7p 1",
];

/// Outputs of the synthetic network of each feature set in each of [`POSITIONS`], as YaneuraOu calculates
/// them.
#[rustfmt::skip]
const GOLDEN: [(&str, [i32; 7]); 9] = [
    ("HalfKP(Friend)", [-881, -881, -807, -708, -738, -778, -944]),
    ("K+P", [185, 185, 120, 148, 73, 196, 206]),
    ("K+A2", [468, 468, 440, 412, 428, 417, 465]),
    ("HalfKP_vm(Friend)", [-211, -211, -123, 3, -95, -24, -274]),
    ("HalfKA1(Friend)", [-419, -419, -412, -367, -383, -279, -349]),
    ("HalfKA2(Friend)", [-852, -852, -770, -809, -1023, -801, -762]),
    ("HalfKA_hm1(Friend)", [284, 284, 664, 468, 255, 376, 393]),
    ("HalfKA_hm2(Friend)", [751, 751, 733, 803, 841, 982, 938]),
    ("HalfKPE9(Friend)", [-1097, -1097, -1032, -912, -1114, -942, -1077]),
];

fn architecture(features: &'static FeatureSet) -> Architecture {
    Architecture::classic(features, 64, Activation::CReLU, [8, 32])
}

fn synthetic(name: &str) -> Network {
    let architecture = architecture(set(name));
    let bytes = classic(&architecture, &text(&architecture));
    let net = read_bytes(&bytes).unwrap();
    assert!(net.hashes_match);
    Network::new(net.parameters, 1)
}

/// The output of a network on a backend, without the piece on the square `without`.
pub fn output(
    network: &Network,
    backend: &dyn Backend,
    position: &Position,
    without: Option<Square>,
) -> i32 {
    network.parameters.output(backend, position, without)
}

pub fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

#[test]
fn synthetic_weights_follow_their_formula() {
    let first: Vec<i32> = (0..8).map(|number| weight(number, 40)).collect();
    assert_eq!(first, [-24, -13, 12, -33, -27, 39, -27, 36]);
}

/// Games: initial positions and moves.
pub fn games() -> impl Iterator<Item = (Position, Vec<Move>)> {
    let games = include_str!("../../../../positions/games.txt")
        .lines()
        .skip(1);
    games.map(|game| {
        let mut fields = game.split(';').map(str::trim);
        let start = position(fields.next().unwrap());
        let moves = fields.next().unwrap().split(' ');
        (start, moves.map(|mv| Move::from_usi(mv).unwrap()).collect())
    })
}

/// Follows a game and its side lines with every backend, and compares each output with the output computed
/// from scratch.
pub fn follow(network: &Arc<Network>, mut position: Position, moves: &[Move], rng: &mut StdRng) {
    let mut evaluators: Vec<Evaluator> = network
        .on_each_instruction_set()
        .into_iter()
        .map(|network| Evaluator::new(Arc::new(network)))
        .collect();
    for evaluator in &mut evaluators {
        evaluator.reset(&position);
    }
    let check = |evaluators: &mut [Evaluator], position: &Position| {
        let expected = output(network, available()[0], position, None);
        for evaluator in evaluators {
            assert_eq!(evaluator.output(position), expected, "{position:?}");
        }
    };
    for &mv in moves {
        let aside = *position.legal_moves().choose(rng).unwrap();
        for (mv, is_aside) in [(aside, true), (mv, false)] {
            let dirty = position.do_move(mv);
            evaluators.iter_mut().for_each(|e| e.push(dirty));
            if rng.random_bool(0.7) {
                check(&mut evaluators, &position);
            }
            if !position.in_check() && rng.random_bool(0.1) {
                position.do_null_move();
                evaluators.iter_mut().for_each(Evaluator::push_null);
                check(&mut evaluators, &position);
                position.undo_null_move();
                evaluators.iter_mut().for_each(Evaluator::pop);
            }
            if is_aside {
                position.undo_move(mv);
                evaluators.iter_mut().for_each(Evaluator::pop);
            }
        }
    }
}

/// Checks the golden outputs of a feature set, and that incremental updates give equal outputs.
fn check_feature_set(name: &str) {
    let (_, golden) = GOLDEN.iter().find(|(set, _)| *set == name).unwrap();
    let network = Arc::new(synthetic(name));
    for backend in available() {
        let outputs = POSITIONS.map(|sfen| output(&network, backend, &position(sfen), None));
        assert_eq!(outputs, *golden, "{name} {}", backend.name());
    }
    let mut rng = StdRng::seed_from_u64(3);
    for (position, moves) in games().take(12) {
        follow(&network, position, &moves, &mut rng);
    }
}

/// A test for each feature set, so that they run in parallel.
macro_rules! feature_sets {
    ($($test:ident = $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check_feature_set($name);
            }
        )*
    };
}

feature_sets! {
    halfkp = "HalfKP(Friend)";
    halfkp_vm = "HalfKP_vm(Friend)";
    kp = "K+P";
    ka2 = "K+A2";
    halfka1 = "HalfKA1(Friend)";
    halfka2 = "HalfKA2(Friend)";
    halfka_hm1 = "HalfKA_hm1(Friend)";
    halfka_hm2 = "HalfKA_hm2(Friend)";
    halfkpe9 = "HalfKPE9(Friend)";
}

#[test]
fn kernels_give_the_same_bits() {
    let mut rng = StdRng::seed_from_u64(11);
    let [reference] = [available().pop().unwrap()];
    for backend in available() {
        for round in 0..200 {
            compare_kernels(backend, reference, &mut rng, round);
        }
    }
}

/// Compares two backends on random and on extreme numbers.
fn compare_kernels(a: &dyn Backend, b: &dyn Backend, rng: &mut StdRng, round: usize) {
    let extreme = round.is_multiple_of(3);
    let blocks = rng.random_range(1..10);
    let mut row = || {
        let number = |rng: &mut StdRng| match extreme {
            true => *[i16::MIN, -1, 0, 127, 128, i16::MAX].choose(rng).unwrap(),
            false => rng.random_range(-300..300),
        };
        Block(std::array::from_fn(|_| number(rng)))
    };
    let transformer = FeatureTransformer {
        biases: (0..blocks).map(|_| row()).collect(),
        weights: (0..blocks * 50).map(|_| row()).collect(),
    };
    let features: Vec<u32> = (0..44).map(|_| rng.random_range(0..50)).collect();
    for (added, removed) in [
        (1, 1),
        (1, 2),
        (2, 2),
        (2, 1),
        (0, 0),
        (40, 0),
        (3, 4),
        (0, 1),
    ] {
        let (added, removed) = (&features[..added], &features[40..][..removed]);
        let sums = [a, b].map(|backend| {
            let mut out = vec![Block::ZERO; blocks];
            let update = Update { added, removed };
            backend.accumulate(&mut out, &transformer.biases, &transformer, update);
            let mut clipped = vec![Bytes::ZERO; blocks];
            backend.crelu(&out, &mut clipped);
            let mut products = vec![Bytes::ZERO; blocks];
            let other = transformer.row(features[0]);
            let limit = if extreme { 254 } else { 255 };
            backend.pairwise(&out, other, limit, &mut products);
            (out, clipped, products)
        });
        assert_eq!(sums[0], sums[1]);
    }

    let (inputs, outputs) = (32 * rng.random_range(1..6), rng.random_range(1..70));
    // Small weights allow more chained 16-bit additions than large ones.
    let limit = [3, 30, 60, 127][round % 4];
    let number = |rng: &mut StdRng, limit: i8| match extreme {
        true => *[-limit - 1, limit, 0].choose(rng).unwrap(),
        false => rng.random_range(-limit - 1..=limit),
    };
    let weights: Vec<i8> = (0..inputs * outputs).map(|_| number(rng, limit)).collect();
    let biases: Vec<i32> = (0..outputs).map(|_| rng.random()).collect();
    let layer = Affine::new(&biases, &weights);
    let input: Vec<Bytes> = (0..inputs / 32)
        .map(|_| {
            // Dense or sparse.
            let keeps = rng.random_bool(0.5) || round.is_multiple_of(2);
            let activation = |rng: &mut StdRng| {
                let kept = keeps || rng.random_bool(0.1);
                if kept {
                    number(rng, 127).max(0) as u8
                } else {
                    0
                }
            };
            Bytes(std::array::from_fn(|_| activation(rng)))
        })
        .collect();
    let results = [a, b].map(|backend| {
        let mut sums = vec![0; layer.biases.len()];
        backend.affine(&layer, &input, &mut sums);
        let mut bytes = vec![Bytes::ZERO; padded(sums.len()) / 32];
        backend.relu(&sums, &mut bytes);
        let mut list = vec![0; inputs / 4 + 8];
        let mut sparse = vec![0; layer.biases.len()];
        backend.affine_sparse(&layer, &input, &mut list, &mut sparse);
        assert_eq!(sparse, sums, "{}", backend.name());
        let mut both = vec![Bytes::ZERO; padded(2 * sums.len()) / 32];
        backend.sqr_relu_and_relu(&sums, &mut both);
        (sums, bytes, both)
    });
    assert_eq!(results[0], results[1], "{} {outputs}x{inputs}", a.name());
    // And by the definition.
    for (output, row) in weights.chunks(inputs).enumerate() {
        let bytes = input.iter().flat_map(|bytes| bytes.0);
        let sum = row
            .iter()
            .zip(bytes)
            .fold(biases[output], |sum, (&weight, byte)| {
                sum.wrapping_add(i32::from(weight) * i32::from(byte))
            });
        assert_eq!(results[0].0[output], sum);
    }
}

#[test]
fn damaged_files_are_told_apart() {
    let architecture = architecture(set("K+P"));
    let bytes = classic(&architecture, &text(&architecture));
    let refusal = |bytes: &[u8]| {
        let result = read_bytes(bytes);
        result.err().expect("an error").to_string()
    };
    let says = |bytes: &[u8], words: &[&str]| {
        let text = refusal(bytes);
        for word in words {
            assert!(text.contains(word), "{text}");
        }
        assert!(!text.contains('\n'));
    };
    says(
        &bytes[..bytes.len() - 1],
        &["K+P 64x2-8-32", "found 221251", "truncated"],
    );
    says(&bytes[..3000], &["K+P 64x2", "truncated"]);
    says(
        &[&bytes[..], &[0]].concat(),
        &["K+P 64x2-8-32", "trailing bytes"],
    );
    says(&bytes[..7], &["truncated header", "7 of 12 bytes"]);
    says(&bytes[..40], &["truncated header", "40 of 181 bytes"]);
    says(&[], &["truncated header", "0 of 12 bytes"]);
    says(
        b"#YANEURAOU-DB2016 1.00",
        &["unrecognised network version 4E415923"],
    );
    let mut long = bytes.clone();
    long[11] = 0x7F;
    says(&long, &["limit 4096"]);
    let mut foreign = bytes.clone();
    foreign[12 + text(&architecture).len()] ^= 1;
    foreign.truncate(100_000);
    says(
        &foreign,
        &["unknown architecture", "Features=K+P", "99819 bytes"],
    );
}

#[test]
fn hashes_and_text_need_not_be_right() {
    let architecture = architecture(set("K+P"));
    let expected = synthetic("K+P");
    let wrong = "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-256]";
    let mut bytes = classic(&architecture, wrong);
    let evaluate = |bytes: &[u8], consistent: bool| {
        let net = read_bytes(bytes).unwrap();
        assert_eq!(net.hashes_match, consistent);
        let network = Network::new(net.parameters, 1);
        for sfen in POSITIONS {
            let outputs = [&network, &expected]
                .map(|network| output(network, available()[0], &position(sfen), None));
            assert_eq!(outputs[0], outputs[1]);
        }
    };
    evaluate(&bytes, true);
    bytes[4] ^= 1;
    evaluate(&bytes, false);
    // One of the two hashes is enough.
    let at = 12 + wrong.len();
    bytes[at] ^= 1;
    evaluate(&bytes, false);
}
