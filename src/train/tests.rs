//! The mathematics against definitions, and whole runs on small files.

use super::adam::{Adam, Step};
use super::batch::Workers;
use super::checkpoint::State;
use super::error::TrainError;
use super::kernel::{Gradient, Scratch, backward, forward};
use super::model::{Model, Shape, limit};
use super::read::{Counts, Filter, Reader};
use super::run::{run, run_until};
use super::sample::{BYTES, SCALE, Sample};
use super::set::Collector;
use super::settings::Settings;
use crate::data::testing::Folder;
use crate::data::{End, Game, GameResult, GameWriter, Header, Played};
use crate::eval::Evaluator;
use crate::eval::nnue::OwnNetwork;
use crate::position::Position;
use crate::types::{Color, Move};
use rand::prelude::*;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const SHAPE: Shape = Shape {
    features: 2,
    width: 64,
    outputs: 3,
};

/// Positions of random games.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut positions = Vec::new();
    let mut position = Position::startpos();
    while positions.len() < count {
        match position.legal_moves().choose(&mut rng) {
            Some(&mv) if position.ply() < 150 => {
                position.do_move(mv);
                positions.push(position.clone());
            }
            _ => position = Position::startpos(),
        }
    }
    positions
}

fn sample(shape: &Shape, position: &Position, rng: &mut StdRng) -> Sample {
    let active = OwnNetwork::active(shape.features, shape.outputs, position);
    let (features, output) = active.unwrap();
    Sample {
        features,
        score: rng.random_range(-1000..=1000),
        result: rng.random_range(-1..=1),
        output: output as u8,
    }
}

/// Samples of random positions with random labels.
fn samples(shape: &Shape, count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = StdRng::seed_from_u64(seed + 1);
    let positions = positions(count, seed);
    let samples = positions
        .iter()
        .map(|position| sample(shape, position, &mut rng));
    samples.collect()
}

/// The loss by its definition, in double precision.
fn defined(shape: &Shape, rows: &[f64], sample: &Sample, target: f64) -> f64 {
    let number = |row: usize, j: usize| rows[row * shape.width + j];
    let output = usize::from(sample.output);
    let mut z = number(shape.output_bias_row(), output);
    for (side, features) in sample.features.iter().enumerate() {
        for j in 0..shape.width {
            let sum: f64 = features.iter().map(|&f| number(usize::from(f), j)).sum();
            let activation = (sum + number(shape.bias_row(), j)).clamp(0.0, 1.0);
            z += activation * activation * number(shape.output_row(output, side), j);
        }
    }
    (1.0 / (1.0 + (-z).exp()) - target).powi(2)
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut rng = StdRng::seed_from_u64(5);
    let model = Model::random(SHAPE, 3);
    let rows: Vec<f64> = model.rows.iter().copied().map(f64::from).collect();
    let (mut checked, mut scratch) = (0, Scratch::new(&SHAPE));
    for sample in samples(&SHAPE, 40, 1) {
        let target = f64::from(sample.target(0.7));
        let mut gradient = Gradient::new(&SHAPE);
        let loss = backward(&model, &sample, target as f32, &mut scratch, &mut gradient);
        let expected = defined(&SHAPE, &rows, &sample, target);
        assert!(
            (f64::from(loss) - expected).abs() < 1e-6,
            "{loss} {expected}"
        );
        let output = usize::from(sample.output);
        let candidates = [
            usize::from(*sample.features[0].choose(&mut rng).unwrap()),
            usize::from(*sample.features[1].choose(&mut rng).unwrap()),
            SHAPE.bias_row(),
            SHAPE.output_row(output, 0),
            SHAPE.output_row(output, 1),
            SHAPE.output_bias_row(),
        ];
        for row in candidates {
            let column = match row == SHAPE.output_bias_row() {
                true => output,
                false => rng.random_range(0..SHAPE.width),
            };
            let at = row * SHAPE.width + column;
            let mut moved = rows.clone();
            let mut loss = |by: f64| {
                moved[at] = rows[at] + by;
                defined(&SHAPE, &moved, &sample, target)
            };
            let expected = (loss(1e-5) - loss(-1e-5)) / 2e-5;
            let found = f64::from(gradient.rows[at]);
            let close = (found - expected).abs() < 1e-6 + 1e-3 * expected.abs();
            assert!(close && gradient.touched[row], "{row} {found} {expected}");
            checked += usize::from(expected.abs() > 1e-5);
        }
        // Nothing else changes.
        let rows = gradient.rows.chunks(SHAPE.width).zip(&gradient.touched);
        assert!(
            rows.clone()
                .all(|(row, touched)| *touched || row.iter().all(|&it| it == 0.0))
        );
    }
    assert!(checked > 80, "{checked}");
}

