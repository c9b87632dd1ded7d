//! The losses over time, as a table (CSV) and as a picture (SVG).
#![forbid(unsafe_code)]

use super::workers::Losses;
use std::fmt::Write;

/// The losses at one time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// Steps taken.
    pub step: u64,
    /// Epochs, with their fraction.
    pub epoch: f64,
    pub learning_rate: f64,
    /// Mean loss of the batches since the last point.
    pub training: Option<f64>,
    pub validation: Option<Losses>,
}

/// The first line of the table.
const HEAD: &str = "step,epoch,learning_rate,training,validation_score,validation_result";

/// The table as comma-separated values.
pub fn to_csv(points: &[CurvePoint]) -> String {
    let mut text = format!("{HEAD}\n");
    for point in points {
        let losses = [
            point.training,
            point.validation.map(|losses| losses.score),
            point.validation.and_then(|losses| losses.result),
        ];
        // The shortest text that reads back as the same number.
        let [training, score, result] =
            losses.map(|loss| loss.map_or(String::new(), |loss| loss.to_string()));
        let (step, epoch, rate) = (point.step, point.epoch, point.learning_rate);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{step},{epoch},{rate},{training},{score},{result}");
    }
    text
}

/// Reads back [`to_csv`].
pub fn from_csv(text: &str) -> Option<Vec<CurvePoint>> {
    let rows = text.strip_prefix(HEAD)?.strip_prefix('\n')?;
    let point = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let &[step, epoch, rate, training, score, result] = &cells[..] else {
            return None;
        };
        let loss = |cell: &str| match cell {
            "" => Some(None),
            cell => cell.parse().ok().map(Some),
        };
        let result = loss(result)?;
        Some(CurvePoint {
            step: step.parse().ok()?,
            epoch: epoch.parse().ok()?,
            learning_rate: rate.parse().ok()?,
            training: loss(training)?,
            validation: loss(score)?.map(|score| Losses { score, result }),
        })
    };
    rows.lines().map(point).collect()
}

/// Size of the picture and of its margins, in pixels.
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Grid lines in either direction.
const LINES: u32 = 6;

/// The picture: training and validation losses against the score, on a logarithmic axis, over epochs.
pub fn to_svg(points: &[CurvePoint], title: &str) -> String {
    let training = points
        .iter()
        .filter_map(|it| Some((it.epoch, it.training?)));
    let validation = points
        .iter()
        .filter_map(|it| Some((it.epoch, it.validation?.score)));
    let lines = [
        ("training", "#3b6fb6", training.collect::<Vec<_>>()),
        ("validation", "#c8553d", validation.collect()),
    ];
    let losses = lines
        .iter()
        .flat_map(|(.., points)| points)
        .filter(|it| it.1 > 0.0);
    let range = |from: f64, to: f64| if from < to { (from, to) } else { (0.01, 1.0) };
    let (low, high) = range(
        losses.clone().map(|it| it.1).fold(f64::MAX, f64::min) / 1.1,
        losses.clone().map(|it| it.1).fold(0.0, f64::max) * 1.1,
    );
    let epochs = losses.map(|it| it.0).fold(1e-9, f64::max);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let x = |epoch: f64| LEFT + (right - LEFT) * epoch / epochs;
    let y = |loss: f64| {
        let part = (loss / low).ln() / (high / low).ln();
        bottom - (bottom - TOP) * part.clamp(0.0, 1.0)
    };

    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{title}</text>\n\
         <path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>\n\
         <text x=\"{right}\" y=\"{}\" text-anchor=\"end\">epoch</text>\n",
        HEIGHT - 12.0
    );
    for part in (0..=LINES).map(|line| f64::from(line) / f64::from(LINES)) {
        let (loss, epoch) = (low * (high / low).powf(part), epochs * part);
        // Three significant digits.
        let digits = (2 - loss.log10().floor() as i32).clamp(0, 12) as usize;
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{loss:.digits$}</text>\
             <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{:.2}</text>",
            LEFT - 8.0,
            x(epoch),
            bottom + 18.0,
            epoch,
            y = y(loss),
        );
    }
    for (number, (name, color, points)) in lines.into_iter().enumerate() {
        let points = points
            .iter()
            .map(|&(epoch, loss)| format!("{:.1} {:.1}", x(epoch), y(loss)));
        let path = points.collect::<Vec<_>>().join("L");
        let _ = writeln!(
            text,
            "<path d=\"M{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{color}\">{name}</text>",
            LEFT + 110.0 * number as f64,
            HEIGHT - 12.0
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_round_trip() {
        let point = |step, training, validation| CurvePoint {
            step,
            epoch: step as f64 / 3.0,
            learning_rate: 0.001 / 7.0,
            training,
            validation,
        };
        let losses = Losses {
            score: 1.0 / 3.0,
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

    #[test]
    fn pictures_have_both_lines_within_the_frame() {
        let points: Vec<CurvePoint> = (0..20)
            .map(|step| CurvePoint {
                step,
                epoch: step as f64 / 10.0,
                learning_rate: 0.1,
                training: (step > 0).then_some(0.03 / step as f64),
                validation: (step % 10 == 0).then_some(Losses {
                    score: 0.02,
                    result: Some(0.2),
                }),
            })
            .collect();
        let text = to_svg(&points, "a < b");
        assert_eq!(text.matches("stroke-width").count(), 2);
        assert!(text.contains("a &lt; b") && text.ends_with("</svg>\n"));
        let lines = text.lines().find(|line| line.contains("stroke-width"));
        let path = lines.unwrap().split('"').nth(1).unwrap();
        let numbers = path[1..].split(['L', ' ']);
        let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 2 * 19);
        assert!(numbers.iter().all(|number| (0.0..=WIDTH).contains(number)));
        assert!(!to_svg(&[], "").contains("NaN"));
    }
}
