//! The losses over time, as a table.
#![forbid(unsafe_code)]

use super::batch::Losses;
use std::fmt::Write;

/// The losses at one time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Steps taken.
    pub step: u64,
    /// Epochs, with their fraction.
    pub epoch: f64,
    /// Learning rate.
    pub rate: f64,
    /// Mean loss of the batches since the point before.
    pub training: Option<f64>,
    /// Losses of the positions held back.
    pub validation: Option<Losses>,
}

/// The first line of the table.
const HEAD: &str = "step,epoch,rate,training,validation_score,validation_result";

/// The table as comma-separated values.
pub fn to_csv(points: &[Point]) -> String {
    let mut text = format!("{HEAD}\n");
    for point in points {
        let Point {
            step, epoch, rate, ..
        } = point;
        // Writing to a string cannot fail.
        let _ = write!(text, "{step},{epoch},{rate},");
        let search = point.validation.map(|losses| losses.search);
        let result = point.validation.and_then(|losses| losses.result);
        let cells = [point.training, search, result].map(|loss| {
            // As many digits as tell numbers apart, so that reading gives the same back.
            loss.map_or(String::new(), |loss| loss.to_string())
        });
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

/// Reads back [`to_csv`].
pub fn from_csv(text: &str) -> Option<Vec<Point>> {
    let (head, rows) = text.split_once('\n')?;
    if head != HEAD {
        return None;
    }
    rows.lines().map(point).collect()
}

fn point(row: &str) -> Option<Point> {
    let cells: Vec<&str> = row.split(',').collect();
    let &[step, epoch, rate, training, search, result] = cells.as_slice() else {
        return None;
    };
    let loss = |cell: &str| match cell {
        "" => Some(None),
        cell => cell.parse().ok().map(Some),
    };
    let result = loss(result)?;
    let validation = loss(search)?.map(|search| Losses { search, result });
    Some(Point {
        step: step.parse().ok()?,
        epoch: epoch.parse().ok()?,
        rate: rate.parse().ok()?,
        training: loss(training)?,
        validation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_round_trip() {
        let point = |step, training, validation| Point {
            step,
            epoch: step as f64 / 3.0,
            rate: 0.001 / 7.0,
            training,
            validation,
        };
        let losses = Losses {
            search: 1.0 / 3.0,
            result: Some(0.25),
        };
        let points = [
            point(0, None, Some(losses)),
            point(10, Some(0.1 + 0.2), None),
            point(20, Some(0.2), Some(losses)),
        ];
        let text = to_csv(&points);
        assert_eq!(from_csv(&text).unwrap(), points);
        assert_eq!(text.lines().count(), 4);
        assert_eq!(from_csv("step\n"), None);
        assert_eq!(from_csv(&text.replace("0.25", "x")), None);
    }
}
