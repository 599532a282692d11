//! What all pictures share: size and colours.

use super::PlotError;
use plotters::prelude::*;
use std::fmt::Display;

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
