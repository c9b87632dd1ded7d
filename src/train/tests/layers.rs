//! Classic networks: two hidden layers, and files in the format of YaneuraOu.

use super::gradients::learn;
use super::*;
use crate::train::kernel::GROUP;

const SIZES: [usize; 2] = [32, 16];

/// A shape with each feature set.
fn shape(features: u32) -> ModelShape {
    ModelShape {
        features,
        width: 64,
        head: Head::Hidden(SIZES),
    }
}

/// The loss by its definition, in double precision.
fn defined(shape: &ModelShape, rows: &[f64], sample: &Sample, target: f64) -> f64 {
    let mut inputs = Vec::new();
    for features in &sample.features {
        for j in 0..shape.width {
            let number = |row: usize| rows[row * shape.width + j];
            let sum: f64 = features.iter().map(|&f| number(usize::from(f))).sum();
            inputs.push((sum + number(shape.bias_row())).clamp(0.0, 1.0));
        }
    }
    let mut rest = &rows[shape.head_row() * shape.width..];
    let mut part = |numbers: usize| {
        let part;
        (part, rest) = rest.split_at(numbers.next_multiple_of(shape.width));
        &part[..numbers]
    };
    let [first, second] = SIZES;
    for outputs in [first, second, 1] {
        let (weights, biases) = (part(inputs.len() * outputs), part(outputs));
        let rows = weights.chunks(inputs.len()).zip(biases);
        let sums = rows.map(|(row, bias)| {
            let products = row.iter().zip(&inputs).map(|(w, x)| w * x);
            bias + products.sum::<f64>()
        });
        let sums: Vec<f64> = sums.collect();
        if outputs == 1 {
            return (1.0 / (1.0 + (-sums[0]).exp()) - target).powi(2);
        }
        inputs = sums.iter().map(|sum| sum.clamp(0.0, 1.0)).collect();
    }
    unreachable!()
}

/// A model with many sums beyond the limits.
fn model(shape: ModelShape, seed: u64) -> Model {
    let mut model = Model::random(shape, seed);
    let [to_first, _, to_second, _, to_output, _] = model.head_mut();
    for weight in to_first.iter_mut().chain(to_second).chain(to_output) {
        *weight *= 2.0;
    }
    model
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut rng = StdRng::seed_from_u64(5);
    for features in [1, 2] {
        let shape = shape(features);
        let model = model(shape, 3);
        let rows: Vec<f64> = model.rows.iter().copied().map(f64::from).collect();
        let mut scratch = PassScratch::new(&shape);
        let mut checked = [0; 8];
        let samples = samples(&shape, 60, 1);
        for (round, group) in samples.chunks(1).chain(samples.chunks(GROUP)).enumerate() {
            // Some groups are not full.
            let group: Vec<&Sample> = group.iter().take(1 + round % GROUP).collect();
            let mut gradient = Gradient::new(&shape);
            let losses = kernel::backward(&model, &group, 0.7, &mut scratch, &mut gradient);
            let sum = |rows: &[f64]| -> f64 {
                let target = |sample: &Sample| f64::from(sample.target(0.7));
                let losses = group.iter().map(|it| defined(&shape, rows, it, target(it)));
                losses.sum()
            };
            let found: f32 = losses[..group.len()].iter().sum();
            assert!((f64::from(found) - sum(&rows)).abs() < 1e-5);
            let mut feature = || {
                let sample = group.choose(&mut rng).unwrap();
                usize::from(*sample.features.as_flattened().choose(&mut rng).unwrap())
            };
            let mut starts = vec![feature() * shape.width, shape.bias_row() * shape.width];
            let mut at = shape.head_row() * shape.width;
            let [first, second] = SIZES;
            let mut counts = vec![shape.width; 2];
            for (length, count) in shape.head_parts().into_iter().zip([
                2 * shape.width * first,
                first,
                first * second,
                second,
                second,
                1,
            ]) {
                starts.push(at);
                counts.push(count);
                at += length;
            }
            assert_eq!(at, rows.len());
            for (part, (start, count)) in starts.into_iter().zip(counts).enumerate() {
                let at = start + rng.random_range(0..count);
                let mut moved = rows.clone();
                let mut loss = |by: f64| {
                    moved[at] = rows[at] + by;
                    sum(&moved)
                };
                let expected = (loss(1e-6) - loss(-1e-6)) / 2e-6;
                let found = f64::from(gradient.rows[at]);
                let close = (found - expected).abs() < 1e-6 + 1e-3 * expected.abs();
                assert!(close, "part {part}: {found} {expected}");
                assert!(gradient.touched[at / shape.width]);
                checked[part] += usize::from(expected.abs() > 1e-6);
            }
        }
        assert!(checked.iter().all(|&it| it > 10), "{checked:?}");
    }
}

