//! Native networks: file format, arithmetic and symmetries.

use super::output;
use super::{POSITIONS, follow, games, position, read_bytes};
use crate::eval::nnue::backend::available;
use crate::eval::nnue::features::NATIVE_FEATURE_SETS;
use crate::eval::nnue::format::NativeNetwork;
use crate::eval::nnue::format::NetError;
use crate::eval::nnue::layers::Block;
use crate::eval::nnue::network::Network;
use crate::eval::nnue::view::active;
use crate::position::Position;
use crate::types::value::MAX_EVAL;
use crate::types::{Color, PieceType};
use rand::prelude::*;
use std::sync::Arc;

/// A network with random weights of realistic size.
fn random(width: usize, outputs: usize) -> NativeNetwork {
    with_features(1, width, outputs)
}

/// [`random`] for any feature set.
fn with_features(features: u32, width: usize, outputs: usize) -> NativeNetwork {
    let mut rng = StdRng::seed_from_u64(29);
    let mut numbers = |count: usize, limit: i16| -> Vec<i16> {
        (0..count)
            .map(|_| rng.random_range(-limit..=limit))
            .collect()
    };
    NativeNetwork {
        features,
        width,
        scale: 600,
        biases: numbers(width, 200),
        weights: numbers(width * NativeNetwork::dimensions(features).unwrap().0, 60),
        weight_unit: 64,
        output_weights: numbers(2 * width * outputs, 60),
        output_biases: numbers(outputs, 5000).into_iter().map(i32::from).collect(),
    }
}

fn load(network: &NativeNetwork) -> Network {
    network.clone().into_network().unwrap()
}

/// The output by the definition.
fn defined(net: &NativeNetwork, position: &Position) -> i32 {
    let us = position.side_to_move();
    let hands: u32 = Color::ALL
        .map(|color| position.hand(color))
        .iter()
        .flat_map(|hand| PieceType::HAND.map(|kind| hand.count(kind)))
        .sum();
    let number = (hands as usize / 2).min(net.output_biases.len() - 1);
    let set = &NATIVE_FEATURE_SETS[net.features as usize - 1];
    let mut sum = 0_i64;
    for (half, perspective) in [us, !us].into_iter().enumerate() {
        let features = active(set, perspective, position, None);
        for j in 0..net.width {
            let weights = features
                .as_slice()
                .iter()
                .map(|&f| f as usize * net.width + j);
            let total: i64 = weights.map(|at| i64::from(net.weights[at])).sum();
            let activation = (total + i64::from(net.biases[j])).clamp(0, 255);
            let weight = net.output_weights[(2 * number + half) * net.width + j];
            sum += activation * activation * i64::from(weight);
        }
    }
    (sum / 255) as i32 + net.output_biases[number]
}

#[test]
fn every_backend_follows_the_definition() {
    for (features, width, outputs) in [(1, 32, 1), (2, 96, 3), (1, 256, 1), (2, 256, 8)] {
        let net = with_features(features, width, outputs);
        let network = load(&net);
        for sfen in POSITIONS {
            let position = position(sfen);
            let expected = defined(&net, &position);
            for backend in available() {
                let found = output(&network, backend, &position, None);
                assert_eq!(found, expected, "{} {sfen}", backend.name());
            }
        }
    }
}

#[test]
fn the_largest_weights_do_not_overflow() {
    let mut net = random(256, 1);
    net.biases.fill(20_000);
    net.output_weights.fill(0);
    // 260 times 127 is just within the bound.
    net.output_weights[..260].fill(127);
    for sign in [1, -1] {
        let network = load(&net);
        let position = position(POSITIONS[3]);
        for backend in available() {
            assert_eq!(
                output(&network, backend, &position, None),
                defined(&net, &position)
            );
        }
        let value = network
            .scale
            .format_value(output(&network, available()[0], &position, None));
        assert!(sign * value > 20_000 && value.abs() <= MAX_EVAL, "{value}");
        net.output_weights
            .iter_mut()
            .for_each(|weight| *weight = -*weight);
    }
}

