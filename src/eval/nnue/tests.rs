//! Networks made up in memory: golden outputs, and every way to the same output.

use super::NetworkEvaluator;
use super::architecture::{Architecture, padded};
use super::backend::{Backend, available};
use super::explain::output;
use super::features::{FEATURE_SETS, FeatureSet};
use super::file::{NetError, read};
use super::network::{Affine, Block, Bytes, Network, Transformer};
use crate::position::Position;
use crate::types::Move;
use rand::prelude::*;
use std::io::Cursor;
use std::sync::Arc;

pub(super) const POSITIONS: [&str; 7] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/7P1/2P6/PP1PPPP1P/1SG4R1/LN2KGSNL b Bb 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "1k6l/9/2+P6/9/9/9/9/6+p2/4K4 b RB4G4S4N3L8Prb7p 1",
];

/// Outputs of the made-up network of each feature set in each position, as YaneuraOu calculates
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

/// A made-up weight of a magnitude up to `limit`, by its number.
fn weight(number: u32, limit: u32) -> i32 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9);
    z ^= z >> 16;
    z = z.wrapping_mul(0x85EB_CA6B);
    z ^= z >> 13;
    z = z.wrapping_mul(0xC2B2_AE35);
    z ^= z >> 16;
    (z % (2 * limit + 1)) as i32 - limit as i32
}

/// Writes a made-up network.
struct Writer {
    bytes: Vec<u8>,
    number: u32,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn weight(&mut self, limit: u32) -> i32 {
        let weight = weight(self.number, limit);
        self.number += 1;
        weight
    }

    fn affine(&mut self, inputs: usize, outputs: usize) {
        for _ in 0..outputs {
            let bias = self.weight(1000);
            self.bytes.extend(bias.to_le_bytes());
        }
        for _ in 0..outputs {
            for _ in 0..inputs {
                let weight = self.weight(8) as i8;
                self.bytes.extend(weight.to_le_bytes());
            }
            self.bytes
                .resize(self.bytes.len() + padded(inputs) - inputs, 0);
        }
    }
}

fn architecture(features: &'static FeatureSet) -> Architecture {
    Architecture {
        features,
        width: 64,
        hidden: [8, 32],
        outputs: None,
    }
}

/// The file of the made-up network of a feature set.
fn file(architecture: &Architecture, text: &str) -> Vec<u8> {
    let mut writer = Writer {
        bytes: Vec::new(),
        number: 0,
    };
    let size = architecture.payload() as usize + 1024;
    writer.bytes.reserve(size);
    writer.word(0x7AF3_2F16);
    writer.word(architecture.hash());
    writer.word(text.len() as u32);
    writer.bytes.extend(text.bytes());
    writer.word(architecture.transformer_hash());
    for _ in 0..architecture.width {
        let bias = writer.weight(40) as i16;
        writer.bytes.extend(bias.to_le_bytes());
    }
    for _ in 0..architecture.width * architecture.features.dimensions() {
        let weight = writer.weight(30) as i16;
        writer.bytes.extend(weight.to_le_bytes());
    }
    writer.word(architecture.network_hash());
    let [first, second] = architecture.hidden;
    writer.affine(2 * architecture.width, first);
    writer.affine(first, second);
    writer.affine(second, 1);
    writer.bytes
}

fn set(name: &str) -> &'static FeatureSet {
    FEATURE_SETS.iter().find(|set| set.name == name).unwrap()
}

fn made_up(name: &str) -> Network {
    let architecture = architecture(set(name));
    let bytes = file(&architecture, &architecture.text());
    let net = read(Cursor::new(&bytes), bytes.len() as u64).unwrap();
    assert!(net.is_consistent);
    Network::new(net.parameters, 1)
}

pub(super) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

#[test]
fn weights_are_made_up_as_specified() {
    let first: Vec<i32> = (0..8).map(|number| weight(number, 40)).collect();
    assert_eq!(first, [-24, -13, 12, -33, -27, 39, -27, 36]);
}

