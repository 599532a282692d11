//! Progress of a solver as one line for people on a terminal.
//!
//! ```text
//! searching: 1203456 states, 410000/s, 52 MB, 31% full, value between 23.2 % and 26.6 %
//! ```

use gdl::game::Unit;
use limits::{BoundsPair, Progress};
use std::time::{Duration, Instant};

/// How many states a second are handled, by two reports a while apart.
#[derive(Default)]
pub(super) struct Speed {
    before: Option<(u64, Instant)>,
    rate: Option<u64>,
}

/// The rate is looked at again after this time, so that it can be read.
const PERIOD: Duration = Duration::from_secs(1);

impl Speed {
    /// Takes note of a report and tells the rate, once it is known.
    pub(super) fn rate(&mut self, states: u64, now: Instant) -> Option<u64> {
        let Some((states_before, then)) = self.before else {
            self.before = Some((states, now));
            return None;
        };
        let time = now.saturating_duration_since(then);
        if states < states_before {
            // Another phase counts from the start again.
            *self = Speed::default();
        } else if time >= PERIOD {
            self.rate = Some(((states - states_before) as f64 / time.as_secs_f64()) as u64);
            self.before = Some((states, now));
        }
        self.rate
    }
}

/// A report as text, with the bounds that are known.
pub(super) fn progress_text(
    progress: &Progress,
    rate: Option<u64>,
    bounds: Option<(&BoundsPair, Unit)>,
) -> String {
    let mut parts = Vec::new();
    if progress.states > 0 {
        parts.push(format!("{} states", progress.states));
    }
    parts.extend(rate.map(|rate| format!("{rate}/s")));
    if progress.memory > 0 {
        parts.push(format!("{} MB", progress.memory / 1_000_000));
    }
    if let Some(fill) = progress.fill {
        parts.push(format!("{:.0}% full", fill.clamp(0.0, 1.0) * 100.0));
    }
    if let Some(((lower, upper), unit)) = bounds {
        let (lower, upper) = (unit.rounded(lower), unit.rounded(upper));
        parts.push(format!("value between {lower} and {upper}"));
    }
    if parts.is_empty() {
        progress.phase.to_owned()
    } else {
        format!("{}: {}", progress.phase, parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_is_known() {
        let mut progress = Progress {
            phase: "searching",
            ..Progress::default()
        };
        assert_eq!(progress_text(&progress, None, None), "searching");
        progress.states = 1_203_456;
        progress.memory = 52_400_000;
        assert_eq!(
            progress_text(&progress, Some(410_000), None),
            "searching: 1203456 states, 410000/s, 52 MB"
        );
        progress.fill = Some(0.314);
        let thirds = ("1/3".parse().unwrap(), "2/3".parse().unwrap());
        assert_eq!(
            progress_text(&progress, None, Some((&thirds, Unit::Percent))),
            "searching: 1203456 states, 52 MB, 31% full, value between 33.3333 % and 66.6667 %"
        );
        let wide = ("0".parse().unwrap(), "99999/100000".parse().unwrap());
        let text = progress_text(&progress, None, Some((&wide, Unit::Number)));
        assert!(text.ends_with("between 0 and 0.99999"), "{text}");
    }

    #[test]
    fn the_rate_is_that_of_the_last_second() {
        let start = Instant::now();
        let mut speed = Speed::default();
        let mut at = |millis, states| speed.rate(states, start + Duration::from_millis(millis));
        assert_eq!(at(0, 100), None);
        assert_eq!(at(500, 300), None);
        assert_eq!(at(2000, 1100), Some(500));
        assert_eq!(at(2500, 9999), Some(500));
        assert_eq!(at(3000, 3100), Some(2000));
        // Counting starts again.
        assert_eq!(at(3500, 5), None);
    }
}
