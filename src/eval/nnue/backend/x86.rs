//! Registers of x86-64.

use super::registers::{Registers, first, first_mut};
use std::arch::x86_64::*;

/// Registers of a width, by the intrinsics for them.
macro_rules! registers {
    (
        $name:ident, $features:literal, $register:ident, $sums:literal, $bytes:literal,
        $zero:ident, $load:ident, $store:ident, $splat:ident, $add:ident,
        $add_numbers:ident, $subtract_numbers:ident
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
                // SAFETY: an unaligned load of just the sums.
                unsafe { $load(sums.cast()) }
            }

            #[inline(always)]
            fn store(self, sums: $register, out: &mut [i32]) {
                let out: *mut [i32; $sums] = first_mut(out);
                // SAFETY: an unaligned store to just the sums.
                unsafe { $store(out.cast(), sums) }
            }

            #[inline(always)]
            fn add(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $add(a, b) }
            }

            #[inline(always)]
            fn load_bytes(self, bytes: &[u8]) -> $register {
                let bytes: *const [u8; $bytes] = first(bytes);
                // SAFETY: an unaligned load of just the bytes.
                unsafe { $load(bytes.cast()) }
            }

            #[inline(always)]
            fn store_bytes(self, bytes: $register, out: &mut [u8]) {
                let out: *mut [u8; $bytes] = first_mut(out);
                // SAFETY: an unaligned store to just the bytes.
                unsafe { $store(out.cast(), bytes) }
            }

            #[inline(always)]
            fn add_numbers(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $add_numbers(a, b) }
            }

            #[inline(always)]
            fn subtract_numbers(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $subtract_numbers(a, b) }
            }

            #[inline(always)]
            fn splat(self, step: [u8; 4]) -> $register {
                // SAFETY: as above.
                unsafe { $splat(i32::from_ne_bytes(step)) }
            }
        }
    };
}

registers!(
    Xmm,
    "SSE2",
    __m128i,
    4,
    16,
    _mm_setzero_si128,
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_set1_epi32,
    _mm_add_epi32,
    _mm_add_epi16,
    _mm_sub_epi16
);
registers!(
    Ymm,
    "AVX2",
    __m256i,
    8,
    32,
    _mm256_setzero_si256,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_add_epi16,
    _mm256_sub_epi16
);
registers!(
    Zmm,
    "AVX-512 F and BW",
    __m512i,
    16,
    64,
    _mm512_setzero_si512,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_add_epi16,
    _mm512_sub_epi16
);
