//! The loops of all instruction sets, generic over the operations of [`super::registers`].
//!
//! Accumulators are updated in tiles that stay in registers until all features have been added.
//!
//! Of a dense layer, all sums of a tile stay in registers. A chunk of four activations is broadcast and
//! multiplied with the weights of each output. Where the products are 16-bit lanes, those of as many
//! chunks as cannot overflow are added before they are widened to 32 bits. Where one instruction
//! multiplies and accumulates, several sets of sums hide its latency. For sparse inputs, the nonzero
//! chunks are listed first and only these are multiplied.
//!
//! Closures around operations would not be compiled with the target features, so there are none.
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
    update: Update,
) {
    /// Registers of a tile.
    const TILE: usize = 8;
    let register = 4 * D::Registers::SUMS;
    let (out, from) = (bytes_of_mut(out), bytes_of(from));
    let whole = out.len() - out.len() % (TILE * register);
    let (tiles, rest) = out.split_at_mut(whole);
    for (i, out) in tiles.chunks_exact_mut(TILE * register).enumerate() {
        let at = TILE * register * i;
        update_tile::<_, TILE>(isa.registers(), out, from, transformer, update, at);
    }
    for (i, out) in rest.chunks_exact_mut(register).enumerate() {
        let at = whole + register * i;
        update_tile::<_, 1>(isa.registers(), out, from, transformer, update, at);
    }
}

/// Updates the tile of an accumulator that fills `N` registers from byte `at`.
#[inline(always)]
fn update_tile<R: Registers, const N: usize>(
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
    pairwise_whole(isa.registers(), left, right, limit, first);
    // The rest is at most half a register.
    let (left, right) = (&left[2 * whole..], &right[2 * whole..]);
    pairwise_whole(isa.half().registers(), left, right, limit, last);
}

/// [`pairwise`] for the part of `out` that fills whole registers.
#[inline(always)]
fn pairwise_whole<R: Registers>(r: R, left: &[u8], right: &[u8], limit: i16, out: &mut [u8]) {
    let register = 4 * R::SUMS;
    let (limit, zero) = (r.splat_16(limit), r.zero());
    let left = left.chunks_exact(2 * register);
    let right = right.chunks_exact(2 * register);
    for ((left, right), out) in left.zip(right).zip(out.chunks_exact_mut(register)) {
        let mut products = [zero; 2];
        for (i, product) in products.iter_mut().enumerate() {
            let left = r.min_16(r.load_bytes(&left[register * i..]), limit);
            // A negative factor needs no clamping: `pack` saturates the product to zero.
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
    /// Independent totals, to hide the latency of the additions.
    const TOTALS: usize = 4;
    let r = isa.registers();
    let register = 4 * D::Registers::SUMS;
    let mut totals = [r.zero(); TOTALS];
    let (sums, weights) = (bytes_of(sums), bytes_of(weights));
    let whole = sums.len() - sums.len() % (TOTALS * register);
    for at in (0..whole).step_by(TOTALS * register) {
        for (index, total) in totals.iter_mut().enumerate() {
            let at = at + index * register;
            *total = add_screlu(r, *total, &sums[at..], &weights[at..]);
        }
    }
    let [mut total, others @ ..] = totals;
    for at in (whole..sums.len()).step_by(register) {
        total = add_screlu(r, total, &sums[at..], &weights[at..]);
    }
    for other in others {
        total = r.add(total, other);
    }
    let mut lanes = [0; 16];
    r.store(total, &mut lanes);
    lanes.iter().fold(0, |sum, &lane| sum.wrapping_add(lane))
}

/// Adds the products of one register of SCReLU activations and weights to the total.
#[inline(always)]
fn add_screlu<R: Registers>(r: R, total: R::Register, sums: &[u8], weights: &[u8]) -> R::Register {
    let clamped = r.min_16(r.load_bytes(sums), r.splat_16(255));
    let clamped = r.max_16(clamped, r.zero());
    r.multiply_add_16(total, r.mul_16(clamped, r.load_bytes(weights)), clamped)
}

/// See [`Backend::affine`](super::Backend::affine).
#[inline(always)]
pub fn affine<D: Dot>(isa: D, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        let tile_input = TileInput {
            tile,
            biases,
            input,
            nonzero: None,
        };
        tile_input.propagate(isa, out);
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
        let tile_input = TileInput {
            tile,
            biases,
            input,
            nonzero: Some(&nonzero[..count]),
        };
        tile_input.propagate(isa, out);
    }
}

/// For each byte, the indices of its set bits, padded by zeros.
static SET_BITS: [[u16; 8]; 256] = {
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

/// Lists the indices of the nonzero chunks; returns how many there are. The registers have four or eight
/// 32-bit lanes.
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
        *room = SET_BITS[bits as usize & 0xFF].map(|bit| 8 * group as u16 + bit);
        count += bits.count_ones() as usize;
    }
    count
}

