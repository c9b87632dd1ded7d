//! Fuzzing: whatever a file contains, reading and evaluating it neither panics nor overflows.

use super::output;
use super::synthetic::{Stacked, classic, read_bytes, set};
use super::{POSITIONS, position, text};
use crate::eval::nnue::architecture::{Activation, Architecture};
use crate::eval::nnue::backend::available;
use crate::eval::nnue::network::Network;
use rand::prelude::*;

/// A small file of every format, and the number of bytes outside the weights of its feature transformer.
fn files() -> Vec<(Vec<u8>, usize)> {
    let activations = [
        (Activation::CReLU, ""),
        (Activation::SCReLU { limit: 255 }, "-SCReLU"),
        (Activation::Pairwise { limit: 254 }, "-Pairwise"),
    ];
    let classics = activations.map(|(activation, suffix)| {
        let architecture = Architecture::classic(set("K+P"), 64, activation, [8, 32]);
        let text = text(&architecture) + suffix;
        (classic(&architecture, &text), 16 + text.len())
    });
    let plain = Stacked::new("K+P", 64, [7, 32], "k3k3");
    let of_rshogi = Stacked {
        version: 0x7AF3_2F21,
        counted: Some(9),
        count: Some(9),
        psqt: true,
        text: "Features=K+P[1710->64x2],PSQT=9,fv_scale=20".into(),
        ..plain.clone()
    };
    let stacked = [
        of_rshogi,
        Stacked {
            one_block: true,
            underscore: true,
            ..plain.clone()
        },
        Stacked::new("K+P", 64, [15, 32], "hand4_progress2"),
        plain,
    ];
    let stacked = stacked.map(|net| (net.file(), 60 + net.text.len()));
    classics.into_iter().chain(stacked).collect()
}

/// Mutates a file, mostly outside the weights of the feature transformer.
fn mutate(bytes: &mut Vec<u8>, header: usize, rng: &mut StdRng) {
    for _ in 0..rng.random_range(1..5) {
        let (start, end) = match rng.random_range(0..8) {
            0 => (0, bytes.len()),
            1..3 => (bytes.len() - bytes.len().min(6000), bytes.len()),
            _ => (0, header.min(bytes.len())),
        };
        let at = rng.random_range(start..end);
        let byte = &mut bytes[at];
        *byte = match rng.random_range(0..4) {
            0 => *byte ^ 1 << rng.random_range(0..8),
            1 => byte.wrapping_add(1),
            2 => *[0, 0x7F, 0x80, 0xFF].choose(rng).unwrap(),
            _ => rng.random(),
        };
    }
    match rng.random_range(0..6) {
        0 => bytes.truncate(rng.random_range(0..=bytes.len())),
        1 => bytes.resize(bytes.len() + rng.random_range(0..200), rng.random()),
        2 => {
            // A run of extreme weights.
            let at = rng.random_range(0..bytes.len());
            let end = bytes.len().min(at + rng.random_range(1..4000));
            bytes[at..end].fill(*[0x7F, 0x80, 0xFF].choose(rng).unwrap());
        }
        _ => {}
    }
}

/// Reads and evaluates `count` mutated files. Returns how many were valid networks.
fn try_files(count: usize, seed: u64) -> usize {
    let files = files();
    let mut rng = StdRng::seed_from_u64(seed);
    let positions = POSITIONS.map(position);
    let backends = available();
    let mut networks = 0;
    for _ in 0..count {
        let (bytes, header) = files.choose(&mut rng).unwrap();
        let mut bytes = bytes.clone();
        mutate(&mut bytes, *header, &mut rng);
        match read_bytes(&bytes) {
            Ok(file) => {
                let network = Network::new(file.parameters, 1);
                let position = positions.choose(&mut rng).unwrap();
                let outputs = [backends[0], *backends.choose(&mut rng).unwrap()]
                    .map(|backend| output(&network, backend, position, None));
                assert_eq!(outputs[0], outputs[1]);
                networks += 1;
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
    networks
}

#[test]
fn mutated_files_never_panic() {
    let count = if cfg!(debug_assertions) { 500 } else { 4000 };
    assert!(try_files(count, 17) > count / 20);
}

/// A longer run: `MUTATED_FILES` files from seed `MUTATED_SEED`.
#[test]
#[ignore = "takes as long as it is told to"]
fn many_mutated_files_never_panic() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("MUTATED_FILES").unwrap_or(100_000);
    let networks = try_files(count, number("MUTATED_SEED").unwrap_or(1) as u64);
    println!("{count} files, {networks} networks");
}
