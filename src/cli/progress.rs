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
pub struct Speed {
    before: Option<(u64, Instant)>,
    rate: Option<u64>,
}

/// The rate is looked at again after this time, so that it can be read.
const PERIOD: Duration = Duration::from_secs(1);

impl Speed {
    /// Takes note of a report and tells the rate, once it is known.
    pub fn rate(&mut self, states: u64, now: Instant) -> Option<u64> {
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
pub fn progress_text(
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
        let [lower, upper] = unit.interval(lower, upper);
        parts.push(format!("value between {lower} and {upper}"));
    }
    if parts.is_empty() {
        progress.phase.to_owned()
    } else {
        format!("{}: {}", progress.phase, parts.join(", "))
    }
}
