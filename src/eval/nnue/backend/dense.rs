//! The loops of a dense layer, the same for every instruction set.
//!
//! All sums of a tile stay in registers. One step takes four activations, multiplies them with the
//! weights of each output, and adds the four products to the output's sum. Where the products are
//! 16-bit numbers first, as many steps as cannot overflow are joined; where one instruction does
//! it all, several sets of sums take the steps in turn, as each addition waits for the last.
//!
//! Where many activations are zeros, the steps that are not all zeros are listed first, and only
//! these are taken.
#![forbid(unsafe_code)]

use super::registers::{Dot, Register, Registers, first_mut};
use crate::eval::nnue::network::{Affine, Block, Bytes, Tile};
use crate::memory::{bytes_of, bytes_of_mut};

/// Sums of the first layer, limited to 0 to 255 and squared, times weights, added up.
#[inline(always)]
pub(super) fn squared<D: Dot>(level: D, sums: &[Block], weights: &[Block]) -> i32 {
    /// Registers of sums that take turns, as each addition waits for the last.
    const TURNS: usize = 4;
    let r = level.registers();
    let register = 4 * D::Registers::SUMS;
    let mut totals = [r.zero(); TURNS];
    let (numbers, weights) = (bytes_of(sums), bytes_of(weights));
    let whole = numbers.len() - numbers.len() % (TURNS * register);
    // No closures: they would not have the instructions.
    for at in (0..whole).step_by(TURNS * register) {
        for (turn, total) in totals.iter_mut().enumerate() {
            let at = at + turn * register;
            *total = r.squares(*total, r.weights(&numbers[at..]), r.weights(&weights[at..]));
        }
    }
    let [mut total, others @ ..] = totals;
    for at in (whole..numbers.len()).step_by(register) {
        total = r.squares(total, r.weights(&numbers[at..]), r.weights(&weights[at..]));
    }
    for other in others {
        total = r.add(total, other);
    }
    let mut lanes = [0; 16];
    r.store(total, &mut lanes);
    lanes.iter().fold(0, |sum, &lane| sum.wrapping_add(lane))
}

/// The outputs of a dense layer.
#[inline(always)]
pub(super) fn affine<D: Dot>(level: D, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        let part = Part {
            tile,
            biases,
            input,
            list: None,
        };
        part.sum_up(level, out);
    }
}

/// The outputs of a dense layer, without the steps that are all zeros.
#[inline(always)]
pub(super) fn affine_sparse<D: Dot>(
    level: D,
    layer: &Affine,
    input: &[Bytes],
    list: &mut [u16],
    out: &mut [i32],
) {
    let list = nonzero(level, input, list);
    for (tile, biases, out) in layer.tiles(out) {
        let part = Part {
            tile,
            biases,
            input,
            list: Some(list),
        };
        part.sum_up(level, out);
    }
}

/// The numbers of the bits that are set, for each byte, first of all.
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

/// A list of steps in the making.
struct Steps<'a> {
    list: &'a mut [u16],
    count: usize,
    /// Number of the next step.
    base: u16,
}

impl Steps<'_> {
    /// Adds those of the next `steps`, a multiple of eight, whose bit is set.
    #[inline(always)]
    fn add(&mut self, bits: u32, steps: usize) {
        for shift in (0..steps).step_by(8) {
            let byte = (bits >> shift & 0xFF) as usize;
            let room: &mut [u16; 8] = first_mut(&mut self.list[self.count..]);
            *room = BITS[byte].map(|bit| self.base + bit);
            self.count += byte.count_ones() as usize;
            self.base += 8;
        }
    }
}

/// Lists the steps that are not all zeros.
#[inline(always)]
fn nonzero<'a, D: Dot>(level: D, input: &[Bytes], list: &'a mut [u16]) -> &'a [u16] {
    let r = level.registers();
    let (steps, _) = bytes_of(input).as_chunks::<4>();
    let mut nonzero = Steps {
        list,
        count: 0,
        base: 0,
    };
    // There are a multiple of eight.
    let at_once = D::Registers::SUMS.max(8);
    let groups = steps.chunks_exact(at_once);
    let rest = groups.remainder();
    for steps in groups {
        let bits = match D::Registers::SUMS {
            4 => r.nonzero(steps) | r.nonzero(&steps[4..]) << 4,
            _ => r.nonzero(steps),
        };
        nonzero.add(bits, at_once);
    }
    if let Some(rest) = rest.first_chunk::<8>() {
        nonzero.add(level.half().registers().nonzero(rest), 8);
    }
    let Steps { list, count, .. } = nonzero;
    &list[..count]
}

/// A tile and what goes into it.
#[derive(Clone, Copy)]
struct Part<'a> {
    tile: &'a Tile,
    biases: &'a [i32],
    input: &'a [Bytes],
    /// The steps to take, unless all.
    list: Option<&'a [u16]>,
}

