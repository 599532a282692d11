//! Two solvers on the same instances.

use super::axis::Axis;
use super::frame::{SIZE, TEXT, TITLE, colour, drawing, xml};
use super::{Labels, PlotError};
use plotters::prelude::*;

/// Draws one point for each instance, with the time of one solver across and that of the other up, as
/// SVG text. Without a time an instance was not solved.
///
/// # Errors
/// When no instance has a time, or a time is not positive and finite.
pub fn scatter(
    labels: &Labels,
    instances: &[(Option<f64>, Option<f64>)],
) -> Result<String, PlotError> {
    let times = || instances.iter().flat_map(|(x, y)| [*x, *y]).flatten();
    if times().any(|time| !(time > 0.0 && time.is_finite())) {
        return Err(PlotError::Drawing("a time is not positive".to_owned()));
    }
    // What was not solved lies on the last line, beyond all times.
    let has_unsolved = instances.iter().any(|(x, y)| x.is_none() != y.is_none());
    let free = if has_unsolved { 0.08 } else { 0.0 };
    let axis = Axis::logarithmic(times(), free).ok_or(PlotError::Empty)?;
    let unsolved = 1.0 - free / 2.0;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (SIZE.1 + 60, SIZE.1 + 60));
        let area = area.into_drawing_area();
        area.fill(&WHITE).map_err(drawing)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&labels.title, ("sans-serif", TITLE))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(axis.clone(), axis.clone())
            .map_err(drawing)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&labels.x)
            .y_desc(&labels.y)
            .x_label_formatter(&|place| axis.label(place))
            .y_label_formatter(&|place| axis.label(place))
            .label_style(("sans-serif", TEXT))
            .axis_desc_style(("sans-serif", TEXT))
            .draw()
            .map_err(drawing)?;
        let mut guides = vec![[(0.0, 0.0), (1.0, 1.0)]];
        if has_unsolved {
            guides.push([(0.0, unsolved), (1.0, unsolved)]);
            guides.push([(unsolved, 0.0), (unsolved, 1.0)]);
        }
        let grey = BLACK.mix(0.4);
        let guides = guides.into_iter().map(|ends| PathElement::new(ends, grey));
        chart.draw_series(guides).map_err(drawing)?;
        if has_unsolved {
            let style = ("sans-serif", TEXT).into_font().color(&BLACK.mix(0.6));
            let note = Text::new("not solved", (0.02, 1.0 - free / 10.0), style);
            chart.draw_series([note]).map_err(drawing)?;
        }
        let place = |time: Option<f64>| time.map_or(unsolved, |time| axis.place(time));
        let points = instances.iter().filter(|(x, y)| x.is_some() || y.is_some());
        let marks = points
            .map(|(x, y)| Circle::new((place(*x), place(*y)), 4, colour(0).mix(0.7).filled()));
        chart.draw_series(marks).map_err(drawing)?;
        area.present().map_err(drawing)?;
    }
    Ok(xml(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_that_somebody_solved_has_a_mark() {
        let instances = [
            (Some(0.1), Some(0.02)),
            (Some(7.0), None),
            (None, Some(0.5)),
            (None, None),
        ];
        let svg = scatter(&Labels::default(), &instances).unwrap();
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        let nothing = [(None, None)];
        assert_eq!(scatter(&Labels::default(), &nothing), Err(PlotError::Empty));
    }
}
