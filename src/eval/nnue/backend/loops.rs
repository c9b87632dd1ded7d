//! The loops of all instruction sets, over the operations of [`super::registers`].
//!
//! Accumulators are updated in pieces that stay in registers until all features have been added.
//!
//! All sums of a tile of a dense layer stay in registers. A chunk of four activations is multiplied with
//! the weights of each output, and the four products are added to the output's sum. Where the products
//! are 16-bit numbers first, as many chunks as cannot overflow are added up before they become sums;
//! where one instruction does it all, several sets of sums take turns, as each addition waits for the
//! last. Where many activations are zeros, the chunks that are not all zeros are listed first, and only
//! these are multiplied.
//!
//! No closures around operations: they would not have the instructions.
#![forbid(unsafe_code)]

use super::registers::{Dot, Register, Registers, first_mut};
use crate::eval::nnue::layers::{Affine, Block, Bytes, FeatureTransformer, Tile};
use crate::eval::nnue::view::Update;
use crate::memory::{bytes_of, bytes_of_mut};

/// See [`Backend::accumulate`](super::Backend::accumulate).
#[inline(always)]
pub fn accumulate<D: Dot>(
    isa: D,
    out: &mut [Block],
    from: &[Block],
    transformer: &FeatureTransformer,
    updates: &[Update],
) {
    /// Registers of a piece.
    const PIECE: usize = 8;
    let blocks = transformer.blocks();
    let register = 4 * D::Registers::SUMS;
    let accumulators = out.chunks_exact_mut(blocks).zip(from.chunks_exact(blocks));
    for ((out, from), &update) in accumulators.zip(updates) {
        let (out, from) = (bytes_of_mut(out), bytes_of(from));
        let whole = out.len() - out.len() % (PIECE * register);
        let (pieces, rest) = out.split_at_mut(whole);
        for (i, out) in pieces.chunks_exact_mut(PIECE * register).enumerate() {
            let at = PIECE * register * i;
            piece::<_, PIECE>(isa.registers(), out, from, transformer, update, at);
        }
        for (i, out) in rest.chunks_exact_mut(register).enumerate() {
            let at = whole + register * i;
            piece::<_, 1>(isa.registers(), out, from, transformer, update, at);
        }
    }
}

/// The piece of an accumulator that starts at a byte and fills `N` registers.
#[inline(always)]
fn piece<R: Registers, const N: usize>(
    r: R,
    out: &mut [u8],
    from: &[u8],
    transformer: &FeatureTransformer,
    update: Update,
    at: usize,
) {
    let register = 4 * R::SUMS;
    let mut sums = [r.zero(); N];
    let from = &from[at..][..N * register];
    for (sum, from) in sums.iter_mut().zip(from.chunks_exact(register)) {
        *sum = r.load_bytes(from);
    }
    for &feature in update.added {
        let row = &bytes_of(transformer.row(feature))[at..][..N * register];
        for (sum, row) in sums.iter_mut().zip(row.chunks_exact(register)) {
            *sum = r.add_16(*sum, r.load_bytes(row));
        }
    }
    for &feature in update.removed {
        let row = &bytes_of(transformer.row(feature))[at..][..N * register];
        for (sum, row) in sums.iter_mut().zip(row.chunks_exact(register)) {
            *sum = r.sub_16(*sum, r.load_bytes(row));
        }
    }
    for (sum, out) in sums.into_iter().zip(out.chunks_exact_mut(register)) {
        r.store_bytes(sum, out);
    }
}

/// See [`Backend::pairwise`](super::Backend::pairwise).
#[inline(always)]
pub fn pairwise<D: Dot>(isa: D, left: &[Block], right: &[Block], limit: i16, out: &mut [Bytes]) {
    let (left, right, out) = (bytes_of(left), bytes_of(right), bytes_of_mut(out));
    let whole = out.len() - out.len() % (4 * D::Registers::SUMS);
    let (first, last) = out.split_at_mut(whole);
    products(isa.registers(), left, right, limit, first);
    // Half a register may be left.
    let (left, right) = (&left[2 * whole..], &right[2 * whole..]);
    products(isa.half().registers(), left, right, limit, last);
}

/// The products of numbers of two bytes, for as many as fill whole registers.
#[inline(always)]
fn products<R: Registers>(r: R, left: &[u8], right: &[u8], limit: i16, out: &mut [u8]) {
    let register = 4 * R::SUMS;
    let (limit, zero) = (r.splat_16(limit), r.zero());
    let left = left.chunks_exact(2 * register);
    let right = right.chunks_exact(2 * register);
    for ((left, right), out) in left.zip(right).zip(out.chunks_exact_mut(register)) {
        let mut products = [zero; 2];
        for (i, product) in products.iter_mut().enumerate() {
            let left = r.min_16(r.load_bytes(&left[register * i..]), limit);
            // A product that is negative is packed as zero.
            let right = r.min_16(r.load_bytes(&right[register * i..]), limit);
            *product = r.mul_512th(r.max_16(left, zero), right);
        }
        let [first, second] = products;
        r.store_bytes(r.pack(first, second), out);
    }
}

