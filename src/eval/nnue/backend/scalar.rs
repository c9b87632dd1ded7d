//! Plain loops: the specification of all kernels, also compiled for the other instruction sets where they
//! vectorise well.
#![forbid(unsafe_code)]

use super::Backend;
use crate::eval::nnue::layers::{Affine, Block, Bytes, FeatureTransformer};
use crate::eval::nnue::view::Update;
use crate::memory::bytes_of_mut;

/// The backend without vector instructions, for any CPU.
pub struct Scalar;

impl Backend for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }
}

pub fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &FeatureTransformer,
    update: Update,
) {
    out.copy_from_slice(from);
    let mut add = |feature, add: fn(i16, i16) -> i16| {
        for (out, row) in out.iter_mut().zip(transformer.row(feature)) {
            for (sum, &weight) in out.0.iter_mut().zip(&row.0) {
                *sum = add(*sum, weight);
            }
        }
    };
    for &feature in update.added {
        add(feature, i16::wrapping_add);
    }
    for &feature in update.removed {
        add(feature, i16::wrapping_sub);
    }
}

#[inline(always)]
pub fn crelu(sums: &[Block], out: &mut [Bytes]) {
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, &sum) in out.0.iter_mut().zip(&sums.0) {
            *out = sum.clamp(0, 127) as u8;
        }
    }
}

pub fn pairwise(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    for (out, (left, right)) in out.iter_mut().zip(left.iter().zip(right)) {
        for (out, (&left, &right)) in out.0.iter_mut().zip(left.0.iter().zip(&right.0)) {
            // At most 255 * 255, which fits in an unsigned 16-bit integer.
            let [left, right] = [left, right].map(|sum| sum.clamp(0, limit).cast_unsigned());
            *out = (left.wrapping_mul(right) >> 9) as u8;
        }
    }
}

pub fn affine(layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        out.copy_from_slice(biases);
        let chunks = input.iter().flat_map(|bytes| bytes.0.as_chunks::<4>().0);
        for (chunk, weights) in chunks.zip(tile.weights().chunks_exact(32 * tile.groups)) {
            if *chunk == [0; 4] {
                continue;
            }
            for (out, weights) in out.iter_mut().zip(weights.as_chunks::<4>().0) {
                for (&input, weight) in chunk.iter().zip(weights) {
                    *out = out.wrapping_add(i32::from(input) * i32::from(weight.cast_signed()));
                }
            }
        }
    }
}

#[inline(always)]
pub fn relu(sums: &[i32], out: &mut [Bytes]) {
    for (out, sums) in out.iter_mut().zip(sums.chunks(32)) {
        for (out, &sum) in out.0.iter_mut().zip(sums) {
            *out = (sum >> 6).clamp(0, 127) as u8;
        }
    }
}

#[inline(always)]
pub fn sqr_relu_and_relu(sums: &[i32], out: &mut [Bytes]) {
    let (squares, clipped) = bytes_of_mut(out).split_at_mut(sums.len());
    let squares = squares.as_chunks_mut::<8>().0.iter_mut();
    let clipped = clipped.as_chunks_mut::<8>().0.iter_mut();
    for ((squares, clipped), sums) in squares.zip(clipped).zip(sums.as_chunks::<8>().0) {
        // Sums beyond 16 bits give the limits of the activations anyway, and their squares could overflow.
        let sums = sums.map(|sum| sum.clamp(i16::MIN.into(), i16::MAX.into()));
        *squares = sums.map(|sum| ((sum * sum) >> 19).min(127) as u8);
        *clipped = sums.map(|sum| (sum >> 6).clamp(0, 127) as u8);
    }
}

pub fn screlu_dot(sums: &[Block], weights: &[Block]) -> i32 {
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
