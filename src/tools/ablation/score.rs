//! The result of a match, and the difference in strength that it speaks for.
//! <https://www.chessprogramming.org/Match_Statistics>
#![forbid(unsafe_code)]

/// How many standard errors to either side hold the truth in 95 of 100 matches.
const CONFIDENCE: f64 = 1.96;

/// Games in pairs: the two of an opening are not independent of each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    /// The results of each pair: 1 won, 0 drawn, -1 lost.
    pairs: Vec<[i8; 2]>,
}

impl Score {
    /// The score of these pairs.
    pub fn of(pairs: Vec<[i8; 2]>) -> Score {
        Score { pairs }
    }

    /// Games won, drawn and lost, as `won - drawn - lost`.
    pub fn results(&self) -> String {
        let count = |result: i8| {
            let games = self.pairs.as_flattened().iter();
            games.filter(|&&game| game == result).count()
        };
        format!("{} - {} - {}", count(1), count(0), count(-1))
    }

    /// The difference in Elo with its error of 95 %.
    pub fn elo(&self) -> String {
        let Some((share, error)) = self.share() else {
            return "-".into();
        };
        let elo = |share: f64| self.elo_of(share);
        let bar = (elo(share + error) - elo(share - error)) / 2.0;
        // Adding zero takes the sign off minus zero.
        format!("{:+.0} ± {bar:.0}", elo(share).round() + 0.0)
    }

    /// The share of the points, and its error.
    fn share(&self) -> Option<(f64, f64)> {
        let count = self.pairs.len() as f64;
        if count < 2.0 {
            return None;
        }
        let points = |pair: &[i8; 2]| f64::from(2 + pair[0] + pair[1]) / 4.0;
        let mean = self.pairs.iter().map(points).sum::<f64>() / count;
        let squares = self
            .pairs
            .iter()
            .map(|pair| (points(pair) - mean).powi(2))
            .sum::<f64>();
        let error = (squares / (count - 1.0) / count).sqrt();
        Some((mean, CONFIDENCE * error))
    }

    /// The Elo of a share of the points. All of them would be infinitely many: half a point is
    /// always taken to be missing.
    fn elo_of(&self, share: f64) -> f64 {
        let least = 0.25 / self.pairs.len() as f64;
        let share = share.clamp(least, 1.0 - least);
        -400.0 * (1.0 / share - 1.0).log10()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_results_are_no_difference() {
        let even = Score::of([[1, -1], [-1, 1], [0, 0], [1, 1], [-1, -1]].repeat(20));
        assert_eq!(even.results(), "80 - 40 - 80");
        // The points of a pair have a variance of 1/10: 1.96 * sqrt(0.1 / 99) = 6.2 % of points.
        assert_eq!(even.elo(), "+0 ± 44");
    }

    #[test]
    fn three_points_of_four_are_191_elo() {
        let better = Score::of([[1, 1], [1, -1]].repeat(50));
        assert_eq!(better.results(), "150 - 0 - 50");
        assert!(better.elo().starts_with("+191 ± 4"), "{}", better.elo());
        let worse = Score::of([[-1, -1], [1, -1]].repeat(50));
        assert!(worse.elo().starts_with("-191 ± 4"));
    }

    #[test]
    fn few_games_say_little_and_never_infinity() {
        assert_eq!(Score::of(vec![]).elo(), "-");
        assert_eq!(Score::of(vec![[1, 1]]).elo(), "-");
        assert_eq!(Score::of(vec![[1, 1]; 2]).elo(), "+338 ± 0");
    }
}
