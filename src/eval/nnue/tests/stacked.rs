//! Networks with layer stacks, and the variants of their files.

use super::output;
use super::synthetic::{Stacked, Writer, network, read_bytes, set};
use super::{POSITIONS, architecture, follow, games, position};
use crate::eval::nnue::architecture::Shards;
use crate::eval::nnue::backend::available;
use crate::eval::nnue::format::NetError;
use crate::eval::nnue::format::files::read;
use crate::eval::nnue::network::{Network, Parameters};
use crate::eval::nnue::output_head::{LayerStacks, OutputHead};
use crate::eval::nnue::progress::{GameProgress, WEIGHTS};
use crate::eval::nnue::view::active;
use crate::types::Color;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::io::Cursor;
use std::sync::Arc;

/// Checks the golden outputs of a synthetic network on every instruction set, and incremental updates.
fn check(net: &Stacked, golden: [i32; 7]) {
    let bytes = net.file();
    let file = read_bytes(&bytes).unwrap();
    assert!(file.hashes_match);
    let network = Arc::new(Network::new(file.parameters, 1));
    for backend in available() {
        let outputs = POSITIONS.map(|sfen| output(&network, backend, &position(sfen), None));
        assert_eq!(
            outputs,
            golden,
            "{} {}",
            network.architecture(),
            backend.name()
        );
    }
    follow_games(&network);
}

fn follow_games(network: &Arc<Network>) {
    let mut rng = StdRng::seed_from_u64(5);
    for (position, moves) in games().take(3) {
        follow(network, position, &moves, &mut rng);
    }
}

#[test]
fn halfka_hm2_by_king_ranks() {
    let net = Stacked::new("HalfKA_hm2(Friend)", 256, [15, 32], "k3k3");
    check(&net, [674, 674, 803, 292, 3685, -1912, 1146]);
}

#[test]
fn halfka2_by_hands_kings_and_progress() {
    let net = Stacked::new("HalfKA2(Friend)", 256, [7, 64], "hand64_k3k3_progress8");
    check(&net, [-1052, -1052, 2127, -2596, -679, -1419, -23]);
}

#[test]
fn halfka2_by_hand_points_and_king_zones() {
    let net = Stacked::new("HalfKA2(Friend)", 256, [8, 64], "hand64z_k9k9z");
    check(&net, [-774, -774, 607, 1293, -760, -1000, -730]);
}

/// A small network with few features.
fn small(hidden: [usize; 2], buckets: &'static str) -> Stacked {
    Stacked::new("K+P", 64, hidden, buckets)
}

/// A network in rshogi's format, with `count` layer stacks in the header.
fn rshogi(count: Option<u32>) -> Stacked {
    Stacked {
        version: 0x7AF3_2F20 + u32::from(count.is_some()),
        counted: count,
        count: Some(count.map_or(9, |count| count as usize)),
        text: "Features=HalfKaHmMerged(Friend)[73305->64x2],Network=AffineTransform[1<-32](\
               ClippedReLU[32](AffineTransform[32-30](SqrClippedReLU[30](AffineTransform[16-128](\
               InputSlice[128(0:128)]))))),fv_scale=28"
            .into(),
        ..small([15, 32], "k3k3")
    }
}

/// The layers after the feature transformer.
fn layers(parameters: &Parameters) -> &LayerStacks {
    match &parameters.head {
        OutputHead::LayerStacks(layers) => layers,
        OutputHead::Screlu(_) => panic!("a native network"),
    }
}

fn outputs(network: &Network) -> [i32; 7] {
    POSITIONS.map(|sfen| output(network, available()[0], &position(sfen), None))
}

#[test]
fn every_form_of_a_file_gives_the_same_network() {
    let plain = small([15, 32], "k3k3");
    let expected = outputs(&network(&plain.file()));
    let changed = |change: fn(&mut Stacked)| {
        let mut net = plain.clone();
        change(&mut net);
        let file = read_bytes(&net.file()).unwrap();
        assert!(file.hashes_match);
        Network::new(file.parameters, 1)
    };
    assert_eq!(outputs(&changed(|net| net.one_block = true)), expected);
    assert_eq!(outputs(&changed(|net| net.underscore = true)), expected);
    // Only k3k3 has nine buckets, so no name is needed.
    let unnamed = changed(|net| net.text = "Features=HalfKP(Friend)[125388->256x2]".into());
    assert_eq!(outputs(&unnamed), expected);
    assert_eq!(
        unnamed.architecture().to_string(),
        "SFNN K+P 64-15-32 k3k3 (9 stacks)"
    );
    // Hashes may be wrong.
    let mut bytes = plain.file();
    let transformer = 12 + plain.text.len();
    for at in [4, transformer] {
        bytes[at] ^= 1;
        let file = read_bytes(&bytes).unwrap();
        assert!(!file.hashes_match);
        assert_eq!(outputs(&Network::new(file.parameters, 1)), expected);
    }
}