/// See [`Backend::screlu_dot`](super::Backend::screlu_dot).
#[inline(always)]
pub fn screlu_dot<D: Dot>(isa: D, sums: &[Block], weights: &[Block]) -> i32 {
    /// Registers of totals that take turns, as each addition waits for the last.
    const TURNS: usize = 4;
    let r = isa.registers();
    let register = 4 * D::Registers::SUMS;
    let mut totals = [r.zero(); TURNS];
    let (sums, weights) = (bytes_of(sums), bytes_of(weights));
    let whole = sums.len() - sums.len() % (TURNS * register);
    for at in (0..whole).step_by(TURNS * register) {
        for (turn, total) in totals.iter_mut().enumerate() {
            let at = at + turn * register;
            *total = screlu(r, *total, &sums[at..], &weights[at..]);
        }
    }
    let [mut total, others @ ..] = totals;
    for at in (whole..sums.len()).step_by(register) {
        total = screlu(r, total, &sums[at..], &weights[at..]);
    }
    for other in others {
        total = r.add(total, other);
    }
    let mut lanes = [0; 16];
    r.store(total, &mut lanes);
    lanes.iter().fold(0, |sum, &lane| sum.wrapping_add(lane))
}

/// Adds the products of a register of squares and weights to the totals.
#[inline(always)]
fn screlu<R: Registers>(r: R, total: R::Register, sums: &[u8], weights: &[u8]) -> R::Register {
    let limited = r.min_16(r.load_bytes(sums), r.splat_16(255));
    let limited = r.max_16(limited, r.zero());
    r.multiply_add_16(total, r.mul_16(limited, r.load_bytes(weights)), limited)
}

/// See [`Backend::affine`](super::Backend::affine).
#[inline(always)]
pub fn affine<D: Dot>(isa: D, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        let part = Part {
            tile,
            biases,
            input,
            nonzero: None,
        };
        part.propagate(isa, out);
    }
}

/// See [`Backend::affine_sparse`](super::Backend::affine_sparse).
#[inline(always)]
pub fn affine_sparse<D: Dot>(
    isa: D,
    layer: &Affine,
    input: &[Bytes],
    nonzero: &mut [u16],
    out: &mut [i32],
) {
    let count = list_nonzero(isa.half().registers(), input, nonzero);
    for (tile, biases, out) in layer.tiles(out) {
        let part = Part {
            tile,
            biases,
            input,
            nonzero: Some(&nonzero[..count]),
        };
        part.propagate(isa, out);
    }
}

/// The indices of the bits that are set, for each byte, first of all.
static BITS: [[u16; 8]; 256] = {
    let mut bits = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                bits[byte][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    bits
};

/// Lists the chunks that are not all zeros; returns how many there are. The registers have four or eight
/// sums.
#[inline(always)]
fn list_nonzero<R: Registers>(r: R, input: &[Bytes], list: &mut [u16]) -> usize {
    let mut count = 0;
    let (chunks, _) = bytes_of(input).as_chunks::<4>();
    for (group, chunks) in chunks.as_chunks::<8>().0.iter().enumerate() {
        let bits = match R::SUMS {
            4 => r.nonzero(chunks) | r.nonzero(&chunks[4..]) << 4,
            _ => r.nonzero(chunks),
        };
        let room: &mut [u16; 8] = first_mut(&mut list[count..]);
        *room = BITS[bits as usize & 0xFF].map(|bit| 8 * group as u16 + bit);
        count += bits.count_ones() as usize;
    }
    count
}

/// A tile and what goes into it.
#[derive(Clone, Copy)]
struct Part<'a> {
    tile: &'a Tile,
    biases: &'a [i32],
    input: &'a [Bytes],
    /// The chunks to take, unless all.
    nonzero: Option<&'a [u16]>,
}

