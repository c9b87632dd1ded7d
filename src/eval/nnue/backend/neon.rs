//! NEON, with and without the dot product extension.

use super::isa::isa;
use super::registers::{Dot, Registers, first, first_mut};
use std::arch::aarch64::*;
use std::arch::asm;

/// Proof that the CPU has NEON, with registers of 128 bits.
#[derive(Clone, Copy)]
pub struct Q(());

/// Methods of [`Q`] on 16-bit lanes.
macro_rules! binary_16 {
    ($($name:ident $intrinsic:ident),+) => {
        $(
            #[inline(always)]
            fn $name(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
                // SAFETY: `self` proves that the CPU has NEON; so everywhere below.
                unsafe {
                    let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
                    vreinterpretq_s32_s16($intrinsic(a, b))
                }
            }
        )+
    };
}

impl Registers for Q {
    type Register = int32x4_t;

    const SUMS: usize = 4;

    binary_16! {
        add_16 vaddq_s16, sub_16 vsubq_s16, min_16 vminq_s16, max_16 vmaxq_s16, mul_16 vmulq_s16
    }

    #[inline(always)]
    fn zero(self) -> int32x4_t {
        // SAFETY: as above.
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
    fn load_bytes(self, bytes: &[u8]) -> int32x4_t {
        let bytes: &[u8; 16] = first(bytes);
        // SAFETY: a load of sixteen bytes.
        unsafe { vreinterpretq_s32_u8(vld1q_u8(bytes.as_ptr())) }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: int32x4_t, out: &mut [u8]) {
        let out: &mut [u8; 16] = first_mut(out);
        // SAFETY: a store of sixteen bytes.
        unsafe { vst1q_u8(out.as_mut_ptr(), vreinterpretq_u8_s32(bytes)) }
    }

    #[inline(always)]
    fn splat(self, chunk: [u8; 4]) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vdupq_n_s32(i32::from_ne_bytes(chunk)) }
    }

    #[inline(always)]
    fn splat_16(self, number: i16) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vreinterpretq_s32_s16(vdupq_n_s16(number)) }
    }

    #[inline(always)]
    fn add(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe { vaddq_s32(a, b) }
    }

    #[inline(always)]
    fn mul_512th(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // `vqdmulhq` doubles the product and divides it by 2^16.
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            vreinterpretq_s32_s16(vqdmulhq_s16(vshlq_n_s16::<6>(a), b))
        }
    }

    #[inline(always)]
    fn multiply_add_16(self, sums: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
            let low = vmlal_s16(sums, vget_low_s16(a), vget_low_s16(b));
            vmlal_high_s16(low, a, b)
        }
    }

    #[inline(always)]
    fn pack(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        // SAFETY: as above.
        unsafe {
            let low = vqmovun_s16(vreinterpretq_s16_s32(a));
            let high = vqmovun_s16(vreinterpretq_s16_s32(b));
            vreinterpretq_s32_u8(vcombine_u8(low, high))
        }
    }

    #[inline(always)]
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32 {
        let chunks: &[[u8; 4]; 4] = first(chunks);
        let bits = [1, 2, 4, 8];
        // SAFETY: loads of four chunks and of four numbers.
        unsafe {
            let chunks = vreinterpretq_u32_u8(vld1q_u8(chunks.as_flattened().as_ptr()));
            let nonzero = vtstq_u32(chunks, chunks);
            vaddvq_u32(vandq_u32(nonzero, vld1q_u32(bits.as_ptr())))
        }
    }
}

/// Implements the dot product of an instruction set with these registers.
macro_rules! dot {
    ($isa:ident, chains $chains:literal, |$sums:ident, $inputs:ident, $weights:ident| $body:block) => {
        impl Dot for $isa {
            type Registers = Q;
            type Half = $isa;

            const CHAINS: bool = $chains;

            #[inline(always)]
            fn registers(self) -> Q {
                Q(())
            }

            #[inline(always)]
            fn half(self) -> $isa {
                self
            }

            #[inline(always)]
            fn dot<const CHUNKS: usize>(
                self,
                $sums: int32x4_t,
                $inputs: [int32x4_t; CHUNKS],
                $weights: [int32x4_t; CHUNKS],
            ) -> int32x4_t {
                // Activations of at most 127 may be treated as signed bytes.
                // SAFETY: `self` proves that the CPU has the instructions, which work on registers.
                unsafe { $body }
            }
        }
    };
}

isa!(Neon, "NEON", "neon", is_aarch64_feature_detected: "neon");
dot!(Neon, chains true, |sums, inputs, weights| {
    let mut products = vdupq_n_s16(0);
    for (input, weights) in inputs.into_iter().zip(weights) {
        let (input, weights) = (vreinterpretq_s8_s32(input), vreinterpretq_s8_s32(weights));
        let low = vmull_s8(vget_low_s8(input), vget_low_s8(weights));
        let high = vmull_high_s8(input, weights);
        products = vaddq_s16(products, vpaddq_s16(low, high));
    }
    vpadalq_s16(sums, products)
});

isa!(NeonDot, "NEON dot product", "neon,dotprod", is_aarch64_feature_detected: "neon", "dotprod");
dot!(NeonDot, chains false, |sums, inputs, weights| {
    let mut sums = sums;
    for (input, weights) in inputs.into_iter().zip(weights) {
        // The intrinsic is not stable yet.
        asm!(
            "sdot {sums:v}.4s, {input:v}.16b, {weights:v}.16b",
            sums = inout(vreg) sums,
            input = in(vreg) input,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
});
