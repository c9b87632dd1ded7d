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

    #[inline(always)]
    fn add_16(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            vreinterpretq_s32_s16(vaddq_s16(a, b))
        }
    }

    #[inline(always)]
    fn sub_16(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            vreinterpretq_s32_s16(vsubq_s16(a, b))
        }
    }

    #[inline(always)]
    fn products(self, left: [int32x4_t; 2], right: [int32x4_t; 2], limit: i16) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (vdupq_n_s16(0), vdupq_n_s16(limit));
            let product = |left, right| {
                let left = vmaxq_s16(vminq_s16(vreinterpretq_s16_s32(left), limit), zero);
                // A product that is negative is packed as zero.
                let right = vminq_s16(vreinterpretq_s16_s32(right), limit);
                vqdmulhq_s16(vshlq_n_s16::<6>(left), right)
            };
            let low = vqmovun_s16(product(left[0], right[0]));
            let high = vqmovun_s16(product(left[1], right[1]));
            vreinterpretq_s32_u8(vcombine_u8(low, high))
        }
    }

    #[inline(always)]
    fn squares(self, sums: int32x4_t, numbers: int32x4_t, weights: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (vdupq_n_s16(0), vdupq_n_s16(255));
            let numbers = vreinterpretq_s16_s32(numbers);
            let limited = vmaxq_s16(vminq_s16(numbers, limit), zero);
            let products = vmulq_s16(limited, vreinterpretq_s16_s32(weights));
            let low = vmlal_s16(sums, vget_low_s16(products), vget_low_s16(limited));
            vmlal_high_s16(low, products, limited)
        }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: int32x4_t, out: &mut [u8]) {
        let out: &mut [u8; 16] = first_mut(out);
        // SAFETY: a store of sixteen bytes.
        unsafe { vst1q_u8(out.as_mut_ptr(), vreinterpretq_u8_s32(bytes)) }
    }

    #[inline(always)]
    fn nonzero(self, steps: &[[u8; 4]]) -> u32 {
        let steps: &[[u8; 4]; 4] = first(steps);
        let bits = [1, 2, 4, 8];
        // SAFETY: loads of four steps and of four numbers.
        unsafe {
            let steps = vreinterpretq_u32_u8(vld1q_u8(steps.as_flattened().as_ptr()));
            let nonzero = vtstq_u32(steps, steps);
            vaddvq_u32(vandq_u32(nonzero, vld1q_u32(bits.as_ptr())))
        }
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