#[test]
fn steps_are_those_of_adam() {
    let mut model = Model::random(SHAPE, 1);
    let (row, rate) = (SHAPE.output_row(1, 0), 0.01);
    let weight = row * SHAPE.width;
    let (mut mean, mut square, mut expected) = (0.0, 0.0, f64::from(model.rows[weight]));
    let mut adam = Adam::new(&SHAPE);
    for number in 1..=5 {
        // Two threads with parts of the gradient.
        let mut gradients = [Gradient::new(&SHAPE), Gradient::new(&SHAPE)];
        for (gradient, slope) in gradients.iter_mut().zip([3.0, number as f32]) {
            gradient.touched[row] = true;
            gradient.rows[weight] = slope;
        }
        let step = Step {
            rate: rate as f32,
            decay: 0.1,
            factor: 0.25,
            number,
        };
        adam.step(&mut model, &mut gradients, step);
        let slope = 0.25 * (3.0 + number as f64);
        mean = 0.9 * mean + 0.1 * slope;
        square = 0.999 * square + 0.001 * slope * slope;
        let faded = |beta: f64| 1.0 - beta.powi(number as i32);
        let change = mean / faded(0.9) / ((square / faded(0.999)).sqrt() + 1e-8);
        expected = expected * (1.0 - rate * 0.1) - rate * change;
        assert!((f64::from(model.rows[weight]) - expected).abs() < 1e-5);
        assert!(
            gradients
                .iter()
                .all(|it| it.rows[weight] == 0.0 && !it.touched[row])
        );
    }
}

#[test]
fn copies_learn_from_each_other() {
    let mut model = Model::random(SHAPE, 1);
    let before = model.clone();
    let stride = SHAPE.dimensions() / SHAPE.copies();
    let mut gradient = Gradient::new(&SHAPE);
    gradient.touched[stride + 7] = true;
    gradient.rows[(stride + 7) * SHAPE.width] = 1.0;
    let step = Step {
        rate: 0.01,
        decay: 0.0,
        factor: 1.0,
        number: 1,
    };
    Adam::new(&SHAPE).step(&mut model, &mut [gradient], step);
    let moved = |row: usize| before.rows[row * SHAPE.width] - model.rows[row * SHAPE.width];
    for copy in 0..SHAPE.copies() {
        // The copy itself moves by its own part as well.
        let expected = if copy == 1 { 0.02 } else { 0.01 };
        assert!((moved(copy * stride + 7) - expected).abs() < 1e-6);
        assert_eq!(moved(copy * stride + 8), 0.0);
    }
}

#[test]
fn rows_keep_to_limits_that_export_can_bear() {
    let largest = 40.0 * limit(&SHAPE, 0) + limit(&SHAPE, SHAPE.bias_row());
    let rounding = 41.0 / 2.0;
    assert!(largest * OwnNetwork::UNIT as f32 + rounding <= f32::from(i16::MAX));
    let output = limit(&SHAPE, SHAPE.output_row(0, 0));
    assert!(output * 64.0 <= OwnNetwork::MAX_WEIGHT as f32);
}

