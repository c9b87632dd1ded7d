//! Detection of the architecture of a classic network: by its size, then by hashes and architecture string.
#![forbid(unsafe_code)]

use crate::eval::nnue::architecture::{
    Activation, Architecture, MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP,
};
use crate::eval::nnue::features::FEATURE_SETS;

/// What a file reveals about its architecture.
pub struct Evidence<'a> {
    pub architecture_string: &'a str,
    /// The activation of the feature transformer, from the architecture string.
    pub activation: Activation,
    /// Size of all weights and biases in bytes.
    pub payload: u64,
    /// The hash before the feature transformer.
    pub transformer_hash: u32,
}

impl Evidence<'_> {
    /// Whether the architecture string has the hidden layers of `architecture`; `None` if it has none.
    fn string_matches(&self, architecture: &Architecture) -> Option<bool> {
        let [first, second] = architecture.hidden;
        let layers = [
            format!("AffineTransform[{second}<-{first}]"),
            format!("AffineTransform[1<-{second}]"),
        ];
        let contains = |layer: &str| self.architecture_string.contains(layer);
        contains("AffineTransform[").then(|| layers.iter().all(|layer| contains(layer)))
    }
}

/// How many hidden layers have a multiple of eight neurons, as nearly all published networks do.
fn hidden_multiples_of_8(architecture: &Architecture) -> i32 {
    let hidden = architecture.hidden.iter();
    hidden.map(|hidden| i32::from(hidden % 8 == 0)).sum()
}

/// An architecture for every known feature set and every width of the feature transformer.
fn transformers(activation: Activation) -> impl Iterator<Item = Architecture> {
    // Pairwise multiplication halves the width, and each half has to fill whole blocks.
    let step = match activation {
        Activation::Pairwise { .. } => 2 * WIDTH_STEP,
        Activation::CReLU | Activation::SCReLU { .. } => WIDTH_STEP,
    };
    FEATURE_SETS.iter().flat_map(move |features| {
        let widths = (step..=MAX_WIDTH).step_by(step);
        widths.map(move |width| Architecture::classic(features, width, activation, [32, 32]))
    })
}

/// The feature transformer with hidden layers of every size.
fn with_hidden_layers(transformer: Architecture) -> impl Iterator<Item = Architecture> {
    (1..=MAX_HIDDEN).flat_map(move |first| {
        (1..=MAX_HIDDEN).map(move |second| Architecture {
            hidden: [first, second],
            ..transformer
        })
    })
}

/// The architecture of the right size that hashes and architecture string support best. `u32_after`
/// reads the word that follows a number of bytes of weights.
pub fn detect(
    evidence: &Evidence,
    mut u32_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let payload_with = |hidden: usize, transformer: &Architecture| {
        let hidden = [hidden; 2];
        let architecture = Architecture {
            hidden,
            ..*transformer
        };
        architecture.payload()
    };
    let mut best = (0, None);
    for transformer in transformers(evidence.activation) {
        let payloads = payload_with(1, &transformer)..=payload_with(MAX_HIDDEN, &transformer);
        if !payloads.contains(&evidence.payload) {
            continue;
        }
        let hash = u32_after(transformer.transformer_bytes());
        let hash_matches = |candidate: &Architecture| Some(candidate.network_hash()) == hash;
        let is_known_hash = with_hidden_layers(transformer).any(|it| hash_matches(&it));
        for candidate in with_hidden_layers(transformer) {
            if candidate.payload() != evidence.payload {
                continue;
            }
            // A truncated or overlong file may have the size of a network with other hidden layers.
            let string_matches = evidence.string_matches(&candidate);
            let is_confirmed = hash_matches(&candidate) || string_matches == Some(true);
            if !is_confirmed && (is_known_hash || string_matches == Some(false)) {
                continue;
            }
            let names_transformer = evidence
                .architecture_string
                .contains(&candidate.transformer_string());
            let score = 4 * i32::from(candidate.transformer_hash() == evidence.transformer_hash)
                + 4 * i32::from(hash_matches(&candidate))
                + 2 * i32::from(names_transformer)
                + i32::from(hidden_multiples_of_8(&candidate) == 2);
            if score > best.0 {
                best = (score, Some(candidate));
            }
        }
    }
    // Round sizes of hidden layers break ties, but prove nothing on their own.
    best.1.filter(|_| best.0 > 1)
}

