//! The loops over rows of the first layer, the same for every instruction set: part of a row at a
//! time, whose sums stay in registers while features are added and subtracted.
#![forbid(unsafe_code)]

use super::registers::Registers;
use crate::eval::nnue::features::Changes;
use crate::eval::nnue::network::{Block, Transformer};
use crate::memory::{bytes_of, bytes_of_mut};

/// Registers for sums.
const REGISTERS: usize = 8;

/// Adds the rows of some features to a row and subtracts those of others, wrapping.
#[inline(always)]
pub(super) fn accumulate<R: Registers>(
    r: R,
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    let mut rows = Rows {
        from: bytes_of(from),
        transformer,
        added,
        removed,
        at: 0,
    };
    let mut out = bytes_of_mut(out).chunks_exact_mut(REGISTERS * 4 * R::SUMS);
    for part in out.by_ref() {
        rows.sum::<R, REGISTERS>(r, part);
    }
    for part in out.into_remainder().chunks_exact_mut(4 * R::SUMS) {
        rows.sum::<R, 1>(r, part);
    }
}

/// The same for both perspectives after a move.
#[inline(always)]
pub(super) fn advance<R: Registers>(
    r: R,
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    changes: &[Changes; 2],
) {
    let blocks = transformer.blocks();
    for (perspective, changes) in changes.iter().enumerate() {
        accumulate(
            r,
            &mut out[perspective * blocks..][..blocks],
            &from[perspective * blocks..][..blocks],
            transformer,
            changes.added.as_slice(),
            changes.removed.as_slice(),
        );
    }
}

/// What goes into a row.
struct Rows<'a> {
    from: &'a [u8],
    transformer: &'a Transformer,
    added: &'a [u32],
    removed: &'a [u32],
    /// Bytes of the row that are done.
    at: usize,
}

impl Rows<'_> {
    /// The next part of the row, which fills so many registers.
    #[inline(always)]
    fn sum<R: Registers, const N: usize>(&mut self, r: R, out: &mut [u8]) {
        let size = 4 * R::SUMS;
        let part = |row| &bytes_of(row)[self.at..][..N * size];
        let load =
            |bytes: &[u8]| std::array::from_fn::<_, N, _>(|i| r.load_bytes(&bytes[i * size..]));
        let mut sums = load(&self.from[self.at..][..N * size]);
        for &feature in self.added {
            let row = load(part(self.transformer.row(feature)));
            for (sum, weights) in sums.iter_mut().zip(row) {
                *sum = r.add_numbers(*sum, weights);
            }
        }
        for &feature in self.removed {
            let row = load(part(self.transformer.row(feature)));
            for (sum, weights) in sums.iter_mut().zip(row) {
                *sum = r.subtract_numbers(*sum, weights);
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            r.store_bytes(sum, &mut out[i * size..]);
        }
        self.at += N * size;
    }
}
