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

    #[inline(always)]
    fn add_16(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_add_epi16(a, b) }
    }

    #[inline(always)]
    fn sub_16(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn products(self, left: [__m128i; 2], right: [__m128i; 2], limit: i16) -> __m128i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm_setzero_si128(), _mm_set1_epi16(limit));
            let product = |left, right| {
                let left = _mm_max_epi16(_mm_min_epi16(left, limit), zero);
                // A product that is negative is packed as zero.
                let right = _mm_min_epi16(right, limit);
                _mm_mulhi_epi16(_mm_slli_epi16::<7>(left), right)
            };
            _mm_packus_epi16(product(left[0], right[0]), product(left[1], right[1]))
        }
    }

    #[inline(always)]
    fn squares(self, sums: __m128i, numbers: __m128i, weights: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm_setzero_si128(), _mm_set1_epi16(255));
            let limited = _mm_max_epi16(_mm_min_epi16(numbers, limit), zero);
            let products = _mm_mullo_epi16(limited, weights);
            _mm_add_epi32(sums, _mm_madd_epi16(products, limited))
        }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: __m128i, out: &mut [u8]) {
        let out: *mut [u8; 16] = first_mut(out);
        // SAFETY: an unaligned store of 16 bytes.
        unsafe { _mm_storeu_si128(out.cast(), bytes) }
    }

    #[inline(always)]
    fn nonzero(self, steps: &[[u8; 4]]) -> u32 {
        let steps: *const [[u8; 4]; 4] = first(steps);
        // SAFETY: 4 steps are 16 bytes, and an unaligned load asks for no more.
        unsafe {
            let steps = _mm_loadu_si128(steps.cast());
            let nonzero = _mm_cmpgt_epi32(steps, _mm_setzero_si128());
            _mm_movemask_ps(_mm_castsi128_ps(nonzero)).cast_unsigned()
        }
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

    #[inline(always)]
    fn add_16(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_add_epi16(a, b) }
    }

    #[inline(always)]
    fn sub_16(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm256_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn products(self, left: [__m256i; 2], right: [__m256i; 2], limit: i16) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm256_setzero_si256(), _mm256_set1_epi16(limit));
            let product = |left, right| {
                let left = _mm256_max_epi16(_mm256_min_epi16(left, limit), zero);
                // A product that is negative is packed as zero.
                let right = _mm256_min_epi16(right, limit);
                _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(left), right)
            };
            let packed =
                _mm256_packus_epi16(product(left[0], right[0]), product(left[1], right[1]));
            // Each half of a register is packed on its own.
            _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
        }
    }

    #[inline(always)]
    fn squares(self, sums: __m256i, numbers: __m256i, weights: __m256i) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
            let limited = _mm256_max_epi16(_mm256_min_epi16(numbers, limit), zero);
            let products = _mm256_mullo_epi16(limited, weights);
            _mm256_add_epi32(sums, _mm256_madd_epi16(products, limited))
        }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: __m256i, out: &mut [u8]) {
        let out: *mut [u8; 32] = first_mut(out);
        // SAFETY: an unaligned store of 32 bytes.
        unsafe { _mm256_storeu_si256(out.cast(), bytes) }
    }

    #[inline(always)]
    fn nonzero(self, steps: &[[u8; 4]]) -> u32 {
        let steps: *const [[u8; 4]; 8] = first(steps);
        // SAFETY: 8 steps are 32 bytes, and an unaligned load asks for no more.
        unsafe {
            let steps = _mm256_loadu_si256(steps.cast());
            let nonzero = _mm256_cmpgt_epi32(steps, _mm256_setzero_si256());
            _mm256_movemask_ps(_mm256_castsi256_ps(nonzero)).cast_unsigned()
        }
    }
}

/// Proof that the CPU has AVX-512F and BW, with registers of 512 bits.
#[derive(Clone, Copy)]
pub(super) struct Zmm(());

impl Zmm {
    /// # Safety
    /// The CPU must have AVX-512F and BW.
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
        // SAFETY: `self` proves that the CPU has AVX-512F and BW; so everywhere below.
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

    #[inline(always)]
    fn add_16(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn sub_16(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn products(self, left: [__m512i; 2], right: [__m512i; 2], limit: i16) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm512_setzero_si512(), _mm512_set1_epi16(limit));
            let product = |left, right| {
                let left = _mm512_max_epi16(_mm512_min_epi16(left, limit), zero);
                // A product that is negative is packed as zero.
                let right = _mm512_min_epi16(right, limit);
                _mm512_mulhi_epi16(_mm512_slli_epi16::<7>(left), right)
            };
            let packed =
                _mm512_packus_epi16(product(left[0], right[0]), product(left[1], right[1]));
            // Each quarter of a register is packed on its own.
            _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)
        }
    }

    #[inline(always)]
    fn squares(self, sums: __m512i, numbers: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
            let limited = _mm512_max_epi16(_mm512_min_epi16(numbers, limit), zero);
            let products = _mm512_mullo_epi16(limited, weights);
            _mm512_add_epi32(sums, _mm512_madd_epi16(products, limited))
        }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: __m512i, out: &mut [u8]) {
        let out: *mut [u8; 64] = first_mut(out);
        // SAFETY: an unaligned store of 64 bytes.
        unsafe { _mm512_storeu_si512(out.cast(), bytes) }
    }

    #[inline(always)]
    fn nonzero(self, steps: &[[u8; 4]]) -> u32 {
        let steps: *const [[u8; 4]; 16] = first(steps);
        // SAFETY: 16 steps are 64 bytes, and an unaligned load asks for no more.
        unsafe {
            let steps = _mm512_loadu_si512(steps.cast());
            _mm512_test_epi32_mask(steps, steps).into()
        }
    }
}
