//! Axes that take any finite numbers: from the smallest that there are to the largest, in one picture.
//!
//! The crate that draws gets places between 0 and 1 only, and the marks with their labels; what it makes of
//! ranges itself may overflow, or go on for ever, at the ends of floating point.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use std::ops::Range;

/// The most marks with labels on an axis.
const MAX_MARKS: i64 = 11;

/// Times on a logarithmic axis reach this much beyond whole powers of ten, in powers of ten, so that the
/// outermost marks are not at the edge.
const MARGIN: f64 = 0.1;

/// Where numbers lie on an axis, which goes from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    /// The ends, as the scale has them.
    low: f64,
    high: f64,
    marks: Vec<(f64, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// Numbers as multiples of this one, which keeps them from becoming too large or too small.
    Linear(f64),
    /// Numbers as powers of ten.
    Logarithmic,
}

impl Axis {
    /// An axis for finite numbers: from the least to the largest, and this part of the range more on both
    /// sides. `None` without numbers.
    pub(super) fn linear(numbers: impl Iterator<Item = f64> + Clone, more: f64) -> Option<Self> {
        let low = numbers.clone().reduce(f64::min)?;
        let high = numbers.clone().reduce(f64::max)?;
        let largest = low.abs().max(high.abs());
        let mut axis = if low < high {
            let room = more * (high / largest - low / largest);
            Axis {
                scale: Scale::Linear(largest),
                low: low / largest - room,
                high: high / largest + room,
                marks: Vec::new(),
            }
        } else {
            // One number is in the middle of something.
            let unit = largest.max(1.0);
            let room = if unit < 1e6 { 0.5 / unit } else { 0.5 };
            Axis {
                scale: Scale::Linear(unit),
                low: low / unit - room,
                high: low / unit + room,
                marks: Vec::new(),
            }
        };
        // A probability stays between 0 and 1.
        if more > 0.0 && low >= 0.0 && high <= 1.0 {
            axis.low = axis.low.max(0.0);
            axis.high = axis.high.min(axis.scaled(1.0));
        }
        let are_whole = numbers.clone().all(|number| number.fract() == 0.0);
        axis.mark_steps(more == 0.0 && are_whole);
        Some(axis)
    }

    /// A logarithmic axis for positive numbers: whole powers of ten around all of them, and above them this
    /// part of the axis free for something else. `None` without numbers.
    pub(super) fn logarithmic(numbers: impl Iterator<Item = f64>, free: f64) -> Option<Self> {
        let powers: Vec<f64> = numbers.map(f64::log10).collect();
        let low = powers.iter().copied().reduce(f64::min)?.floor();
        let high = powers.iter().copied().reduce(f64::max)?.ceil();
        let high = high.max(low + 1.0);
        let mut axis = Axis {
            scale: Scale::Logarithmic,
            low: low - MARGIN,
            high: low - MARGIN + (high - low + 2.0 * MARGIN) / (1.0 - free),
            marks: Vec::new(),
        };
        let (first, last) = (low as i64, high as i64);
        let mut steps = [1, 2, 5, 10, 20, 50, 100].into_iter();
        let step = steps.find(|step| (last - first) / step < MAX_MARKS)?;
        for power in (first..=last).filter(|power| power.rem_euclid(step) == 0) {
            let digits: &[i64] = if last - first < 3 { &[1, 2, 5] } else { &[1] };
            for digit in digits {
                axis.mark(*digit, power);
            }
        }
        Some(axis)
    }

    /// Marks at round numbers, not closer than whole ones if only these have a meaning.
    fn mark_steps(&mut self, whole: bool) {
        let Scale::Linear(unit) = self.scale else {
            return;
        };
        let width = self.high - self.low;
        let mut power = (width.log10() + unit.log10()).floor() as i64 - 2;
        power = power.max(if whole { 0 } else { -324 });
        // Steps grow by 1, 2, 5, 10 until the marks are few enough.
        for factor in [1, 2, 5].into_iter().cycle() {
            let step = decimal(factor, power) / unit;
            if width / step <= (MAX_MARKS - 1) as f64 {
                let first = (self.low / step).ceil() as i64;
                for place in first.saturating_sub(1)..=first.saturating_add(MAX_MARKS) {
                    self.mark(place.saturating_mul(factor), power);
                }
                return;
            }
            power += i64::from(factor == 5);
        }
    }

    /// A mark at a number with an exponent, if that is on the axis and no other mark is there.
    fn mark(&mut self, number: i64, power: i64) {
        let value = decimal(number, power);
        let place = self.place(value);
        let is_new = self.marks.last().is_none_or(|(last, _)| *last < place);
        // What is divided may be off by its last bit.
        if is_new && (-1e-9..=1.0 + 1e-9).contains(&place) {
            self.marks.push((place, decimal_label(number, power)));
        }
    }

    /// A number as the scale has it.
    fn scaled(&self, number: f64) -> f64 {
        match self.scale {
            Scale::Linear(unit) => number / unit,
            Scale::Logarithmic => number.log10(),
        }
    }

