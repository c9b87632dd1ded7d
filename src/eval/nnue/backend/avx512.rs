//! AVX-512 with VNNI: sixteen sums in a register.

use super::level::level;
use super::registers::Dot;
use super::x86::{Ymm, Zmm};
use std::arch::x86_64::*;

level!(Avx512, "AVX-512 VNNI", "avx2,avx512f,avx512bw,avx512vl,avx512vnni", is_x86_feature_detected: "avx2", "avx512f", "avx512bw", "avx512vl", "avx512vnni");

impl Dot for Avx512 {
    type Registers = Zmm;
    type Half = Half;

    const JOINS: bool = false;

    #[inline(always)]
    fn registers(self) -> Zmm {
        // SAFETY: `self` proves that the CPU has what is needed.
        unsafe { Zmm::new() }
    }

    #[inline(always)]
    fn half(self) -> Half {
        Half(self)
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        mut sums: __m512i,
        steps: [__m512i; STEPS],
        weights: [__m512i; STEPS],
    ) -> __m512i {
        for (step, weights) in steps.into_iter().zip(weights) {
            // SAFETY: `self` proves that the CPU has this.
            sums = unsafe { _mm512_dpbusd_epi32(sums, step, weights) };
        }
        sums
    }
}

/// The same with eight sums in a register.
#[derive(Clone, Copy)]
pub(super) struct Half(Avx512);

impl Dot for Half {
    type Registers = Ymm;
    type Half = Half;

    const JOINS: bool = false;

    #[inline(always)]
    fn registers(self) -> Ymm {
        // SAFETY: `self` proves that the CPU has what is needed.
        unsafe { Ymm::new() }
    }

    #[inline(always)]
    fn half(self) -> Half {
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
            sums = unsafe { _mm256_dpbusd_epi32(sums, step, weights) };
        }
        sums
    }
}
