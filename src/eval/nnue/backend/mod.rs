//! The arithmetic of a network on every instruction set, chosen when the program runs.
//!
//! [`scalar`] says what the results are; all others give the same bits. They share their loops:
//! those of [`scalar`] where compilers vectorise them well, and those of [`rows`] and [`dense`]
//! over [`registers`] where they do not. An instruction set is a short file that defines its products
//! and stamps out its entry points with [`level`]. A backend can only be had from its `detect`, so
//! that having one proves that the CPU can run it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
mod dense;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod registers;
mod rows;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod ssse3;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::network::{Affine, Block, Bytes, Transformer, Weights};
use super::view::Changes;
use crate::memory::{Plain, Zeroable};
use once_cell::sync::Lazy;

/// The kernels of an evaluation.
pub(super) trait Backend: Sync {
    /// The name of the instruction set.
    fn name(&self) -> &'static str;

    /// Adds the rows of some features to a row and subtracts those of others, wrapping.
    fn accumulate(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        added: &[u32],
        removed: &[u32],
    );

    /// The same for both perspectives' rows, one behind the other, after a move.
    fn advance(
        &self,
        out: &mut [Block],
        from: &[Block],
        transformer: &Transformer,
        changes: &[Changes; 2],
    );

    /// Limits sums of the first layer to 0 to 127.
    fn clip(&self, sums: &[Block], out: &mut [Bytes]);

    /// The products of two rows of sums, both limited to 0 to `limit`, divided by 512. The limit is
    /// at most 255.
    fn product(&self, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]);

    /// The outputs of a dense layer, from activations of at most 127. `out` may be longer.
    fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]);

    /// The same in less time when many of the inputs are zeros. `list` needs room for the number of
    /// each step of four inputs, and eight more.
    fn affine_sparse(&self, layer: &Affine, input: &[Bytes], list: &mut [u16], out: &mut [i32]);

    /// The activations of a hidden layer: sums divided by 64, limited to 0 to 127. What `out`
    /// has beyond the sums stays zero.
    fn activate(&self, sums: &[i32], out: &mut [Bytes]);

    /// Two activations of a hidden layer, one after the other: squares divided by 2^19, limited to
    /// 127, and those of [`Backend::activate`]. The sums are as many as a multiple of eight; what
    /// `out` has beyond twice as many stays zero.
    fn activate_both(&self, sums: &[i32], out: &mut [Bytes]);

    /// The sums of the first layer, limited to 0 to 255 and squared, times weights of at most 127,
    /// added up.
    fn squared(&self, sums: &[Block], weights: &[Block]) -> i32;
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
pub(super) fn available() -> Vec<&'static dyn Backend> {
    let mut backends: Vec<&'static dyn Backend> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        backends.extend(avx512::Avx512::detect());
        backends.extend(avx_vnni::AvxVnni::detect());
        backends.extend(avx2::Avx2::detect());
        backends.extend(ssse3::Ssse3::detect());
    }
    #[cfg(target_arch = "aarch64")]
    {
        backends.extend(neon::NeonDot::detect());
        backends.extend(neon::Neon::detect());
    }
    backends.push(scalar::Scalar::get());
    backends
}

/// The fastest backend.
pub(super) fn select() -> &'static dyn Backend {
    static BEST: Lazy<&'static dyn Backend> = Lazy::new(|| available()[0]);
    *BEST
}