#[test]
fn networks_of_rshogi_are_read() {
    let expected = outputs(&network(&small([15, 32], "k3k3").file()));
    for count in [None, Some(9)] {
        let file = read_bytes(&rshogi(count).file()).unwrap();
        assert!(file.hashes_match);
        assert_eq!(file.fv_scale, Some(28.into()));
        let found = outputs(&Network::new(file.parameters, 1));
        // Except in the last position, which has a missing piece.
        assert_eq!(found[..6], expected[..6]);
        assert_ne!(found[6], expected[6]);
    }
    let single = network(&rshogi(Some(1)).file());
    assert_eq!(
        single.architecture().to_string(),
        "SFNN K+P 64-15-32 none (1 stacks)"
    );
}

#[test]
fn psqt_values_are_added() {
    let mut net = rshogi(Some(9));
    net.psqt = true;
    net.text = net.text.replace(",Network", ",PSQT=9,Network");
    let network = Arc::new(network(&net.file()));
    let position = position(POSITIONS[3]);
    let whole = output(&network, available()[0], &position, None);
    // PSQT values of the active features for the stack of the position.
    let layers = layers(&network.parameters);
    let stack = layers.bucket(network.architecture(), &position);
    assert_eq!(stack, 5);
    let weights = layers.psqt.as_ref().unwrap();
    let sum = |perspective| -> i32 {
        let features = active(set("K+P"), perspective, &position, None);
        let features = features.as_slice().iter();
        features
            .map(|&feature| weights[feature as usize * 9 + stack])
            .sum()
    };
    let (us, them) = (position.side_to_move(), !position.side_to_move());
    let values = (sum(us) - sum(them)) / 2;
    assert_ne!(values, 0);
    // The rest is the output of the layers.
    let mut parameters = read_bytes(&net.file()).unwrap().parameters;
    if let OutputHead::LayerStacks(layers) = &mut parameters.head {
        layers.psqt = None;
    }
    let layers = output(
        &Network::new(parameters, 1),
        available()[0],
        &position,
        None,
    );
    assert_eq!(whole, layers + values);
    follow_games(&network);
}

/// The features of a piece by the attacks on its square.
#[test]
fn attack_buckets_are_read_and_found() {
    for (name, most, kings) in [
        ("HalfKA_hm2+2x2fixed", 1, false),
        ("HalfKA_hm2+3x3bucketed", 2, true),
    ] {
        let classes = (most + 1) * (most + 1);
        let kind = name.split('+').nth(1).unwrap();
        let net = Stacked {
            text: format!("Features=HalfKaHmMerged(Friend)[0->64x2],EffectBucket={kind},"),
            version: 0x7AF3_2F21,
            counted: Some(9),
            count: Some(9),
            ..Stacked::new(name, 64, [7, 32], "k3k3")
        };
        // A few moves are enough, as nothing is updated incrementally.
        let network = Arc::new(network(&net.file()));
        assert_eq!(network.architecture().features.name, name);
        let (start, moves) = games().next().unwrap();
        follow(&network, start, &moves[..10], &mut StdRng::seed_from_u64(1));

        let position = position("4k4/9/9/9/4g4/4P4/4L4/9/4K4 b 2P 1");
        for perspective in [Color::Black, Color::White] {
            let active = |name| {
                let features = active(set(name), perspective, &position, None);
                let mut features = features.as_slice().to_vec();
                features.sort_unstable();
                features
            };
            let plain = active("HalfKA_hm2(Friend)");
            let by_attacks = active(name);
            let bases: Vec<u32> = by_attacks.iter().map(|feature| feature / classes).collect();
            assert_eq!(bases, plain);
            // The gold is attacked by the pawn; the pawn guarded by the lance and attacked by the
            // gold; the lance guarded by nothing, as the king is far away.
            let mut found: Vec<u32> = by_attacks.iter().map(|f| f % classes).collect();
            found.retain(|&class| class != 0);
            found.sort_unstable();
            assert_eq!(found, [1, most + 2], "{name} {kings}");
        }
    }
    let mut net = rshogi(None);
    net.text += ",EffectBucket=4x4fixed";
    let error = refusal(&net.file()).to_string();
    assert!(error.contains("EffectBucket=4x4fixed"), "{error}");
}

