//! Kernels for AVX2: dense layers by hand, the rest as the compiler vectorises the plain loops.

use super::{Backend, scalar};
use crate::eval::nnue::network::{Affine, Block, Bytes, Lane, Tile, Transformer};
use std::arch::x86_64::*;

/// Proof that the CPU has AVX2.
pub(super) struct Avx2(());

impl Avx2 {
    pub fn detect() -> Option<&'static dyn Backend> {
        static AVX2: Avx2 = Avx2(());
        is_x86_feature_detected!("avx2").then_some(&AVX2 as _)
    }
}

impl Backend for Avx2 {
    fn name(&self) -> &'static str {
        "AVX2"
    }

    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        added: &[u32],
        removed: &[u32],
    ) {
        // SAFETY: `detect` is the only way to an `Avx2`, so the CPU has AVX2.
        unsafe { accumulate(out, from, transformer, added, removed) }
    }

    fn clip(&self, sums: &[Block], out: &mut [Bytes]) {
        // SAFETY: as above.
        unsafe { clip(sums, out) }
    }

    fn product(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
        // SAFETY: as above.
        unsafe { product(left, right, limit, out) }
    }

    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
        // SAFETY: as above.
        unsafe { affine(layer, input, out) }
    }

    fn activate(&self, sums: &[i32], out: &mut [Bytes]) {
        // SAFETY: as above.
        unsafe { activate(sums, out) }
    }

    fn activate_both(&self, sums: &[i32], out: &mut [Bytes]) {
        // SAFETY: as above.
        unsafe { activate_both(sums, out) }
    }
}

#[target_feature(enable = "avx2")]
fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    scalar::accumulate(out, from, transformer, added, removed);
}

#[target_feature(enable = "avx2")]
fn clip(sums: &[Block], out: &mut [Bytes]) {
    scalar::clip(sums, out);
}

#[target_feature(enable = "avx2")]
fn product(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    scalar::product(left, right, limit, out);
}

#[target_feature(enable = "avx2")]
fn activate_both(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate_both(sums, out);
}

#[target_feature(enable = "avx2")]
fn activate(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate(sums, out);
}

#[target_feature(enable = "avx2")]
fn affine(layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        match tile.groups {
            1 => outputs::<1>(tile, biases, input, out),
            2 => outputs::<2>(tile, biases, input, out),
            3 => outputs::<3>(tile, biases, input, out),
            _ => outputs::<4>(tile, biases, input, out),
        }
    }
}

/// `GROUPS` times eight outputs, as many lanes at a time as can be joined.
#[inline]
#[target_feature(enable = "avx2")]
fn outputs<const GROUPS: usize>(tile: &Tile, biases: &[i32], input: &[Bytes], out: &mut [i32]) {
    match tile.joined {
        8.. => joined::<GROUPS, 8>(tile, biases, input, out),
        4.. => joined::<GROUPS, 4>(tile, biases, input, out),
        2.. => joined::<GROUPS, 2>(tile, biases, input, out),
        _ => joined::<GROUPS, 1>(tile, biases, input, out),
    }
}

/// `GROUPS` times eight outputs, the products of `JOINED` lanes being added in 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn joined<const GROUPS: usize, const JOINED: usize>(
    tile: &Tile,
    biases: &[i32],
    input: &[Bytes],
    out: &mut [i32],
) {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); GROUPS];
    for (sum, biases) in sums.iter_mut().zip(biases.as_chunks::<8>().0) {
        *sum = load_sums(biases);
    }
    let (rows, _) = tile.weights.as_chunks::<GROUPS>();
    let (rows, _) = rows.as_chunks::<JOINED>();
    let mut rows = rows.iter();
    for bytes in input {
        let (steps, _) = bytes.0.as_chunks::<4>();
        for (steps, rows) in steps.as_chunks::<JOINED>().0.iter().zip(rows.by_ref()) {
            let mut products = [_mm256_setzero_si256(); GROUPS];
            for (&step, lanes) in steps.iter().zip(rows) {
                let input = _mm256_set1_epi32(i32::from_ne_bytes(step));
                for (sum, lane) in products.iter_mut().zip(lanes) {
                    *sum = _mm256_add_epi16(*sum, _mm256_maddubs_epi16(input, load_lane(lane)));
                }
            }
            for (sum, products) in sums.iter_mut().zip(products) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(products, ones));
            }
        }
    }
    for (out, sum) in out.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        store_sums(out, sum);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_lane(lane: &Lane) -> __m256i {
    // SAFETY: a lane is 32 bytes, aligned to as many.
    unsafe { _mm256_load_si256((&raw const lane.0).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_sums(sums: &[i32; 8]) -> __m256i {
    // SAFETY: eight sums are 32 bytes, and an unaligned load asks for no more.
    unsafe { _mm256_loadu_si256((&raw const *sums).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_sums(out: &mut [i32; 8], sums: __m256i) {
    // SAFETY: eight sums are 32 bytes, and an unaligned store asks for no more.
    unsafe { _mm256_storeu_si256((&raw mut *out).cast(), sums) }
}
