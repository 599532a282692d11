//! Curves as an SVG picture: values over the number of steps or over a parameter, and a band where only bounds are known.
//!
//! Here exact values become floats, and nothing comes back.

use formula::{BigRational, Outcome, Value};
use num_traits::ToPrimitive;

/// A number of steps or of a parameter, and bounds of the value there: both are the value if it is known.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) at: u32,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Point {
    pub(super) fn new(at: u32, outcome: &Outcome) -> Self {
        let (low, high) = match outcome {
            Outcome::Solved(Value::Float(value)) => (*value, *value),
            other => {
                let (low, high) = other.bounds();
                let float = |value: BigRational| value.to_f64().expect("values are finite");
                (float(low), float(high))
            }
        };
        Point { at, low, high }
    }
}

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 560.0;

/// Free room around the curves, for texts.
const MARGIN: f64 = 72.0;

/// The height of a line of text.
const LINE: f64 = 22.0;

/// The most intervals between the marks of an axis.
const MAX_MARKS: f64 = 10.0;

/// No axis ends below this: its marks would be no numbers.
const MIN_VALUE: f64 = 1e-300;

/// Colours that also people with colour-blindness can tell apart (Okabe and Ito), without yellow, which is faint on white.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00",
];

/// Draws a curve for each name. Values are 0 or more.
pub(super) fn picture(
    title: &str,
    unit: &str,
    numbers: &str,
    curves: &[(String, Vec<Point>)],
) -> String {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let steps = || points().map(|point| f64::from(point.at));
    let (first, last) = (
        steps().fold(f64::MAX, f64::min),
        steps().fold(0.0, f64::max),
    );
    let first = first.min(last);
    let across = Axis::new(first, last.max(first + 1.0), 1.0, [MARGIN, WIDTH - MARGIN]);
    let most = points().map(|point| point.high).fold(0.0, f64::max);
    let most = if most > MIN_VALUE { most } else { 1.0 };
    let up = Axis::new(0.0, most, 0.0, [HEIGHT - MARGIN, MARGIN]);
    let (left, right, top, bottom) = (MARGIN, WIDTH - MARGIN, MARGIN, HEIGHT - MARGIN);
    let (middle, height) = (WIDTH / 2.0, HEIGHT / 2.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut add = |shape: String| {
        svg += &shape;
        svg.push('\n');
    };
    let text = |x: f64, y: f64, anchor: &str, more: &str, text: &str| {
        let text = escape(text);
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{text}</text>")
    };
    let stroke = |from: (f64, f64), to: (f64, f64), more: &str| {
        let ((x, y), (to_x, to_y)) = (from, to);
        format!("<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" {more}/>")
    };
    let grid = "stroke=\"#e0e0e0\"";
    for (value, label) in across.marks() {
        let x = across.position(value);
        add(stroke((x, top), (x, bottom), grid));
        add(text(x, bottom + LINE, "middle", "", &label));
    }
    for (value, label) in up.marks() {
        let y = up.position(value);
        add(stroke((left, y), (right, y), grid));
        add(text(left - 8.0, y + 5.0, "end", "", &label));
    }
    add(text(middle, top / 2.0, "middle", "font-size=\"20\"", title));
    add(text(middle, bottom + 2.0 * LINE, "middle", "", numbers));
    let turned = format!("transform=\"rotate(-90 {LINE} {height})\"");
    add(text(LINE, height, "middle", &turned, unit));
    for (index, (name, points)) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let place = |point: &Point, value: f64| {
            format!(
                "{:.1},{:.1}",
                across.position(point.at.into()),
                up.position(value)
            )
        };
        let low: Vec<String> = points.iter().map(|point| place(point, point.low)).collect();
        let high: Vec<String> = points
            .iter()
            .map(|point| place(point, point.high))
            .collect();
        // Both ends of bounds are drawn, so that a band too narrow to be seen is a line.
        let are_bounds = points.iter().any(|point| point.low != point.high);
        let edges = [&low, &high].into_iter().take(1 + usize::from(are_bounds));
        if are_bounds {
            let around: Vec<&str> = low
                .iter()
                .chain(high.iter().rev())
                .map(String::as_str)
                .collect();
            let around = around.join(" ");
            add(format!(
                "<polygon points=\"{around}\" fill=\"{colour}\" opacity=\"0.25\"/>"
            ));
        }
        for edge in edges {
            let line = edge.join(" ");
            add(format!(
                "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            ));
        }
        for (low, high) in low.iter().zip(&high) {
            for end in [low, high].into_iter().take(1 + usize::from(low != high)) {
                let (x, y) = end.split_once(',').expect("two numbers");
                add(format!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>"
                ));
            }
        }
        if curves.len() > 1 {
            // Values grow with the number of steps, so there is room at the lower right most often.
            let y = bottom - LINE * (curves.len() - index) as f64 + LINE / 2.0;
            let style = format!("fill=\"{colour}\"");
            add(text(right - 8.0, y, "end", &style, name));
        }
    }
    svg + "</svg>\n"
}

/// Numbers along a direction of the picture, with marks at round ones.
struct Axis {
    low: f64,
    high: f64,
    /// Between two marks.
    step: f64,
    /// Where the ends are in the picture.
    ends: [f64; 2],
}

impl Axis {
    /// An axis whose marks are not closer than this.
    fn new(low: f64, high: f64, closest: f64, ends: [f64; 2]) -> Self {
        let least = (high - low) / MAX_MARKS;
        let power = 10_f64.powf(least.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(least).max(closest);
        Axis {
            low,
            high,
            step,
            ends,
        }
    }

    fn position(&self, value: f64) -> f64 {
        let [from, to] = self.ends;
        from + (to - from) * (value - self.low) / (self.high - self.low)
    }

    /// The marks, with their labels.
    fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        let (first, last) = (self.low / self.step, self.high / self.step);
        // The result of a division may be off by its last bit.
        let marks = first.ceil() as u32..=(last + 1e-9).floor() as u32;
        marks.map(move |mark| {
            let value = f64::from(mark) * self.step;
            let label = match digits {
                _ if mark == 0 => "0".to_owned(),
                0..=6 => format!("{value:.digits$}"),
                _ => format!("{value:.1e}"),
            };
            (value, label)
        })
    }
}

/// Text as XML can hold it; other characters are written as `\u{1b}`.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '\u{fffe}' | '\u{ffff}' => escaped.extend(c.escape_unicode()),
            c if c.is_control() => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_marks_and_a_band_for_bounds() {
        let point = |at, low, high| Point { at, low, high };
        let points = vec![
            point(1, 0.0, 0.0),
            point(2, 0.25, 0.25),
            point(3, 0.25, 1.0),
        ];
        let svg = picture(
            "a <title>\u{1b}",
            "probability",
            "steps",
            &[("x".to_owned(), points)],
        );
        assert!(
            svg.starts_with("<svg") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        assert!(svg.contains(">a &lt;title>\\u{1b}<"), "{svg}");
        let (low, high) = (
            "72.0,488.0 420.0,384.0 768.0,384.0",
            "72.0,488.0 420.0,384.0 768.0,72.0",
        );
        for edge in [low, high] {
            assert!(
                svg.contains(&format!("<polyline points=\"{edge}\"")),
                "{svg}"
            );
        }
        let around = format!("<polygon points=\"{low} 768.0,72.0 420.0,384.0 72.0,488.0\"");
        assert!(svg.contains(&around), "{svg}");
    }

    /// Bounds closer than the picture can show are a line, as a value is.
    #[test]
    fn narrow_bounds_are_seen() {
        let points = [0.5, 0.6].into_iter().zip(1..);
        let points = points.map(|(low, at)| Point {
            at,
            low,
            high: low + 1e-12,
        });
        let svg = picture("", "", "", &[("x".to_owned(), points.collect())]);
        let line = "<polyline points=\"72.0,141.3 768.0,72.0\"";
        assert_eq!(svg.matches(line).count(), 2, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    }

    #[test]
    fn marks_are_round_numbers() {
        let labels = |low: f64, high: f64, closest: f64| -> Vec<String> {
            let axis = Axis::new(low, high, closest, [0.0, 1.0]);
            axis.marks().map(|(_, label)| label).collect()
        };
        assert_eq!(
            labels(0.0, 0.42, 0.0).join(" "),
            "0 0.05 0.10 0.15 0.20 0.25 0.30 0.35 0.40"
        );
        assert_eq!(labels(0.0, 1.0, 0.0).len(), 11);
        assert_eq!(labels(5.0, 9.0, 1.0), ["5", "6", "7", "8", "9"]);
        assert_eq!(labels(3.0, 4.0, 1.0), ["3", "4"]);
        assert_eq!(labels(0.0, 1_000_000.0, 1.0).len(), 11);
        assert_eq!(
            labels(0.0, 3e-300, 0.0)[1..3],
            ["5.0e-301", "1.0e-300"],
            "no axis is shorter"
        );
        let tiny = Point {
            at: 1,
            low: 0.0,
            high: 5e-324,
        };
        assert!(picture("", "", "", &[("x".to_owned(), vec![tiny])]).contains(">0.5<"));
    }
}