#[test]
fn kernels_give_the_same_sums() {
    let mut rng = StdRng::seed_from_u64(12);
    let scalar = available().pop().unwrap();
    for round in 0..200 {
        let extreme = round % 3 == 0;
        let mut blocks = |ends: [i16; 4], limits: std::ops::RangeInclusive<i16>| -> Vec<Block> {
            let number = |rng: &mut StdRng| match extreme {
                true => *ends.choose(rng).unwrap(),
                false => rng.random_range(limits.clone()),
            };
            let block = |_| Block(std::array::from_fn(|_| number(&mut rng)));
            (0..1 + round % 9).map(block).collect()
        };
        let sums = blocks([i16::MIN, 255, 256, i16::MAX], -100..=400);
        let weights = blocks([-127, 127, 0, 1], -127..=127);
        for backend in available() {
            let found = backend.screlu_dot(&sums, &weights);
            assert_eq!(
                found,
                scalar.screlu_dot(&sums, &weights),
                "{}",
                backend.name()
            );
        }
    }
}

#[test]
fn the_scale_turns_outputs_into_centipawns() {
    let network = load(&random(32, 1));
    // An output of 1 is 600 centipawns, an expected score of 73 %.
    assert_eq!(network.scale.format_value(255 * 64), 600);
    assert_eq!(network.scale.format_value(-255 * 64 / 2), -300);
    assert_eq!(network.scale.format_value(i32::MAX), MAX_EVAL);
    assert_eq!(network.scale.format_value(i32::MIN), -MAX_EVAL);
    assert_eq!(network.fv_scale().to_string(), "27.2");
    assert_eq!(network.with_scale(16).fv_scale(), 16.into());
    assert_eq!(network.with_scale(16).scale.format_value(-1600), -100);
    let finer = load(&NativeNetwork {
        weight_unit: 256,
        ..random(32, 1)
    });
    assert_eq!(finer.scale.format_value(255 * 256), 600);
}

#[test]
fn incremental_updates_equal_refreshes() {
    let mut rng = StdRng::seed_from_u64(8);
    for set in &NATIVE_FEATURE_SETS {
        let network = Arc::new(load(&with_features(set.hash, 64, 4)));
        for (position, moves) in games().take(12) {
            follow(&network, position, &moves, &mut rng);
        }
    }
}

/// An SFEN with left and right swapped.
fn mirrored(sfen: &str) -> String {
    let (board, rest) = sfen.split_once(' ').unwrap();
    let ranks = board.split('/').map(|rank| {
        let mut cells: Vec<String> = Vec::new();
        for c in rank.chars() {
            match cells.last_mut() {
                Some(last) if last == "+" => last.push(c),
                _ => cells.push(c.into()),
            }
        }
        cells.reverse();
        cells.concat()
    });
    format!("{} {rest}", ranks.collect::<Vec<_>>().join("/"))
}

/// An SFEN rotated by 180 degrees, with the colours swapped.
fn rotated(sfen: &str) -> String {
    let swap = |text: &str| -> String {
        let swapped = |c: char| match c.is_ascii_lowercase() {
            true => c.to_ascii_uppercase(),
            false => c.to_ascii_lowercase(),
        };
        text.chars().map(swapped).collect()
    };
    let sfen = mirrored(sfen);
    let fields: Vec<&str> = sfen.split(' ').collect();
    let ranks: Vec<&str> = fields[0].rsplit('/').collect();
    let side = if fields[1] == "b" { "w" } else { "b" };
    // Black's pieces in hand come first.
    let split = fields[2].find(|c: char| c.is_ascii_lowercase());
    let mut split = split.unwrap_or(fields[2].len());
    while split > 0 && fields[2].as_bytes()[split - 1].is_ascii_digit() {
        split -= 1;
    }
    let (black, white) = fields[2].split_at(split);
    format!(
        "{} {side} {}{} 1",
        swap(&ranks.join("/")),
        swap(white),
        swap(black)
    )
}