/// Learns some samples by heart; returns the last loss.
fn learn(model: &mut Model, samples: &[Sample], threads: usize, steps: u64) -> f64 {
    let mut adam = Adam::new(&model.shape);
    let mut workers = Workers::new(&model.shape, threads);
    let order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut loss = f64::NAN;
    for number in 1..=steps {
        loss = workers.learn(model, samples, &order, 1.0) / samples.len() as f64;
        let step = Step {
            rate: 0.003,
            decay: 0.0,
            factor: 1.0 / samples.len() as f32,
            number,
        };
        adam.step(model, &mut workers.gradients, step);
    }
    loss
}

#[test]
fn a_thousand_positions_are_learnt_by_heart() {
    let samples = samples(&SHAPE, 1000, 9);
    let mut model = Model::random(SHAPE, 1);
    let before = Workers::new(&SHAPE, 1).validate(&model, &samples).search;
    let loss = learn(&mut model, &samples, 2, 150);
    assert!(before > 0.02 && loss < before / 100.0, "{before} {loss}");
    let after = Workers::new(&SHAPE, 3).validate(&model, &samples).search;
    assert!(after < before / 100.0, "{after}");
}

#[test]
fn a_network_of_integers_is_close_to_the_one_trained() {
    let positions = positions(400, 2);
    let mut rng = StdRng::seed_from_u64(3);
    let samples: Vec<Sample> = positions
        .iter()
        .map(|position| sample(&SHAPE, position, &mut rng))
        .collect();
    let mut model = Model::random(SHAPE, 1);
    learn(&mut model, &samples, 1, 60);
    let network = model.to_network().unwrap();
    assert!(network.weight_unit >= 64);
    let rounded = Model::from_network(&network);
    let network = Arc::new(network.into_network().unwrap());
    let mut evaluator = Evaluator::with_network(Some(network));
    let mut scratch = Scratch::new(&SHAPE);
    let (mut worst, mut sum) = (0.0_f32, 0.0);
    for (position, sample) in positions.iter().zip(&samples) {
        evaluator.reset(position);
        let found = evaluator.evaluate(position) as f32;
        let expected = SCALE * forward(&model, sample, &mut scratch);
        let difference = (found - expected).abs();
        worst = worst.max(difference);
        sum += difference;
        // The integers, taken as floating-point numbers, say the same up to the last division.
        let exact = SCALE * forward(&rounded, sample, &mut scratch);
        assert!((found - exact).abs() < 1.5, "{found} {exact}");
    }
    assert!(worst < 25.0 && sum / 400.0 < 7.0, "{worst} {}", sum / 400.0);
    assert!(worst > 0.0);
}

#[test]
fn networks_become_models_and_networks_again() {
    let network = Model::random(SHAPE, 4).to_network().unwrap();
    let model = Model::from_network(&network);
    assert_eq!(model.to_network().unwrap(), network);
    let halved = OwnNetwork {
        scale: 300,
        ..network
    };
    let sample = &samples(&SHAPE, 1, 1)[0];
    let mut scratch = Scratch::new(&SHAPE);
    let whole = forward(&model, sample, &mut scratch);
    let half = forward(&Model::from_network(&halved), sample, &mut scratch);
    assert!((whole / 2.0 - half).abs() < 1e-6);
}

#[test]
fn another_shape_starts_with_the_same_outputs() {
    let plain = Shape {
        features: 1,
        outputs: 1,
        ..SHAPE
    };
    let model = Model::random(plain, 4);
    let more = model.clone().reshaped(SHAPE).unwrap();
    assert_eq!(more.rows.len(), SHAPE.rows() * SHAPE.width);
    let pairs = samples(&plain, 50, 6)
        .into_iter()
        .zip(samples(&SHAPE, 50, 6));
    for (one, other) in pairs {
        let [a, b] = [(&model, one), (&more, other)]
            .map(|(model, sample)| forward(model, &sample, &mut Scratch::new(&SHAPE)));
        assert_eq!(a, b);
    }
    assert_eq!(more.clone().reshaped(plain), None);
    let wider = Shape {
        width: 128,
        ..SHAPE
    };
    assert_eq!(more.reshaped(wider), None);
}

