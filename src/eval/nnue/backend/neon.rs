//! NEON: four sums in a register, with and without instructions for products of bytes.

use super::level::level;
use super::registers::{Dot, Registers, first, first_mut};
use std::arch::aarch64::*;
use std::arch::asm;

/// Proof that the CPU has NEON, with registers of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Q(());

impl Q {
    /// # Safety
    /// The CPU must have NEON.
    #[inline(always)]
    pub unsafe fn new() -> Q {
        Q(())
    }
}

impl Registers for Q {
    type Register = int32x4_t;

    const SUMS: usize = 4;

    #[inline(always)]
    fn zero(self) -> int32x4_t {
        // SAFETY: `self` proves that the CPU has NEON; so everywhere below.
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    fn load(self, sums: &[i32]) -> int32x4_t {
        let sums: &[i32; 4] = first(sums);
        // SAFETY: a load of four sums.
        unsafe { vld1q_s32(sums.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, sums: int32x4_t, out: &mut [i32]) {
        let out: &mut [i32; 4] = first_mut(out);
        // SAFETY: a store of four sums.
        unsafe { vst1q_s32(out.as_mut_ptr(), sums) }
    }

    #[inline(always)]
    fn add(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vaddq_s32(a, b) }
    }

    #[inline(always)]
    fn weights(self, weights: &[u8]) -> int32x4_t {
        let weights: &[u8; 16] = first(weights);
        // SAFETY: a load of sixteen bytes.
        unsafe { vreinterpretq_s32_u8(vld1q_u8(weights.as_ptr())) }
    }

    #[inline(always)]
    fn splat(self, step: [u8; 4]) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vdupq_n_s32(i32::from_ne_bytes(step)) }
    }
}

level!(Neon, "NEON", "neon", is_aarch64_feature_detected: "neon");

impl Dot for Neon {
    type Registers = Q;
    type Half = Neon;

    const JOINS: bool = true;

    #[inline(always)]
    fn registers(self) -> Q {
        // SAFETY: `self` proves that the CPU has NEON.
        unsafe { Q::new() }
    }

    #[inline(always)]
    fn half(self) -> Neon {
        self
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        sums: int32x4_t,
        steps: [int32x4_t; STEPS],
        weights: [int32x4_t; STEPS],
    ) -> int32x4_t {
        // SAFETY: `self` proves that the CPU has these.
        unsafe {
            let mut products = vdupq_n_s16(0);
            for (step, weights) in steps.into_iter().zip(weights) {
                // Activations of at most 127 are signed bytes as well.
                let step = vreinterpretq_s8_s32(step);
                let weights = vreinterpretq_s8_s32(weights);
                let low = vmull_s8(vget_low_s8(step), vget_low_s8(weights));
                let high = vmull_high_s8(step, weights);
                products = vaddq_s16(products, vpaddq_s16(low, high));
            }
            vpadalq_s16(sums, products)
        }
    }
}

level!(NeonDot, "NEON dot product", "neon,dotprod", is_aarch64_feature_detected: "neon", "dotprod");

impl Dot for NeonDot {
    type Registers = Q;
    type Half = NeonDot;

    const JOINS: bool = false;

    #[inline(always)]
    fn registers(self) -> Q {
        // SAFETY: `self` proves that the CPU has NEON.
        unsafe { Q::new() }
    }

    #[inline(always)]
    fn half(self) -> NeonDot {
        self
    }

    #[inline(always)]
    fn dot<const STEPS: usize>(
        self,
        mut sums: int32x4_t,
        steps: [int32x4_t; STEPS],
        weights: [int32x4_t; STEPS],
    ) -> int32x4_t {
        for (step, weights) in steps.into_iter().zip(weights) {
            // Activations of at most 127 are signed bytes as well. There is no stable intrinsic.
            // SAFETY: `self` proves that the CPU has this instruction, which works on registers.
            unsafe {
                asm!(
                    "sdot {sums:v}.4s, {step:v}.16b, {weights:v}.16b",
                    sums = inout(vreg) sums,
                    step = in(vreg) step,
                    weights = in(vreg) weights,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
        }
        sums
    }
}
