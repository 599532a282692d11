//! Values over a parameter.

use super::axis::Axis;
use super::frame::{SIZE, TEXT, TITLE, colour, drawing, xml};
use super::{Labels, PlotError};
use plotters::prelude::*;

/// A value at one place of the horizontal axis, or bounds of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The place.
    pub x: f64,
    /// The value, or a lower bound.
    pub low: f64,
    /// The value, or an upper bound.
    pub high: f64,
}

/// Draws named series of values, usually probabilities, over a parameter, as SVG text.
///
/// # Errors
/// When there is no point, or a number is not finite.
pub fn lines(labels: &Labels, series: &[(String, Vec<Point>)]) -> Result<String, PlotError> {
    let points = || series.iter().flat_map(|(_, points)| points);
    if points().any(|point| {
        ![point.x, point.low, point.high]
            .iter()
            .all(|n| n.is_finite())
    }) {
        return Err(PlotError::Drawing("a number is not finite".to_owned()));
    }
    let across = Axis::linear(points().map(|point| point.x), 0.0).ok_or(PlotError::Empty)?;
    // Room above and below.
    let values = points().flat_map(|point| [point.low, point.high]);
    let up = Axis::linear(values, 0.05).ok_or(PlotError::Empty)?;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(drawing)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&labels.title, ("sans-serif", TITLE))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(across.clone(), up.clone())
            .map_err(drawing)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&labels.x)
            .y_desc(&labels.y)
            .x_label_formatter(&|x| across.label(x))
            .y_label_formatter(&|y| up.label(y))
            .label_style(("sans-serif", TEXT))
            .axis_desc_style(("sans-serif", TEXT))
            .draw()
            .map_err(drawing)?;
        for (place, (name, points)) in series.iter().enumerate() {
            let colour = colour(place);
            // Bounds are no place for a line to go through.
            let values = points.iter().filter(|point| point.low == point.high);
            let values: Vec<(f64, f64)> = values
                .map(|point| (across.place(point.x), up.place(point.low)))
                .collect();
            let line = LineSeries::new(values.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(line)
                .map_err(drawing)?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2))
                });
            let marks = values.iter().map(|at| Circle::new(*at, 3, colour.filled()));
            chart.draw_series(marks).map_err(drawing)?;
            let bars = points.iter().filter(|point| point.low != point.high);
            let bars = bars.map(|point| {
                let x = across.place(point.x);
                let ends = [(x, up.place(point.low)), (x, up.place(point.high))];
                PathElement::new(ends, colour.mix(0.5).stroke_width(4))
            });
            chart.draw_series(bars).map_err(drawing)?;
        }
        if series.len() > 1 {
            chart
                .configure_series_labels()
                .position(emptiest(series, &across, &up))
                .background_style(WHITE.mix(0.85))
                .border_style(BLACK.mix(0.3))
                .label_font(("sans-serif", TEXT))
                .draw()
                .map_err(drawing)?;
        }
        area.present().map_err(drawing)?;
    }
    Ok(xml(text))
}

/// The place for the legend where it hides least of the curves.
fn emptiest(series: &[(String, Vec<Point>)], across: &Axis, up: &Axis) -> SeriesLabelPosition {
    // Parts of the width and height that a legend takes, roughly.
    let width = 0.22;
    let height = 0.04 + 0.05 * series.len() as f64;
    let places = [
        (SeriesLabelPosition::UpperLeft, 0.0, 1.0 - height),
        (SeriesLabelPosition::UpperRight, 1.0 - width, 1.0 - height),
        (SeriesLabelPosition::LowerRight, 1.0 - width, 0.0),
        (SeriesLabelPosition::LowerLeft, 0.0, 0.0),
        (
            SeriesLabelPosition::UpperMiddle,
            0.5 - width / 2.0,
            1.0 - height,
        ),
        (SeriesLabelPosition::LowerMiddle, 0.5 - width / 2.0, 0.0),
    ];
    let hidden = |left: f64, bottom: f64| {
        let covers = |x: f64, y: f64| {
            (left..left + width).contains(&x) && (bottom..bottom + height).contains(&y)
        };
        let curves = series.iter().map(|(_, points)| {
            let at = |point: &Point| (across.place(point.x), up.place(point.low));
            let pairs = points
                .iter()
                .zip(points.iter().skip(1).chain(points.last()));
            pairs
                .flat_map(|(from, to)| {
                    let ((x, y), (to_x, to_y)) = (at(from), at(to));
                    (0..8).map(move |step| {
                        let part = f64::from(step) / 8.0;
                        (x + (to_x - x) * part, y + (to_y - y) * part)
                    })
                })
                .filter(|(x, y)| covers(*x, *y))
                .count()
        });
        curves.sum::<usize>()
    };
    let best = places
        .into_iter()
        .min_by_key(|(_, left, bottom)| hidden(*left, *bottom));
    best.expect("there are places").0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, low: f64, high: f64) -> Point {
        Point { x, low, high }
    }

    #[test]
    fn a_curve_has_a_mark_for_each_value_and_a_bar_for_bounds() {
        let labels = Labels {
            title: "a <title>".to_owned(),
            x: "steps".to_owned(),
            y: "probability".to_owned(),
        };
        let points = vec![
            point(1.0, 0.0, 0.0),
            point(2.0, 0.25, 0.25),
            point(3.0, 0.25, 1.0),
        ];
        let svg = lines(&labels, &[("x".to_owned(), points)]).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{svg}"
        );
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(
            svg.contains("a &lt;title&gt;") && svg.contains("probability"),
            "{svg}"
        );
        assert_eq!(lines(&labels, &[]), Err(PlotError::Empty));
        let bad = vec![point(f64::NAN, 0.0, 0.0)];
        assert!(lines(&labels, &[("x".to_owned(), bad)]).is_err());
    }
}