#[test]
fn samples_are_the_same_after_a_stay_on_disk() {
    let folder = Folder::new("train-parts");
    let samples = samples(&SHAPE, 500, 7);
    let collect = |memory: u64| {
        let mut collector = Collector::new(folder.file("parts"), memory, 500, 1);
        for (i, sample) in samples.iter().enumerate() {
            collector.add(*sample, i % 10 == 0).unwrap();
        }
        collector.finish().unwrap()
    };
    let in_memory = collect(1 << 20);
    assert_eq!(in_memory.lengths(), [450]);
    let key = |sample: &Sample| {
        let mut bytes = Vec::new();
        sample.encode(&mut bytes);
        bytes
    };
    let mut expected = in_memory.part(0).unwrap().to_vec();
    let on_disk = collect(100 * BYTES as u64);
    assert_eq!(on_disk.lengths().len(), 5);
    assert!(on_disk.lengths().iter().all(|&length| length > 40));
    let parts = (0..5).flat_map(|part| on_disk.part(part).unwrap().into_owned());
    let mut found: Vec<Sample> = parts.collect();
    assert_ne!(found, expected);
    found.sort_by_key(key);
    expected.sort_by_key(key);
    assert!(found == expected && on_disk.validation == in_memory.validation);
    // A damaged part is told.
    fs::write(folder.file("parts/3.part"), b"short").unwrap();
    let error = on_disk.part(3).unwrap_err().to_string();
    assert!(error.contains("3.part"), "{error}");
    drop(on_disk);
    assert!(!folder.file("parts").exists());
}

fn header(pawn: u16) -> Header {
    Header {
        engine: "test".into(),
        evaluation: "test".into(),
        evaluation_hash: 0,
        pawn,
        settings: Vec::new(),
    }
}

/// A game with the same score for every move, seen from Black.
fn game(number: u32, moves: &str, score: i16) -> Game {
    let moves = moves
        .split_whitespace()
        .enumerate()
        .map(|(i, text)| Played {
            mv: Move::from_usi(text).unwrap(),
            // The first two are random.
            score: (i >= 2).then_some(if i % 2 == 0 { score } else { -score }),
        });
    Game {
        number,
        start: None,
        opening: 2,
        moves: moves.collect(),
        result: GameResult::Win(Color::White),
        end: End::Unknown,
    }
}

/// Writes games to a file.
fn write(path: &Path, pawn: u16, games: &[Game]) {
    let mut writer = GameWriter::create(path, &header(pawn), true).unwrap();
    games.iter().for_each(|game| writer.write(game).unwrap());
}

const QUIET: Filter = Filter {
    scale: 600,
    max_score: 3000,
    min_ply: 1,
    noisy: false,
    distil: false,
};

/// The samples of a file.
fn read(path: &Path, filter: Filter) -> Result<(Vec<Sample>, Counts), TrainError> {
    let mut samples = Vec::new();
    let mut sink = |sample, _| {
        samples.push(sample);
        Ok(())
    };
    let mut reader = Reader::new(filter, SHAPE, 1, &mut sink);
    reader.read(path)?;
    let counts = reader.counts();
    Ok((samples, counts))
}

/// Quiet moves, a capture that promotes, its recapture, a drop, and the same again.
const MOVES: &str = "7g7f 3c3d 2g2f 8c8d 8h2b+ 3a2b B*5e 4a3b 5e7c+ 8a7c 2f2e 9c9d";

