//! Registers of x86-64.

use super::registers::{Registers, first, first_mut};
use std::arch::x86_64::*;

/// Defines registers of a width: by the intrinsics for what is alike in all widths, and by the
/// methods that are not.
macro_rules! registers {
    (
        $name:ident, $features:literal, $register:ident, $sums:literal, $bytes:literal,
        $zero:ident, $load:ident, $store:ident, $splat:ident, $add:ident, $add_16:ident,
        $sub_16:ident, $($method:tt)*
    ) => {
        #[doc = concat!("Proof that the CPU has ", $features, ".")]
        #[derive(Clone, Copy)]
        pub(super) struct $name(());

        impl $name {
            /// # Safety
            /// The CPU must have the features.
            #[inline(always)]
            pub unsafe fn new() -> $name {
                $name(())
            }
        }

        impl Registers for $name {
            type Register = $register;

            const SUMS: usize = $sums;

            #[inline(always)]
            fn zero(self) -> $register {
                // SAFETY: `self` proves that the CPU has the features; so everywhere below.
                unsafe { $zero() }
            }

            #[inline(always)]
            fn load(self, sums: &[i32]) -> $register {
                let sums: *const [i32; $sums] = first(sums);
                // SAFETY: the sums fill a register, and an unaligned load asks for no more.
                unsafe { $load(sums.cast()) }
            }

            #[inline(always)]
            fn store(self, sums: $register, out: &mut [i32]) {
                let out: *mut [i32; $sums] = first_mut(out);
                // SAFETY: as above.
                unsafe { $store(out.cast(), sums) }
            }

            #[inline(always)]
            fn add(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $add(a, b) }
            }

            #[inline(always)]
            fn weights(self, weights: &[u8]) -> $register {
                let weights: *const [u8; $bytes] = first(weights);
                // SAFETY: the bytes fill a register, and an unaligned load asks for no more.
                unsafe { $load(weights.cast()) }
            }

            #[inline(always)]
            fn store_bytes(self, bytes: $register, out: &mut [u8]) {
                let out: *mut [u8; $bytes] = first_mut(out);
                // SAFETY: as above.
                unsafe { $store(out.cast(), bytes) }
            }

            #[inline(always)]
            fn splat(self, step: [u8; 4]) -> $register {
                // SAFETY: as above.
                unsafe { $splat(i32::from_ne_bytes(step)) }
            }

            #[inline(always)]
            fn add_16(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $add_16(a, b) }
            }

            #[inline(always)]
            fn sub_16(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $sub_16(a, b) }
            }

            $($method)*
        }
    };
}

registers! {
    Xmm, "SSE2", __m128i, 4, 16,
    _mm_setzero_si128, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi32, _mm_add_epi32,
    _mm_add_epi16, _mm_sub_epi16,

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

registers! {
    Ymm, "AVX2", __m256i, 8, 32,
    _mm256_setzero_si256, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_add_epi32,
    _mm256_add_epi16, _mm256_sub_epi16,

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

registers! {
    Zmm, "AVX-512 F and BW", __m512i, 16, 64,
    _mm512_setzero_si512, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_add_epi32,
    _mm512_add_epi16, _mm512_sub_epi16,

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
    fn nonzero(self, steps: &[[u8; 4]]) -> u32 {
        let steps: *const [[u8; 4]; 16] = first(steps);
        // SAFETY: 16 steps are 64 bytes, and an unaligned load asks for no more.
        unsafe {
            let steps = _mm512_loadu_si512(steps.cast());
            _mm512_test_epi32_mask(steps, steps).into()
        }
    }
}
