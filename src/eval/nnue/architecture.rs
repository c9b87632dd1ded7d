//! The shape of a network: sizes, hashes and names. All that differs from one architecture to
//! another is data here.
#![forbid(unsafe_code)]

use super::buckets::Scheme;
use super::features::FeatureSet;
use std::fmt;

/// Widths of the first layer are multiples of this.
pub(super) const WIDTH_STEP: usize = 32;
/// Widest first layer, for one perspective.
pub(super) const MAX_WIDTH: usize = 4096;
/// Widest hidden layer.
pub(super) const MAX_HIDDEN: usize = 256;

/// What becomes of the sums of the first layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activation {
    /// Limited to 0 to 127.
    Clip,
    /// Limited to 0 to `limit`, then squared.
    Square {
        /// 254 if the sums were doubled, or 255.
        limit: i16,
    },
    /// The first half times the second, both limited to 0 to `limit`.
    Product {
        /// 254 if the sums were doubled, or 255.
        limit: i16,
    },
}

/// The limit of sums that were doubled. A product of two of them, divided by 512, is that of the
/// plain ones divided by 128.
pub(super) const DOUBLED: i16 = 254;

impl Activation {
    /// Whether weights and biases of the first layer have to be doubled.
    pub fn doubles(self) -> bool {
        match self {
            Activation::Clip => false,
            Activation::Square { limit } | Activation::Product { limit } => limit == DOUBLED,
        }
    }
}

/// How the outputs of a layer take turns in looking at its inputs: all see the first `common`, and
/// each group of neighbours `shard` more of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shards {
    pub common: usize,
    pub shard: usize,
    pub groups: usize,
}

impl fmt::Display for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shards {
            common,
            shard,
            groups,
        } = self;
        write!(f, "c{common}_s{shard}x{groups}")
    }
}

/// What distinguishes a network with many stacks of layers, one of which is used in a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stacks {
    pub scheme: Scheme,
    /// How many stacks there are.
    pub count: usize,
    /// Whether one more output of the first hidden layer goes straight to the end.
    pub has_shortcut: bool,
    pub shards: Option<Shards>,
}

/// What follows the first layer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Two hidden layers and an output.
    Classic,
    /// The same in many copies.
    Stacked(Stacks),
    /// Outputs without any hidden layer, in networks of our own.
    Own {
        /// How many, one of which is used in a position.
        outputs: usize,
    },
}

/// The shape of a network: features, a first layer shared by both perspectives, and what follows.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub(super) features: &'static FeatureSet,
    /// Outputs of the first layer for one perspective.
    pub(super) width: usize,
    pub(super) activation: Activation,
    /// Neurons of the hidden layers.
    pub(super) hidden: [usize; 2],
    pub(super) form: Form,
}

/// Rounds up to a multiple of 32, as rows of weights are stored.
pub(super) const fn padded(inputs: usize) -> usize {
    inputs.next_multiple_of(32)
}

impl Architecture {
    /// A classic network.
    pub(super) fn classic(
        features: &'static FeatureSet,
        width: usize,
        activation: Activation,
        hidden: [usize; 2],
    ) -> Architecture {
        Architecture {
            features,
            width,
            activation,
            hidden,
            form: Form::Classic,
        }
    }

    /// What distinguishes it from a classic network, if it has many stacks of layers.
    pub(super) fn stacks(&self) -> Option<&Stacks> {
        match &self.form {
            Form::Stacked(stacks) => Some(stacks),
            Form::Classic | Form::Own { .. } => None,
        }
    }

    /// Inputs of the first hidden layer: the activations of both perspectives.
    pub(super) fn inputs(&self) -> usize {
        match self.activation {
            Activation::Product { .. } => self.width,
            Activation::Clip | Activation::Square { .. } => 2 * self.width,
        }
    }

    /// Outputs of the first hidden layer, the shortcut included.
    pub(super) fn first_outputs(&self) -> usize {
        let has_shortcut = self.stacks().is_some_and(|stacks| stacks.has_shortcut);
        self.hidden[0] + usize::from(has_shortcut)
    }

    /// Inputs of the second hidden layer, as stored.
    pub(super) fn second_inputs(&self) -> usize {
        self.hidden[0] * if self.stacks().is_some() { 2 } else { 1 }
    }

    /// Bytes of the first layer, uncompressed.
    pub(super) fn transformer_bytes(&self) -> u64 {
        2 * self.width as u64 * (1 + self.features.dimensions() as u64)
    }

    /// Bytes of the layers after the first, of one stack.
    pub(super) fn hidden_bytes(&self) -> u64 {
        let layer = |inputs: usize, outputs: usize| outputs * (4 + padded(inputs));
        let [_, second] = self.hidden;
        let bytes = layer(self.inputs(), self.first_outputs())
            + layer(self.second_inputs(), second)
            + layer(second, 1);
        bytes as u64
    }

    /// Bytes of all weights and biases of a classic network.
    pub(super) fn payload(&self) -> u64 {
        self.transformer_bytes() + self.hidden_bytes()
    }

    /// Hash of features and first layer of a classic network.
    pub(super) fn transformer_hash(&self) -> u32 {
        self.features.hash ^ (2 * self.width as u32)
    }

    /// Hash of the layers after the first of a classic network.
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

    /// Hash of the whole, as in the header of a classic network.
    pub(super) fn hash(&self) -> u32 {
        self.transformer_hash() ^ self.network_hash()
    }

    /// How the text in the header should give the sizes of the first layer.
    pub(super) fn transformer_text(&self) -> String {
        format!("[{}->{}x2]", self.features.dimensions(), self.width)
    }

    /// The text in the header of a classic network, as most programs write it.
    pub(super) fn text(&self) -> String {
        let [first, second] = self.hidden;
        let input = 2 * self.width;
        format!(
            "Features={}{},Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}]\
             (AffineTransform[{first}<-{input}](InputSlice[{input}(0:{input})])))))",
            self.features.name,
            self.transformer_text()
        )
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.hidden;
        let name = self.features.name.trim_end_matches("(Friend)");
        let width = self.width;
        match &self.form {
            Form::Classic => {
                let activation = match self.activation {
                    Activation::Clip => "",
                    Activation::Square { .. } => " SCReLU",
                    Activation::Product { .. } => " Pairwise",
                };
                write!(f, "{name} {width}x2-{first}-{second}{activation}")
            }
            Form::Stacked(stacks) => {
                write!(f, "SFNN {name} {width}-{first}-{second}")?;
                if let Some(shards) = &stacks.shards {
                    write!(f, " {shards}")?;
                }
                write!(f, " {} ({} stacks)", stacks.scheme, stacks.count)
            }
            Form::Own { outputs } => write!(f, "Komaoto {name} {width}x2-{outputs}"),
        }
    }
}