#[test]
fn quiet_positions_are_taken_with_their_labels() {
    let folder = Folder::new("train-filter");
    let path = folder.file("a.koma");
    write(&path, 90, &[game(0, MOVES, 180)]);
    let (samples, counts) = read(&path, QUIET).unwrap();
    // Left out: 8h2b+, 3a2b, 5e7c+, 8a7c.
    assert_eq!((counts.games, counts.read, counts.left_out), (1, 10, 4));
    let labels: Vec<_> = samples.iter().map(|it| (it.score, it.result)).collect();
    let (black, white) = ((200, -1), (-200, 1));
    assert_eq!(labels, [black, white, black, white, black, white]);
    let mut position = Position::startpos();
    position.do_move(Move::from_usi("7g7f").unwrap());
    position.do_move(Move::from_usi("3c3d").unwrap());
    let (features, _) = OwnNetwork::active(2, 3, &position).unwrap();
    assert_eq!(samples[0].features, features);

    let count = |filter| read(&path, filter).unwrap().0.len();
    assert_eq!(
        count(Filter {
            noisy: true,
            ..QUIET
        }),
        10
    );
    assert_eq!(
        count(Filter {
            min_ply: 12,
            ..QUIET
        }),
        1
    );
    assert_eq!(
        count(Filter {
            max_score: 199,
            ..QUIET
        }),
        0
    );
    // A quiet move out of check is left out as well.
    let checks = "7g7f 3c3d 8h3c+ 5a6b 3c2b 3a2b 9g9f";
    write(&path, 100, &[game(0, checks, 0)]);
    let (_, counts) = read(&path, QUIET).unwrap();
    assert_eq!((counts.read, counts.left_out), (5, 4));
}

#[test]
fn distillation_takes_the_hand_written_evaluation() {
    let folder = Folder::new("train-distil");
    let path = folder.file("a.koma");
    write(&path, 100, &[game(0, MOVES, 180)]);
    let distil = Filter {
        distil: true,
        ..QUIET
    };
    let (samples, counts) = read(&path, distil).unwrap();
    assert_eq!((counts.read, counts.left_out, samples.len()), (12, 0, 12));
    let mut evaluator = Evaluator::new();
    let mut position = Position::startpos();
    for (sample, text) in samples.iter().zip(MOVES.split_whitespace()) {
        evaluator.reset(&position);
        assert_eq!(i32::from(sample.score), evaluator.evaluate(&position));
        position.do_move(Move::from_usi(text).unwrap());
    }
}

#[test]
fn whole_games_are_held_back() {
    let folder = Folder::new("train-held-back");
    let path = folder.file("a.koma");
    let games: Vec<Game> = (0..400)
        .map(|number| game(number, MOVES, number as i16))
        .collect();
    write(&path, 100, &games);
    let (mut learnt, mut held_back) = (Vec::new(), Vec::new());
    let mut sink = |sample: Sample, back| {
        let list = if back { &mut held_back } else { &mut learnt };
        list.push(sample.score.abs());
        Ok(())
    };
    Reader::new(QUIET, SHAPE, 1, &mut sink).read(&path).unwrap();
    learnt.dedup();
    held_back.dedup();
    assert_eq!(learnt.len() + held_back.len(), 400);
    assert!((8..40).contains(&held_back.len()), "{}", held_back.len());
}

