//! Kernels for SSSE3, which CPUs without AVX2 have: dense layers by hand, the rest as the compiler
//! vectorises the plain loops.

use super::{Backend, scalar};
use crate::eval::nnue::network::{Affine, Block, Bytes, Lane, Tile, Transformer};
use std::arch::x86_64::*;

/// Proof that the CPU has SSSE3.
pub(super) struct Ssse3(());

impl Ssse3 {
    pub fn detect() -> Option<&'static dyn Backend> {
        static SSSE3: Ssse3 = Ssse3(());
        is_x86_feature_detected!("ssse3").then_some(&SSSE3 as _)
    }
}

impl Backend for Ssse3 {
    fn name(&self) -> &'static str {
        "SSSE3"
    }

    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        added: &[u32],
        removed: &[u32],
    ) {
        // SAFETY: `detect` is the only way to an `Ssse3`, so the CPU has SSSE3.
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

#[target_feature(enable = "ssse3")]
fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    scalar::accumulate(out, from, transformer, added, removed);
}

#[target_feature(enable = "ssse3")]
fn clip(sums: &[Block], out: &mut [Bytes]) {
    scalar::clip(sums, out);
}

#[target_feature(enable = "ssse3")]
fn product(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    scalar::product(left, right, limit, out);
}

#[target_feature(enable = "ssse3")]
fn activate_both(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate_both(sums, out);
}

#[target_feature(enable = "ssse3")]
fn activate(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate(sums, out);
}

#[target_feature(enable = "ssse3")]
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
#[target_feature(enable = "ssse3")]
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
#[target_feature(enable = "ssse3")]
fn joined<const GROUPS: usize, const JOINED: usize>(
    tile: &Tile,
    biases: &[i32],
    input: &[Bytes],
    out: &mut [i32],
) {
    let ones = _mm_set1_epi16(1);
    let mut sums = [[_mm_setzero_si128(); 2]; GROUPS];
    for (sums, biases) in sums.iter_mut().zip(biases.as_chunks::<8>().0) {
        *sums = load_sums(biases);
    }
    let (rows, _) = tile.weights.as_chunks::<GROUPS>();
    let (rows, _) = rows.as_chunks::<JOINED>();
    let mut rows = rows.iter();
    for bytes in input {
        let (steps, _) = bytes.0.as_chunks::<4>();
        for (steps, rows) in steps.as_chunks::<JOINED>().0.iter().zip(rows.by_ref()) {
            let mut products = [[_mm_setzero_si128(); 2]; GROUPS];
            for (&step, lanes) in steps.iter().zip(rows) {
                let input = _mm_set1_epi32(i32::from_ne_bytes(step));
                for (sums, lane) in products.iter_mut().zip(lanes) {
                    let [low, high] = load_lane(lane);
                    sums[0] = _mm_add_epi16(sums[0], _mm_maddubs_epi16(input, low));
                    sums[1] = _mm_add_epi16(sums[1], _mm_maddubs_epi16(input, high));
                }
            }
            for (sums, products) in sums.iter_mut().zip(products) {
                sums[0] = _mm_add_epi32(sums[0], _mm_madd_epi16(products[0], ones));
                sums[1] = _mm_add_epi32(sums[1], _mm_madd_epi16(products[1], ones));
            }
        }
    }
    for (out, sums) in out.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        store_sums(out, sums);
    }
}

#[inline]
#[target_feature(enable = "ssse3")]
fn load_lane(lane: &Lane) -> [__m128i; 2] {
    let half: *const __m128i = (&raw const lane.0).cast();
    // SAFETY: a lane is 32 bytes, aligned to as many.
    unsafe { [_mm_load_si128(half), _mm_load_si128(half.add(1))] }
}

#[inline]
#[target_feature(enable = "ssse3")]
fn load_sums(sums: &[i32; 8]) -> [__m128i; 2] {
    let half: *const __m128i = (&raw const *sums).cast();
    // SAFETY: eight sums are 32 bytes, and unaligned loads ask for no more.
    unsafe { [_mm_loadu_si128(half), _mm_loadu_si128(half.add(1))] }
}

#[inline]
#[target_feature(enable = "ssse3")]
fn store_sums(out: &mut [i32; 8], sums: [__m128i; 2]) {
    let half: *mut __m128i = (&raw mut *out).cast();
    // SAFETY: eight sums are 32 bytes, and unaligned stores ask for no more.
    unsafe {
        _mm_storeu_si128(half, sums[0]);
        _mm_storeu_si128(half.add(1), sums[1]);
    }
}
