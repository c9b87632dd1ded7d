//! What the loops of a dense layer ask of an instruction set.
//!
//! Values of these types prove that the CPU has the instructions, so that the loops are safe. All
//! methods have to be `#[inline(always)]`: only within the entry points that
//! [`level`](super::level) defines do they come to be single instructions.

/// The usual operations on registers of 32-bit sums.
pub(super) trait Registers: Copy {
    /// A register: [`Registers::SUMS`] sums, or four bytes for each of them.
    type Register: Copy;

    /// Sums in a register: 4, 8 or 16.
    const SUMS: usize;

    /// All zeros.
    fn zero(self) -> Self::Register;
    /// Loads sums.
    fn load(self, sums: &[i32]) -> Self::Register;
    /// Stores sums.
    fn store(self, sums: Self::Register, out: &mut [i32]);
    /// Adds up sums.
    fn add(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Loads four weights for each sum.
    fn weights(self, weights: &[u8]) -> Self::Register;
    /// The same four activations for each sum.
    fn splat(self, step: [u8; 4]) -> Self::Register;
    /// Adds up numbers of 16 bits, wrapping.
    fn add_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Subtracts numbers of 16 bits, wrapping.
    fn sub_16(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// Products of numbers of 16 bits, limited to 0 to `limit`, which is at most 255, divided by
    /// 512: those of the first registers, then those of the second ones.
    fn products(
        self,
        left: [Self::Register; 2],
        right: [Self::Register; 2],
        limit: i16,
    ) -> Self::Register;
    /// Adds to each sum two products of squares of numbers of 16 bits, limited to 0 to 255, and
    /// weights of at most 127.
    fn squares(
        self,
        sums: Self::Register,
        numbers: Self::Register,
        weights: Self::Register,
    ) -> Self::Register;
    /// Stores bytes.
    fn store_bytes(self, bytes: Self::Register, out: &mut [u8]);
    /// Which of the next [`Registers::SUMS`] steps are not all zeros, one bit for each. Activations
    /// are at most 127.
    fn nonzero(self, steps: &[[u8; 4]]) -> u32;
}

/// What the instruction sets differ in: products of activations and weights.
pub(super) trait Dot: Copy {
    /// The registers.
    type Registers: Registers;
    /// The same for half as many sums, where there is such a thing.
    type Half: Dot;

    /// Whether the products of several steps are best added up before they become sums.
    const JOINS: bool;

    /// The registers.
    fn registers(self) -> Self::Registers;
    /// The same for half as many sums.
    fn half(self) -> Self::Half;
    /// Adds to each sum four products for every step, of activations of at most 127 and weights.
    /// The products of the first two bytes of all steps must fit in 16 bits together, and so those
    /// of the others.
    fn dot<const STEPS: usize>(
        self,
        sums: Register<Self>,
        steps: [Register<Self>; STEPS],
        weights: [Register<Self>; STEPS],
    ) -> Register<Self>;
}

/// A register of an instruction set.
pub(super) type Register<D> = <<D as Dot>::Registers as Registers>::Register;

/// The numbers that fill a register, from the start of a slice that has as many.
#[inline(always)]
pub(super) fn first<T, const N: usize>(numbers: &[T]) -> &[T; N] {
    numbers.first_chunk().expect("enough to fill a register")
}

/// The same, to be written to.
#[inline(always)]
pub(super) fn first_mut<T, const N: usize>(numbers: &mut [T]) -> &mut [T; N] {
    numbers
        .first_chunk_mut()
        .expect("enough to fill a register")
}
