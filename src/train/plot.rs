//! The losses over time, as a picture (SVG).
#![forbid(unsafe_code)]

use super::curve::Point;
use std::fmt::Write;

/// Size of the picture and of its margins, in pixels.
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Where things go.
struct Axes {
    epochs: f64,
    low: f64,
    high: f64,
}

impl Axes {
    fn x(&self, epoch: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * epoch / self.epochs
    }

    fn y(&self, loss: f64) -> f64 {
        // Losses differ by factors.
        let part = (loss / self.low).ln() / (self.high / self.low).ln();
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part.clamp(0.0, 1.0)
    }
}

/// The picture: training and validation losses against the score, over epochs.
pub fn to_svg(points: &[Point], title: &str) -> String {
    let training: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|point| Some((point.epoch, point.training?)))
        .collect();
    let validation: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|point| Some((point.epoch, point.validation?.search)))
        .collect();
    let axes = axes(training.iter().chain(&validation).copied());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{}</text>\n",
        escaped(title)
    );
    grid(&mut text, &axes);
    line(&mut text, &axes, &training, "#3b6fb6", "training", 0.0);
    line(
        &mut text,
        &axes,
        &validation,
        "#c8553d",
        "validation",
        110.0,
    );
    text.push_str("</svg>\n");
    text
}

/// Axes that have room for some losses.
fn axes(losses: impl Iterator<Item = (f64, f64)>) -> Axes {
    let mut axes = Axes {
        epochs: 0.0,
        low: f64::MAX,
        high: 0.0,
    };
    for (epoch, loss) in losses.filter(|(_, loss)| *loss > 0.0) {
        axes.epochs = axes.epochs.max(epoch);
        axes.low = axes.low.min(loss);
        axes.high = axes.high.max(loss);
    }
    if axes.high == 0.0 {
        (axes.low, axes.high) = (0.01, 1.0);
    }
    Axes {
        epochs: axes.epochs.max(1e-9),
        low: axes.low / 1.1,
        high: axes.high * 1.1,
    }
}

fn grid(text: &mut String, axes: &Axes) {
    const LINES: u32 = 6;
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for i in 0..=LINES {
        let part = f64::from(i) / f64::from(LINES);
        let loss = axes.low * (axes.high / axes.low).powf(part);
        let y = axes.y(loss);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            short(loss)
        );
        let x = axes.x(axes.epochs * part);
        let _ = writeln!(
            text,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            (axes.epochs * part * 100.0).round() / 100.0
        );
    }
    let _ = writeln!(
        text,
        "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>\
         <text x=\"{right}\" y=\"{}\" text-anchor=\"end\">epoch</text>",
        HEIGHT - 12.0
    );
}

fn line(
    text: &mut String,
    axes: &Axes,
    points: &[(f64, f64)],
    color: &str,
    name: &str,
    offset: f64,
) {
    let mut path = String::new();
    for &(epoch, loss) in points {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{command}{:.1} {:.1}", axes.x(epoch), axes.y(loss));
    }
    let (x, y) = (LEFT + offset, HEIGHT - 12.0);
    let _ = writeln!(
        text,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"/>\
         <text x=\"{x}\" y=\"{y}\" fill=\"{color}\">{name}</text>"
    );
}

/// A number with three digits that count.
fn short(number: f64) -> String {
    let digits = (2 - number.log10().floor() as i32).clamp(0, 12) as usize;
    format!("{number:.digits$}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::batch::Losses;

    #[test]
    fn pictures_have_both_lines_within_the_frame() {
        let points: Vec<Point> = (0..20)
            .map(|step| Point {
                step,
                epoch: step as f64 / 10.0,
                rate: 0.1,
                training: (step > 0).then_some(0.03 / step as f64),
                validation: (step % 10 == 0).then_some(Losses {
                    search: 0.02,
                    result: Some(0.2),
                }),
            })
            .collect();
        let text = to_svg(&points, "a < b");
        assert_eq!(text.matches("stroke-width").count(), 2);
        assert!(text.contains("a &lt; b") && text.ends_with("</svg>\n"));
        let path = text.split("d=\"M").nth(9).unwrap();
        let numbers = path.split('"').next().unwrap().split(['L', ' ']);
        let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 2 * 19);
        assert!(numbers.iter().all(|number| (0.0..=WIDTH).contains(number)));
        assert!(!to_svg(&[], "").contains("NaN"));
    }
}
