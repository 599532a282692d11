//! What all pictures share: size, colours, marks, axes for times.

use super::PlotError;
use plotters::prelude::*;
use std::fmt::Display;
use std::ops::Range;

/// Width and height in pixels.
pub(super) const SIZE: (u32, u32) = (840, 560);

/// Sizes of text.
pub(super) const TITLE: i32 = 20;
pub(super) const TEXT: i32 = 15;

/// Colours that also people with colour-blindness can tell apart (Okabe and Ito), without yellow,
/// which is faint on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// The colour of a series, by its place.
pub(super) fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// What went wrong inside the crate that draws.
pub(super) fn drawing(error: impl Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

/// A range of times for a logarithmic axis: whole powers of ten around all of them, and a little
/// more, so that the outermost ones get their labels.
pub(super) fn decades(times: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    let times: Vec<f64> = times
        .filter(|time| *time > 0.0 && time.is_finite())
        .collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    let high = high.max(low + 1.0);
    Some(0.8 * 10f64.powf(low)..1.25 * 10f64.powf(high))
}

/// A time on an axis: `0.01`, `1`, `100`.
pub(super) fn time_label(seconds: &f64) -> String {
    if *seconds >= 0.999 {
        format!("{seconds:.0}")
    } else {
        let digits = (-seconds.log10()).ceil() as usize;
        format!("{seconds:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_all_times() {
        let of = |times: &[f64]| decades(times.iter().copied());
        let range = of(&[0.02, 3.0]).unwrap();
        assert!((0.005..0.01).contains(&range.start) && (10.0..20.0).contains(&range.end));
        let range = of(&[1.0]).unwrap();
        assert!(range.start <= 1.0 && range.end >= 10.0);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0.0, f64::NAN]), None);
    }

    #[test]
    fn times_are_short() {
        let labels = [0.001, 0.01, 1.0, 10.0, 1000.0].map(|time| time_label(&time));
        assert_eq!(labels, ["0.001", "0.01", "1", "10", "1000"]);
    }
}
