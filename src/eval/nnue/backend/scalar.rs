//! Plain loops: the specification of all kernels, and the source of those that compilers
//! vectorise well.
#![forbid(unsafe_code)]

use super::Backend;
use crate::eval::nnue::network::{Affine, Block, Bytes, Transformer};
use crate::eval::nnue::view::Changes;
use crate::memory::bytes_of_mut;

/// Runs everywhere.
pub(super) struct Scalar(());

impl Scalar {
    pub fn get() -> &'static dyn Backend {
        static SCALAR: Scalar = Scalar(());
        &SCALAR
    }
}

impl Backend for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        added: &[u32],
        removed: &[u32],
    ) {
        accumulate(out, from, transformer, added, removed);
    }

    fn advance(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        changes: &[Changes; 2],
    ) {
        let blocks = transformer.blocks();
        let rows = out.chunks_mut(blocks).zip(from.chunks(blocks));
        for ((out, from), Changes { removed, added }) in rows.zip(changes) {
            accumulate(out, from, transformer, added.as_slice(), removed.as_slice());
        }
    }

    fn clip(&self, sums: &[Block], out: &mut [Bytes]) {
        clip(sums, out);
    }

    fn product(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
        product(left, right, limit, out);
    }

    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
        affine(layer, input, out);
    }

    fn affine_sparse(&self, layer: &Affine, input: &[Bytes], _: &mut [u16], out: &mut [i32]) {
        affine(layer, input, out);
    }

    fn activate(&self, sums: &[i32], out: &mut [Bytes]) {
        activate(sums, out);
    }

    fn squared(&self, sums: &[Block], weights: &[Block]) -> i32 {
        squared(sums, weights)
    }

    fn activate_both(&self, sums: &[i32], out: &mut [Bytes]) {
        activate_both(sums, out);
    }
}

fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    for (i, (out, from)) in out.iter_mut().zip(from).enumerate() {
        let mut sums = *from;
        for &feature in added {
            let row = &transformer.row(feature)[i];
            for (sum, weight) in sums.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
        for &feature in removed {
            let row = &transformer.row(feature)[i];
            for (sum, weight) in sums.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_sub(weight);
            }
        }
        *out = sums;
    }
}

#[inline(always)]
pub(super) fn clip(sums: &[Block], out: &mut [Bytes]) {
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, &sum) in out.0.iter_mut().zip(&sums.0) {
            *out = sum.clamp(0, 127) as u8;
        }
    }
}

fn product(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    for (out, (left, right)) in out.iter_mut().zip(left.iter().zip(right)) {
        for (out, (&left, &right)) in out.0.iter_mut().zip(left.0.iter().zip(&right.0)) {
            // Up to 255 times 255, which 16 bits can hold without a sign.
            let [left, right] = [left, right].map(|sum| sum.clamp(0, limit).cast_unsigned());
            *out = (left.wrapping_mul(right) >> 9) as u8;
        }
    }
}

fn affine(layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        out.copy_from_slice(biases);
        let steps = input.iter().flat_map(|bytes| bytes.0.as_chunks::<4>().0);
        for (step, weights) in steps.zip(tile.weights().chunks_exact(32 * tile.groups)) {
            if *step == [0; 4] {
                continue;
            }
            for (out, weights) in out.iter_mut().zip(weights.as_chunks::<4>().0) {
                for (&input, weight) in step.iter().zip(weights) {
                    *out = out.wrapping_add(i32::from(input) * i32::from(weight.cast_signed()));
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn activate(sums: &[i32], out: &mut [Bytes]) {
    for (out, sums) in out.iter_mut().zip(sums.chunks(32)) {
        for (out, &sum) in out.0.iter_mut().zip(sums) {
            *out = (sum >> 6).clamp(0, 127) as u8;
        }
    }
}

#[inline(always)]
pub(super) fn activate_both(sums: &[i32], out: &mut [Bytes]) {
    let (squares, clipped) = bytes_of_mut(out).split_at_mut(sums.len());
    let squares = squares.as_chunks_mut::<8>().0.iter_mut();
    let clipped = clipped.as_chunks_mut::<8>().0.iter_mut();
    for ((squares, clipped), sums) in squares.zip(clipped).zip(sums.as_chunks::<8>().0) {
        // What is beyond 16 bits ends at the limits anyway.
        let sums = sums.map(|sum| sum.clamp(i16::MIN.into(), i16::MAX.into()));
        *squares = sums.map(|sum| ((sum * sum) >> 19).min(127) as u8);
        *clipped = sums.map(|sum| (sum >> 6).clamp(0, 127) as u8);
    }
}

fn squared(sums: &[Block], weights: &[Block]) -> i32 {
    let mut total = 0_i32;
    for (sums, weights) in sums.iter().zip(weights) {
        for (&sum, &weight) in sums.0.iter().zip(&weights.0) {
            let activation = sum.clamp(0, 255);
            let product = i32::from(activation.wrapping_mul(weight)) * i32::from(activation);
            total = total.wrapping_add(product);
        }
    }
    total
}