impl Part<'_> {
    /// The sums of the tile, in as many registers as it takes.
    #[inline(always)]
    fn sum_up<D: Dot>(self, level: D, out: &mut [i32]) {
        let half = level.half();
        match (D::Registers::SUMS, self.tile.groups) {
            (4, 1) => self.sum::<D, 2>(level, out),
            (4, 2) => self.sum::<D, 4>(level, out),
            (4, 3) => self.sum::<D, 6>(level, out),
            (4, _) => self.sum::<D, 8>(level, out),
            (8, 1) => self.sum::<D, 1>(level, out),
            (8, 2) => self.sum::<D, 2>(level, out),
            (8, 3) => self.sum::<D, 3>(level, out),
            (8, _) => self.sum::<D, 4>(level, out),
            (_, 1) => self.sum::<D::Half, 1>(half, out),
            (_, 2) => self.sum::<D, 1>(level, out),
            (_, 3) => self.sum::<D::Half, 3>(half, out),
            (_, _) => self.sum::<D, 2>(level, out),
        }
    }

    /// The sums of the tile, which fill so many registers.
    #[inline(always)]
    fn sum<D: Dot, const REGISTERS: usize>(self, level: D, out: &mut [i32]) {
        let joined = match self.list {
            Some(_) => self.tile.joined_apart,
            None => self.tile.joined,
        };
        match joined {
            _ if !D::JOINS => self.take::<D, REGISTERS, 4, 1>(level, out),
            // There have to be registers left for the inputs.
            8.. if REGISTERS <= 4 => self.take::<D, REGISTERS, 1, 8>(level, out),
            4.. => self.take::<D, REGISTERS, 1, 4>(level, out),
            2.. => self.take::<D, REGISTERS, 1, 2>(level, out),
            _ => self.take::<D, REGISTERS, 1, 1>(level, out),
        }
    }

    /// The same with `TURNS` sets of sums that take `STEPS` steps each in turn.
    #[inline(always)]
    fn take<D: Dot, const REGISTERS: usize, const TURNS: usize, const STEPS: usize>(
        self,
        level: D,
        out: &mut [i32],
    ) {
        let r = level.registers();
        let register = D::Registers::SUMS;
        let mut sums = [[r.zero(); REGISTERS]; TURNS];
        let biases = &self.biases[..register * REGISTERS];
        sums[0] = std::array::from_fn(|j| r.load(&biases[register * j..]));
        let (steps, _) = bytes_of(self.input).as_chunks::<4>();
        // Bytes of the weights of a step.
        let row = 4 * register * REGISTERS;
        let weights = self.tile.weights();
        match self.list {
            None => {
                let steps = steps.chunks_exact(TURNS * STEPS);
                let weights = weights.chunks_exact(row * TURNS * STEPS);
                for (steps, weights) in steps.zip(weights) {
                    let weights = |i: usize| &weights[row * i..][..row];
                    add::<D, REGISTERS, TURNS, STEPS>(level, &mut sums, |i| steps[i], weights);
                }
            }
            Some(list) => {
                let at = |step: u16| &weights[row * usize::from(step)..][..row];
                let groups = list.chunks_exact(TURNS * STEPS);
                let rest = groups.remainder();
                for list in groups {
                    let step = |i: usize| steps[usize::from(list[i])];
                    let weights = |i: usize| at(list[i]);
                    add::<D, REGISTERS, TURNS, STEPS>(level, &mut sums, step, weights);
                }
                for &number in rest {
                    let step = |_| steps[usize::from(number)];
                    let sums = sums.first_chunk_mut().expect("a set of sums");
                    add::<D, REGISTERS, 1, 1>(level, sums, step, |_| at(number));
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

/// Adds the products of `TURNS` times `STEPS` steps and their weights, by number, to the sums.
#[inline(always)]
fn add<'a, D: Dot, const REGISTERS: usize, const TURNS: usize, const STEPS: usize>(
    level: D,
    sums: &mut [[Register<D>; REGISTERS]; TURNS],
    step: impl Fn(usize) -> [u8; 4],
    weights: impl Fn(usize) -> &'a [u8],
) {
    let r = level.registers();
    for (turn, sums) in sums.iter_mut().enumerate() {
        let first = turn * STEPS;
        // Loops, as the closures of long arrays do not become part of the entry point.
        let mut inputs = [r.zero(); STEPS];
        for (i, input) in inputs.iter_mut().enumerate() {
            *input = r.splat(step(first + i));
        }
        for (j, sum) in sums.iter_mut().enumerate() {
            let mut products = [r.zero(); STEPS];
            for (i, product) in products.iter_mut().enumerate() {
                *product = r.weights(&weights(first + i)[4 * D::Registers::SUMS * j..]);
            }
            *sum = level.dot(*sum, inputs, products);
        }
    }
}

/// The products of two rows of sums.
#[inline(always)]
pub(super) fn product<D: Dot>(
    level: D,
    left: &[Block],
    right: &[Block],
    limit: i16,
    out: &mut [Bytes],
) {
    let (left, right, out) = (bytes_of(left), bytes_of(right), bytes_of_mut(out));
    let whole = out.len() - out.len() % (4 * D::Registers::SUMS);
    let (first, last) = out.split_at_mut(whole);
    products(level.registers(), left, right, limit, first);
    // Half a register may be left.
    let (left, right) = (&left[2 * whole..], &right[2 * whole..]);
    products(level.half().registers(), left, right, limit, last);
}

/// The products of numbers of two bytes, for as many as fill whole registers.
#[inline(always)]
fn products<R: Registers>(r: R, left: &[u8], right: &[u8], limit: i16, out: &mut [u8]) {
    let register = 4 * R::SUMS;
    let left = left.chunks_exact(2 * register);
    let right = right.chunks_exact(2 * register);
    for ((left, right), out) in left.zip(right).zip(out.chunks_exact_mut(register)) {
        let load = |numbers: &[u8]| [r.weights(numbers), r.weights(&numbers[register..])];
        r.store_bytes(r.products(load(left), load(right), limit), out);
    }
}
