//! The arithmetic of a network on every instruction set, chosen when the program runs.
//!
//! [`scalar`] says what the results are; all others give the same bits. They share their loops: those of
//! [`scalar`] where compilers vectorise them well, those of [`loops`] over [`registers`] where they do
//! not. An instruction set defines its products and gets its entry points from [`isa`]. A backend can
//! only be had from its `detect`, so that having one proves that the CPU can run it.

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

/// The kernels of an evaluation, by default those of [`scalar`].
pub trait Backend: Sync {
    /// The name of the instruction set.
    fn name(&self) -> &'static str;

    /// Adds the weights of some features to accumulators and subtracts those of others, wrapping: one
    /// update for each accumulator.
    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &FeatureTransformer,
        updates: &[Update],
    ) {
        scalar::accumulate(out, from, transformer, updates);
    }

    /// CReLU: limits an accumulator to 0 to 127.
    fn crelu(&self, sums: &[Block], out: &mut [Bytes]) {
        scalar::crelu(sums, out);
    }

    /// The products of two parts of an accumulator, both limited to 0 to `limit`, divided by 512. The
    /// limit is at most 255.
    fn pairwise(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
        scalar::pairwise(left, right, limit, out);
    }

    /// The outputs of a dense layer, from activations of at most 127. `out` may be longer.
    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
        scalar::affine(layer, input, out);
    }

    /// [`Backend::affine`] in less time when many of the inputs are zeros. `nonzero` needs room for the
    /// index of each chunk of four inputs, and eight more.
    fn affine_sparse(&self, layer: &Affine, input: &[Bytes], nonzero: &mut [u16], out: &mut [i32]) {
        let _ = nonzero;
        scalar::affine(layer, input, out);
    }

    /// The activations of a hidden layer: sums divided by 64, limited to 0 to 127. What `out` has beyond
    /// the sums stays zero.
    fn relu(&self, sums: &[i32], out: &mut [Bytes]) {
        scalar::relu(sums, out);
    }

    /// Two activations of a hidden layer, one after the other: squares divided by 2^19, limited to 127
    /// (SqrClippedReLU), and those of [`Backend::relu`]. The sums are a multiple of eight; what `out`
    /// has beyond twice as many stays zero.
    fn squares_and_relus(&self, sums: &[i32], out: &mut [Bytes]) {
        scalar::squares_and_relus(sums, out);
    }

    /// SCReLU: an accumulator limited to 0 to 255 and squared, times weights of at most 127, added up.
    fn screlu_dot(&self, sums: &[Block], weights: &[Block]) -> i32 {
        scalar::screlu_dot(sums, weights)
    }
}

// SAFETY: the numbers of a block leave no gaps, and any bits are numbers, zeros too.
unsafe impl Zeroable for Block {}
// SAFETY: as above.
unsafe impl Plain for Block {}
// SAFETY: bytes are bytes.
unsafe impl Zeroable for Bytes {}
// SAFETY: as above.
unsafe impl Plain for Bytes {}
// SAFETY: as above.
unsafe impl Zeroable for Weights {}
// SAFETY: as above.
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

/// The fastest backend.
pub fn select() -> &'static dyn Backend {
    static BEST: Lazy<&'static dyn Backend> = Lazy::new(|| available()[0]);
    *BEST
}