/// Follows a game and its side lines with every backend, and compares each output with that of a
/// fresh start.
pub(super) fn follow(network: &Arc<Network>, game: &str, rng: &mut StdRng) {
    let mut fields = game.split(';').map(str::trim);
    let mut position = position(fields.next().unwrap());
    let mut evaluators: Vec<NetworkEvaluator> = network
        .on_each_instruction_set()
        .into_iter()
        .map(|network| NetworkEvaluator::new(Arc::new(network)))
        .collect();
    for evaluator in &mut evaluators {
        evaluator.reset(&position);
    }
    let check = |evaluators: &mut [NetworkEvaluator], position: &Position| {
        let expected = output(network, available()[0], position, None);
        for evaluator in evaluators {
            assert_eq!(evaluator.output(position), expected, "{position:?}");
        }
    };
    for text in fields.next().unwrap().split(' ') {
        let mv = Move::from_usi(text).unwrap();
        let aside = *position.legal_moves().choose(rng).unwrap();
        for (mv, is_aside) in [(aside, true), (mv, false)] {
            let dirty = position.do_move(mv);
            evaluators.iter_mut().for_each(|e| e.push(dirty));
            if rng.random_bool(0.7) {
                check(&mut evaluators, &position);
            }
            if !position.in_check() && rng.random_bool(0.1) {
                position.do_null_move();
                evaluators.iter_mut().for_each(NetworkEvaluator::push_null);
                check(&mut evaluators, &position);
                position.undo_null_move();
                evaluators.iter_mut().for_each(NetworkEvaluator::pop);
            }
            if is_aside {
                position.undo_move(mv);
                evaluators.iter_mut().for_each(NetworkEvaluator::pop);
            }
        }
    }
}

/// Golden outputs, and the same by increments, for one feature set.
fn check_feature_set(name: &str) {
    let (_, golden) = GOLDEN.iter().find(|(set, _)| *set == name).unwrap();
    let network = Arc::new(made_up(name));
    for backend in available() {
        let outputs = POSITIONS.map(|sfen| output(&network, backend, &position(sfen), None));
        assert_eq!(outputs, *golden, "{name} {}", backend.name());
    }
    let mut rng = StdRng::seed_from_u64(3);
    let games = include_str!("../../../positions/games.txt").lines().skip(1);
    for game in games.take(12) {
        follow(&network, game, &mut rng);
    }
}

/// A test for each feature set, so that they run side by side.
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

