//! Recognises the architecture of a classic network, whose size says nearly everything.
#![forbid(unsafe_code)]

use crate::eval::nnue::architecture::{
    Activation, Architecture, MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP,
};
use crate::eval::nnue::features::FEATURE_SETS;

/// What a file tells about its architecture.
pub struct Clues<'a> {
    /// The text of the header.
    pub text: &'a str,
    /// The activation of the feature transformer.
    pub activation: Activation,
    /// Bytes of weights and biases.
    pub payload: u64,
    /// The hash before the feature transformer.
    pub transformer_hash: u32,
}

impl Clues<'_> {
    /// Whether the text names hidden layers, and if so whether those of an architecture.
    fn text_names(&self, architecture: &Architecture) -> Option<bool> {
        let [first, second] = architecture.hidden;
        let layers = [
            format!("AffineTransform[{second}<-{first}]"),
            format!("AffineTransform[1<-{second}]"),
        ];
        let names = self.text.contains("AffineTransform[");
        names.then(|| layers.iter().all(|layer| self.text.contains(layer)))
    }
}

/// How many of the hidden layers are multiples of eight, as they usually are.
fn evenness(architecture: &Architecture) -> i32 {
    let hidden = architecture.hidden.iter();
    hidden.map(|hidden| i32::from(hidden % 8 == 0)).sum()
}

/// Every architecture with a feature transformer of known features.
fn transformers(activation: Activation) -> impl Iterator<Item = Architecture> {
    // Half of the outputs have to fill whole blocks as well.
    let step = match activation {
        Activation::Pairwise { .. } => 2 * WIDTH_STEP,
        Activation::CReLU | Activation::SCReLU { .. } => WIDTH_STEP,
    };
    FEATURE_SETS.iter().flat_map(move |features| {
        let widths = (step..=MAX_WIDTH).step_by(step);
        widths.map(move |width| Architecture::classic(features, width, activation, [32, 32]))
    })
}

/// Every choice of hidden layers behind a feature transformer.
fn with_hidden_layers(transformer: Architecture) -> impl Iterator<Item = Architecture> {
    (1..=MAX_HIDDEN).flat_map(move |first| {
        (1..=MAX_HIDDEN).map(move |second| Architecture {
            hidden: [first, second],
            ..transformer
        })
    })
}

/// The architecture of a file, best supported by size and hashes, then by the text. `word_after`
/// reads the four bytes after a number of bytes of weights.
pub fn detect(
    clues: &Clues,
    mut word_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let payload_with = |hidden: usize, first: &Architecture| {
        let hidden = [hidden; 2];
        Architecture { hidden, ..*first }.payload()
    };
    let mut best = (0, None);
    for first in transformers(clues.activation) {
        if !(payload_with(1, &first)..=payload_with(MAX_HIDDEN, &first)).contains(&clues.payload) {
            continue;
        }
        let hash = word_after(first.transformer_bytes());
        let names = |candidate: &Architecture| Some(candidate.network_hash()) == hash;
        let hash_names_layers = with_hidden_layers(first).any(|candidate| names(&candidate));
        for candidate in with_hidden_layers(first) {
            if candidate.payload() != clues.payload {
                continue;
            }
            // A file that has lost or gained bytes may have the size of other hidden layers than
            // those it names.
            let text = clues.text_names(&candidate);
            let confirmed = names(&candidate) || text == Some(true);
            if !confirmed && (hash_names_layers || text == Some(false)) {
                continue;
            }
            let score = 4 * i32::from(candidate.transformer_hash() == clues.transformer_hash)
                + 4 * i32::from(Some(candidate.network_hash()) == hash)
                + 2 * i32::from(clues.text.contains(&candidate.transformer_text()))
                + i32::from(evenness(&candidate) == 2);
            if score > best.0 {
                best = (score, Some(candidate));
            }
        }
    }
    // The evenness of the hidden layers alone is no evidence.
    best.1.filter(|_| best.0 > 1)
}

/// The architecture that a file of another size must have been meant to have: from the hash of the
/// feature transformer, and that of the other layers if the file reaches so far.
pub fn guess(
    clues: &Clues,
    mut word_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let mut known =
        transformers(clues.activation).filter(|a| a.transformer_hash() == clues.transformer_hash);
    let first = known.next()?;
    let hash = word_after(first.transformer_bytes());
    // The hash is a weak one: of several layers with the same, the likeliest.
    let exact = with_hidden_layers(first)
        .filter(|candidate| Some(candidate.network_hash()) == hash)
        .min_by_key(|candidate| {
            let difference = candidate.payload().abs_diff(clues.payload);
            (-evenness(candidate), difference)
        });
    Some(exact.unwrap_or(first))
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
            // Found by size and hashes, whatever the text says.
            let clues = Clues { text: "", activation: Activation::CReLU, payload, transformer_hash: transformer };
            let found = detect(&clues, |bytes| {
                (bytes == it.transformer_bytes()).then_some(network)
            });
            assert_eq!(found.unwrap().to_string(), it.to_string());
            // By size and text, when a trainer left the hashes out.
            let clues = Clues { text: &text(&it), activation: Activation::CReLU, payload, transformer_hash: 0 };
            assert_eq!(detect(&clues, |_| Some(0)).unwrap().to_string(), it.to_string());
        }
        let it = architecture("K+P", 256, [32, 32]);
        let text = text(&it);
        // Some bytes more or less are those of other hidden layers than the file names.
        for damage in [-4096, -1024, -8, -4, 4, 64, 2048] {
            for (text, hash) in [("", it.network_hash()), (&text, 0), (&text, it.network_hash())] {
                let clues = Clues {
                    text,
                    activation: Activation::CReLU,
                    payload: it.payload().checked_add_signed(damage).unwrap(),
                    transformer_hash: it.transformer_hash(),
                };
                assert!(detect(&clues, |_| Some(hash)).is_none(), "{damage} {hash:x}");
            }
        }
        assert_eq!(it.hash(), 0x5C64_64A9);
        assert_eq!(text.len(), 165);
    }
}
