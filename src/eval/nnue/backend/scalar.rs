//! Plain loops: the specification of all kernels, and the source of those that compilers
//! vectorise well.
#![forbid(unsafe_code)]

use super::Backend;
use crate::eval::nnue::network::{Affine, Block, Bytes, Transformer};

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

    fn clip(&self, sums: &[Block], out: &mut [Bytes]) {
        clip(sums, out);
    }

    fn product(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
        product(left, right, limit, out);
    }

    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
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

/// Calculates each block of a row from the same block of other rows.
#[inline(always)]
fn fuse<const N: usize>(out: &mut [Block], rows: [&[Block]; N], sum: impl Fn([i16; N]) -> i16) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (i, out) in out.iter_mut().enumerate() {
        let blocks = rows.map(|row| &row[i]);
        for (j, out) in out.0.iter_mut().enumerate() {
            *out = sum(blocks.map(|block| block.0[j]));
        }
    }
}

#[inline(always)]
pub(super) fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    let row = |feature: u32| transformer.row(feature);
    match (added, removed) {
        // A move, a capture by a king that is no feature, a capture: nearly all there is.
        (&[a], &[x]) => fuse(out, [from, row(a), row(x)], |[from, a, x]| {
            from.wrapping_add(a).wrapping_sub(x)
        }),
        (&[a], &[x, y]) => fuse(out, [from, row(a), row(x), row(y)], |[from, a, x, y]| {
            from.wrapping_add(a).wrapping_sub(x).wrapping_sub(y)
        }),
        (&[a, b], &[x, y]) => {
            let rows = [from, row(a), row(b), row(x), row(y)];
            fuse(out, rows, |[from, a, b, x, y]| {
                let sum = from.wrapping_add(a).wrapping_add(b);
                sum.wrapping_sub(x).wrapping_sub(y)
            });
        }
        _ => accumulate_many(out, from, transformer, added, removed),
    }
}

/// Any number of features, a block at a time so that the sums stay in registers.
#[inline(always)]
fn accumulate_many(
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

#[inline(always)]
pub(super) fn product(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
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
    for (at, &sum) in sums.iter().enumerate() {
        // What is beyond 16 bits ends at the limits anyway.
        let sum = sum.clamp(i16::MIN.into(), i16::MAX.into());
        let clipped = at + sums.len();
        out[at / 32].0[at % 32] = ((sum * sum) >> 19).min(127) as u8;
        out[clipped / 32].0[clipped % 32] = (sum >> 6).clamp(0, 127) as u8;
    }
}

#[inline(always)]
pub(super) fn squared(sums: &[Block], weights: &[Block]) -> i32 {
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
