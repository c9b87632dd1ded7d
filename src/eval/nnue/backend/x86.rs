//! x86-64: SSSE3, AVX2, AVX-VNNI (which CPUs without AVX-512 may have) and AVX-512 with VNNI.

use super::isa::isa;
use super::registers::{Dot, Registers, first, first_mut};
use std::arch::x86_64::*;

/// Defines the registers of a width by its intrinsics, except for the methods that differ between widths.
macro_rules! registers {
    (
        $name:ident, $features:literal, $register:ident, $sums:literal,
        zero $zero:ident, load $load:ident, store $store:ident,
        splat $splat:ident, splat_16 $splat_16:ident,
        shift_left $shift_left:ident, mul_high $mul_high:ident, madd $madd:ident,
        $($binary:ident $intrinsic:ident),+; $($method:tt)*
    ) => {
        #[doc = concat!("Proof that the CPU has ", $features, ".")]
        #[derive(Clone, Copy)]
        pub struct $name(());

        impl Registers for $name {
            type Register = $register;

            const SUMS: usize = $sums;

            $(
                #[inline(always)]
                fn $binary(self, a: $register, b: $register) -> $register {
                    // SAFETY: `self` proves that the CPU has the features; so everywhere below.
                    unsafe { $intrinsic(a, b) }
                }
            )+

            #[inline(always)]
            fn zero(self) -> $register {
                // SAFETY: as above.
                unsafe { $zero() }
            }

            #[inline(always)]
            fn load(self, sums: &[i32]) -> $register {
                let sums: *const [i32; $sums] = first(sums);
                // SAFETY: the sums fill a register, and the load may be unaligned.
                unsafe { $load(sums.cast()) }
            }

            #[inline(always)]
            fn store(self, sums: $register, out: &mut [i32]) {
                let out: *mut [i32; $sums] = first_mut(out);
                // SAFETY: as above.
                unsafe { $store(out.cast(), sums) }
            }

            #[inline(always)]
            fn load_bytes(self, bytes: &[u8]) -> $register {
                let bytes: *const [u8; 4 * $sums] = first(bytes);
                // SAFETY: the bytes fill a register, and the load may be unaligned.
                unsafe { $load(bytes.cast()) }
            }

            #[inline(always)]
            fn store_bytes(self, bytes: $register, out: &mut [u8]) {
                let out: *mut [u8; 4 * $sums] = first_mut(out);
                // SAFETY: as above.
                unsafe { $store(out.cast(), bytes) }
            }

            #[inline(always)]
            fn splat(self, chunk: [u8; 4]) -> $register {
                // SAFETY: as above.
                unsafe { $splat(i32::from_ne_bytes(chunk)) }
            }

            #[inline(always)]
            fn splat_16(self, number: i16) -> $register {
                // SAFETY: as above.
                unsafe { $splat_16(number) }
            }

            #[inline(always)]
            fn mul_512th(self, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                unsafe { $mul_high($shift_left::<7>(a), b) }
            }

            #[inline(always)]
            fn multiply_add_16(self, sums: $register, a: $register, b: $register) -> $register {
                // SAFETY: as above.
                self.add(sums, unsafe { $madd(a, b) })
            }

            $($method)*
        }
    };
}

registers! {
    Xmm, "SSE2", __m128i, 4,
    zero _mm_setzero_si128, load _mm_loadu_si128, store _mm_storeu_si128,
    splat _mm_set1_epi32, splat_16 _mm_set1_epi16,
    shift_left _mm_slli_epi16, mul_high _mm_mulhi_epi16, madd _mm_madd_epi16,
    add _mm_add_epi32, add_16 _mm_add_epi16, sub_16 _mm_sub_epi16,
    min_16 _mm_min_epi16, max_16 _mm_max_epi16, mul_16 _mm_mullo_epi16, pack _mm_packus_epi16;

    #[inline(always)]
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32 {
        let chunks = self.load_bytes(chunks.as_flattened());
        // SAFETY: as above.
        unsafe {
            let nonzero = _mm_cmpgt_epi32(chunks, self.zero());
            _mm_movemask_ps(_mm_castsi128_ps(nonzero)).cast_unsigned()
        }
    }
}

registers! {
    Ymm, "AVX2", __m256i, 8,
    zero _mm256_setzero_si256, load _mm256_loadu_si256, store _mm256_storeu_si256,
    splat _mm256_set1_epi32, splat_16 _mm256_set1_epi16,
    shift_left _mm256_slli_epi16, mul_high _mm256_mulhi_epi16, madd _mm256_madd_epi16,
    add _mm256_add_epi32, add_16 _mm256_add_epi16, sub_16 _mm256_sub_epi16,
    min_16 _mm256_min_epi16, max_16 _mm256_max_epi16, mul_16 _mm256_mullo_epi16;

    #[inline(always)]
    fn pack(self, a: __m256i, b: __m256i) -> __m256i {
        // `packus` works within 128-bit lanes.
        // SAFETY: as above.
        unsafe { _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(a, b)) }
    }

    #[inline(always)]
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32 {
        let chunks = self.load_bytes(chunks.as_flattened());
        // SAFETY: as above.
        unsafe {
            let nonzero = _mm256_cmpgt_epi32(chunks, self.zero());
            _mm256_movemask_ps(_mm256_castsi256_ps(nonzero)).cast_unsigned()
        }
    }
}