#[test]
fn progress_bin_selects_the_stack() {
    let net = rshogi(Some(5));
    let bytes = net.file();
    let with = |weight: f64| {
        let weights = std::iter::repeat_n(weight, WEIGHTS);
        let progress = GameProgress::from_file(weights, 5);
        let file = read(Cursor::new(&bytes), bytes.len() as u64, |stages| {
            assert_eq!(stages, 5);
            Ok(progress)
        });
        Network::new(file.unwrap().parameters, 1)
    };
    let start = position(POSITIONS[0]);
    for (weight, stack) in [(-1.0, 0), (0.0, 2), (1.0, 4)] {
        let network = with(weight);
        let chosen = layers(&network.parameters).bucket(network.architecture(), &start);
        assert_eq!(chosen, stack);
    }
    assert_eq!(
        with(0.0).architecture().to_string(),
        "SFNN K+P 64-15-32 progress5 (5 stacks)"
    );
    assert!(matches!(read_bytes(&bytes), Err(NetError::Invalid(_))));
}

#[test]
fn outputs_of_a_shard_see_their_inputs_only() {
    let mut net = small([7, 32], "none");
    net.text = net.text.replace("_7_32_", "_7_32_C16_S24X2_");
    let parameters = read_bytes(&net.file()).unwrap().parameters;
    let stacks = *parameters.architecture.stacks().unwrap();
    let shards = Shards {
        common: 16,
        shard: 24,
        groups: 2,
    };
    assert_eq!(stacks.shards, Some(shards));
    // Weights are ordered by chunk of four inputs, then by output.
    let layer = &layers(&parameters).stacks[0].layers[0];
    for (step, weights) in layer.tiles[0].weights().chunks(32).enumerate() {
        for (i, &weight) in weights.iter().enumerate() {
            let (input, output) = (4 * step + i % 4, i / 4);
            let start = 16 + output / 4 * 24;
            if input >= 16 && !(start..start + 24).contains(&input) {
                assert_eq!(weight, 0, "{input} {output}");
            }
        }
    }
    assert!(
        outputs(&Network::new(parameters, 1))
            .iter()
            .any(|&it| it != 0)
    );
    for bad in ["_C16_S24X3_", "_C17_S24X2_", "_C0_S64X0_", "_C16_S16X3_"] {
        let mut net = small([7, 32], "none");
        net.text = net.text.replace("_7_32_", &format!("_7_32{bad}"));
        assert!(
            matches!(read_bytes(&net.file()), Err(NetError::Invalid(_))),
            "{bad}"
        );
    }
}

#[test]
fn names_decide_where_sizes_do_not() {
    let net = |hidden| {
        read_bytes(&small(hidden, "k9k9z").file())
            .unwrap()
            .parameters
    };
    for hidden in [[7, 32], [8, 32], [15, 64], [16, 64]] {
        assert_eq!(net(hidden).architecture.hidden, hidden);
    }
}

