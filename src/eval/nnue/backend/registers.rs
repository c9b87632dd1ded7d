//! The operations that the generic loops need from an instruction set.
//!
//! Values of these types prove that the CPU has the instructions, so the loops need no unsafe code. All
//! methods have to be `#[inline(always)]`: they compile to single instructions only within the
//! `#[target_feature]` functions of [`isa`](super::isa).

/// Operations on vector registers with 32-bit, 16-bit or 8-bit lanes.
pub trait Registers: Copy {
    /// A vector register.
    type Register: Copy;

    /// Number of 32-bit lanes: 4, 8 or 16.
    const SUMS: usize;

    /// A register of zeros.
    fn zero(self) -> Self::Register;
    /// Loads 32-bit integers.
    fn load(self, sums: &[i32]) -> Self::Register;
    /// Stores 32-bit integers.
    fn store(self, sums: Self::Register, out: &mut [i32]);
    /// Loads bytes, or 16-bit integers in native byte order.
    fn load_bytes(self, bytes: &[u8]) -> Self::Register;
    /// Stores bytes, or 16-bit integers in native byte order.
    fn store_bytes(self, bytes: Self::Register, out: &mut [u8]);
    /// Broadcasts four bytes to every 32-bit lane.
    fn splat(self, chunk: [u8; 4]) -> Self::Register;
    /// Broadcasts a 16-bit integer.
    fn splat_16(self, number: i16) -> Self::Register;
    /// Adds 32-bit lanes, wrapping.
    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Adds 16-bit lanes, wrapping.
    fn add_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Subtracts 16-bit lanes, wrapping.
    fn sub_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Minimum of signed 16-bit lanes.
    fn min_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Maximum of signed 16-bit lanes.
    fn max_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Multiplies 16-bit lanes, wrapping.
    fn mul_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Multiplies signed 16-bit lanes and divides by 512, rounding down. `a` is within 0..=255.
    fn mul_512th(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Multiplies signed 16-bit lanes and adds the products to `sums`, two per 32-bit lane.
    fn multiply_add_16(
        self,
        sums: Self::Register,
        a: Self::Register,
        b: Self::Register,
    ) -> Self::Register;
    /// Saturates signed 16-bit lanes to unsigned bytes: those of `a`, then those of `b`.
    fn pack(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// A bit mask of which of the first [`Registers::SUMS`] chunks are not zero. Their bytes are at most
    /// 127.
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32;
}

/// The dot product of activations and weights, in which instruction sets with the same registers differ.
pub trait Dot: Copy {
    /// The registers of this instruction set.
    type Registers: Registers;
    /// The instruction set with half as many lanes for layers that do not fill a register; `Self` where
    /// there is none.
    type Half: Dot;

    /// Whether products are 16-bit lanes, so that those of several chunks are best added before they are
    /// widened to 32 bits.
    const CHAINS: bool;

    /// The registers of this instruction set.
    fn registers(self) -> Self::Registers;
    /// See [`Dot::Half`].
    fn half(self) -> Self::Half;
    /// Adds the dot products of four activations (at most 127) and four weights to each sum, for every
    /// chunk. With [`Dot::CHAINS`], the products of the first two bytes of all chunks must add up to 16
    /// bits, and so must those of the last two.
    fn dot<const CHUNKS: usize>(
        self,
        sums: Register<Self>,
        inputs: [Register<Self>; CHUNKS],
        weights: [Register<Self>; CHUNKS],
    ) -> Register<Self>;
}

/// The vector register of an instruction set.
pub type Register<D> = <<D as Dot>::Registers as Registers>::Register;

/// The first `N` elements of a slice that has as many.
#[inline(always)]
pub fn first<T, const N: usize>(numbers: &[T]) -> &[T; N] {
    numbers.first_chunk().expect("enough to fill a register")
}

/// The first `N` elements of a slice that has as many, to be written.
#[inline(always)]
pub fn first_mut<T, const N: usize>(numbers: &mut [T]) -> &mut [T; N] {
    numbers
        .first_chunk_mut()
        .expect("enough to fill a register")
}
