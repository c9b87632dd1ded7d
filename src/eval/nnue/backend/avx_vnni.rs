//! AVX-VNNI, which CPUs without AVX-512 may have: AVX2, and one instruction for products and sums.

use super::level::level;
use super::registers::Dot;
use super::x86::Ymm;
use std::arch::x86_64::*;

level!(AvxVnni, "AVX-VNNI", "avx2,avxvnni", is_x86_feature_detected: "avx2", "avxvnni");

impl Dot for AvxVnni {
    type Registers = Ymm;
    type Half = AvxVnni;

    const JOINS: bool = false;

    #[inline(always)]
    fn registers(self) -> Ymm {
        // SAFETY: `self` proves that the CPU has what is needed.
        unsafe { Ymm::new() }
    }

    #[inline(always)]
    fn half(self) -> AvxVnni {
        self
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        mut sums: __m256i,
        steps: [__m256i; STEPS],
        weights: [__m256i; STEPS],
    ) -> __m256i {
        for (step, weights) in steps.into_iter().zip(weights) {
            // SAFETY: `self` proves that the CPU has this.
            sums = unsafe { _mm256_dpbusd_avx_epi32(sums, step, weights) };
        }
        sums
    }
}