/// The error of an invalid file, checked to be one line.
fn refusal(bytes: &[u8]) -> NetError {
    let error = read_bytes(bytes).err().expect("an error");
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

#[test]
fn damaged_files_with_layer_stacks_are_told_apart() {
    let net = small([15, 32], "k3k3");
    let bytes = net.file();
    let first = 12 + net.text.len() + 4;
    let cut = |end: usize| refusal(&bytes[..end]).to_string();
    let says = |error: NetError, words: &str| {
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
    };
    assert!(cut(first + 5).contains("no compressed biases of the feature transformer"));
    assert!(cut(first + 40).contains("truncated biases of the feature transformer"));
    assert!(cut(bytes.len() / 2).contains("truncated weights of the feature transformer"));
    let short = cut(bytes.len() - 1);
    assert!(
        short.contains("no layer stacks 15-32 (9 times 2280 bytes)"),
        "{short}"
    );
    says(
        refusal(&[&bytes[..], &[0]].concat()),
        "no layer stacks 15-32",
    );

    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        refusal(&bytes)
    };
    says(
        changed(first, b'X'),
        "no compressed biases of the feature transformer",
    );
    // A bias missing or truncated; an integer that is too long; one out of range.
    let numbers = first + 21;
    says(changed(numbers, 0xC1), "63 biases");
    says(
        changed(numbers - 4, bytes[numbers - 4] - 1),
        "no compressed weights of the feature transformer",
    );
    for at in 0..3 {
        let mut bytes = bytes.clone();
        bytes[numbers..][..3].fill(0x80);
        bytes[numbers + 3] = 0x80;
        bytes[numbers + at] = [0x81, 0xFF, 0x80][at];
        says(refusal(&bytes), "integer 0 has more than 3 bytes");
    }
    let mut large = bytes.clone();
    large[numbers..][..3].copy_from_slice(&[0x80, 0x80, 0x02]);
    says(refusal(&large), "integer 0 is 32768");
    let length = u32::from_le_bytes(*bytes[numbers - 4..].first_chunk().unwrap()) as usize;
    let mut unfinished = bytes.clone();
    unfinished[numbers + length - 1] |= 0x80;
    says(refusal(&unfinished), "integer 63 is truncated");

    let renamed = |from: &str, to: &str| {
        let mut net = net.clone();
        net.text = net.text.replace(from, to);
        refusal(&net.file())
    };
    says(renamed("K3K3", "K4K4"), "unknown stack buckets `k4k4`");
    says(
        renamed("K3K3", "K9K9"),
        "k9k9 needs 81 layer stacks, found 9",
    );
    says(
        renamed("K3K3", "PROGRESS3"),
        "progress3 needs 3 layer stacks, found 9",
    );
    says(renamed("K3K3", "LS9"), "unknown stack buckets `ls9`");
    // Wrong sizes in the name: those of the file are used, if the file is complete.
    let odd = |sizes: &str, end: usize| {
        let mut net = net.clone();
        net.text = net.text.replace("_15_32_", sizes);
        let bytes = net.file();
        read_bytes(&bytes[..bytes.len() - end]).err()
    };
    for first in 1..=17 {
        let sizes = format!("_{first}_32_");
        assert!(odd(&sizes, 0).is_none(), "{sizes}");
        assert!(
            matches!(odd(&sizes, 1), Some(NetError::Invalid(_))),
            "{sizes}"
        );
    }
    let mut unnamed = small([7, 32], "k9k9");
    unnamed.text = "Features=K+P".into();
    says(
        refusal(&unnamed.file()),
        "81 layer stacks without progress weights",
    );
    let mut unstaged = small([7, 32], "hand4");
    unstaged.text = unstaged.text.replace("HAND4", "PROGRESS4");
    says(
        refusal(&unstaged.file()),
        "progress4 without progress weights",
    );
}

#[test]
fn unsupported_formats_are_named() {
    let says = |net: &Stacked, words: &str| {
        let text = refusal(&net.file()).to_string();
        assert!(text.contains(words), "{text}");
    };
    for count in [0, 17, 1000] {
        let mut net = rshogi(Some(9));
        net.counted = Some(count);
        says(
            &net,
            &format!("{count} layer stacks in the header, limit 16"),
        );
    }
    let mut net = rshogi(None);
    net.text += ",Threat=216720";
    says(&net, "(Threat)");
    let mut net = small([15, 32], "k3k3");
    net.text = net.text.replace(",Network", ",PSQT=9,Network");
    says(&net, "PSQT in a YaneuraOu file");
    let mut net = rshogi(Some(9));
    net.text += ",PSQT=9";
    says(&net, "truncated PSQT");
    let mut writer = Writer::default();
    let text = "ModelType=SFNNwoP_V3,L1=[16],L2=[32]";
    writer.header(0x7AF3_3301, 0, text);
    writer.bytes.resize(1000, 0);
    assert!(refusal(&writer.bytes).to_string().contains("7AF33301"));
    let classic = architecture(set("K+P"));
    for (text, words) in [
        ("-SCReLU-Pairwise", "SCReLU combined with Pairwise"),
        ("-SCReLU,qa=100", "up to 100"),
        ("[1710->64x2],qa=255", "up to 255"),
        ("Factorizer", "factorised features"),
    ] {
        let text = refusal(&super::classic(&classic, text)).to_string();
        assert!(text.contains(words), "{text}");
    }
}
