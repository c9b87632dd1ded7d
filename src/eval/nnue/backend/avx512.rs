//! Kernels for AVX-512 with VNNI: dense layers by hand, the rest as the compiler vectorises the
//! plain loops.

use super::{Backend, scalar};
use crate::eval::nnue::network::{Affine, Block, Bytes, Lane, Tile, Transformer};
use std::arch::x86_64::*;

/// Proof that the CPU has AVX-512 F, BW, VL and VNNI.
pub(super) struct Avx512(());

impl Avx512 {
    pub fn detect() -> Option<&'static dyn Backend> {
        static AVX512: Avx512 = Avx512(());
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        has_all.then_some(&AVX512 as _)
    }
}

impl Backend for Avx512 {
    fn name(&self) -> &'static str {
        "AVX-512 VNNI"
    }

    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        added: &[u32],
        removed: &[u32],
    ) {
        // SAFETY: `detect` is the only way to an `Avx512`, so the CPU has all features named.
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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn accumulate(
    out: &mut [Block],
    from: &[Block],
    transformer: &Transformer,
    added: &[u32],
    removed: &[u32],
) {
    scalar::accumulate(out, from, transformer, added, removed);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn clip(sums: &[Block], out: &mut [Bytes]) {
    scalar::clip(sums, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn product(left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    scalar::product(left, right, limit, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn activate_both(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate_both(sums, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn activate(sums: &[i32], out: &mut [Bytes]) {
    scalar::activate(sums, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn affine(layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        match tile.groups {
            1 => narrow::<1>(tile, biases, input, out),
            2 => wide::<2>(tile, biases, input, out),
            3 => narrow::<3>(tile, biases, input, out),
            _ => wide::<4>(tile, biases, input, out),
        }
    }
}

/// How many sets of sums take the products in turn, as each addition has to wait for the last.
const TURNS: usize = 4;

/// `GROUPS`, an even number, times eight outputs, two groups in a register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn wide<const GROUPS: usize>(tile: &Tile, biases: &[i32], input: &[Bytes], out: &mut [i32]) {
    let mut sums = [[_mm512_setzero_si512(); 2]; TURNS];
    for (sum, biases) in sums[0].iter_mut().zip(biases.as_chunks::<16>().0) {
        *sum = load_sums(biases);
    }
    let (rows, _) = tile.weights.as_chunks::<GROUPS>();
    let (rows, _) = rows.as_chunks::<TURNS>();
    let steps = input.iter().flat_map(|bytes| {
        let (steps, _) = bytes.0.as_chunks::<4>();
        steps.as_chunks::<TURNS>().0
    });
    for (steps, rows) in steps.zip(rows) {
        for ((&step, lanes), sums) in steps.iter().zip(rows).zip(&mut sums) {
            let input = _mm512_set1_epi32(i32::from_ne_bytes(step));
            for (sum, pair) in sums.iter_mut().zip(lanes.as_chunks::<2>().0) {
                *sum = _mm512_dpbusd_epi32(*sum, input, load_pair(pair));
            }
        }
    }
    for (i, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let mut total = sums[0][i];
        for sums in &sums[1..] {
            total = _mm512_add_epi32(total, sums[i]);
        }
        store_sums(out, total);
    }
}

/// `GROUPS` times eight outputs, each group in a register of half the width.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn narrow<const GROUPS: usize>(tile: &Tile, biases: &[i32], input: &[Bytes], out: &mut [i32]) {
    let mut sums = [_mm256_setzero_si256(); GROUPS];
    for (sum, biases) in sums.iter_mut().zip(biases.as_chunks::<8>().0) {
        *sum = load_narrow_sums(biases);
    }
    let (rows, _) = tile.weights.as_chunks::<GROUPS>();
    let steps = input.iter().flat_map(|bytes| bytes.0.as_chunks::<4>().0);
    for (&step, lanes) in steps.zip(rows) {
        let input = _mm256_set1_epi32(i32::from_ne_bytes(step));
        for (sum, lane) in sums.iter_mut().zip(lanes) {
            *sum = _mm256_dpbusd_epi32(*sum, input, load_lane(lane));
        }
    }
    for (out, sum) in out.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
        store_narrow_sums(out, sum);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_lane(lane: &Lane) -> __m256i {
    // SAFETY: a lane is 32 bytes, aligned to as many.
    unsafe { _mm256_load_si256((&raw const lane.0).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_pair(lanes: &[Lane; 2]) -> __m512i {
    // SAFETY: two lanes are 64 bytes, and an unaligned load asks for no more.
    unsafe { _mm512_loadu_si512((&raw const *lanes).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_sums(sums: &[i32; 16]) -> __m512i {
    // SAFETY: sixteen sums are 64 bytes, and an unaligned load asks for no more.
    unsafe { _mm512_loadu_si512((&raw const *sums).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn store_sums(out: &mut [i32; 16], sums: __m512i) {
    // SAFETY: sixteen sums are 64 bytes, and an unaligned store asks for no more.
    unsafe { _mm512_storeu_si512((&raw mut *out).cast(), sums) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn load_narrow_sums(sums: &[i32; 8]) -> __m256i {
    // SAFETY: eight sums are 32 bytes, and an unaligned load asks for no more.
    unsafe { _mm256_loadu_si256((&raw const *sums).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn store_narrow_sums(out: &mut [i32; 8], sums: __m256i) {
    // SAFETY: eight sums are 32 bytes, and an unaligned store asks for no more.
    unsafe { _mm256_storeu_si256((&raw mut *out).cast(), sums) }
}
