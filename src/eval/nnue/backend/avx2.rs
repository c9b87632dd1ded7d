//! AVX2: eight sums in a register.

use super::level::level;
use super::registers::{Dot, Registers};
use super::x86::Ymm;
use std::arch::x86_64::*;

level!(Avx2, "AVX2", "avx2", is_x86_feature_detected: "avx2");

impl Dot for Avx2 {
    type Registers = Ymm;
    type Half = Avx2;

    const JOINS: bool = true;

    #[inline(always)]
    fn registers(self) -> Ymm {
        // SAFETY: `self` proves that the CPU has what is needed.
        unsafe { Ymm::new() }
    }

    #[inline(always)]
    fn half(self) -> Avx2 {
        self
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        sums: __m256i,
        steps: [__m256i; STEPS],
        weights: [__m256i; STEPS],
    ) -> __m256i {
        let mut products = self.registers().zero();
        // SAFETY: `self` proves that the CPU has these.
        unsafe {
            for (step, weights) in steps.into_iter().zip(weights) {
                products = _mm256_add_epi16(products, _mm256_maddubs_epi16(step, weights));
            }
            _mm256_add_epi32(sums, _mm256_madd_epi16(products, _mm256_set1_epi16(1)))
        }
    }
}