    fn part(&self, scaled: f64) -> f64 {
        (scaled - self.low) / (self.high - self.low)
    }

    /// Where a number lies: 0 is the lower end of the axis, and 1 the upper.
    pub(super) fn place(&self, number: f64) -> f64 {
        self.part(self.scaled(number))
    }

    /// What is written at the mark in this place.
    pub(super) fn label(&self, place: &f64) -> String {
        let mark = self.marks.iter().find(|(other, _)| other == place);
        mark.map_or(String::new(), |(_, label)| label.clone())
    }
}

/// To the crate that draws, an axis is a range of places.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (from, to): (i32, i32)) -> i32 {
        (f64::from(from) + place * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.marks.iter().map(|(place, _)| *place).collect()
        }
    }

    fn range(&self) -> Range<f64> {
        0.0..1.0
    }
}

/// The number with these digits and this exponent; infinite if it is too large.
fn decimal(number: i64, power: i64) -> f64 {
    let text = format!("{number}e{power}");
    text.parse().unwrap_or(f64::INFINITY)
}

/// A number with an exponent, as short as it goes.
fn decimal_label(number: i64, power: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let all = number.unsigned_abs().to_string();
    let digits = all.trim_end_matches('0');
    let Some((first, others)) = digits.split_at_checked(1) else {
        return "0".to_owned();
    };
    // The exponent when one digit stands before the point.
    let exponent = power + all.len() as i64 - 1;
    match exponent {
        -6..0 => {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            format!("{sign}0.{zeros}{digits}")
        }
        0..10 => {
            let whole = exponent as usize + 1;
            match digits.split_at_checked(whole) {
                Some((whole, "")) => format!("{sign}{whole}"),
                Some((whole, part)) => format!("{sign}{whole}.{part}"),
                None => format!("{sign}{digits:0<whole$}"),
            }
        }
        _ if others.is_empty() => format!("{sign}{first}e{exponent}"),
        _ => format!("{sign}{first}.{others}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Option<Axis>) -> Vec<String> {
        let axis = axis.expect("there are numbers");
        axis.marks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        let linear = |numbers: &[f64]| labels(Axis::linear(numbers.iter().copied(), 0.0));
        assert_eq!(linear(&[0.0, 1.0]), ["0", "1"]);
        assert_eq!(
            linear(&[0.0, 0.5]),
            [
                "0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45", "0.5"
            ]
        );
        assert_eq!(linear(&[5.0, 9.0]), ["5", "6", "7", "8", "9"]);
        assert_eq!(linear(&[3.0]), ["3"]);
        assert_eq!(linear(&[-30.0, 0.0, 12.0]).first().unwrap(), "-30");
        assert_eq!(
            linear(&[-1e308, 1.5e308]),
            ["-1e308", "-5e307", "0", "5e307", "1e308", "1.5e308"]
        );
        assert_eq!(linear(&[0.0, 5e-324]), ["0", "5e-324"]);
        let logarithmic = |numbers: &[f64]| labels(Axis::logarithmic(numbers.iter().copied(), 0.0));
        assert_eq!(logarithmic(&[0.02, 3.0]), ["0.01", "0.1", "1", "10"]);
        assert_eq!(logarithmic(&[2.0, 3.0]), ["1", "2", "5", "10"]);
        assert_eq!(logarithmic(&[5e-324, 1e300]).last().unwrap(), "1e300");
    }

    #[test]
    fn numbers_without_end_have_marks_and_places() {
        let extreme = [
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            5e-324,
            -5e-324,
            0.0,
            -0.0,
            1.0,
            1.0 + f64::EPSILON,
            1.0 - f64::EPSILON,
            1e-300,
            1e300,
            -1e16,
            1e16 + 2.0,
            0.1,
            1.0 / 3.0,
            123_456_789.123,
        ];
        let mut rng = fastrand::Rng::with_seed(15);
        for round in 0..20_000 {
            let numbers: Vec<f64> = (0..rng.usize(1..4))
                .map(|_| match rng.u8(..3) {
                    0 => f64::from_bits(rng.u64(..)),
                    1 => rng.choice(extreme).unwrap(),
                    _ => rng.choice(extreme).unwrap() * (1.0 + f64::EPSILON * rng.f64() * 4.0),
                })
                .filter(|number| number.is_finite())
                .collect();
            let positive = numbers.iter().copied().filter(|number| *number > 0.0);
            for axis in [
                Axis::linear(numbers.iter().copied(), 0.0),
                Axis::linear(numbers.iter().copied(), 0.05),
                Axis::logarithmic(positive, 0.5),
            ] {
                let Some(axis) = axis else {
                    continue;
                };
                assert!(axis.marks.len() <= 14, "{round} {numbers:?}: {axis:?}");
                for number in &numbers {
                    let place = axis.place(*number);
                    let inside = (-1e-9..=1.0 + 1e-9).contains(&place);
                    let left_out = axis.scale == Scale::Logarithmic && *number <= 0.0;
                    assert!(inside || left_out, "{round} {numbers:?}: {axis:?}");
                }
            }
        }
    }
}
