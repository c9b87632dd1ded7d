//! The architecture of a network: everything in which networks differ, as data.
#![forbid(unsafe_code)]

use super::features::FeatureSet;
use super::stack_buckets::StackBuckets;
use std::fmt;

/// Widths of the feature transformer are multiples of this.
pub const WIDTH_STEP: usize = 32;
/// Widest feature transformer, for one perspective.
pub const MAX_WIDTH: usize = 4096;
/// Widest hidden layer.
pub const MAX_HIDDEN: usize = 256;

/// The activation of the feature transformer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// Clamped to 0..=127.
    CReLU,
    /// Clamped to 0..=`limit`, then squared.
    SCReLU {
        /// [`DOUBLED`] or 255.
        limit: i16,
    },
    /// The first half of an accumulator times the second, both clamped to 0..=`limit`.
    Pairwise {
        /// [`DOUBLED`] or 255.
        limit: i16,
    },
}

/// The limit of doubled accumulators: they reach 254 instead of 127, so that the kernels divide the product
/// of two activations by 512 for every limit, where the file format divides by 128.
pub const DOUBLED: i16 = 254;

impl Activation {
    /// Whether biases and weights of the feature transformer have to be doubled after reading.
    pub fn doubles(self) -> bool {
        match self {
            Activation::CReLU => false,
            Activation::SCReLU { limit } | Activation::Pairwise { limit } => limit == DOUBLED,
        }
    }
}

/// Sharding of the first hidden layer: all outputs see the first `common` inputs, and each of `groups`
/// groups of adjacent outputs sees `shard` more of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shards {
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

/// The layer stacks of a network, one of which is used in a position.
#[derive(Clone, Copy, Debug)]
pub struct Stacks {
    pub buckets: StackBuckets,
    /// Number of stacks.
    pub count: usize,
    /// Whether the first hidden layer has one more output that is added to the final one: a skip
    /// connection.
    pub has_skip: bool,
    pub shards: Option<Shards>,
}

/// The layers after the feature transformer.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Two hidden layers and an output layer.
    Classic,
    /// Layer stacks, each with two hidden layers and an output layer.
    Stacked(Stacks),
    /// An output layer alone, in the native format.
    Native {
        /// Number of output buckets, one of which is used in a position.
        outputs: usize,
    },
}

/// The architecture of a network: features, a feature transformer shared by both perspectives, and the
/// layers after it.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub(in crate::eval) features: &'static FeatureSet,
    /// Outputs of the feature transformer for one perspective.
    pub(super) width: usize,
    pub(super) activation: Activation,
    /// Neurons of the hidden layers.
    pub(super) hidden: [usize; 2],
    pub(super) form: Form,
}

/// The length of a row of weights as stored: a multiple of 32.
pub const fn padded(inputs: usize) -> usize {
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

    /// The layer stacks, if it has them.
    pub(super) fn stacks(&self) -> Option<&Stacks> {
        match &self.form {
            Form::Stacked(stacks) => Some(stacks),
            Form::Classic | Form::Native { .. } => None,
        }
    }

    /// Inputs of the first hidden layer: the activations of both perspectives.
    pub(super) fn inputs(&self) -> usize {
        match self.activation {
            Activation::Pairwise { .. } => self.width,
            Activation::CReLU | Activation::SCReLU { .. } => 2 * self.width,
        }
    }

    /// Outputs of the first hidden layer, the skip connection included.
    pub(super) fn first_outputs(&self) -> usize {
        let has_skip = self.stacks().is_some_and(|stacks| stacks.has_skip);
        self.hidden[0] + usize::from(has_skip)
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
                    Activation::CReLU => "",
                    Activation::SCReLU { .. } => " SCReLU",
                    Activation::Pairwise { .. } => " Pairwise",
                };
                write!(f, "{name} {width}x2-{first}-{second}{activation}")
            }
            Form::Stacked(stacks) => {
                write!(f, "SFNN {name} {width}-{first}-{second}")?;
                if let Some(shards) = &stacks.shards {
                    write!(f, " {shards}")?;
                }
                write!(f, " {} ({} stacks)", stacks.buckets, stacks.count)
            }
            Form::Native { outputs } => write!(f, "Komaoto {name} {width}x2-{outputs}"),
        }
    }
}
