//! The loops of a dense layer, the same for every instruction set.
//!
//! All sums of a tile stay in registers. One step takes four activations, multiplies them with the
//! weights of each output, and adds the four products to the output's sum. Where the products are
//! 16-bit numbers first, as many steps as cannot overflow are joined; where one instruction does
//! it all, several sets of sums take the steps in turn, as each addition waits for the last.
#![forbid(unsafe_code)]

use super::registers::{Dot, Registers};
use crate::eval::nnue::network::{Affine, Bytes, Tile};
use crate::memory::bytes_of;

/// The outputs of a dense layer.
#[inline(always)]
pub(super) fn affine<D: Dot>(level: D, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
    for (tile, biases, out) in layer.tiles(out) {
        let part = Part {
            tile,
            biases,
            input,
        };
        let half = level.half();
        match (D::Registers::SUMS, tile.groups) {
            (4, 1) => part.sum::<D, 2>(level, out),
            (4, 2) => part.sum::<D, 4>(level, out),
            (4, 3) => part.sum::<D, 6>(level, out),
            (4, _) => part.sum::<D, 8>(level, out),
            (8, 1) => part.sum::<D, 1>(level, out),
            (8, 2) => part.sum::<D, 2>(level, out),
            (8, 3) => part.sum::<D, 3>(level, out),
            (8, _) => part.sum::<D, 4>(level, out),
            (_, 1) => part.sum::<D::Half, 1>(half, out),
            (_, 2) => part.sum::<D, 1>(level, out),
            (_, 3) => part.sum::<D::Half, 3>(half, out),
            (_, _) => part.sum::<D, 2>(level, out),
        }
    }
}

/// A tile and what goes into it.
#[derive(Clone, Copy)]
struct Part<'a> {
    tile: &'a Tile,
    biases: &'a [i32],
    input: &'a [Bytes],
}

impl Part<'_> {
    /// The sums of the tile, which fill so many registers.
    #[inline(always)]
    fn sum<D: Dot, const REGISTERS: usize>(self, level: D, out: &mut [i32]) {
        match self.tile.joined {
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
        let steps = steps.chunks_exact(TURNS * STEPS);
        // Bytes of the weights of a step.
        let row = 4 * register * REGISTERS;
        let weights = self.tile.weights().chunks_exact(row * TURNS * STEPS);
        for (steps, weights) in steps.zip(weights) {
            for (turn, sums) in sums.iter_mut().enumerate() {
                let first = turn * STEPS;
                let inputs: [_; STEPS] = std::array::from_fn(|i| r.splat(steps[first + i]));
                for (j, sum) in sums.iter_mut().enumerate() {
                    let weights: [_; STEPS] = std::array::from_fn(|i| {
                        r.weights(&weights[row * (first + i) + 4 * register * j..])
                    });
                    *sum = level.dot(*sum, inputs, weights);
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
