//! Networks with layer stacks (SFNN): the compressed feature transformer, an optional PSQT, optional game
//! progress weights, then the layer stacks.
//!
//! The number of integers in the compressed blocks gives features and width, the remaining size the layers,
//! and the hash before each stack confirms them. Only the stack buckets have to come from the architecture
//! string, unless just one choice has that number of stacks.
#![forbid(unsafe_code)]

use super::architecture_string::StackedName;
use super::error::NetError;
use super::leb128::{self, MAGIC};
use super::reader::{NetFile, NetReader};
use super::yaneuraou::{Header, RSHOGI_STACKS_VERSION, read_stack};
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

/// The hash in the header of a network without progress weights.
const HASH: u32 = 0x3C20_3B32;
/// The hash before the feature transformer.
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The hash before each layer stack.
const STACK_HASH: u32 = 0x6333_718A;
/// The hash before the progress weights, also xored into the hash of the header.
const PROGRESS_HASH: u32 = 0x6F50_524F;
/// Layer stacks of rshogi's files that do not give their number.
const RSHOGI_STACKS: usize = 9;
/// Most layer stacks of rshogi's files.
const MAX_RSHOGI_STACKS: usize = 16;
/// Pairwise multiplication halves the width, and each half has to fill whole blocks.
const PAIRWISE_WIDTH_STEP: usize = 2 * WIDTH_STEP;