#[test]
fn bad_files_are_told_with_their_place() {
    let folder = Folder::new("train-bad");
    let path = folder.file("a.koma");
    let error = |path: &Path| read(path, QUIET).unwrap_err().to_string();
    write(&path, 100, &[game(0, MOVES, 0), game(1, "7g7f 7g7f", 0)]);
    let text = error(&path);
    assert!(
        text.contains("a.koma, byte ") && text.contains("game 1: move 2, 7g7f"),
        "{text}"
    );
    let bytes = fs::read(&path).unwrap();
    let damaged = folder.file("damaged.koma");
    let mut changed = bytes.clone();
    let at = changed.len() - 40;
    changed[at] ^= 1;
    fs::write(&damaged, &changed).unwrap();
    assert!(
        error(&damaged).contains("damaged.koma, byte "),
        "{}",
        error(&damaged)
    );
    fs::write(&damaged, b"something else entirely").unwrap();
    assert!(error(&damaged).contains("byte 0: expected a Komaoto game file"));
    // A crash while the last game was written is no reason to stop.
    fs::write(&damaged, &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(read(&damaged, QUIET).unwrap().1.games, 1);
    let psv = folder.file("a.psv");
    fs::write(&psv, [0xFF; 100]).unwrap();
    assert!(error(&psv).contains("a.psv, byte 0"), "{}", error(&psv));
}

/// A folder with a file of games, and the settings to learn from it.
fn prepared(name: &str, options: &str) -> (Folder, Settings) {
    let folder = Folder::new(name);
    let path = folder.file("a.koma");
    let games: Vec<Game> = (0..200)
        .map(|number| game(number, MOVES, number as i16))
        .collect();
    write(&path, 100, &games);
    let mut arguments: Vec<OsString> = vec![path.into(), "--out".into()];
    arguments.push(folder.file("net.nn").into());
    let defaults = "--width 64 --batch 100 --epochs 3 --threads 1";
    let words = defaults.split(' ').chain(options.split_whitespace());
    arguments.extend(words.map(OsString::from));
    let settings = Settings::read(arguments).unwrap();
    (folder, settings)
}

#[test]
fn runs_repeat_themselves_and_go_on_after_a_break() {
    let (folder, settings) = prepared("train-run", "");
    run(&settings).unwrap();
    let files = ["net.nn", "net.nn.checkpoint", "net.nn.csv"];
    let contents = || files.map(|name| fs::read(folder.file(name)).unwrap());
    let [first, checkpoint, curve] = contents();
    OwnNetwork::parse(&first).unwrap();
    assert!(
        fs::read(folder.file("net.nn.svg"))
            .unwrap()
            .ends_with(b"</svg>\n")
    );
    let rows = String::from_utf8(curve.clone()).unwrap();
    let loss = |row: &str| row.split(',').nth(4).unwrap().parse::<f64>().unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    assert!(loss(rows.last().unwrap()) < loss(rows[1]));

    // Nothing is written over unless asked to.
    let text = run(&settings).unwrap_err().to_string();
    assert!(text.contains("net.nn: the file exists; --force"), "{text}");
    assert_eq!(contents()[0], first);
    let again = Settings {
        force: true,
        ..settings.clone()
    };
    run(&again).unwrap();
    assert_eq!(
        contents(),
        [first.clone(), checkpoint.clone(), curve.clone()]
    );

    // After a break in the middle of the second epoch.
    let steps = State::load(&folder.file(files[1])).unwrap().0.step;
    let broken = run_until(&again, &|step| step == steps / 2);
    assert!(matches!(broken, Err(TrainError::Interrupted(_))));
    let (state, _) = State::load(&folder.file(files[1])).unwrap();
    assert!(state.step == steps / 2 && state.recent.1 + state.step > 0);
    let resumed = Settings {
        resume: true,
        ..settings
    };
    run(&resumed).unwrap();
    assert_eq!(contents(), [first, checkpoint, curve]);

    let other = Settings {
        lambda: 0.5,
        ..resumed
    };
    let text = run(&other).unwrap_err().to_string();
    let expected = "expected `lambda 0.5`, as in the settings of this run, found `lambda 1`";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn samples_on_disk_train_a_network_too() {
    let (folder, settings) = prepared("train-disk", "");
    let small = Settings {
        memory: 100_000,
        threads: 2,
        ..settings
    };
    run(&small).unwrap();
    let first = fs::read(&small.out).unwrap();
    assert!(!folder.file("net.nn.parts").exists());
    let again = Settings {
        force: true,
        ..small
    };
    let broken = run_until(&again, &|step| step == 17);
    assert!(matches!(broken, Err(TrainError::Interrupted(_))));
    let resumed = Settings {
        resume: true,
        ..again
    };
    run(&resumed).unwrap();
    assert_eq!(fs::read(&resumed.out).unwrap(), first);
}

#[test]
fn lost_losses_are_told_with_their_step() {
    let (folder, settings) = prepared("train-nan", "");
    let mut model = Model::random(settings.shape, 1);
    let bias = settings.shape.output_bias_row() * settings.shape.width;
    model.rows[bias] = f32::NAN;
    let state = State {
        adam: Adam::new(&model.shape),
        model,
        step: 0,
        recent: (0.0, 0),
        points: Vec::new(),
    };
    let path = folder.file("nan.checkpoint");
    state.save(&path, &settings.fingerprint(0, 0)).unwrap();
    let settings = Settings {
        init: Some(path),
        ..settings
    };
    let text = run(&settings).unwrap_err().to_string();
    assert_eq!(text, "the loss at step 1 is NaN: try a lower --rate");
    assert!(!settings.out.exists());
}

#[test]
fn training_starts_from_networks_and_checkpoints() {
    let (folder, settings) = prepared("train-init", "");
    run(&settings).unwrap();
    let trained = fs::read(&settings.out).unwrap();
    let start = |init: &str, out: &str| Settings {
        init: Some(folder.file(init)),
        out: folder.file(out),
        epochs: 0,
        ..settings.clone()
    };
    for (init, out) in [("net.nn", "a.nn"), ("net.nn.checkpoint", "b.nn")] {
        let settings = start(init, out);
        run(&settings).unwrap();
        assert_eq!(fs::read(&settings.out).unwrap(), trained);
    }
    let wider = Settings {
        shape: Shape {
            width: 128,
            ..settings.shape
        },
        ..start("net.nn", "c.nn")
    };
    let text = run(&wider).unwrap_err().to_string();
    assert!(
        text.contains("expected features 1, width 128, outputs 1, found"),
        "{text}"
    );
    let text = run(&start("a.koma", "c.nn")).unwrap_err().to_string();
    assert!(text.contains("a.koma: "), "{text}");
    assert!(!folder.file("c.nn").exists());
}

#[test]
fn damaged_checkpoints_are_told_with_their_place() {
    let (folder, settings) = prepared("train-checkpoint", "");
    run(&settings).unwrap();
    let path = folder.file("net.nn.checkpoint");
    let good = fs::read(&path).unwrap();
    let mut rng = StdRng::seed_from_u64(1);
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let text = State::load(&path).unwrap_err().to_string();
        assert!(text.contains("net.nn.checkpoint, byte "), "{text}");
        text
    };
    for _ in 0..50 {
        let cut = &good[..rng.random_range(0..good.len())];
        refused(cut);
        let mut changed = good.clone();
        let end = *[400, good.len()].choose(&mut rng).unwrap();
        let at = rng.random_range(0..end);
        changed[at] ^= 1 << rng.random_range(0..8);
        refused(&changed);
    }
    assert!(refused(&good[..good.len() - 1]).contains("the checkpoint is cut short"));
    assert!(refused(b"no").contains("byte 0: expected a checkpoint"));
}

#[test]
fn nothing_to_learn_from_is_told() {
    let (folder, settings) = prepared("train-nothing", "--min-ply 100");
    let text = run(&settings).unwrap_err().to_string();
    let expected = "no positions to train on: 2000 read, 2000 left out by the filter";
    assert!(text.contains(expected), "{text}");
    let gone = Settings {
        data: vec![folder.file("gone.koma")],
        ..settings
    };
    assert!(run(&gone).unwrap_err().to_string().contains("gone.koma: "));
}

#[test]
fn settings_make_sense() {
    let read = |text: &str| {
        let words = text.split_whitespace().map(OsString::from);
        Settings::read(words.collect()).map_err(|error| error.to_string())
    };
    let settings = read("a b --out c --width=512 --rate 5e-4 --outputs 8 --memory 1").unwrap();
    assert_eq!(settings.data.len(), 2);
    assert_eq!((settings.shape.width, settings.shape.outputs), (512, 8));
    assert_eq!((settings.rate, settings.memory), (5e-4, 1 << 20));
    for (text, expected) in [
        ("a", "--out FILE is missing"),
        ("--out c", "a file of games is missing"),
        (
            "a --out c --width 96",
            "--width: expected a multiple of 64, found `96`",
        ),
        (
            "a --out c --features 9",
            "--features: expected the number of a feature set",
        ),
        (
            "a --out c --lambda 2",
            "--lambda: expected a number from 0 to 1",
        ),
        ("a --out c --lamda 1", "unknown option --lamda"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