impl Part<'_> {
    /// The sums of the tile, in as many registers as it takes.
    #[inline(always)]
    fn propagate<D: Dot>(self, isa: D, out: &mut [i32]) {
        let half = isa.half();
        match (D::Registers::SUMS, self.tile.groups) {
            (4, 1) => self.chain::<D, 2>(isa, out),
            (4, 2) => self.chain::<D, 4>(isa, out),
            (4, 3) => self.chain::<D, 6>(isa, out),
            (4, _) => self.chain::<D, 8>(isa, out),
            (8, 1) => self.chain::<D, 1>(isa, out),
            (8, 2) => self.chain::<D, 2>(isa, out),
            (8, 3) => self.chain::<D, 3>(isa, out),
            (8, _) => self.chain::<D, 4>(isa, out),
            (_, 1) => self.chain::<D::Half, 1>(half, out),
            (_, 2) => self.chain::<D, 1>(isa, out),
            (_, 3) => self.chain::<D::Half, 3>(half, out),
            (_, _) => self.chain::<D, 2>(isa, out),
        }
    }

    /// The sums of the tile, which fill so many registers.
    #[inline(always)]
    fn chain<D: Dot, const REGISTERS: usize>(self, isa: D, out: &mut [i32]) {
        let max_chained_adds = match self.nonzero {
            Some(_) => self.tile.max_sparse_chained_adds,
            None => self.tile.max_chained_adds,
        };
        match max_chained_adds {
            _ if !D::CHAINS => self.sum::<D, REGISTERS, 4, 1>(isa, out),
            // There have to be registers left for the inputs.
            8.. if REGISTERS <= 4 => self.sum::<D, REGISTERS, 1, 8>(isa, out),
            4.. => self.sum::<D, REGISTERS, 1, 4>(isa, out),
            2.. => self.sum::<D, REGISTERS, 1, 2>(isa, out),
            _ => self.sum::<D, REGISTERS, 1, 1>(isa, out),
        }
    }

    /// The sums of the tile, with `TURNS` sets of sums that take `CHUNKS` chunks each in turn.
    #[inline(always)]
    fn sum<D: Dot, const REGISTERS: usize, const TURNS: usize, const CHUNKS: usize>(
        self,
        isa: D,
        out: &mut [i32],
    ) {
        let r = isa.registers();
        let register = D::Registers::SUMS;
        let mut sums = [[r.zero(); REGISTERS]; TURNS];
        let biases = &self.biases[..register * REGISTERS];
        sums[0] = std::array::from_fn(|j| r.load(&biases[register * j..]));
        let (chunks, _) = bytes_of(self.input).as_chunks::<4>();
        // Bytes of the weights of a chunk.
        let row = 4 * register * REGISTERS;
        let weights = self.tile.weights();
        match self.nonzero {
            None => {
                let chunks = chunks.chunks_exact(TURNS * CHUNKS);
                let weights = weights.chunks_exact(row * TURNS * CHUNKS);
                for (chunks, weights) in chunks.zip(weights) {
                    let weights = |i: usize| &weights[row * i..][..row];
                    add::<D, REGISTERS, TURNS, CHUNKS>(isa, &mut sums, |i| chunks[i], weights);
                }
            }
            Some(nonzero) => {
                let at = |chunk: u16| &weights[row * usize::from(chunk)..][..row];
                let groups = nonzero.chunks_exact(TURNS * CHUNKS);
                let rest = groups.remainder();
                for group in groups {
                    let chunk = |i: usize| chunks[usize::from(group[i])];
                    let weights = |i: usize| at(group[i]);
                    add::<D, REGISTERS, TURNS, CHUNKS>(isa, &mut sums, chunk, weights);
                }
                for &index in rest {
                    let chunk = |_| chunks[usize::from(index)];
                    let sums = sums.first_chunk_mut().expect("a set of sums");
                    add::<D, REGISTERS, 1, 1>(isa, sums, chunk, |_| at(index));
                }
            }
        }
        let out = &mut out[..register * REGISTERS];
        for j in 0..REGISTERS {
            let mut sum = sums[0][j];
            for sums in &sums[1..] {
                sum = r.add(sum, sums[j]);
            }
            r.store(sum, &mut out[register * j..]);
        }
    }
}

/// Adds the products of `TURNS` times `CHUNKS` chunks and their weights, by index, to the sums.
#[inline(always)]
fn add<'a, D: Dot, const REGISTERS: usize, const TURNS: usize, const CHUNKS: usize>(
    isa: D,
    sums: &mut [[Register<D>; REGISTERS]; TURNS],
    chunk: impl Fn(usize) -> [u8; 4],
    weights: impl Fn(usize) -> &'a [u8],
) {
    let r = isa.registers();
    for (turn, sums) in sums.iter_mut().enumerate() {
        let first = turn * CHUNKS;
        // Loops, as the closures of long arrays do not become part of the entry point.
        let mut inputs = [r.zero(); CHUNKS];
        for (i, input) in inputs.iter_mut().enumerate() {
            *input = r.splat(chunk(first + i));
        }
        for (j, sum) in sums.iter_mut().enumerate() {
            let mut products = [r.zero(); CHUNKS];
            for (i, product) in products.iter_mut().enumerate() {
                *product = r.load_bytes(&weights(first + i)[4 * D::Registers::SUMS * j..]);
            }
            *sum = isa.dot(*sum, inputs, products);
        }
    }
}
