//! The kernels of a network for several instruction sets, selected at run time.
//!
//! [`scalar`] is the specification; all backends give bit-identical results. They share the loops of
//! [`scalar`] where compilers vectorise well, and elsewhere the loops of [`loops`], generic over
//! [`registers`]. An instruction set defines its dot product and gets its entry points from [`isa`]. Only
//! `detect` constructs a backend, so its existence proves that the CPU can run it.

mod isa;
mod loops;
#[cfg(target_arch = "aarch64")]
mod neon;
mod registers;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::layers::{Affine, Block, Bytes, FeatureTransformer, Weights};
use super::view::Update;
use crate::memory::{Plain, Zeroable};
use once_cell::sync::Lazy;

/// The kernels of an evaluation; the defaults are those of [`scalar`].
pub trait Backend: Sync {
    /// The name of the instruction set.
    fn name(&self) -> &'static str;

    /// Computes the accumulator `out` from `from`: adds the weights of added features and subtracts
    /// those of removed ones, wrapping.
    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &FeatureTransformer,
        update: Update,
    ) {
        scalar::accumulate(out, from, transformer, update);
    }

    /// CReLU: clamps an accumulator to 0..=127.
    fn crelu(&self, sums: &[Block], out: &mut [Bytes]) {
        scalar::crelu(sums, out);
    }

    /// Pairwise multiplication of two parts of an accumulator: both clamped to 0..=`limit`, their product
    /// divided by 512. `limit` is at most 255.
    fn pairwise(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
        scalar::pairwise(left, right, limit, out);
    }

    /// The outputs of a dense layer, for activations of 0 to 127. `out` may be longer than the outputs.
    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
        scalar::affine(layer, input, out);
    }

    /// [`Backend::affine`] for sparse inputs: skips chunks of four zero inputs. `nonzero` is scratch memory
    /// for the indices of the other chunks, with eight elements more than there are chunks.
    fn affine_sparse(&self, layer: &Affine, input: &[Bytes], nonzero: &mut [u16], out: &mut [i32]) {
        let _ = nonzero;
        scalar::affine(layer, input, out);
    }

    /// ClippedReLU of a hidden layer: sums divided by 64, clamped to 0..=127. Leaves the padding of `out`
    /// alone, which has to be zero.
    fn relu(&self, sums: &[i32], out: &mut [Bytes]) {
        scalar::relu(sums, out);
    }

    /// SqrClippedReLU (squares divided by 2^19, at most 127), then the ClippedReLU of [`Backend::relu`], of
    /// the same hidden layer. The number of sums is a multiple of eight. Leaves the padding of `out` alone,
    /// which has to be zero.
    fn sqr_relu_and_relu(&self, sums: &[i32], out: &mut [Bytes]) {
        scalar::sqr_relu_and_relu(sums, out);
    }

    /// The dot product of SCReLU activations (an accumulator clamped to 0..=255 and squared) and weights of
    /// magnitude at most 127.
    fn screlu_dot(&self, sums: &[Block], weights: &[Block]) -> i32 {
        scalar::screlu_dot(sums, weights)
    }
}

// SAFETY: an array of integers that fills its alignment has no padding, and any bits are valid integers.
unsafe impl Zeroable for Block {}
// SAFETY: as for `Zeroable`.
unsafe impl Plain for Block {}
// SAFETY: as for `Block`.
unsafe impl Zeroable for Bytes {}
// SAFETY: as for `Block`.
unsafe impl Plain for Bytes {}
// SAFETY: as for `Block`.
unsafe impl Zeroable for Weights {}
// SAFETY: as for `Block`.
unsafe impl Plain for Weights {}

/// Every backend this CPU can run, the fastest first.
pub fn available() -> Vec<&'static dyn Backend> {
    let mut backends: Vec<&'static dyn Backend> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        backends.extend(x86::Avx512::detect());
        backends.extend(x86::AvxVnni::detect());
        backends.extend(x86::Avx2::detect());
        backends.extend(x86::Ssse3::detect());
    }
    #[cfg(target_arch = "aarch64")]
    {
        backends.extend(neon::NeonDot::detect());
        backends.extend(neon::Neon::detect());
    }
    backends.push(&scalar::Scalar);
    backends
}

/// The fastest backend this CPU can run.
pub fn select() -> &'static dyn Backend {
    static BEST: Lazy<&'static dyn Backend> = Lazy::new(|| available()[0]);
    *BEST
}
