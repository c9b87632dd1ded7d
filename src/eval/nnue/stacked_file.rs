//! Reads networks with many stacks of layers (SFNN): the first layer compressed, perhaps values of
//! pieces, perhaps weights of the progress of the game, then the stacks one after another.
//!
//! The first layer (see [`super::compressed`]) tells features and width, what is left of the file
//! the sizes of the layers; the hash before every stack confirms them. Only the way to choose a
//! stack has to come from the text, unless a single one fits their number.
#![forbid(unsafe_code)]

use super::architecture::{Activation, Architecture, DOUBLED, Form, MAX_HIDDEN, Shards, Stacks};
use super::buckets::Scheme;
use super::compressed::read_transformer;
use super::error::NetError;
use super::file::{COUNTED_VERSION, Header, NetFile, read_stack};
use super::layer_stack::LayerStacks;
use super::network::{Parameters, Tail};
use super::progress::{Progress, WEIGHTS};
use super::source::Source;
use super::text::StackedName;
use std::io::{Read, Seek};

/// The hash in the header, without progress.
const HASH: u32 = 0x3C20_3B32;
/// The hash before the first layer.
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The hash before each stack.
const STACK_HASH: u32 = 0x6333_718A;
/// The hash before the weights of the progress.
const PROGRESS_HASH: u32 = 0x6F50_524F;
/// Stacks of a file of rshogi that does not say how many.
const RSHOGI_STACKS: usize = 9;
/// Most stacks of a file of rshogi.
const MAX_RSHOGI_STACKS: u32 = 16;

/// Reads what follows the text. `progress` reads the weights of the progress beside the file, for
/// so many stages.
pub(super) fn read<R: Read + Seek>(
    mut source: Source<R>,
    header: &Header,
    progress: impl FnOnce(usize) -> Result<Option<Progress>, NetError>,
) -> Result<NetFile, NetError> {
    let known_count = known_count(&mut source, header)?;
    let mut is_consistent = source.word()? == TRANSFORMER_HASH;
    let sets = header.text.feature_sets()?;
    let (transformer, features) = read_transformer(&mut source, sets)?;
    let name = header.text.stacked_name()?;
    let values = match known_count {
        Some(count) if header.text.has_psqt() => {
            Some(read_values(&mut source, features.dimensions(), count)?)
        }
        _ if header.text.has_psqt() => {
            return Err(NetError::Unsupported("PSQT in a file of YaneuraOu".into()));
        }
        _ => None,
    };
    let stored = read_progress(&mut source)?;
    let first_layer = Architecture::classic(
        features,
        transformer.blocks() * 32,
        Activation::Product { limit: DOUBLED },
        [0; 2],
    );
    let (mut architecture, mut stacks) =
        find_layers(&mut source, first_layer, name.as_ref(), known_count)?;
    let count = stacks.count;
    let (scheme, progress) = match stored {
        Some(StoredProgress { bias, weights }) => {
            let scheme = named_scheme(name.as_ref(), count, true)?;
            let progress = Progress::of_network(bias, weights, scheme.stages);
            (scheme, Some(progress))
        }
        None => choose(name.as_ref(), count, progress)?,
    };
    stacks.scheme = scheme;
    architecture.form = Form::Stacked(stacks);
    let hash = HASH
        ^ if values.is_none() && scheme.stages > 1 {
            PROGRESS_HASH
        } else {
            0
        };
    is_consistent &= header.is_rshogi() || header.hash == hash;
    let mut stacks = Vec::with_capacity(count);
    for _ in 0..count {
        is_consistent &= source.word()? == STACK_HASH;
        stacks.push(read_stack(&mut source, &architecture)?);
    }
    Ok(NetFile {
        parameters: Parameters {
            architecture,
            transformer,
            tail: Tail::Layers(LayerStacks {
                stacks: stacks.into(),
                progress,
                values,
            }),
        },
        scale: None,
        is_consistent: is_consistent || header.is_rshogi(),
    })
}

/// How many stacks there are, where the dialect says it.
fn known_count<R: Read + Seek>(
    source: &mut Source<R>,
    header: &Header,
) -> Result<Option<usize>, NetError> {
    if !header.is_rshogi() {
        return Ok(None);
    }
    if header.version != COUNTED_VERSION {
        return Ok(Some(RSHOGI_STACKS));
    }
    let found = source.word()?;
    if !(1..=MAX_RSHOGI_STACKS).contains(&found) {
        return Err(NetError::StackCount {
            limit: MAX_RSHOGI_STACKS,
            found,
        });
    }
    Ok(Some(found as usize))
}

/// Reads the values of pieces for each stack. The biases are the same for both sides and do not
/// matter.
fn read_values<R: Read + Seek>(
    source: &mut Source<R>,
    features: usize,
    stacks: usize,
) -> Result<Box<[i32]>, NetError> {
    let expected = (1 + features) as u64 * stacks as u64 * 4;
    if source.left() < expected {
        return Err(NetError::Stacks {
            named: format!(" behind {expected} bytes of values of pieces (PSQT)"),
            found: source.left(),
        });
    }
    source.take_bytes(stacks * 4)?;
    Ok(source.numbers(features * stacks)?.into())
}

/// The weights of the progress as they are stored.
struct StoredProgress {
    bias: i32,
    weights: Box<[i32]>,
}

