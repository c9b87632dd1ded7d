//! Sums of rows of the first layer, the same for every instruction set: a piece of the row stays in
//! registers until all features have been added to it.
#![forbid(unsafe_code)]

use super::registers::{Dot, Registers};
use crate::eval::nnue::network::{Block, Transformer};
use crate::eval::nnue::view::Changes;
use crate::memory::{bytes_of, bytes_of_mut};

/// Registers of a piece.
const PIECE: usize = 8;

/// Adds the rows of some features to a row and subtracts those of others.
#[inline(always)]
pub(super) fn accumulate<D: Dot>(
    level: D,
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    let register = 4 * D::Registers::SUMS;
    let change = Change {
        from: bytes_of(from),
        transformer,
        added,
        removed,
    };
    let (pieces, rest) = {
        let out = bytes_of_mut(out);
        let whole = out.len() - out.len() % (PIECE * register);
        out.split_at_mut(whole)
    };
    let whole = pieces.len();
    for (i, out) in pieces.chunks_exact_mut(PIECE * register).enumerate() {
        change.piece::<_, PIECE>(level.registers(), PIECE * register * i, out);
    }
    for (i, out) in rest.chunks_exact_mut(register).enumerate() {
        change.piece::<_, 1>(level.registers(), whole + register * i, out);
    }
}

/// The same for both perspectives after a move.
#[inline(always)]
pub(super) fn advance<D: Dot>(
    level: D,
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    changes: &[Changes; 2],
) {
    let blocks = transformer.blocks();
    for (perspective, Changes { removed, added }) in changes.iter().enumerate() {
        let row = perspective * blocks..(perspective + 1) * blocks;
        let (out, from) = (&mut out[row.clone()], &from[row]);
        let (added, removed) = (added.as_slice(), removed.as_slice());
        accumulate(level, out, from, transformer, added, removed);
    }
}

/// What is done to a row.
#[derive(Clone, Copy)]
struct Change<'a> {
    from: &'a [u8],
    transformer: &'a Transformer,
    added: &'a [u32],
    removed: &'a [u32],
}

impl Change<'_> {
    /// The piece that starts at a byte and fills `N` registers.
    #[inline(always)]
    fn piece<R: Registers, const N: usize>(self, r: R, at: usize, out: &mut [u8]) {
        let register = 4 * R::SUMS;
        let mut sums = [r.zero(); N];
        let from = &self.from[at..][..N * register];
        for (sum, from) in sums.iter_mut().zip(from.chunks_exact(register)) {
            *sum = r.weights(from);
        }
        for &feature in self.added {
            let row = &bytes_of(self.transformer.row(feature))[at..][..N * register];
            for (sum, row) in sums.iter_mut().zip(row.chunks_exact(register)) {
                *sum = r.add_16(*sum, r.weights(row));
            }
        }
        for &feature in self.removed {
            let row = &bytes_of(self.transformer.row(feature))[at..][..N * register];
            for (sum, row) in sums.iter_mut().zip(row.chunks_exact(register)) {
                *sum = r.sub_16(*sum, r.weights(row));
            }
        }
        for (sum, out) in sums.into_iter().zip(out.chunks_exact_mut(register)) {
            r.store_bytes(sum, out);
        }
    }
}