#[test]
fn rotation_and_mirroring_change_nothing() {
    let network = load(&random(64, 4));
    let value = |sfen: &str| output(&network, available()[0], &position(sfen), None);
    for sfen in POSITIONS {
        assert_eq!(value(sfen), value(&rotated(sfen)), "{sfen}");
    }
    // Positions without a king on the middle file.
    for sfen in [POSITIONS[3], POSITIONS[5]] {
        assert_ne!(sfen, mirrored(sfen));
        assert_eq!(value(sfen), value(&mirrored(sfen)), "{sfen}");
    }
}

#[test]
fn files_are_read_as_they_were_written() {
    for (width, outputs) in [(32, 1), (256, 1), (128, 8)] {
        let net = random(width, outputs);
        let bytes = net.to_bytes().unwrap();
        assert_eq!(NativeNetwork::parse(&bytes).unwrap(), net);
        let file = read_bytes(&bytes).unwrap();
        let network = Network::new(file.parameters, file.fv_scale.unwrap());
        let name = format!("Komaoto PS_hm {width}x2-{outputs}");
        assert_eq!(network.architecture().to_string(), name);
        let position = position(POSITIONS[4]);
        let found = output(&network, available()[0], &position, None);
        assert_eq!(found, defined(&net, &position));
    }
}

/// The error of invalid bytes, which parsing and loading agree on.
fn refusal(bytes: &[u8]) -> String {
    let text = NativeNetwork::parse(bytes).unwrap_err().to_string();
    let file = read_bytes(bytes);
    assert_eq!(file.err().expect("an error").to_string(), text);
    assert!(!text.contains('\n'));
    text
}

#[test]
fn damaged_files_are_told_apart() {
    let good = random(32, 2).to_bytes().unwrap();
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        refusal(&bytes)
    };
    let cases = [
        (refusal(&good[..39]), "truncated header: 39 of 40 bytes"),
        (
            refusal(&good[..good.len() - 1]),
            "Komaoto PS_hm 32x2-2 has 109768 bytes of weights, found 109767: truncated",
        ),
        (refusal(&[&good[..], &[0]].concat()), "trailing bytes"),
        (changed(8, 2), "format version 2, expected 1"),
        (changed(12, 7), "feature set 7, expected 1 to 2"),
        (changed(16, 33), "width 33, expected a multiple of 32"),
        (changed(18, 1), "width 65568"),
        (changed(20, 0), "output bucket count 0, expected 1 to 16"),
        (changed(20, 3), "truncated"),
        (changed(24, 0), "checksum"),
        (changed(28, 0), "unit 0, expected 255"),
        (changed(31, 0xF0), "weight unit 61504, expected 1 to 4096"),
        (changed(30, 128), "checksum"),
        (changed(35, 0), "checksum"),
        (changed(5000, 1), "checksum"),
    ];
    for (text, expected) in cases {
        assert!(text.contains(expected), "{text} should contain {expected}");
    }
    let mut heavy = random(32, 1);
    heavy.output_weights[3] = 128;
    let text = heavy.to_bytes().unwrap_err().to_string();
    assert!(text.contains("up to 128"), "{text}");
    let mut heavy = random(256, 1);
    heavy.output_weights.fill(-100);
    let text = heavy.to_bytes().unwrap_err().to_string();
    assert!(text.contains("51200 in total"), "{text}");
    let mut short = random(32, 1);
    short.weights.pop();
    assert!(matches!(short.to_bytes(), Err(NetError::Size { .. })));
}

#[test]
fn mutated_files_never_panic() {
    let good = random(32, 1).to_bytes().unwrap();
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..1000 {
        let mut bytes = good.clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..64);
            bytes[at] = rng.random();
        }
        bytes.truncate(rng.random_range(0..=good.len()));
        let text = read_bytes(&bytes).err().map(|e| e.to_string());
        assert!(text.is_some_and(|text| !text.contains('\n')));
    }
}