/// Compares two backends on numbers over the whole range, and on the ends of the range.
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
    let transformer = Transformer {
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
            backend.accumulate(&mut out, &transformer.biases, &transformer, added, removed);
            let mut clipped = vec![Bytes::ZERO; blocks];
            backend.clip(&out, &mut clipped);
            (out, clipped)
        });
        assert_eq!(sums[0], sums[1]);
    }

    let (inputs, outputs) = (32 * rng.random_range(1..6), rng.random_range(1..70));
    // Small weights are added up in other ways than large ones.
    let limit = [3, 30, 60, 127][round % 4];
    let number = |rng: &mut StdRng, limit: i8| match extreme {
        true => *[-limit - 1, limit, 0].choose(rng).unwrap(),
        false => rng.random_range(-limit - 1..=limit),
    };
    let weights: Vec<i8> = (0..inputs * outputs).map(|_| number(rng, limit)).collect();
    let biases: Vec<i32> = (0..outputs).map(|_| rng.random()).collect();
    let layer = Affine::new(&biases, &weights);
    let input: Vec<Bytes> = (0..inputs / 32)
        .map(|_| Bytes(std::array::from_fn(|_| number(rng, 127).max(0) as u8)))
        .collect();
    let results = [a, b].map(|backend| {
        let mut sums = vec![0; layer.biases.len()];
        backend.affine(&layer, &input, &mut sums);
        let mut bytes = vec![Bytes::ZERO; padded(sums.len()) / 32];
        backend.activate(&sums, &mut bytes);
        (sums, bytes)
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
    let bytes = file(&architecture, &architecture.text());
    let refusal = |bytes: &[u8]| {
        let result = read(Cursor::new(bytes), bytes.len() as u64);
        result.err().expect("a refusal").to_string()
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
        &["K+P 64x2-8-32", "found 221251", "the end is missing"],
    );
    says(&bytes[..3000], &["K+P 64x2", "the end is missing"]);
    says(
        &[&bytes[..], &[0]].concat(),
        &["K+P 64x2-8-32", "something was added"],
    );
    says(&bytes[..7], &["header", "found 7 bytes"]);
    says(&bytes[..40], &["header", "found a file of 40 bytes"]);
    says(&[], &["found 0 bytes"]);
    says(
        b"#YANEURAOU-DB2016 1.00",
        &["version 7AF32F16", "found 4E415923"],
    );
    let mut long = bytes.clone();
    long[11] = 0x7F;
    says(&long, &["at most 4096"]);
    let stacked = "ModelType=SFNNWithoutPsqt;Features=HalfKA2[131949->1024x2]";
    says(&file(&architecture, stacked)[..100_000], &["SFNN"]);
    let mut foreign = bytes.clone();
    foreign[12 + architecture.text().len()] ^= 1;
    foreign.truncate(100_000);
    says(&foreign, &["known features", "Features=K+P"]);
    assert!(matches!(
        read(Cursor::new(&bytes[..]), 0),
        Err(NetError::NoHeader(0))
    ));
}

#[test]
fn hashes_and_text_need_not_be_right() {
    let architecture = architecture(set("K+P"));
    let expected = made_up("K+P");
    let wrong = "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-256]";
    let mut bytes = file(&architecture, wrong);
    let evaluate = |bytes: &[u8], consistent: bool| {
        let net = read(Cursor::new(bytes), bytes.len() as u64).unwrap();
        assert_eq!(net.is_consistent, consistent);
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

#[test]
fn scales_are_read_from_the_text() {
    let architecture = architecture(set("K+P"));
    let scale = |text: &str| {
        let bytes = file(&architecture, text);
        read(Cursor::new(&bytes), bytes.len() as u64).unwrap().scale
    };
    assert_eq!(scale(&architecture.text()), None);
    assert_eq!(
        scale(&format!("{},fv_scale=28,qa=127", architecture.text())),
        Some(28.into())
    );
    assert_eq!(scale("fv_scale=0"), None);
    assert_eq!(scale("fv_scale="), None);
    assert_eq!(scale("fv_scale=99999999999"), None);
}

#[test]
fn mutated_files_never_panic() {
    let architecture = Architecture {
        width: 32,
        ..architecture(set("K+P"))
    };
    let bytes = file(&architecture, &architecture.text());
    let header = 12 + architecture.text().len() + 4;
    let mut rng = StdRng::seed_from_u64(17);
    for _ in 0..if cfg!(debug_assertions) { 300 } else { 3000 } {
        let mut bytes = bytes.clone();
        for _ in 0..rng.random_range(1..5) {
            // Mostly where it matters.
            let end = if rng.random_bool(0.8) {
                header
            } else {
                bytes.len()
            };
            let at = rng.random_range(0..end.min(bytes.len()));
            bytes[at] = rng.random();
        }
        match rng.random_range(0..4) {
            0 => bytes.truncate(rng.random_range(0..=bytes.len())),
            1 => bytes.resize(bytes.len() + rng.random_range(0..200), rng.random()),
            _ => {}
        }
        match read(Cursor::new(&bytes), bytes.len() as u64) {
            Ok(net) => {
                let network = Network::new(net.parameters, 1);
                output(&network, available()[0], &position(POSITIONS[3]), None);
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
}
