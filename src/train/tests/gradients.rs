//! Gradients, steps, and what integers make of a model.

use super::*;

/// The loss by its definition, in double precision.
fn defined(shape: &ModelShape, rows: &[f64], sample: &Sample, target: f64) -> f64 {
    let number = |row: usize, j: usize| rows[row * shape.width + j];
    let mut z = number(shape.head_row() + 2, 0);
    for (side, features) in sample.features.iter().enumerate() {
        for j in 0..shape.width {
            let sum: f64 = features.iter().map(|&f| number(usize::from(f), j)).sum();
            let activation = (sum + number(shape.bias_row(), j)).clamp(0.0, 1.0);
            z += activation * activation * number(shape.head_row() + side, j);
        }
    }
    (1.0 / (1.0 + (-z).exp()) - target).powi(2)
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut rng = StdRng::seed_from_u64(5);
    let model = Model::random(SHAPE, 3);
    let rows: Vec<f64> = model.rows.iter().copied().map(f64::from).collect();
    let (mut checked, mut scratch) = (0, PassScratch::new(&SHAPE));
    for sample in samples(&SHAPE, 40, 1) {
        let target = f64::from(sample.target(0.7));
        let mut gradient = Gradient::new(&SHAPE);
        let [loss, ..] = kernel::backward(&model, &[&sample], 0.7, &mut scratch, &mut gradient);
        let expected = defined(&SHAPE, &rows, &sample, target);
        assert!(
            (f64::from(loss) - expected).abs() < 1e-6,
            "{loss} {expected}"
        );
        let candidates = [
            usize::from(*sample.features[0].choose(&mut rng).unwrap()),
            usize::from(*sample.features[1].choose(&mut rng).unwrap()),
            SHAPE.bias_row(),
            SHAPE.head_row(),
            SHAPE.head_row() + 1,
            SHAPE.head_row() + 2,
        ];
        for row in candidates {
            let column = match row == SHAPE.head_row() + 2 {
                true => 0,
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
fn within_a_bound_there_is_nothing_to_learn() {
    let model = Model::random(SHAPE, 3);
    let mut scratch = PassScratch::new(&SHAPE);
    let mut learn = |sample: &Sample| {
        let mut gradient = Gradient::new(&SHAPE);
        let [loss, ..] = kernel::backward(&model, &[sample], 1.0, &mut scratch, &mut gradient);
        (loss, gradient.rows)
    };
    for mut sample in samples(&SHAPE, 40, 1) {
        let output = kernel::forward(&model, &[&sample], &mut PassScratch::new(&SHAPE))[0];
        let (kept, broken) = match sigmoid(output) > sample.by_score() {
            true => (ScoreBound::Lower, ScoreBound::Upper),
            false => (ScoreBound::Upper, ScoreBound::Lower),
        };
        let exact = learn(&sample);
        sample.bound = broken;
        assert_eq!(learn(&sample), exact);
        sample.bound = kept;
        let (loss, rows) = learn(&sample);
        assert!(loss == 0.0 && rows.iter().all(|&it| it == 0.0));
    }
}

#[test]
fn steps_are_those_of_adam() {
    let mut model = Model::random(SHAPE, 1);
    let (row, rate) = (SHAPE.head_row() + 1, 0.01);
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
        let step = AdamStep {
            learning_rate: rate as f32,
            factor: 0.25,
            number,
        };
        adam.step(&mut model, &mut gradients, step);
        let slope = 0.25 * (3.0 + number as f64);
        mean = 0.9 * mean + 0.1 * slope;
        square = 0.999 * square + 0.001 * slope * slope;
        let faded = |beta: f64| 1.0 - beta.powi(number as i32);
        let change = mean / faded(0.9) / ((square / faded(0.999)).sqrt() + 1e-8);
        expected = expected * (1.0 - rate * 0.01) - rate * change;
        assert!((f64::from(model.rows[weight]) - expected).abs() < 1e-5);
        assert!(
            gradients
                .iter()
                .all(|it| it.rows[weight] == 0.0 && !it.touched[row])
        );
    }
}

#[test]
fn rows_keep_to_limits_that_export_can_bear() {
    let largest = 40.0 * SHAPE.limit(0) + SHAPE.limit(SHAPE.bias_row());
    let rounding = 41.0 / 2.0;
    assert!(largest * NativeNetwork::UNIT as f32 + rounding <= f32::from(i16::MAX));
    let output = SHAPE.limit(SHAPE.head_row());
    assert!(output * 64.0 <= NativeNetwork::MAX_WEIGHT as f32);
}

/// Overfits some samples; returns the last loss.
pub fn learn(model: &mut Model, samples: &[Sample], threads: usize, rate: f32, steps: u64) -> f64 {
    let mut adam = Adam::new(&model.shape);
    let mut workers = Workers::new(&model.shape, threads);
    let order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut loss = f64::NAN;
    for number in 1..=steps {
        loss = workers.backward(model, samples, &order, 1.0) / samples.len() as f64;
        let step = AdamStep {
            learning_rate: rate,
            factor: 1.0 / samples.len() as f32,
            number,
        };
        adam.step(model, &mut workers.gradients, step);
    }
    loss
}

#[test]
fn a_thousand_positions_can_be_overfitted() {
    let samples = samples(&SHAPE, 1000, 9);
    let mut model = Model::random(SHAPE, 1);
    let before = Workers::new(&SHAPE, 1).validate(&model, &samples).score;
    let loss = learn(&mut model, &samples, 2, 0.003, 150);
    assert!(before > 0.02 && loss < before / 100.0, "{before} {loss}");
    let after = Workers::new(&SHAPE, 3).validate(&model, &samples).score;
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
    learn(&mut model, &samples, 1, 0.003, 60);
    let network = export::to_native(&model, 600);
    assert!(network.weight_unit >= 64);
    let rounded = export::from_native(&network).unwrap();
    let unit = (NativeNetwork::UNIT * network.weight_unit as i32) as f32;
    let network = network.into_network().unwrap();
    let mut scratch = PassScratch::new(&SHAPE);
    let (mut worst, mut sum) = (0.0_f32, 0.0);
    for (position, sample) in positions.iter().zip(&samples) {
        let found = PONANZA * network.output(position) as f32 / unit;
        let expected = PONANZA * forward(&model, sample, &mut scratch);
        let difference = (found - expected).abs();
        worst = worst.max(difference);
        sum += difference;
        // The integers, taken as floating-point numbers, say the same up to the last division.
        let exact = PONANZA * forward(&rounded, sample, &mut scratch);
        assert!((found - exact).abs() < 1.5, "{found} {exact}");
    }
    assert!(worst < 25.0 && sum / 400.0 < 7.0, "{worst} {}", sum / 400.0);
    assert!(worst > 0.0);
}

#[test]
fn networks_become_models_and_networks_again() {
    let network = export::to_native(&Model::random(SHAPE, 4), 600);
    let model = export::from_native(&network).unwrap();
    assert_eq!(export::to_native(&model, 600), network);
    assert_eq!(export::to_native(&model, 300).scale, 300);
    // What it calls its outputs does not change them.
    let renamed = NativeNetwork {
        scale: 300,
        ..network.clone()
    };
    assert!(export::from_native(&renamed).unwrap() == model);
    let other = NativeNetwork {
        output_biases: vec![0; 2],
        ..network
    };
    assert!(export::from_native(&other).is_err());
}
