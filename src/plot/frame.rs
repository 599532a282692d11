//! The frame of all pictures: size and colours.

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

/// The text of a picture; characters that XML cannot hold are written as `\u{1b}`.
pub(super) fn xml(picture: String) -> String {
    let is_foreign = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t') || matches!(c, '\u{FFFE}' | '\u{FFFF}')
    };
    if !picture.contains(is_foreign) {
        return picture;
    }
    let mut text = String::with_capacity(picture.len() + 8);
    for c in picture.chars() {
        if is_foreign(c) {
            text.extend(c.escape_unicode())
        } else {
            text.push(c)
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_no_character_that_xml_cannot_hold() {
        let text = "a\u{1b}b\u{0}\u{FFFF}\n\té";
        assert_eq!(xml(text.to_owned()), "a\\u{1b}b\\u{0}\\u{ffff}\n\té");
        assert_eq!(xml("<svg>".to_owned()), "<svg>");
    }
}
