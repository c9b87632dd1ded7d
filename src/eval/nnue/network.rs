//! A network ready for evaluation: weights, backend and output scale.
#![forbid(unsafe_code)]

use super::accumulator::refresh;
use super::architecture::{Architecture, Form};
use super::backend::{self, Backend};
use super::layers::{Block, FeatureTransformer};
use super::output_head::{OutputHead, Scratch};
use crate::eval::units::{FvScale, OutputScale, ScoreUnit};
use crate::position::Position;
use crate::types::{Color, PieceType, Square};
use std::fmt::Write;
use std::sync::Arc;

/// All weights of a network. Large; shared by all threads.
pub struct Parameters {
    pub architecture: Architecture,
    pub transformer: FeatureTransformer,
    pub head: OutputHead,
}

/// A network ready for evaluation. Clones share the weights.
#[derive(Clone)]
pub struct Network {
    pub(in crate::eval) parameters: Arc<Parameters>,
    pub(in crate::eval) backend: &'static dyn Backend,
    pub(in crate::eval) scale: OutputScale,
}

/// Balanced positions for the median output, which lopsided ones would distort.
const SAMPLE: &str = include_str!("../../../positions/openings.sfen");
/// Positions of [`SAMPLE`] to evaluate: a stable median, in a fraction of a millisecond.
const SAMPLE_SIZE: usize = 128;

impl Network {
    /// A network with these weights.
    pub(super) fn new(parameters: Parameters, fv_scale: impl Into<FvScale>) -> Network {
        let backend = backend::select();
        // `FV_SCALE` turns outputs into centipawns in the native format, into YaneuraOu's values elsewhere.
        let format_unit = match parameters.architecture.form {
            Form::Native { .. } => ScoreUnit::CENTIPAWNS,
            Form::Classic | Form::Stacked(_) => ScoreUnit::YANEURAOU,
        };
        let median_output = parameters.median_output(backend);
        Network {
            parameters: Arc::new(parameters),
            backend,
            scale: OutputScale::new(fv_scale.into(), format_unit, median_output),
        }
    }

    /// This network with another `FV_SCALE`, which changes the scores shown and not the search.
    pub fn with_scale(&self, fv_scale: i32) -> Network {
        let mut network = self.clone();
        network.scale.fv_scale = fv_scale.into();
        network
    }

    /// This network on each instruction set of the CPU, the default first, for tests and benchmarks.
    pub fn on_each_instruction_set(&self) -> Vec<Network> {
        let on = |backend| Network {
            backend,
            ..self.clone()
        };
        backend::available().into_iter().map(on).collect()
    }

    /// The name of the instruction set of the backend.
    pub fn instruction_set(&self) -> &'static str {
        self.backend.name()
    }

    /// `FV_SCALE`.
    pub fn fv_scale(&self) -> FvScale {
        self.scale.fv_scale
    }

    /// The architecture.
    pub fn architecture(&self) -> &Architecture {
        &self.parameters.architecture
    }

    /// The unit of [`Evaluator::evaluate`](crate::eval::Evaluator::evaluate).
    pub fn unit(&self) -> ScoreUnit {
        self.scale.unit()
    }

    /// The output for the side to move, computed from scratch.
    pub fn output(&self, position: &Position) -> i32 {
        self.parameters.output(self.backend, position, None)
    }

    /// Text that shows output and value, and on a board what each piece is worth to Black: the value minus
    /// the value without the piece.
    pub fn explain(&self, position: &Position) -> String {
        let output = |without| self.parameters.output(self.backend, position, without);
        let scale = &self.scale;
        let whole = output(None);
        let value = scale.format_value(whole);
        let sign = match position.side_to_move() {
            Color::Black => 1,
            Color::White => -1,
        };
        let mut text = format!(
            "network {}, {}\npiece values for Black (value minus value without the piece):\n",
            self.architecture(),
            self.backend.name()
        );
        // Writing to a string cannot fail, so results are ignored.
        for rank in 0..9 {
            for file in (0..9).rev() {
                let sq = Square::new(file, rank);
                let piece = position.piece_on(sq);
                let is_king = piece.is_some() && piece.kind() == PieceType::King;
                let cell = if piece.is_none() || is_king {
                    piece.to_string()
                } else {
                    let without = scale.format_value(output(Some(sq)));
                    format!("{piece}{:+}", sign * (value - without))
                };
                let _ = write!(text, "{cell:>8}");
            }
            let _ = writeln!(text, "  {}", (b'a' + rank) as char);
        }
        let centipawns = scale.format_centipawns(whole);
        let _ = write!(
            text,
            "output {whole:+}, FV_SCALE {}\n\
             value for the side to move {value:+}, {centipawns:+} centipawns\n",
            scale.fv_scale
        );
        text
    }
}

impl Parameters {
    /// The output for the accumulators of a position, those of the side to move first, without the
    /// PSQT values of the piece on the square `without`.
    #[inline]
    pub fn propagate(
        &self,
        backend: &dyn Backend,
        position: &Position,
        without: Option<Square>,
        accumulators: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i32 {
        self.head.output(
            backend,
            &self.architecture,
            position,
            without,
            accumulators,
            scratch,
        )
    }

    /// The output for the side to move, computed from scratch, without the piece on the square `without`.
    pub fn output(
        &self,
        backend: &dyn Backend,
        position: &Position,
        without: Option<Square>,
    ) -> i32 {
        let us = position.side_to_move();
        let set = self.architecture.features;
        let [ours, theirs] = [us, !us].map(|perspective| {
            let mut out = vec![Block::ZERO; self.transformer.blocks()];
            refresh(
                set,
                &self.transformer,
                backend,
                position,
                perspective,
                without,
                &mut out,
            );
            out
        });
        let mut scratch = Scratch::new(&self.architecture);
        self.propagate(backend, position, without, [&ours, &theirs], &mut scratch)
    }

    /// The median magnitude of the outputs over [`SAMPLE`].
    fn median_output(&self, backend: &dyn Backend) -> i32 {
        let mut outputs: Vec<u32> = SAMPLE
            .lines()
            .filter_map(|line| Position::from_sfen(line).ok())
            .take(SAMPLE_SIZE)
            .map(|position| self.output(backend, &position, None).unsigned_abs())
            .collect();
        let middle = outputs.len() / 2;
        let (_, &mut median, _) = outputs.select_nth_unstable(middle);
        median.min(i32::MAX as u32) as i32
    }

    /// Zeroes the weights for pieces missing from a full set, which rshogi has no feature for.
    pub fn ignore_missing_pieces(&mut self) {
        let features = self.architecture.features;
        self.transformer.clear(features.missing());
        if let OutputHead::LayerStacks(stacks) = &mut self.head {
            stacks.clear(features.missing());
        }
    }
}