/// Reads the weights of the progress, if they come next.
fn read_progress<R: Read + Seek>(
    source: &mut Source<R>,
) -> Result<Option<StoredProgress>, NetError> {
    let bytes = 4 * (2 + WEIGHTS) as u64;
    if source.left() < bytes || source.word_at(source.at()) != Some(PROGRESS_HASH) {
        return Ok(None);
    }
    source.word()?;
    let bias = source.word()?.cast_signed();
    let weights = source.numbers(WEIGHTS)?.into();
    Ok(Some(StoredProgress { bias, weights }))
}

/// The sizes of the layers that fit what is left of the file, best supported by the hashes before
/// the stacks, then by the text.
fn find_layers<R: Read + Seek>(
    source: &mut Source<R>,
    first_layer: Architecture,
    name: Option<&StackedName>,
    known_count: Option<usize>,
) -> Result<(Architecture, Stacks), NetError> {
    let (start, left) = (source.at(), source.left());
    let mut best = (0, None);
    for outputs in (8..=MAX_HIDDEN).step_by(8) {
        for second in 1..=MAX_HIDDEN {
            let candidate = with_layers(first_layer, outputs, second, name);
            let bytes = 4 + candidate.hidden_bytes();
            let count = left / bytes;
            let is_other = known_count.is_some_and(|known| known as u64 != count);
            if count == 0 || count * bytes != left || is_other {
                continue;
            }
            let mut hash_at = |stack: u64| source.word_at(start + stack * bytes);
            let is_named = name.is_some_and(|name| candidate.hidden == name.hidden);
            let score = 4 * i32::from(hash_at(count - 1) == Some(STACK_HASH))
                + 4 * i32::from(hash_at(count / 2) == Some(STACK_HASH))
                + 4 * i32::from(is_named)
                + 4 * i32::from(known_count.is_some())
                + 2 * i32::from(name.is_some_and(|it| it.scheme.stacks() as u64 == count))
                + i32::from(second % 8 == 0);
            if score > best.0 {
                best = (score, Some((candidate, count)));
            }
        }
    }
    // A size that fits is no evidence, as many do.
    let Some((architecture, count)) = best.1.filter(|_| best.0 >= 4) else {
        return Err(NetError::Stacks {
            named: name.map_or(String::new(), |name| {
                let [first, second] = name.hidden;
                let count = name.scheme.stacks();
                let bytes =
                    4 + with_layers(first_layer, first.next_multiple_of(8), second, Some(name))
                        .hidden_bytes();
                format!(": {count} times {bytes} bytes for {first}-{second}")
            }),
            found: left,
        });
    };
    let shards = name.and_then(|name| name.shards);
    if let Some(shards) = shards {
        check_shards(&architecture, shards)?;
    }
    let has_shortcut = architecture.stacks().is_some_and(|it| it.has_shortcut);
    let stacks = Stacks {
        scheme: Scheme::none(),
        count: count as usize,
        has_shortcut,
        shards,
    };
    Ok((architecture, stacks))
}

/// The first layer with other layers of so many outputs. One of the outputs of the first is the
/// shortcut unless the text says otherwise.
fn with_layers(
    first_layer: Architecture,
    outputs: usize,
    second: usize,
    name: Option<&StackedName>,
) -> Architecture {
    let has_shortcut = name.is_none_or(|name| name.hidden[0] != outputs);
    Architecture {
        hidden: [outputs - usize::from(has_shortcut), second],
        form: Form::Stacked(Stacks {
            scheme: Scheme::none(),
            count: 1,
            has_shortcut,
            shards: None,
        }),
        ..first_layer
    }
}

/// How a stack is chosen, and the progress if a file beside the network is needed for that: as the
/// text says; or else by the progress if there is such a file, and by the kings if not.
fn choose(
    name: Option<&StackedName>,
    count: usize,
    progress: impl FnOnce(usize) -> Result<Option<Progress>, NetError>,
) -> Result<(Scheme, Option<Progress>), NetError> {
    if let Some(name) = name {
        let scheme = named_scheme(Some(name), count, false)?;
        if scheme.stages > 1 {
            return Err(NetError::NoProgress(scheme.to_string()));
        }
        return Ok((scheme, None));
    }
    if count > 1
        && count <= MAX_RSHOGI_STACKS as usize
        && let Some(progress) = progress(count)?
    {
        return Ok((Scheme::of_stages(count), Some(progress)));
    }
    match Scheme::with_stacks(count, false) {
        Some(scheme) => Ok((scheme, None)),
        None => Err(NetError::NoProgress(format!("{count} stacks of layers"))),
    }
}

/// The scheme in the text, or the only one that fits.
fn named_scheme(
    name: Option<&StackedName>,
    count: usize,
    has_stages: bool,
) -> Result<Scheme, NetError> {
    let Some(name) = name else {
        let none_fits = || NetError::Scheme(format!("{count} stacks without a name"));
        return Scheme::with_stacks(count, has_stages).ok_or_else(none_fits);
    };
    let scheme = name.scheme;
    if scheme.stacks() != count {
        return Err(NetError::SchemeCount {
            scheme: scheme.to_string(),
            expected: scheme.stacks(),
            found: count,
        });
    }
    Ok(scheme)
}

fn check_shards(architecture: &Architecture, shards: Shards) -> Result<(), NetError> {
    let Shards {
        common,
        shard,
        groups,
    } = shards;
    let outputs = architecture.first_outputs();
    let inputs = shard
        .checked_mul(groups)
        .and_then(|it| it.checked_add(common));
    let divides = groups > 0 && outputs.is_multiple_of(groups);
    if inputs == Some(architecture.inputs()) && divides {
        return Ok(());
    }
    Err(NetError::Shards {
        width: architecture.inputs(),
        outputs,
        found: shards.to_string(),
    })
}
