//! Networks with layer stacks (SFNN): the feature transformer compressed, perhaps a PSQT, perhaps weights
//! of the progress of the game, then the stacks one after another.
//!
//! How many numbers the compressed blocks hold tells features and width, what is left of the file the
//! sizes of the layers; the hash before every stack confirms them. Only the stack buckets have to come
//! from the text, unless a single choice fits their number.
#![forbid(unsafe_code)]

use super::error::NetError;
use super::leb128::{self, MAGIC};
use super::reader::{NetFile, NetReader};
use super::text::StackedName;
use super::yaneuraou::{COUNTED_VERSION, Header, read_stack};
use crate::eval::nnue::architecture::{
    Activation, Architecture, DOUBLED, Form, MAX_HIDDEN, MAX_WIDTH, Shards, Stacks, WIDTH_STEP,
};
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::layers::{Block, FeatureTransformer};
use crate::eval::nnue::network::Parameters;
use crate::eval::nnue::output_head::{LayerStacks, OutputHead};
use crate::eval::nnue::progress::{GameProgress, WEIGHTS};
use crate::eval::nnue::stack_buckets::StackBuckets;
use crate::memory::Table;
use std::io::{Read, Seek};

/// The hash in the header, without progress.
const HASH: u32 = 0x3C20_3B32;
/// The hash before the feature transformer.
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The hash before each stack.
const STACK_HASH: u32 = 0x6333_718A;
/// The hash before the weights of the progress.
const PROGRESS_HASH: u32 = 0x6F50_524F;
/// Stacks of a file of rshogi that does not say how many.
const RSHOGI_STACKS: usize = 9;
/// Most stacks of a file of rshogi.
const MAX_RSHOGI_STACKS: usize = 16;
/// Widths of the feature transformer, half of which have to fill whole blocks as well.
const STEP: usize = 2 * WIDTH_STEP;

