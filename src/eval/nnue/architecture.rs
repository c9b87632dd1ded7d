//! The shape of a network. All that differs from one architecture to another is data here.
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

/// What becomes of the accumulators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// Limited to 0 to 127.
    CReLU,
    /// Limited to 0 to `limit`, then squared.
    SCReLU {
        /// [`DOUBLED`] or 255.
        limit: i16,
    },
    /// The first half times the second, both limited to 0 to `limit`.
    Pairwise {
        /// [`DOUBLED`] or 255.
        limit: i16,
    },
}

/// The limit of accumulators that were doubled. A product of two of them, divided by 512, is that of the
/// plain ones divided by 128.
pub const DOUBLED: i16 = 254;

impl Activation {
    /// Whether weights and biases of the feature transformer have to be doubled.
    pub fn doubles(self) -> bool {
        match self {
            Activation::CReLU => false,
            Activation::SCReLU { limit } | Activation::Pairwise { limit } => limit == DOUBLED,
        }
    }
}

/// How the outputs of a layer share its inputs: all see the first `common`, and each group of neighbours
/// `shard` more of its own.
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

/// What distinguishes a network with layer stacks, one of which is used in a position.
#[derive(Clone, Copy, Debug)]
pub struct Stacks {
    pub buckets: StackBuckets,
    /// How many stacks there are.
    pub count: usize,
    /// Whether one more output of the first hidden layer skips to the end.
    pub has_skip: bool,
    pub shards: Option<Shards>,
}

/// What follows the feature transformer.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Two hidden layers and an output.
    Classic,
    /// Those in many copies.
    Stacked(Stacks),
    /// Outputs without any hidden layer, in networks of the native format.
    Native {
        /// How many, one of which is used in a position.
        outputs: usize,
    },
}

/// The shape of a network: features, a feature transformer shared by both perspectives, and what follows.
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

/// Rounds up to a multiple of 32, as rows of weights are stored.
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

    /// What distinguishes it from a classic network, if it has layer stacks.
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
