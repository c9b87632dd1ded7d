//! Sizes and hashes of a network, and how they are recognised in a file.
#![forbid(unsafe_code)]

use super::features::{FEATURE_SETS, FeatureSet};
use std::fmt;

/// Widths of the first layer are multiples of this.
pub(super) const WIDTH_STEP: usize = 32;
/// Widest first layer, for one perspective.
pub(super) const MAX_WIDTH: usize = 2048;
/// Widest hidden layer.
const MAX_HIDDEN: usize = 256;

/// The shape of a classic network: features, a first layer shared by both perspectives, two
/// hidden layers, one output.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub(super) features: &'static FeatureSet,
    /// Outputs of the first layer for one perspective.
    pub(super) width: usize,
    /// Neurons of the hidden layers.
    pub(super) hidden: [usize; 2],
    /// How many outputs there are straight after the first layer, without any hidden layer, in
    /// networks of our own.
    pub(super) outputs: Option<usize>,
}

/// Rounds up to a multiple of 32, as rows of weights are stored.
pub(super) const fn padded(inputs: usize) -> usize {
    inputs.next_multiple_of(32)
}

impl Architecture {
    /// Bytes of the first layer.
    pub(super) fn transformer_bytes(&self) -> u64 {
        2 * self.width as u64 * (1 + self.features.dimensions() as u64)
    }

    /// Bytes of the layers after the first.
    fn hidden_bytes(&self) -> u64 {
        let [first, second] = self.hidden;
        let layer = |inputs: usize, outputs: usize| outputs * (4 + padded(inputs));
        (layer(2 * self.width, first) + layer(first, second) + layer(second, 1)) as u64
    }

    /// Bytes of all weights and biases.
    pub(super) fn payload(&self) -> u64 {
        self.transformer_bytes() + self.hidden_bytes()
    }

    /// Hash of features and first layer.
    pub(super) fn transformer_hash(&self) -> u32 {
        self.features.hash ^ (2 * self.width as u32)
    }

    /// Hash of the layers after the first.
    pub(super) fn network_hash(&self) -> u32 {
        let affine = |hash: u32, outputs: usize| {
            0xCC03_DAE4_u32.wrapping_add(outputs as u32) ^ (hash >> 1) ^ (hash << 31)
        };
        let input = 0xEC42_E90D ^ (2 * self.width as u32);
        let hidden = self.hidden.into_iter().fold(input, |hash, outputs| {
            affine(hash, outputs).wrapping_add(0x538D_24C7)
        });
        affine(hidden, 1)
    }

    /// Hash of the whole, as in the header.
    pub(super) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.network_hash()
    }

    /// How the text in the header should describe the first layer.
    fn transformer_text(&self) -> String {
        let (set, width) = (self.features, self.width);
        format!("{}[{}->{width}x2]", set.name, set.dimensions())
    }

    /// The text of the header.
    #[cfg(test)]
    pub(super) fn text(&self) -> String {
        let [first, second] = self.hidden;
        let input = 2 * self.width;
        format!(
            "Features={},Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}]\
             (AffineTransform[{first}<-{input}](InputSlice[{input}(0:{input})])))))",
            self.transformer_text()
        )
    }

    /// How many of the hidden layers are multiples of eight, as they usually are.
    fn evenness(&self) -> i32 {
        self.hidden
            .iter()
            .map(|hidden| i32::from(hidden % 8 == 0))
            .sum()
    }

    /// Every architecture with a first layer of known features.
    fn first_layers() -> impl Iterator<Item = Architecture> {
        let widths = || (WIDTH_STEP..=MAX_WIDTH).step_by(WIDTH_STEP);
        FEATURE_SETS.iter().flat_map(move |features| {
            widths().map(move |width| Architecture {
                features,
                width,
                hidden: [32, 32],
                outputs: None,
            })
        })
    }

    /// Every choice of hidden layers for this first layer.
    fn with_hidden_layers(self) -> impl Iterator<Item = Architecture> {
        (1..=MAX_HIDDEN).flat_map(move |first| {
            (1..=MAX_HIDDEN).map(move |second| Architecture {
                hidden: [first, second],
                ..self
            })
        })
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.hidden;
        let name = self.features.name.trim_end_matches("(Friend)");
        match self.outputs {
            Some(outputs) => write!(f, "Komaoto {name} {}x2-{outputs}", self.width),
            None => write!(f, "{name} {}x2-{first}-{second}", self.width),
        }
    }
}

