//! The learning rate: half a cosine wave down to a fiftieth.
#![forbid(unsafe_code)]

/// What is left of the rate at the end.
const LAST: f64 = 0.02;

/// The rate at a step (from 0) of so many.
pub fn rate(first: f64, step: u64, steps: u64) -> f64 {
    let progress = step as f64 / steps.max(1) as f64;
    let wave = (1.0 + (std::f64::consts::PI * progress.min(1.0)).cos()) / 2.0;
    first * (LAST + (1.0 - LAST) * wave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_falls_to_a_fiftieth() {
        assert_eq!(rate(1.0, 0, 100), 1.0);
        assert!((rate(1.0, 50, 100) - 0.51).abs() < 1e-9);
        assert!((rate(1.0, 100, 100) - 0.02).abs() < 1e-9);
        assert!((0..100).all(|step| rate(1.0, step, 100) > rate(1.0, step + 1, 100)));
    }
}
