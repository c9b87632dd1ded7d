//! Counts by ranges of a number, with a bar for each range.
#![forbid(unsafe_code)]

use std::fmt;

/// Characters of the longest bar.
const BAR: u64 = 40;

/// How often a number fell in each of some ranges, and the mean of something else there, so far as
/// it is known.
pub struct Histogram {
    title: &'static str,
    /// The smallest number of each range but the first.
    edges: Vec<i32>,
    counts: Vec<u64>,
    known: Vec<u64>,
    sums: Vec<f64>,
}

impl Histogram {
    /// Ranges that begin at these numbers, in ascending order, and one below them all.
    pub fn new(title: &'static str, edges: Vec<i32>) -> Histogram {
        Histogram {
            title,
            counts: vec![0; edges.len() + 1],
            known: vec![0; edges.len() + 1],
            sums: vec![0.0; edges.len() + 1],
            edges,
        }
    }

    /// Counts a number, and something to take the mean of.
    pub fn add(&mut self, number: i32, other: Option<f64>) {
        let range = self.edges.partition_point(|&edge| edge <= number);
        self.counts[range] += 1;
        if let Some(other) = other {
            self.known[range] += 1;
            self.sums[range] += other;
        }
    }

    fn label(&self, range: usize) -> String {
        match (range.checked_sub(1), self.edges.get(range)) {
            (Some(low), Some(high)) => format!("{}..{}", self.edges[low], high - 1),
            (Some(low), None) => format!("{}..", self.edges[low]),
            (None, Some(high)) => format!("..{}", high - 1),
            (None, None) => String::new(),
        }
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.counts.iter().sum::<u64>().max(1);
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        writeln!(
            f,
            "{:>14} {:>10} {:>6} {:>7}",
            self.title, "positions", "%", "points"
        )?;
        for (range, &count) in self.counts.iter().enumerate() {
            if count == 0 {
                continue;
            }
            let mean = match self.known[range] {
                0 => "-".into(),
                known => format!("{:.1}%", self.sums[range] * 100.0 / known as f64),
            };
            writeln!(
                f,
                "{:>14} {count:>10} {:>6.2} {mean:>7} {}",
                self.label(range),
                count as f64 * 100.0 / total as f64,
                "#".repeat((count * BAR).div_ceil(most) as usize)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fall_in_their_ranges() {
        let mut histogram = Histogram::new("score", vec![-10, 0, 10]);
        for (number, other) in [
            (-11, 0.0),
            (-10, 0.0),
            (-1, 1.0),
            (0, 0.5),
            (10, 1.0),
            (99, 1.0),
        ] {
            histogram.add(number, Some(other));
        }
        assert_eq!(histogram.counts, [1, 2, 1, 2]);
        let text = histogram.to_string();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        let bar = "#".repeat(40);
        assert_eq!(lines[0], ["score", "positions", "%", "points"]);
        assert_eq!(lines[1][..4], ["..-11", "1", "16.67", "0.0%"]);
        assert_eq!(lines[2], ["-10..-1", "2", "33.33", "50.0%", &bar]);
        assert_eq!(lines[4], ["10..", "2", "33.33", "100.0%", &bar]);
    }
}