/// The arguments of a tile of a dense layer.
#[derive(Clone, Copy)]
struct TileInput<'a> {
    tile: &'a Tile,
    biases: &'a [i32],
    input: &'a [Bytes],
    /// The indices of the chunks to multiply; `None` for all.
    nonzero: Option<&'a [u16]>,
}

impl TileInput<'_> {
    /// Computes the outputs of the tile: selects the number of registers they fill.
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

    /// Selects how many chunks to add in 16 bits, or in turns.
    #[inline(always)]
    fn chain<D: Dot, const REGISTERS: usize>(self, isa: D, out: &mut [i32]) {
        let max_chained_adds = match self.nonzero {
            Some(_) => self.tile.max_sparse_chained_adds,
            None => self.tile.max_chained_adds,
        };
        match max_chained_adds {
            _ if !D::CHAINS => self.sum::<D, REGISTERS, 4, 1>(isa, out),
            // Leave registers for the inputs.
            8.. if REGISTERS <= 4 => self.sum::<D, REGISTERS, 1, 8>(isa, out),
            4.. => self.sum::<D, REGISTERS, 1, 4>(isa, out),
            2.. => self.sum::<D, REGISTERS, 1, 2>(isa, out),
            _ => self.sum::<D, REGISTERS, 1, 1>(isa, out),
        }
    }

    /// Computes the outputs with `TURNS` sets of sums, to each of which `CHUNKS` chunks are added in turn.
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
        // Size of the weights of a chunk in bytes.
        let row = 4 * register * REGISTERS;
        let weights = self.tile.weights();
        match self.nonzero {
            None => {
                let chunks = chunks.chunks_exact(TURNS * CHUNKS);
                let weights = weights.chunks_exact(row * TURNS * CHUNKS);
                for (chunks, weights) in chunks.zip(weights) {
                    let weights = |i: usize| &weights[row * i..][..row];
                    add_chunks::<D, REGISTERS, TURNS, CHUNKS>(
                        isa,
                        &mut sums,
                        |i| chunks[i],
                        weights,
                    );
                }
            }
            Some(nonzero) => {
                let at = |chunk: u16| &weights[row * usize::from(chunk)..][..row];
                let groups = nonzero.chunks_exact(TURNS * CHUNKS);
                let rest = groups.remainder();
                for group in groups {
                    let chunk = |i: usize| chunks[usize::from(group[i])];
                    let weights = |i: usize| at(group[i]);
                    add_chunks::<D, REGISTERS, TURNS, CHUNKS>(isa, &mut sums, chunk, weights);
                }
                for &index in rest {
                    let chunk = |_| chunks[usize::from(index)];
                    let sums = sums.first_chunk_mut().expect("a set of sums");
                    add_chunks::<D, REGISTERS, 1, 1>(isa, sums, chunk, |_| at(index));
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

/// Adds the products of chunks and weights, given by index from 0 to `TURNS * CHUNKS`, to the sums.
#[inline(always)]
fn add_chunks<'a, D: Dot, const REGISTERS: usize, const TURNS: usize, const CHUNKS: usize>(
    isa: D,
    sums: &mut [[Register<D>; REGISTERS]; TURNS],
    chunk: impl Fn(usize) -> [u8; 4],
    weights: impl Fn(usize) -> &'a [u8],
) {
    let r = isa.registers();
    for (turn, sums) in sums.iter_mut().enumerate() {
        let first = turn * CHUNKS;
        // Loops, as closures for `array::from_fn` are not always inlined into the `#[target_feature]`
        // function.
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
