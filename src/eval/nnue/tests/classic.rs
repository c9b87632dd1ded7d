//! Tests of [`ClassicNetwork`].

use super::{POSITIONS, Stacked, classic, position, read_bytes, text};
use crate::eval::nnue::architecture::{Activation, Architecture};
use crate::eval::nnue::features::{FeatureSet, HALF_KA_HM2, K_P};
use crate::eval::nnue::format::NetError;
use crate::eval::nnue::format::{ClassicLayer, ClassicNetwork};
use rand::prelude::*;

/// A network with random weights.
fn random(features: u32, width: usize, hidden: [usize; 2]) -> ClassicNetwork {
    let mut rng = StdRng::seed_from_u64(7);
    let dimensions = ClassicNetwork::dimensions(features).unwrap();
    let mut first = |count| (0..count).map(|_| rng.random_range(-60..=60)).collect();
    let (biases, weights) = (first(width), first(width * dimensions));
    let mut layer = |inputs: usize, outputs: usize| ClassicLayer {
        biases: (0..outputs)
            .map(|_| rng.random_range(-4000..=4000))
            .collect(),
        weights: (0..inputs * outputs).map(|_| rng.random()).collect(),
    };
    ClassicNetwork {
        features,
        width,
        hidden,
        scale: 20,
        biases,
        weights,
        layers: [
            layer(2 * width, hidden[0]),
            layer(hidden[0], hidden[1]),
            layer(hidden[1], 1),
        ],
    }
}

/// The output by its definition.
fn defined(network: &ClassicNetwork, active: [[u16; 40]; 2]) -> i32 {
    let mut inputs = Vec::new();
    for features in active {
        for (j, &bias) in network.biases.iter().enumerate() {
            let weight = |&f: &u16| i32::from(network.weights[usize::from(f) * network.width + j]);
            let sum: i32 = features.iter().map(weight).sum();
            inputs.push((sum + i32::from(bias)).clamp(0, 127));
        }
    }
    for layer in &network.layers {
        let rows = layer.weights.chunks(inputs.len()).zip(&layer.biases);
        let sums = rows.map(|(row, bias)| {
            let products = row.iter().zip(&inputs);
            bias + products.map(|(&w, x)| i32::from(w) * x).sum::<i32>()
        });
        let sums: Vec<i32> = sums.collect();
        if sums.len() == 1 {
            return sums[0];
        }
        inputs = sums.iter().map(|sum| (sum >> 6).clamp(0, 127)).collect();
    }
    unreachable!()
}

#[test]
fn written_networks_are_read_and_evaluated() {
    for (features, width, hidden) in [(1, 64, [8, 32]), (1, 256, [32, 32]), (2, 32, [16, 8])] {
        let network = random(features, width, hidden);
        let bytes = network.to_bytes().unwrap();
        let file = read_bytes(&bytes).unwrap();
        assert!(file.hashes_match);
        assert_eq!(file.fv_scale, Some(20.into()));
        let parsed = ClassicNetwork::parse(&bytes).unwrap();
        assert_eq!(parsed, network);
        assert_eq!(parsed.to_bytes().unwrap(), bytes);
        let ready = network.clone().into_network().unwrap();
        let backend = crate::eval::nnue::backend::available()[0];
        for sfen in POSITIONS {
            let position = position(sfen);
            let active = ClassicNetwork::active(features, &position).unwrap();
            let found = super::output(&ready, backend, &position, None);
            assert_eq!(found, defined(&network, active), "{sfen}");
        }
    }
}

#[test]
fn files_of_other_trainers_are_read() {
    let file = |features: &'static FeatureSet| {
        let it = Architecture::classic(features, 64, Activation::CReLU, [8, 32]);
        classic(&it, &text(&it))
    };
    let network = ClassicNetwork::parse(&file(&K_P)).unwrap();
    assert_eq!(
        (network.features, network.scale),
        (1, ClassicNetwork::DEFAULT_SCALE)
    );
    let golden = [185, 185, 120, 148, 73, 196, 206];
    for (sfen, output) in POSITIONS.into_iter().zip(golden) {
        let active = ClassicNetwork::active(1, &position(sfen)).unwrap();
        assert_eq!(defined(&network, active), output);
    }
    // Written again, only the architecture string differs.
    let (ours, theirs) = (network.to_bytes().unwrap(), file(&K_P));
    let added = ",fv_scale=16".len();
    assert_eq!(ours.len(), theirs.len() + added);
    assert_eq!(ours[ours.len() - 1000..], theirs[theirs.len() - 1000..]);
    assert_eq!(ours[..8], theirs[..8]);

    static HALF_KP: FeatureSet = crate::eval::nnue::features::HALF_KP;
    let refused = |bytes: &[u8]| ClassicNetwork::parse(bytes).unwrap_err();
    assert!(matches!(
        refused(&file(&HALF_KA_HM2)),
        NetError::Untrainable(_)
    ));
    assert!(
        matches!(refused(&file(&HALF_KP)), NetError::Untrainable(it) if it == "HalfKP 64x2-8-32")
    );
    let stacked = Stacked::new("HalfKA_hm2(Friend)", 64, [15, 32], "k3k3");
    assert!(matches!(refused(&stacked.file()), NetError::Untrainable(_)));
    assert!(matches!(
        refused(b"KOMAOTO\0 and more"),
        NetError::UnknownVersion(_)
    ));
    assert!(matches!(
        refused(b"short"),
        NetError::TruncatedHeader { .. }
    ));
}

#[test]
fn sizes_that_do_not_fit_are_not_written() {
    let network = random(1, 64, [8, 32]);
    let mut short = network.clone();
    short.weights.pop();
    assert!(matches!(short.to_bytes(), Err(NetError::Size { .. })));
    for (features, width, hidden) in [(3, 64, [8, 32]), (1, 65, [8, 32]), (1, 64, [0, 32])] {
        let changed = ClassicNetwork {
            features,
            width,
            hidden,
            ..network.clone()
        };
        assert!(matches!(changed.to_bytes(), Err(NetError::Untrainable(_))));
    }
}

#[test]
fn damaged_files_are_refused_or_read_without_a_panic() {
    let good = random(1, 64, [8, 32]).to_bytes().unwrap();
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..40 {
        let cut = &good[..rng.random_range(0..good.len())];
        assert!(ClassicNetwork::parse(cut).is_err());
        let mut changed = good.clone();
        let at = rng.random_range(0..300);
        changed[at] ^= 1 << rng.random_range(0..8);
        let _ = ClassicNetwork::parse(&changed);
    }
}
