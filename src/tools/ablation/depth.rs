//! What a fixed depth costs without a technique, in nodes.
#![forbid(unsafe_code)]

use super::settings::Settings;
use super::threads::share_out;
use super::{AblationError, Searchers};
use crate::position::Position;
use crate::search::Technique;
use crate::tools::bench;
use std::fmt;

/// A search that takes so many times the nodes of the full search is given up.
const PATIENCE: u64 = 50;

/// Nodes to a depth, relative to the full search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Geometric mean over the positions: one that explodes says no more than another.
    pub factor: f64,
    /// Whether a search was given up, so that the true factor is larger.
    pub given_up: bool,
}

impl Cost {
    /// From the nodes of both searches of each position.
    fn of(full: &[u64], without: &[u64]) -> Cost {
        let ratios = full
            .iter()
            .zip(without)
            .map(|(&full, &without)| without.max(1) as f64 / full.max(1) as f64);
        let logarithms: f64 = ratios.map(f64::ln).sum();
        Cost {
            factor: (logarithms / full.len() as f64).exp(),
            given_up: full.iter().zip(without).any(|(f, w)| *w >= f * PATIENCE),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.given_up { "> " } else { "" };
        write!(f, "{more}× {:.2}", self.factor)
    }
}

/// Nodes of the full search in each position of the bench; none if depth is not to be measured.
pub fn full(settings: &Settings, searchers: &Searchers) -> Result<Vec<u64>, AblationError> {
    nodes(Technique::empty(), settings, searchers, &|_| u64::MAX)
}

/// What the search without a technique takes, compared with the full one.
pub fn without(
    technique: Technique,
    settings: &Settings,
    searchers: &Searchers,
    full: &[u64],
) -> Result<Option<Cost>, AblationError> {
    let limit = |number: usize| full[number].saturating_mul(PATIENCE);
    let nodes = nodes(technique, settings, searchers, &limit)?;
    Ok((!nodes.is_empty() && nodes.len() == full.len()).then(|| Cost::of(full, &nodes)))
}

/// Nodes to the depth in each position, from a cleared state each, with no more than a limit.
fn nodes(
    left_out: Technique,
    settings: &Settings,
    searchers: &Searchers,
    limit: &(impl Fn(usize) -> u64 + Sync),
) -> Result<Vec<u64>, AblationError> {
    let Some(depth) = settings.depth else {
        return Ok(Vec::new());
    };
    let positions: Vec<Position> = bench::positions().collect();
    share_out(
        settings.threads,
        positions.len(),
        || Ok(searchers.without(left_out)?),
        |solo, number| {
            solo.clear();
            let found = solo.search_within(&positions[number], depth, limit(number));
            Some(found.map_or(0, |found| found.nodes))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_averaged_as_factors() {
        let cost = Cost::of(&[100, 100], &[50, 800]);
        assert!((cost.factor - 2.0).abs() < 1e-9);
        assert_eq!(cost.to_string(), "× 2.00");
        let cost = Cost::of(&[100, 100], &[100 * PATIENCE, 100]);
        assert!(cost.given_up && cost.to_string().starts_with("> × 7"));
    }
}
