//! Searches are identical on every instruction set.

mod common;

use common::position;
use komaoto::eval::nnue::{LoadedNetwork, NativeNetwork, Network};
use komaoto::search::{BestMove, Info, Limits, Report, SearchOptions, Searcher};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

const POSITIONS: [&str; 2] = [
    "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/7P1/2P6/PP1PPPP1P/1SG4R1/LN2KGSNL b Bb 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
];

/// Sends the node count of each report.
struct Nodes(Sender<u64>);

impl Report for Nodes {
    fn info(&mut self, info: &Info) {
        self.0.send(info.progress.nodes).unwrap();
    }
    fn best_move(&mut self, _: BestMove) {}
}

/// Node counts of a search of each position, by iteration. With random weights a tree may be of any size,
/// so there is a node limit.
fn nodes(network: Network, depth: i32) -> Vec<Vec<u64>> {
    let mut searcher = Searcher::new();
    searcher.set_hash(4).unwrap();
    searcher.set_network(&Arc::new(network));
    let search = |sfen| {
        let limits = Limits {
            depth: Some(depth),
            nodes: Some(20_000),
            ..Limits::default()
        };
        let options = SearchOptions {
            pv_interval: 0,
            ..SearchOptions::default()
        };
        let (sender, nodes) = channel();
        searcher.clear();
        searcher.go(&position(sfen), limits, &options, Box::new(Nodes(sender)));
        searcher.wait();
        nodes.iter().collect()
    };
    POSITIONS.map(search).to_vec()
}

/// Checks that every instruction set leads to the same searches.
fn check(network: &Network, depth: i32) {
    let networks = network.on_each_instruction_set();
    let expected = nodes(network.clone(), depth);
    let enough = |nodes: &Vec<u64>| nodes.last().is_some_and(|&nodes| nodes > 2000);
    assert!(expected.iter().all(enough), "{expected:?}");
    for network in networks {
        let kernels = network.instruction_set();
        assert_eq!(nodes(network, depth), expected, "{kernels}");
    }
}

/// Random weights of about the usual size, the same in every run.
fn numbers(rng: &mut StdRng, count: usize, limit: i16) -> Vec<i16> {
    let number = |_| rng.random_range(-limit..=limit);
    (0..count).map(number).collect()
}

/// A classic network with hidden layers of 16 and 32; `text` is its architecture string.
fn classic(name: &str, text: &str, features: usize, width: usize) -> Network {
    let mut rng = StdRng::seed_from_u64(5);
    let mut bytes = 0x7AF3_2F16_u32.to_le_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.extend([0; 4]);
    let first = numbers(&mut rng, width * (1 + features), 60);
    bytes.extend(first.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend([0; 4]);
    for (inputs, outputs) in [(2 * width, 16), (32, 32), (32, 1)] {
        let biases = numbers(&mut rng, outputs, 2000).into_iter();
        bytes.extend(biases.flat_map(|bias| i32::from(bias).to_le_bytes()));
        // Some layers can add their products in 16 bits, some cannot.
        let limit = if inputs == 32 { 100 } else { 20 };
        let weights = numbers(&mut rng, inputs * outputs, limit).into_iter();
        bytes.extend(weights.map(|weight| (weight as i8).cast_unsigned()));
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    LoadedNetwork::read(&path).unwrap().network
}

#[test]
fn classic_networks() {
    let text = "Features=K+P[1710->64x2],";
    check(&classic("kernels.kp.bin", text, 1710, 64), 6);
}

#[test]
fn classic_networks_that_refresh_on_king_moves() {
    let text = "Features=HalfKP_vm(Friend)[69660->32x2],";
    check(&classic("kernels.vm.bin", text, 69_660, 32), 6);
}

#[test]
fn native_networks() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut numbers = |count, limit| numbers(&mut rng, count, limit);
    let native = NativeNetwork {
        features: 1,
        width: 32,
        scale: 600,
        biases: numbers(32, 200),
        weights: numbers(32 * NativeNetwork::dimensions(1).unwrap().0, 60),
        weight_unit: 64,
        output_weights: numbers(64, 60),
        output_biases: vec![500],
    };
    check(&native.into_network().unwrap(), 6);
}
