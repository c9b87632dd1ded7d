//! Registers of x86-64.

use super::registers::{Registers, first, first_mut};
use std::arch::x86_64::*;

/// Proof that the CPU has SSE2, with registers of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Xmm(());

impl Xmm {
    /// # Safety
    /// The CPU must have SSE2.
    #[inline(always)]
    pub unsafe fn new() -> Xmm {
        Xmm(())
    }
}

impl Registers for Xmm {
    type Register = __m128i;

    const SUMS: usize = 4;

    #[inline(always)]
    fn zero(self) -> __m128i {
        // SAFETY: `self` proves that the CPU has SSE2; so everywhere below.
        unsafe { _mm_setzero_si128() }
    }

    #[inline(always)]
    fn load(self, sums: &[i32]) -> __m128i {
        let sums: *const [i32; 4] = first(sums);
        // SAFETY: 4 sums are 16 bytes, and an unaligned load asks for no more.
        unsafe { _mm_loadu_si128(sums.cast()) }
    }

    #[inline(always)]
    fn store(self, sums: __m128i, out: &mut [i32]) {
        let out: *mut [i32; 4] = first_mut(out);
        // SAFETY: 4 sums are 16 bytes, and an unaligned store asks for no more.
        unsafe { _mm_storeu_si128(out.cast(), sums) }
    }

    #[inline(always)]
    fn add(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_add_epi32(a, b) }
    }

    #[inline(always)]
    fn weights(self, weights: &[u8]) -> __m128i {
        let weights: *const [u8; 16] = first(weights);
        // SAFETY: an unaligned load of 16 bytes.
        unsafe { _mm_loadu_si128(weights.cast()) }
    }

    #[inline(always)]
    fn splat(self, step: [u8; 4]) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_set1_epi32(i32::from_ne_bytes(step)) }
    }
}

/// Proof that the CPU has AVX2, with registers of 256 bits.
#[derive(Clone, Copy)]
pub(super) struct Ymm(());

impl Ymm {
    /// # Safety
    /// The CPU must have AVX2.
    #[inline(always)]
    pub unsafe fn new() -> Ymm {
        Ymm(())
    }
}

impl Registers for Ymm {
    type Register = __m256i;

    const SUMS: usize = 8;

    #[inline(always)]
    fn zero(self) -> __m256i {
        // SAFETY: `self` proves that the CPU has AVX2; so everywhere below.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn load(self, sums: &[i32]) -> __m256i {
        let sums: *const [i32; 8] = first(sums);
        // SAFETY: 8 sums are 32 bytes, and an unaligned load asks for no more.
        unsafe { _mm256_loadu_si256(sums.cast()) }
    }

    #[inline(always)]
    fn store(self, sums: __m256i, out: &mut [i32]) {
        let out: *mut [i32; 8] = first_mut(out);
        // SAFETY: 8 sums are 32 bytes, and an unaligned store asks for no more.
        unsafe { _mm256_storeu_si256(out.cast(), sums) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn weights(self, weights: &[u8]) -> __m256i {
        let weights: *const [u8; 32] = first(weights);
        // SAFETY: an unaligned load of 32 bytes.
        unsafe { _mm256_loadu_si256(weights.cast()) }
    }

    #[inline(always)]
    fn splat(self, step: [u8; 4]) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_set1_epi32(i32::from_ne_bytes(step)) }
    }
}

/// Proof that the CPU has AVX-512F, with registers of 512 bits.
#[derive(Clone, Copy)]
pub(super) struct Zmm(());

impl Zmm {
    /// # Safety
    /// The CPU must have AVX-512F.
    #[inline(always)]
    pub unsafe fn new() -> Zmm {
        Zmm(())
    }
}

impl Registers for Zmm {
    type Register = __m512i;

    const SUMS: usize = 16;

    #[inline(always)]
    fn zero(self) -> __m512i {
        // SAFETY: `self` proves that the CPU has AVX-512F; so everywhere below.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn load(self, sums: &[i32]) -> __m512i {
        let sums: *const [i32; 16] = first(sums);
        // SAFETY: 16 sums are 64 bytes, and an unaligned load asks for no more.
        unsafe { _mm512_loadu_si512(sums.cast()) }
    }

    #[inline(always)]
    fn store(self, sums: __m512i, out: &mut [i32]) {
        let out: *mut [i32; 16] = first_mut(out);
        // SAFETY: 16 sums are 64 bytes, and an unaligned store asks for no more.
        unsafe { _mm512_storeu_si512(out.cast(), sums) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn weights(self, weights: &[u8]) -> __m512i {
        let weights: *const [u8; 64] = first(weights);
        // SAFETY: an unaligned load of 64 bytes.
        unsafe { _mm512_loadu_si512(weights.cast()) }
    }

    #[inline(always)]
    fn splat(self, step: [u8; 4]) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_set1_epi32(i32::from_ne_bytes(step)) }
    }
}