/// The likeliest architecture of a file whose size fits none, for the error message: by the hash of the
/// feature transformer, and by the hash of the other layers if the file reaches that far.
pub fn guess(
    evidence: &Evidence,
    mut u32_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let transformer = transformers(evidence.activation)
        .find(|it| it.transformer_hash() == evidence.transformer_hash)?;
    let hash = u32_after(transformer.transformer_bytes());
    // The hash is weak: layers of several sizes share it.
    let with_hash = with_hidden_layers(transformer)
        .filter(|candidate| Some(candidate.network_hash()) == hash)
        .min_by_key(|candidate| {
            let difference = candidate.payload().abs_diff(evidence.payload);
            (-hidden_multiples_of_8(candidate), difference)
        });
    Some(with_hash.unwrap_or(transformer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::tests::text;

    fn architecture(name: &str, width: usize, hidden: [usize; 2]) -> Architecture {
        let features = FEATURE_SETS.iter().find(|set| set.name == name).unwrap();
        Architecture::classic(features, width, Activation::CReLU, hidden)
    }

    #[test]
    #[rustfmt::skip]
    fn sizes_and_hashes_are_those_of_known_files() {
        let known = [
            ("HalfKP(Friend)", 256, [32, 32], 0x5D69_D7B8, 0x6333_7156, 64_216_868),
            ("HalfKP(Friend)", 384, [8, 96], 0x5D69_D6B8, 0x6333_7014, 96_308_484),
            ("HalfKP(Friend)", 512, [8, 64], 0x5D69_D1B8, 0x6333_76A4, 128_408_932),
            ("HalfKP(Friend)", 768, [16, 64], 0x5D69_D3B8, 0x6333_719A, 192_624_516),
            ("HalfKP(Friend)", 1024, [8, 32], 0x5D69_DDB8, 0x6333_6A54, 256_814_276),
            ("K+P", 256, [32, 32], 0x3F57_15FF, 0x6333_7156, 893_732),
            ("K+A2", 256, [32, 32], 0x97D5_745E, 0x6333_7156, 935_204),
            ("HalfKPE9(Friend)", 256, [32, 32], 0x5D69_D7B8, 0x6333_7156, 577_806_116),
            ("HalfKP_vm(Friend)", 256, [32, 32], 0x0B6B_1F9A, 0x6333_7156, 35_684_132),
            ("HalfKA1(Friend)", 256, [32, 32], 0x5F13_4EB8, 0x6333_7156, 70_935_332),
            ("HalfKA2(Friend)", 256, [32, 32], 0x5F23_4EB8, 0x6333_7156, 67_576_100),
            ("HalfKA_hm1(Friend)", 256, [32, 32], 0x7F13_4EB8, 0x6333_7156, 39_416_612),
            ("HalfKA_hm2(Friend)", 256, [32, 32], 0x7F23_4EB8, 0x6333_7156, 37_550_372),
            ("HalfKA_hm2(Friend)", 1024, [8, 96], 0x7F23_44B8, 0x6333_6A34, 150_150_660),
        ];
        for (name, width, hidden, transformer, network, payload) in known {
            let it = architecture(name, width, hidden);
            assert_eq!(it.transformer_hash(), transformer, "{it}");
            assert_eq!(it.network_hash(), network, "{it}");
            assert_eq!(it.payload(), payload, "{it}");
            // Size and hashes suffice.
            let evidence = Evidence { architecture_string: "", activation: Activation::CReLU, payload, transformer_hash: transformer };
            let found = detect(&evidence, |bytes| {
                (bytes == it.transformer_bytes()).then_some(network)
            });
            assert_eq!(found.unwrap().to_string(), it.to_string());
            // Size and architecture string suffice, as some trainers write no hashes.
            let evidence = Evidence { architecture_string: &text(&it), activation: Activation::CReLU, payload, transformer_hash: 0 };
            assert_eq!(detect(&evidence, |_| Some(0)).unwrap().to_string(), it.to_string());
        }
        let it = architecture("K+P", 256, [32, 32]);
        let text = text(&it);
        // Sizes of networks with other hidden layers than hash or architecture string give.
        for damage in [-4096, -1024, -8, -4, 4, 64, 2048] {
            for (text, hash) in [("", it.network_hash()), (&text, 0), (&text, it.network_hash())] {
                let evidence = Evidence {
                    architecture_string: text,
                    activation: Activation::CReLU,
                    payload: it.payload().checked_add_signed(damage).unwrap(),
                    transformer_hash: it.transformer_hash(),
                };
                assert!(detect(&evidence, |_| Some(hash)).is_none(), "{damage} {hash:x}");
            }
        }
        assert_eq!(it.hash(), 0x5C64_64A9);
        assert_eq!(text.len(), 165);
    }
}