registers! {
    Zmm, "AVX-512 F and BW", __m512i, 16,
    zero _mm512_setzero_si512, load _mm512_loadu_si512, store _mm512_storeu_si512,
    splat _mm512_set1_epi32, splat_16 _mm512_set1_epi16,
    shift_left _mm512_slli_epi16, mul_high _mm512_mulhi_epi16, madd _mm512_madd_epi16,
    add _mm512_add_epi32, add_16 _mm512_add_epi16, sub_16 _mm512_sub_epi16,
    min_16 _mm512_min_epi16, max_16 _mm512_max_epi16, mul_16 _mm512_mullo_epi16;

    #[inline(always)]
    fn pack(self, a: __m512i, b: __m512i) -> __m512i {
        // `packus` works within 128-bit lanes.
        // SAFETY: as above.
        unsafe {
            let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
            _mm512_permutexvar_epi64(order, _mm512_packus_epi16(a, b))
        }
    }

    #[inline(always)]
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32 {
        let chunks = self.load_bytes(chunks.as_flattened());
        // SAFETY: as above.
        unsafe { _mm512_test_epi32_mask(chunks, chunks).into() }
    }
}

/// Implements the dot product: with `dpbusd`, which adds four products to each 32-bit lane, or with
/// `maddubs`, which adds two products in each 16-bit lane. `half` gives [`Dot::Half`].
macro_rules! dot {
    (
        $isa:ident, $registers:ident, $register:ident, half $half:ident = |$whole:ident| $to_half:expr,
        dpbusd $dpbusd:ident
    ) => {
        impl Dot for $isa {
            type Registers = $registers;
            type Half = $half;

            const CHAINS: bool = false;

            #[inline(always)]
            fn registers(self) -> $registers {
                $registers(())
            }

            #[inline(always)]
            fn half(self) -> $half {
                let $whole = self;
                $to_half
            }

            #[inline(always)]
            fn dot<const CHUNKS: usize>(
                self,
                mut sums: $register,
                inputs: [$register; CHUNKS],
                weights: [$register; CHUNKS],
            ) -> $register {
                for (input, weights) in inputs.into_iter().zip(weights) {
                    // SAFETY: `self` proves that the CPU has this instruction.
                    sums = unsafe { $dpbusd(sums, input, weights) };
                }
                sums
            }
        }
    };
    ($isa:ident, $registers:ident, $register:ident, maddubs $maddubs:ident) => {
        impl Dot for $isa {
            type Registers = $registers;
            type Half = $isa;

            const CHAINS: bool = true;

            #[inline(always)]
            fn registers(self) -> $registers {
                $registers(())
            }

            #[inline(always)]
            fn half(self) -> $isa {
                self
            }

            #[inline(always)]
            fn dot<const CHUNKS: usize>(
                self,
                sums: $register,
                inputs: [$register; CHUNKS],
                weights: [$register; CHUNKS],
            ) -> $register {
                let r = self.registers();
                let mut products = r.zero();
                for (input, weights) in inputs.into_iter().zip(weights) {
                    // SAFETY: `self` proves that the CPU has this instruction.
                    products = r.add_16(products, unsafe { $maddubs(input, weights) });
                }
                r.multiply_add_16(sums, products, r.splat_16(1))
            }
        }
    };
}

isa!(Ssse3, "SSSE3", "ssse3", is_x86_feature_detected: "ssse3");
dot!(Ssse3, Xmm, __m128i, maddubs _mm_maddubs_epi16);

isa!(Avx2, "AVX2", "avx2", is_x86_feature_detected: "avx2");
dot!(Avx2, Ymm, __m256i, maddubs _mm256_maddubs_epi16);

isa!(AvxVnni, "AVX-VNNI", "avx2,avxvnni", is_x86_feature_detected: "avx2", "avxvnni");
dot!(AvxVnni, Ymm, __m256i, half AvxVnni = |isa| isa, dpbusd _mm256_dpbusd_avx_epi32);

isa!(
    Avx512, "AVX-512 VNNI", "avx2,avx512f,avx512bw,avx512vl,avx512vnni",
    is_x86_feature_detected: "avx2", "avx512f", "avx512bw", "avx512vl", "avx512vnni"
);
dot!(Avx512, Zmm, __m512i, half Avx512Half = |isa| Avx512Half(isa), dpbusd _mm512_dpbusd_epi32);

/// AVX-512 with 256-bit registers.
#[derive(Clone, Copy)]
pub struct Avx512Half(Avx512);
dot!(Avx512Half, Ymm, __m256i, half Avx512Half = |isa| isa, dpbusd _mm256_dpbusd_epi32);
