//! What the generic loops ask of an instruction set.
//!
//! Values of these types prove that the CPU has the instructions, so that the loops are safe. All methods
//! have to be `#[inline(always)]`: only within the entry points that [`isa`](super::isa) defines do they
//! come to be single instructions.

/// Operations on registers of 32-bit sums, 16-bit numbers or bytes.
pub trait Registers: Copy {
    /// A register.
    type Register: Copy;

    /// 32-bit sums in a register: 4, 8 or 16.
    const SUMS: usize;

    /// All zeros.
    fn zero(self) -> Self::Register;
    /// Loads 32-bit sums.
    fn load(self, sums: &[i32]) -> Self::Register;
    /// Stores 32-bit sums.
    fn store(self, sums: Self::Register, out: &mut [i32]);
    /// Loads bytes, or 16-bit numbers.
    fn load_bytes(self, bytes: &[u8]) -> Self::Register;
    /// Stores bytes, or 16-bit numbers.
    fn store_bytes(self, bytes: Self::Register, out: &mut [u8]);
    /// The same four bytes for each sum.
    fn splat(self, chunk: [u8; 4]) -> Self::Register;
    /// The same 16-bit number everywhere.
    fn splat_16(self, number: i16) -> Self::Register;
    /// Adds 32-bit sums, wrapping.
    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Adds 16-bit numbers, wrapping.
    fn add_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Subtracts 16-bit numbers, wrapping.
    fn sub_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The lesser ones of 16-bit numbers.
    fn min_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The greater ones of 16-bit numbers.
    fn max_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Products of 16-bit numbers, wrapping.
    fn mul_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Products of 16-bit numbers, the first ones from 0 to 255, divided by 512.
    fn mul_512th(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Adds to each 32-bit sum the products of two 16-bit numbers.
    fn multiply_add_16(
        self,
        sums: Self::Register,
        a: Self::Register,
        b: Self::Register,
    ) -> Self::Register;
    /// Limits 16-bit numbers to bytes: those of `a`, then those of `b`.
    fn pack(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Which of the next [`Registers::SUMS`] chunks are not all zeros, one bit for each. Their bytes are
    /// at most 127.
    fn nonzero(self, chunks: &[[u8; 4]]) -> u32;
}

/// What instruction sets with the same registers differ in: products of activations and weights.
pub trait Dot: Copy {
    /// The registers.
    type Registers: Registers;
    /// The instruction set with half as many sums in a register, where there is such a thing.
    type Half: Dot;

    /// Whether the products of several chunks are best added up in 16 bits before they become sums.
    const CHAINS: bool;

    /// The registers.
    fn registers(self) -> Self::Registers;
    /// See [`Dot::Half`].
    fn half(self) -> Self::Half;
    /// Adds to each sum four products for every chunk, of activations of at most 127 and weights. The
    /// products of the first two bytes of all chunks must fit in 16 bits together, and so those of the
    /// others.
    fn dot<const CHUNKS: usize>(
        self,
        sums: Register<Self>,
        inputs: [Register<Self>; CHUNKS],
        weights: [Register<Self>; CHUNKS],
    ) -> Register<Self>;
}

/// A register of an instruction set.
pub type Register<D> = <<D as Dot>::Registers as Registers>::Register;

/// The numbers that fill a register, from the start of a slice that has as many.
#[inline(always)]
pub fn first<T, const N: usize>(numbers: &[T]) -> &[T; N] {
    numbers.first_chunk().expect("enough to fill a register")
}

/// The numbers that fill a register, to be written to.
#[inline(always)]
pub fn first_mut<T, const N: usize>(numbers: &mut [T]) -> &mut [T; N] {
    numbers
        .first_chunk_mut()
        .expect("enough to fill a register")
}