/// What a file tells about its architecture.
pub(super) struct Signs<'a> {
    /// The text of the header.
    pub text: &'a str,
    /// Bytes of weights and biases.
    pub payload: u64,
    /// The hash before the first layer.
    pub transformer_hash: u32,
}

/// The architecture of a file, best supported by size and hashes, then by the text. `word_after`
/// reads the four bytes after so many bytes of weights.
pub(super) fn detect(
    signs: &Signs,
    mut word_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let smallest = |first: &Architecture| {
        let with = Architecture {
            hidden: [1, 1],
            ..*first
        };
        with.payload()
    };
    let largest = |first: &Architecture| {
        let with = Architecture {
            hidden: [MAX_HIDDEN; 2],
            ..*first
        };
        with.payload()
    };
    let mut best = (0, None);
    for first in Architecture::first_layers() {
        if !(smallest(&first)..=largest(&first)).contains(&signs.payload) {
            continue;
        }
        let hash = word_after(first.transformer_bytes());
        for candidate in first.with_hidden_layers() {
            if candidate.payload() != signs.payload {
                continue;
            }
            let score = 4 * i32::from(candidate.transformer_hash() == signs.transformer_hash)
                + 4 * i32::from(Some(candidate.network_hash()) == hash)
                + 2 * i32::from(signs.text.contains(&candidate.transformer_text()))
                + i32::from(candidate.evenness() == 2);
            if score > best.0 {
                best = (score, Some(candidate));
            }
        }
    }
    // The evenness of the hidden layers alone is no evidence.
    best.1.filter(|_| best.0 > 1)
}

/// The architecture that a file of another size must have been meant to have: from the hash of
/// the first layer, and the hash of the others if the file reaches so far.
pub(super) fn guess(
    signs: &Signs,
    mut word_after: impl FnMut(u64) -> Option<u32>,
) -> Option<Architecture> {
    let mut known =
        Architecture::first_layers().filter(|a| a.transformer_hash() == signs.transformer_hash);
    let first = known.next()?;
    let hash = word_after(first.transformer_bytes());
    // The hash is a weak one: of several layers with the same, the likeliest.
    let exact = first
        .with_hidden_layers()
        .filter(|candidate| Some(candidate.network_hash()) == hash)
        .min_by_key(|candidate| {
            let difference = candidate.payload().abs_diff(signs.payload);
            (-candidate.evenness(), difference)
        });
    Some(exact.unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn architecture(name: &str, width: usize, hidden: [usize; 2]) -> Architecture {
        let features = FEATURE_SETS.iter().find(|set| set.name == name).unwrap();
        Architecture {
            features,
            width,
            hidden,
            outputs: None,
        }
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
            let signs = Signs { text: "", payload, transformer_hash: transformer };
            let found = detect(&signs, |bytes| {
                (bytes == it.transformer_bytes()).then_some(network)
            });
            assert_eq!(found.unwrap().to_string(), it.to_string());
            // By size and text, when a trainer left the hashes out.
            let signs = Signs { text: &it.text(), payload, transformer_hash: 0 };
            assert_eq!(detect(&signs, |_| Some(0)).unwrap().to_string(), it.to_string());
        }
        let it = architecture("K+P", 256, [32, 32]);
        assert_eq!(it.hash(), 0x5C64_64A9);
        assert_eq!(it.text().len(), 165);
    }
}