/// Reads the rest of a file after its header. `progress` reads the `progress.bin` beside the file, if there
/// is one, given the number of game stages.
pub fn read<R: Read + Seek>(
    mut reader: NetReader<R>,
    header: &Header,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<NetFile, NetError> {
    let known_count = known_count(&mut reader, header)?;
    let mut hashes_match = reader.read_u32()? == TRANSFORMER_HASH;
    let sets = header.architecture_string.feature_sets()?;
    let (transformer, features) = read_transformer(&mut reader, sets)?;
    let name = header.architecture_string.stacked_name()?;
    let psqt = match (header.architecture_string.has_psqt(), known_count) {
        (false, _) => None,
        (true, Some(count)) => Some(read_psqt(&mut reader, features.dimensions(), count)?),
        (true, None) => return Err(NetError::Unsupported("PSQT in a YaneuraOu file".into())),
    };
    let progress_layer = read_progress(&mut reader)?;
    let transformer_alone = Architecture::classic(
        features,
        transformer.blocks() * 32,
        Activation::Pairwise { limit: DOUBLED },
        [0; 2],
    );
    let (mut architecture, count) =
        find_layers(&mut reader, transformer_alone, name.as_ref(), known_count)?;
    let (buckets, progress) = match progress_layer {
        Some((bias, weights)) => {
            let buckets = named_buckets(name.as_ref(), count, true)?;
            let progress = GameProgress::from_network(bias, weights, buckets.stages);
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
    hashes_match &= header.hash == hash;
    let mut stacks = Vec::with_capacity(count);
    for _ in 0..count {
        hashes_match &= reader.read_u32()? == STACK_HASH;
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
        fv_scale: None,
        hashes_match: hashes_match || header.is_rshogi(),
    })
}

/// The number of layer stacks, where the format gives it.
fn known_count<R: Read + Seek>(
    reader: &mut NetReader<R>,
    header: &Header,
) -> Result<Option<usize>, NetError> {
    if !header.is_rshogi() {
        return Ok(None);
    }
    if header.version != RSHOGI_STACKS_VERSION {
        return Ok(Some(RSHOGI_STACKS));
    }
    let count = reader.read_u32()? as usize;
    if !(1..=MAX_RSHOGI_STACKS).contains(&count) {
        let what = format!("{count} layer stacks in the header, limit {MAX_RSHOGI_STACKS}");
        return Err(NetError::Invalid(what));
    }
    Ok(Some(count))
}

/// Reads the feature transformer, its biases and weights compressed in two blocks or in one. Finds features
/// and width by the number of integers.
fn read_transformer<R: Read + Seek>(
    reader: &mut NetReader<R>,
    sets: &'static [FeatureSet],
) -> Result<(FeatureTransformer, &'static FeatureSet), NetError> {
    let unknown = |biases, weights| {
        NetError::Invalid(format!(
            "no known feature set has a feature transformer of {biases} biases and {weights} weights"
        ))
    };
    let first = CompressedBlock::open(reader, "biases of the feature transformer")?;
    if first.count <= MAX_WIDTH {
        let width = first.count;
        let mut biases = vec![Block::ZERO; width.div_ceil(32)];
        first.read(reader, &mut biases)?;
        let second = CompressedBlock::open(reader, "weights of the feature transformer")?;
        let features = sets
            .iter()
            .filter(|_| width > 0 && width.is_multiple_of(PAIRWISE_WIDTH_STEP))
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
            && width.is_multiple_of(PAIRWISE_WIDTH_STEP)
            && (PAIRWISE_WIDTH_STEP..=MAX_WIDTH).contains(&width);
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

/// A block of LEB128 integers.
struct CompressedBlock {
    /// Its contents, for error messages.
    part: &'static str,
    /// Compressed size in bytes.
    length: u64,
    /// Number of integers.
    count: usize,
}

impl CompressedBlock {
    /// Reads the header of the next block, which some converters precede by `_`, and counts its integers.
    /// Leaves the reader at the first integer.
    fn open<R: Read + Seek>(
        reader: &mut NetReader<R>,
        part: &'static str,
    ) -> Result<CompressedBlock, NetError> {
        let at = reader.offset();
        let missing = || NetError::Invalid(format!("no compressed {part} at byte {at}"));
        let mut magic = *MAGIC;
        if reader.remaining() < 1 + MAGIC.len() as u64 + 4 {
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
        let (length, left) = (u64::from(reader.read_u32()?), reader.remaining());
        if length > left {
            let what = format!("truncated {part}: {left} of {length} bytes");
            return Err(NetError::Invalid(what));
        }
        let start = reader.offset();
        let count = leb128::count(reader, length)?;
        reader.seek(start)?;
        Ok(CompressedBlock {
            part,
            length,
            count,
        })
    }

    /// Decodes the integers into `blocks`.
    fn read<R: Read + Seek>(
        &self,
        reader: &mut NetReader<R>,
        blocks: &mut [Block],
    ) -> Result<(), NetError> {
        leb128::read(reader, self.length, blocks)
            .map_err(|error| NetError::Invalid(format!("{}: {error}", self.part)))
    }
}

/// Reads the PSQT, one value per feature and layer stack. Its biases are skipped: they cancel out between
/// the perspectives.
fn read_psqt<R: Read + Seek>(
    reader: &mut NetReader<R>,
    features: usize,
    stacks: usize,
) -> Result<Box<[i32]>, NetError> {
    let expected = (1 + features) as u64 * stacks as u64 * 4;
    if reader.remaining() < expected {
        let what = format!("truncated PSQT: {} of {expected} bytes", reader.remaining());
        return Err(NetError::Invalid(what));
    }
    reader.read_bytes(stacks * 4)?;
    Ok(reader.read_i32s(features * stacks)?.into())
}

/// Bias and weights of the game progress.
type ProgressLayer = (i32, Box<[i32]>);

/// Reads the progress weights, if they come next.
fn read_progress<R: Read + Seek>(
    reader: &mut NetReader<R>,
) -> Result<Option<ProgressLayer>, NetError> {
    let bytes = 4 * (2 + WEIGHTS) as u64;
    if reader.remaining() < bytes || reader.peek_u32_at(reader.offset()) != Some(PROGRESS_HASH) {
        return Ok(None);
    }
    reader.read_u32()?;
    let bias = reader.read_u32()?.cast_signed();
    Ok(Some((bias, reader.read_i32s(WEIGHTS)?.into())))
}

/// The architecture and number of layer stacks that fill the rest of the file, best supported by the hashes
/// before the stacks, then by the architecture string.
fn find_layers<R: Read + Seek>(
    reader: &mut NetReader<R>,
    transformer: Architecture,
    name: Option<&StackedName>,
    known_count: Option<usize>,
) -> Result<(Architecture, usize), NetError> {
    let (start, remaining) = (reader.offset(), reader.remaining());
    let mut best = (0, None);
    for outputs in (8..=MAX_HIDDEN).step_by(8) {
        for second in 1..=MAX_HIDDEN {
            let candidate = with_layers(transformer, outputs, second, name);
            let bytes = 4 + candidate.stack_bytes();
            let count = remaining / bytes;
            let contradicts = known_count.is_some_and(|known| known as u64 != count);
            if count == 0 || count * bytes != remaining || contradicts {
                continue;
            }
            let mut hash_at = |stack: u64| reader.peek_u32_at(start + stack * bytes);
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
    // Many sizes fit, so one that nothing else supports is not accepted.
    best.1.filter(|_| best.0 >= 4).ok_or_else(|| {
        let expected = name.map_or(String::new(), |name| {
            let [first, second] = name.hidden;
            let outputs = first.next_multiple_of(8);
            let bytes = 4 + with_layers(transformer, outputs, second, Some(name)).stack_bytes();
            let count = name.buckets.count();
            format!(" {first}-{second} ({count} times {bytes} bytes)")
        });
        NetError::Invalid(format!("no layer stacks{expected} in {remaining} bytes"))
    })
}

/// The feature transformer followed by a layer stack with `outputs` outputs in the first hidden layer, one
/// of them the skip connection unless the architecture string says otherwise.
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

/// The stack buckets of a network without progress weights, and the progress from a `progress.bin` if they
/// use it: those of the architecture string; without it, game stages if there is a `progress.bin`, king
/// buckets if not.
fn choose_buckets(
    name: Option<&StackedName>,
    count: usize,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<(StackBuckets, Option<GameProgress>), NetError> {
    let no_progress = |what| NetError::Invalid(format!("{what} without progress weights"));
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
        return Ok((StackBuckets::by_stage(count), Some(progress)));
    }
    match StackBuckets::with_count(count, false) {
        Some(buckets) => Ok((buckets, None)),
        None => Err(no_progress(format!("{count} layer stacks"))),
    }
}

/// The stack buckets of the architecture string; without it, the only ones with `count` buckets.
fn named_buckets(
    name: Option<&StackedName>,
    count: usize,
    has_stages: bool,
) -> Result<StackBuckets, NetError> {
    let Some(name) = name else {
        let unknown = || NetError::Invalid(format!("{count} layer stacks with unknown buckets"));
        return StackBuckets::with_count(count, has_stages).ok_or_else(unknown);
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