/// Reads what follows the text. `progress` reads the weights of the progress beside the file, for
/// so many stages.
pub fn read<R: Read + Seek>(
    mut reader: NetReader<R>,
    header: &Header,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<NetFile, NetError> {
    let known_count = known_count(&mut reader, header)?;
    let mut is_consistent = reader.word()? == TRANSFORMER_HASH;
    let sets = header.text.feature_sets()?;
    let (transformer, features) = read_transformer(&mut reader, sets)?;
    let name = header.text.stacked_name()?;
    let psqt = match (header.text.has_psqt(), known_count) {
        (false, _) => None,
        (true, Some(count)) => Some(read_psqt(&mut reader, features.dimensions(), count)?),
        (true, None) => return Err(NetError::Unsupported("PSQT in a file of YaneuraOu".into())),
    };
    let stored = read_progress(&mut reader)?;
    let transformer_alone = Architecture::classic(
        features,
        transformer.blocks() * 32,
        Activation::Pairwise { limit: DOUBLED },
        [0; 2],
    );
    let (mut architecture, count) =
        find_layers(&mut reader, transformer_alone, name.as_ref(), known_count)?;
    let (buckets, progress) = match stored {
        Some((bias, weights)) => {
            let buckets = named_buckets(name.as_ref(), count, true)?;
            let progress = GameProgress::of_network(bias, weights, buckets.stages);
            (buckets, Some(progress))
        }
        None => choose_buckets(name.as_ref(), count, progress)?,
    };
    let shards = name.as_ref().and_then(|name| name.shards);
    if let Some(shards) = shards {
        check_shards(&architecture, shards)?;
    }
    architecture.form = Form::Stacked(Stacks {
        buckets,
        count,
        has_skip: architecture.stacks().is_some_and(|it| it.has_skip),
        shards,
    });
    let has_progress_part = psqt.is_none() && buckets.stages > 1;
    let hash = HASH ^ if has_progress_part { PROGRESS_HASH } else { 0 };
    is_consistent &= header.hash == hash;
    let mut stacks = Vec::with_capacity(count);
    for _ in 0..count {
        is_consistent &= reader.word()? == STACK_HASH;
        stacks.push(read_stack(&mut reader, &architecture)?);
    }
    Ok(NetFile {
        parameters: Parameters {
            architecture,
            transformer,
            head: OutputHead::LayerStacks(LayerStacks {
                stacks: stacks.into(),
                progress,
                psqt,
            }),
        },
        scale: None,
        is_consistent: is_consistent || header.is_rshogi(),
    })
}

/// How many stacks there are, where the format says it.
fn known_count<R: Read + Seek>(
    reader: &mut NetReader<R>,
    header: &Header,
) -> Result<Option<usize>, NetError> {
    if !header.is_rshogi() {
        return Ok(None);
    }
    if header.version != COUNTED_VERSION {
        return Ok(Some(RSHOGI_STACKS));
    }
    let count = reader.word()? as usize;
    if !(1..=MAX_RSHOGI_STACKS).contains(&count) {
        let what = format!("{count} layer stacks in the header, limit {MAX_RSHOGI_STACKS}");
        return Err(NetError::Invalid(what));
    }
    Ok(Some(count))
}

/// Reads the feature transformer, biases and weights in two blocks or in one. How many numbers there are
/// tells the features.
fn read_transformer<R: Read + Seek>(
    reader: &mut NetReader<R>,
    sets: &'static [FeatureSet],
) -> Result<(FeatureTransformer, &'static FeatureSet), NetError> {
    let unknown = |biases, weights| {
        NetError::Invalid(format!(
            "a feature transformer of {biases} biases and {weights} weights has no known features"
        ))
    };
    let first = Compressed::find(reader, "biases of the feature transformer")?;
    if first.count <= MAX_WIDTH {
        let width = first.count;
        let mut biases = vec![Block::ZERO; width.div_ceil(32)];
        first.read(reader, &mut biases)?;
        let second = Compressed::find(reader, "weights of the feature transformer")?;
        let features = sets
            .iter()
            .filter(|_| width > 0 && width.is_multiple_of(STEP))
            .find(|set| set.dimensions() * width == second.count)
            .ok_or_else(|| unknown(width, second.count))?;
        let mut weights = Table::zeroed(second.count / 32);
        second.read(reader, &mut weights)?;
        let transformer = FeatureTransformer {
            biases: biases.into(),
            weights,
        };
        return Ok((transformer, features));
    }
    let mut candidates = sets.iter().filter_map(|set| {
        let width = first.count / (1 + set.dimensions());
        let fits = width * (1 + set.dimensions()) == first.count
            && width.is_multiple_of(STEP)
            && (STEP..=MAX_WIDTH).contains(&width);
        fits.then_some((set, width))
    });
    let (features, width) = candidates.next().ok_or_else(|| unknown(0, first.count))?;
    let mut all = vec![Block::ZERO; first.count / 32];
    first.read(reader, &mut all)?;
    let (biases, weights) = all.split_at(width / 32);
    let transformer = FeatureTransformer {
        biases: biases.into(),
        weights: weights.iter().copied().collect(),
    };
    Ok((transformer, features))
}

/// A compressed block.
struct Compressed {
    /// What it holds.
    part: &'static str,
    /// Its bytes.
    length: u64,
    /// Its numbers.
    count: usize,
}

impl Compressed {
    /// Finds the block that comes next, before which some converters leave a `_`, and counts its
    /// numbers. What is read next is its first byte.
    fn find<R: Read + Seek>(
        reader: &mut NetReader<R>,
        part: &'static str,
    ) -> Result<Compressed, NetError> {
        let at = reader.at();
        let missing = || NetError::Invalid(format!("no compressed {part} at byte {at}"));
        let mut magic = *MAGIC;
        if reader.left() < 1 + MAGIC.len() as u64 + 4 {
            return Err(missing());
        }
        reader.read_exact(&mut magic[..1])?;
        if magic[0] == b'_' {
            reader.read_exact(&mut magic[..1])?;
        }
        reader.read_exact(&mut magic[1..])?;
        if magic != *MAGIC {
            return Err(missing());
        }
        let (length, left) = (u64::from(reader.word()?), reader.left());
        if length > left {
            let what = format!("truncated {part}: {left} of {length} bytes");
            return Err(NetError::Invalid(what));
        }
        let start = reader.at();
        let count = leb128::count(reader, length)?;
        reader.seek(start)?;
        Ok(Compressed {
            part,
            length,
            count,
        })
    }

    /// Reads its numbers to where they are wanted.
    fn read<R: Read + Seek>(
        &self,
        reader: &mut NetReader<R>,
        blocks: &mut [Block],
    ) -> Result<(), NetError> {
        leb128::read(reader, self.length, blocks)
            .map_err(|error| NetError::Invalid(format!("{}: {error}", self.part)))
    }
}

/// Reads the PSQT of each stack. Its biases cancel out between the sides.
fn read_psqt<R: Read + Seek>(
    reader: &mut NetReader<R>,
    features: usize,
    stacks: usize,
) -> Result<Box<[i32]>, NetError> {
    let expected = (1 + features) as u64 * stacks as u64 * 4;
    if reader.left() < expected {
        let what = format!("truncated PSQT: {} of {expected} bytes", reader.left());
        return Err(NetError::Invalid(what));
    }
    reader.take_bytes(stacks * 4)?;
    Ok(reader.numbers(features * stacks)?.into())
}

/// Bias and weights of the progress.
type ProgressLayer = (i32, Box<[i32]>);

/// Reads the weights of the progress, if they come next.
fn read_progress<R: Read + Seek>(
    reader: &mut NetReader<R>,
) -> Result<Option<ProgressLayer>, NetError> {
    let bytes = 4 * (2 + WEIGHTS) as u64;
    if reader.left() < bytes || reader.word_at(reader.at()) != Some(PROGRESS_HASH) {
        return Ok(None);
    }
    reader.word()?;
    let bias = reader.word()?.cast_signed();
    Ok(Some((bias, reader.numbers(WEIGHTS)?.into())))
}

/// The sizes and the number of layer stacks that fit what is left of the file, best supported by the
/// hashes before the stacks, then by the text.
fn find_layers<R: Read + Seek>(
    reader: &mut NetReader<R>,
    transformer: Architecture,
    name: Option<&StackedName>,
    known_count: Option<usize>,
) -> Result<(Architecture, usize), NetError> {
    let (start, left) = (reader.at(), reader.left());
    let mut best = (0, None);
    for outputs in (8..=MAX_HIDDEN).step_by(8) {
        for second in 1..=MAX_HIDDEN {
            let candidate = with_layers(transformer, outputs, second, name);
            let bytes = 4 + candidate.stack_bytes();
            let count = left / bytes;
            let is_other = known_count.is_some_and(|known| known as u64 != count);
            if count == 0 || count * bytes != left || is_other {
                continue;
            }
            let mut hash_at = |stack: u64| reader.word_at(start + stack * bytes);
            let is_named = name.is_some_and(|name| candidate.hidden == name.hidden);
            let score = 4 * i32::from(hash_at(count - 1) == Some(STACK_HASH))
                + 4 * i32::from(hash_at(count / 2) == Some(STACK_HASH))
                + 4 * i32::from(is_named)
                + 4 * i32::from(known_count.is_some())
                + 2 * i32::from(name.is_some_and(|it| it.buckets.count() as u64 == count))
                + i32::from(second % 8 == 0);
            if score > best.0 {
                best = (score, Some((candidate, count as usize)));
            }
        }
    }
    // A size that fits is no evidence, as many do.
    best.1.filter(|_| best.0 >= 4).ok_or_else(|| {
        let expected = name.map_or(String::new(), |name| {
            let [first, second] = name.hidden;
            let outputs = first.next_multiple_of(8);
            let bytes = 4 + with_layers(transformer, outputs, second, Some(name)).stack_bytes();
            let count = name.buckets.count();
            format!(" {first}-{second} ({count} times {bytes} bytes)")
        });
        NetError::Invalid(format!("no layer stacks{expected} in {left} bytes"))
    })
}

/// The feature transformer with layers of these sizes. One of the outputs of the first is the skip
/// connection unless the text says otherwise.
fn with_layers(
    transformer: Architecture,
    outputs: usize,
    second: usize,
    name: Option<&StackedName>,
) -> Architecture {
    let has_skip = name.is_none_or(|name| name.hidden[0] != outputs);
    Architecture {
        hidden: [outputs - usize::from(has_skip), second],
        form: Form::Stacked(Stacks {
            buckets: StackBuckets::single(),
            count: 1,
            has_skip,
            shards: None,
        }),
        ..transformer
    }
}

/// The stack buckets, and the progress if a file beside the network is needed for them: as the text
/// says; or else by the progress if there is such a file, and by the kings if not.
fn choose_buckets(
    name: Option<&StackedName>,
    count: usize,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<(StackBuckets, Option<GameProgress>), NetError> {
    let no_progress = |what| NetError::Invalid(format!("{what} without weights of the progress"));
    if name.is_some() {
        let buckets = named_buckets(name, count, false)?;
        if buckets.stages > 1 {
            return Err(no_progress(buckets.to_string()));
        }
        return Ok((buckets, None));
    }
    if (2..=MAX_RSHOGI_STACKS).contains(&count)
        && let Some(progress) = progress(count)?
    {
        return Ok((StackBuckets::of_stages(count), Some(progress)));
    }
    match StackBuckets::of_count(count, false) {
        Some(buckets) => Ok((buckets, None)),
        None => Err(no_progress(format!("{count} layer stacks"))),
    }
}

/// The stack buckets in the text, or the only ones that fit.
fn named_buckets(
    name: Option<&StackedName>,
    count: usize,
    has_stages: bool,
) -> Result<StackBuckets, NetError> {
    let Some(name) = name else {
        let unknown = || NetError::Invalid(format!("{count} layer stacks of unknown buckets"));
        return StackBuckets::of_count(count, has_stages).ok_or_else(unknown);
    };
    let (buckets, expected) = (name.buckets, name.buckets.count());
    if expected != count {
        let what = format!("{buckets} needs {expected} layer stacks, found {count}");
        return Err(NetError::Invalid(what));
    }
    Ok(buckets)
}

fn check_shards(architecture: &Architecture, shards: Shards) -> Result<(), NetError> {
    let (inputs, outputs) = (architecture.inputs(), architecture.first_outputs());
    let covered = shards
        .shard
        .checked_mul(shards.groups)
        .and_then(|it| it.checked_add(shards.common));
    let divides = shards.groups > 0 && outputs.is_multiple_of(shards.groups);
    if covered == Some(inputs) && divides {
        return Ok(());
    }
    let what = format!("shards {shards} do not fit a layer of {inputs} inputs, {outputs} outputs");
    Err(NetError::Invalid(what))
}
