//! SSSE3, which CPUs without AVX2 have: four sums in a register.

use super::level::level;
use super::registers::{Dot, Registers};
use super::x86::Xmm;
use std::arch::x86_64::*;

level!(Ssse3, "SSSE3", "ssse3", is_x86_feature_detected: "ssse3");

impl Dot for Ssse3 {
    type Registers = Xmm;
    type Half = Ssse3;

    const JOINS: bool = true;

    #[inline(always)]
    fn registers(self) -> Xmm {
        // SAFETY: `self` proves that the CPU has what is needed.
        unsafe { Xmm::new() }
    }

    #[inline(always)]
    fn half(self) -> Ssse3 {
        self
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        sums: __m128i,
        steps: [__m128i; STEPS],
        weights: [__m128i; STEPS],
    ) -> __m128i {
        let mut products = self.registers().zero();
        // SAFETY: `self` proves that the CPU has these.
        unsafe {
            for (step, weights) in steps.into_iter().zip(weights) {
                products = _mm_add_epi16(products, _mm_maddubs_epi16(step, weights));
            }
            _mm_add_epi32(sums, _mm_madd_epi16(products, _mm_set1_epi16(1)))
        }
    }
}
