//! Outputs of squared activations, one of which counts in a position: the end of a network of our
//! own.
#![forbid(unsafe_code)]

use super::kernel::{Gradient, TILE, Tile};
use super::model::Model;
use super::sample::Sample;

/// The output for the sums of the first layer.
pub fn forward(model: &Model, sample: &Sample, sums: &[Tile]) -> f32 {
    let shape = &model.shape;
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let width = shape.width / TILE;
    let output = usize::from(sample.output);
    let mut total = [0.0; TILE];
    for (side, sums) in sums.chunks_exact(width).enumerate() {
        let weights = &tiles[shape.neuron_row(output, side) * width..][..width];
        for (sum, weights) in sums.iter().zip(weights) {
            for ((total, sum), weight) in total.iter_mut().zip(sum).zip(weights) {
                let activation = sum.clamp(0.0, 1.0);
                *total += activation * activation * weight;
            }
        }
    }
    let bias = model.rows[shape.neuron_bias_row() * shape.width + output];
    total.iter().sum::<f32>() + bias
}

/// Adds the gradient for an output that is to change by `slope`, and leaves what the sums of the
/// first layer are to change by in their place.
pub fn backward(
    model: &Model,
    sample: &Sample,
    slope: f32,
    sums: &mut [Tile],
    gradient: &mut Gradient,
) {
    let shape = &model.shape;
    let (tiles, _) = model.rows.as_chunks::<TILE>();
    let (out, _) = gradient.rows.as_chunks_mut::<TILE>();
    let width = shape.width / TILE;
    let output = usize::from(sample.output);
    for (side, sums) in sums.chunks_exact_mut(width).enumerate() {
        let row = shape.neuron_row(output, side);
        gradient.touched[row] = true;
        let weights = &tiles[row * width..][..width];
        let changes = &mut out[row * width..][..width];
        for ((sums, weights), changes) in sums.iter_mut().zip(weights).zip(changes) {
            for ((sum, weight), change) in sums.iter_mut().zip(weights).zip(changes) {
                let activation = sum.clamp(0.0, 1.0);
                *change += slope * activation * activation;
                // The limits let nothing through.
                let inside = *sum > 0.0 && *sum < 1.0;
                *sum = if inside {
                    2.0 * slope * weight * activation
                } else {
                    0.0
                };
            }
        }
    }
    gradient.touched[shape.neuron_bias_row()] = true;
    gradient.rows[shape.neuron_bias_row() * shape.width + output] += slope;
}