#[test]
fn a_few_hundred_positions_can_be_overfitted() {
    for features in [1, 2] {
        let shape = shape(features);
        let samples = samples(&shape, 300, 9);
        let mut model = Model::random(shape, 1);
        let before = Workers::new(&shape, 1).validate(&model, &samples).score;
        let loss = learn(&mut model, &samples, 2, 0.0005, 600);
        assert!(before > 0.02 && loss < before / 20.0, "{before} {loss}");
        let after = Workers::new(&shape, 3).validate(&model, &samples).score;
        assert!(after < before / 20.0, "{after}");
    }
}

#[test]
fn a_file_is_close_to_the_model_it_comes_from() {
    for features in [1, 2] {
        let shape = shape(features);
        let positions = positions(400, 2);
        let mut rng = StdRng::seed_from_u64(3);
        let samples: Vec<Sample> = positions
            .iter()
            .map(|position| sample(&shape, position, &mut rng))
            .collect();
        let mut model = Model::random(shape, 2);
        learn(&mut model, &samples, 1, 0.001, 100);
        let network = export::to_classic(&model, SIZES);
        let rounded = export::from_classic(&network);
        let network = network.into_network().unwrap();
        assert_eq!(network.fv_scale(), 16.into());
        let mut scratch = PassScratch::new(&shape);
        // Worst, mean and mean with sign in centipawns.
        let mut compare = |model: &Model| {
            let differences = positions.iter().zip(&samples).map(|(position, sample)| {
                let found = network.output(position) as f32 / 16.0 / 90.0 * 100.0;
                found - PONANZA * forward(model, sample, &mut scratch)
            });
            let differences: Vec<f32> = differences.collect();
            let mean = |sum: f32| sum / differences.len() as f32;
            let sizes = differences.iter().map(|it| it.abs());
            let worst = sizes.clone().fold(0.0, f32::max);
            (worst, mean(sizes.sum()), mean(differences.iter().sum()))
        };
        let (worst, mean, bias) = compare(&model);
        assert!(worst < 80.0 && mean < 16.0, "{worst} {mean} {bias}");
        assert!(worst > 0.0);
        // The same integers as floating-point numbers differ in the rounding of activations alone,
        // which makes values neither larger nor smaller on average.
        let (worst, mean, bias) = compare(&rounded);
        assert!(
            worst < 20.0 && mean < 4.0 && bias.abs() < 1.0,
            "{worst} {mean} {bias}"
        );
    }
}

#[test]
fn files_become_models_and_the_same_files_again() {
    for features in [1, 2] {
        let mut model = model(shape(features), 4);
        let samples = samples(&model.shape, 300, 9);
        learn(&mut model, &samples, 2, 0.001, 20);
        let bytes = model.to_bytes(600).unwrap();
        let read = Model::parse(&bytes).unwrap();
        assert_eq!(read.shape, model.shape);
        assert_eq!(read.to_bytes(600).unwrap(), bytes);
        for (one, other) in read.rows.iter().zip(&model.rows) {
            assert!((one - other).abs() <= 0.5 / 64.0 + 1e-5, "{one} {other}");
        }
        // With another scale, outputs mean something else.
        let network = ClassicNetwork::parse(&bytes).unwrap();
        let doubled = ClassicNetwork {
            scale: 2 * network.scale,
            ..network
        };
        let mut scratch = PassScratch::new(&model.shape);
        let whole = forward(&read, &samples[0], &mut scratch);
        let half = forward(&export::from_classic(&doubled), &samples[0], &mut scratch);
        assert!((whole / 2.0 - half).abs() < 1e-5);
    }
}

#[test]
fn rows_keep_to_limits_that_export_can_bear() {
    let shape = shape(1);
    let of = |row| shape.limit(row);
    let largest = 40.0 * of(0) + of(shape.bias_row());
    assert!(largest * 127.0 + 41.0 / 2.0 <= f32::from(i16::MAX));
    // Learnt with large steps until everything is at its limits.
    let mut model = Model::random(shape, 1);
    let mut adam = Adam::new(&shape);
    for number in 1..=5 {
        let mut gradient = Gradient::new(&shape);
        gradient.touched.fill(true);
        gradient.rows.fill(-1.0);
        let step = AdamStep {
            learning_rate: 10.0,
            factor: 1.0,
            number,
        };
        adam.step(&mut model, &mut [gradient], step);
    }
    let [w1, b1, w2, b2, w3, b3] = model.head();
    assert!([b1, b2, b3].iter().all(|part| part[0] > 40.0));
    for (part, unit) in [(w1, 64.0), (w2, 64.0), (w3, 8640.0 / 127.0)] {
        assert!(part.iter().all(|it| (it * unit).round() == 127.0));
    }
    let network = export::to_classic(&model, SIZES);
    let weights = network.layers.iter().flat_map(|layer| &layer.weights);
    assert!(weights.into_iter().all(|&it| it == 127));
}
