//! The first layer of networks with many stacks of layers, which is compressed: how many numbers its
//! blocks hold tells features and width.
#![forbid(unsafe_code)]

use super::architecture::{MAX_WIDTH, WIDTH_STEP};
use super::error::NetError;
use super::features::FeatureSet;
use super::leb128::{self, MAGIC};
use super::network::{Block, Transformer};
use super::source::Source;
use crate::memory::Table;
use std::io::{Read, Seek};

/// Widths of the first layer, half of which have to fill whole blocks as well.
const STEP: usize = 2 * WIDTH_STEP;

/// Reads the first layer, biases and weights in two blocks or in one. How many numbers there are
/// tells the features.
pub(super) fn read_transformer<R: Read + Seek>(
    source: &mut Source<R>,
    sets: &'static [FeatureSet],
) -> Result<(Transformer, &'static FeatureSet), NetError> {
    let refusal = |biases, weights| NetError::FirstLayer {
        limit: MAX_WIDTH,
        biases,
        weights,
    };
    let first = Compressed::find(source, "biases of the first layer")?;
    if first.count <= MAX_WIDTH {
        let width = first.count;
        let mut biases = vec![Block::ZERO; width.div_ceil(32)];
        first.read(source, &mut biases)?;
        let second = Compressed::find(source, "weights of the first layer")?;
        let features = sets
            .iter()
            .filter(|_| width > 0 && width.is_multiple_of(STEP))
            .find(|set| set.dimensions() * width == second.count)
            .ok_or_else(|| refusal(width, second.count))?;
        let mut weights = Table::zeroed(second.count / 32);
        second.read(source, &mut weights)?;
        let transformer = Transformer {
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
    let (features, width) = candidates.next().ok_or_else(|| refusal(0, first.count))?;
    let mut all = vec![Block::ZERO; first.count / 32];
    first.read(source, &mut all)?;
    let (biases, weights) = all.split_at(width / 32);
    let transformer = Transformer {
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
        source: &mut Source<R>,
        part: &'static str,
    ) -> Result<Compressed, NetError> {
        let at = source.at();
        let no_block = || NetError::NoBlock { part, at };
        let mut magic = *MAGIC;
        if source.left() < 1 + MAGIC.len() as u64 + 4 {
            return Err(no_block());
        }
        source.read_exact(&mut magic[..1])?;
        if magic[0] == b'_' {
            source.read_exact(&mut magic[..1])?;
        }
        source.read_exact(&mut magic[1..])?;
        if magic != *MAGIC {
            return Err(no_block());
        }
        let (length, left) = (source.word()?, source.left());
        if u64::from(length) > left {
            return Err(NetError::BlockCut { part, length, left });
        }
        let start = source.at();
        let count = leb128::count(source, length.into())?;
        source.seek(start)?;
        Ok(Compressed {
            part,
            length: length.into(),
            count,
        })
    }

    /// Reads its numbers to where they are wanted.
    fn read<R: Read + Seek>(
        &self,
        source: &mut Source<R>,
        blocks: &mut [Block],
    ) -> Result<(), NetError> {
        leb128::read(source, self.length, blocks).map_err(|error| NetError::Block {
            part: self.part,
            error,
        })
    }
}
