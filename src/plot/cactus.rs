//! How many instances each solver solves within how much time each.

use super::axis::Axis;
use super::frame::{SIZE, TEXT, TITLE, colour, drawing, xml};
use super::{Labels, PlotError};
use plotters::prelude::*;

/// Draws for each named solver the times of the instances it solved, sorted, as SVG text.
///
/// # Errors
/// When nobody solved anything, or a time is not positive and finite.
pub fn cactus(labels: &Labels, solvers: &[(String, Vec<f64>)]) -> Result<String, PlotError> {
    let times = || solvers.iter().flat_map(|(_, times)| times.iter().copied());
    if times().any(|time| !(time > 0.0 && time.is_finite())) {
        return Err(PlotError::Drawing("a time is not positive".to_owned()));
    }
    let up = Axis::logarithmic(times(), 0.0).ok_or(PlotError::Empty)?;
    let most = solvers.iter().map(|(_, times)| times.len()).max();
    let most = most.unwrap_or(0);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(drawing)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&labels.title, ("sans-serif", TITLE))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(0..most + 1, up.clone())
            .map_err(drawing)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&labels.x)
            .y_desc(&labels.y)
            .y_label_formatter(&|place| up.label(place))
            .label_style(("sans-serif", TEXT))
            .axis_desc_style(("sans-serif", TEXT))
            .draw()
            .map_err(drawing)?;
        for (place, (name, times)) in solvers.iter().enumerate() {
            let colour = colour(place);
            let mut times = times.clone();
            times.sort_by(f64::total_cmp);
            let places = times.into_iter().map(|time| up.place(time));
            let points: Vec<(usize, f64)> = (1..).zip(places).collect();
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(line)
                .map_err(drawing)?
                .label(format!("{name} ({})", points.len()))
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2))
                });
            let marks = points.iter().map(|at| Circle::new(*at, 3, colour.filled()));
            chart.draw_series(marks).map_err(drawing)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", TEXT))
            .draw()
            .map_err(drawing)?;
        area.present().map_err(drawing)?;
    }
    Ok(xml(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solved_instance_has_a_mark() {
        let solvers = [
            ("quick".to_owned(), vec![0.2, 0.01, 3.0]),
            ("slow".to_owned(), vec![40.0]),
            ("none".to_owned(), vec![]),
        ];
        let svg = cactus(&Labels::default(), &solvers).unwrap();
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        for name in ["quick (3)", "slow (1)", "none (0)"] {
            assert!(svg.contains(name), "{name}");
        }
        assert_eq!(
            cactus(&Labels::default(), &solvers[2..]),
            Err(PlotError::Empty)
        );
        let wrong = [("wrong".to_owned(), vec![0.0])];
        assert!(cactus(&Labels::default(), &wrong).is_err());
    }
}
