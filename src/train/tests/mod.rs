//! Tests of training: what they share.

mod gradients;
mod layers;
mod reading;
mod runs;

use super::TrainError;
use super::adam::{Adam, AdamStep};
use super::checkpoint::TrainState;
use super::dataset::{Dataset, DatasetBuilder, NO_RESULT, Sample, sigmoid};
use super::export;
use super::kernel::{self, Gradient, PassScratch};
use super::model::{Head, Model, ModelShape};
use super::reader::{SampleCounts, SampleFilter, SampleReader, td_labels};
use super::run::{run, run_until};
use super::settings::TrainSettings;
use super::workers::Workers;
use crate::cli::testing::Folder;
use crate::data::{Branch, Game, GameEnd, GameFileHeader, GameResult, GameWriter, ScoredMove};
use crate::eval::nnue::{ClassicNetwork, NativeNetwork};
use crate::eval::units::{PONANZA, ScoreUnit};
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::{Color, Move};
use rand::prelude::*;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

const SHAPE: ModelShape = ModelShape {
    features: 1,
    width: 64,
    head: Head::Squared,
};

/// Positions of random games.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut positions = Vec::new();
    let mut position = Position::startpos();
    while positions.len() < count {
        match position.legal_moves().choose(&mut rng) {
            Some(&mv) if position.game_ply() < 150 => {
                position.do_move(mv);
                positions.push(position.clone());
            }
            _ => position = Position::startpos(),
        }
    }
    positions
}

fn sample(shape: &ModelShape, position: &Position, rng: &mut StdRng) -> Sample {
    Sample {
        features: shape.active(position).unwrap(),
        score: rng.random_range(-1000..=1000),
        result: rng.random_range(-1..=1),
        bound: ScoreBound::Exact,
    }
}

/// Samples of random positions with random labels.
fn samples(shape: &ModelShape, count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = StdRng::seed_from_u64(seed + 1);
    let positions = positions(count, seed);
    let samples = positions
        .iter()
        .map(|position| sample(shape, position, &mut rng));
    samples.collect()
}

/// The output for a position.
fn forward(model: &Model, sample: &Sample, scratch: &mut PassScratch) -> f32 {
    kernel::forward(model, &[sample], scratch)[0]
}

fn header(unit: ScoreUnit) -> GameFileHeader {
    GameFileHeader {
        engine: "test".into(),
        evaluation: "test".into(),
        evaluation_hash: 0,
        unit,
        settings: Vec::new(),
    }
}

/// A game with the same score for every move, seen from Black.
fn game(number: u32, moves: &str, score: i16) -> Game {
    let moves = moves
        .split_whitespace()
        .enumerate()
        .map(|(i, text)| ScoredMove {
            mv: Move::from_usi(text).unwrap(),
            // The first two are random.
            score: (i >= 2).then_some(if i % 2 == 0 { score } else { -score }),
        });
    Game {
        number,
        start: None,
        opening: 2,
        moves: moves.collect(),
        branches: Vec::new(),
        result: GameResult::Win(Color::White),
        end: GameEnd::Unknown,
    }
}

/// A game of random moves of the same length, with the same score for either side to move.
fn random_game(number: u32, score: i16) -> Game {
    let mut rng = StdRng::seed_from_u64(number.into());
    let mut position = Position::startpos();
    let moves: Vec<String> = (0..MOVES.split(' ').count())
        .map(|_| {
            let mv = *position.legal_moves().choose(&mut rng).unwrap();
            position.do_move(mv);
            mv.to_string()
        })
        .collect();
    let mut game = game(number, &moves.join(" "), score);
    for played in &mut game.moves {
        played.score = played.score.map(|_| score);
    }
    game
}

/// Writes games to a file.
fn write(path: &Path, unit: ScoreUnit, games: &[Game]) {
    let mut writer = GameWriter::create(path, &header(unit), true).unwrap();
    games.iter().for_each(|game| writer.write(game).unwrap());
}

/// Quiet moves, a capture that promotes, its recapture, a drop, and the same again.
const MOVES: &str = "7g7f 3c3d 2g2f 8c8d 8h2b+ 3a2b B*5e 4a3b 5e7c+ 8a7c 2f2e 9c9d";
