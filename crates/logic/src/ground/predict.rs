//! Prediction of the size of a grounding, before it is made.
//!
//! The program is grounded for a few short horizons, each twice as long as the one before, up to half
//! of the horizon asked for, or until one takes a moment or more than is allowed. The difference between the
//! longest and the one before is the cost of its last steps, and the rest of the horizon is taken to cost as
//! much per step.
//!
//! ```text
//! 4 steps: 900 rules, 8 steps: 1500 rules      so 100 steps: 1500 + 92 * 600/4 = 15300 rules
//! ```
//!
//! As long as more and more becomes possible from step to step (a pile of Nim may then have ever more
//! sizes), this is too low; it is never a promise. The rules are counted again while they are
//! made, see [`GroundLimits::rules`].

use super::grounder::GroundError;
use limits::StopReason;
use std::time::{Duration, Instant};

/// Bytes that a rule of a ground program costs on its way to a value: the rule, its clauses, and
/// the data that the solver compiles from them. The tables of the solver come on top and have a limit of
/// their own.
///
/// Measured: the peak of memory of `sqasp translate GAME --depth N --to aspif -o FILE` (GNU `time -f
/// %M`, less the 11 MB of an empty run), divided by the rules in FILE (`grep -c '^1 '`; at that time all
/// that clingo made), is 300 to
/// 500 for the boards of `scripts/board-game` up to 6x6 (340,000 rules) and for Nim up to a pile of
/// 100 with 400 steps (114,000 rules). With `sqasp solve`, where its tables are small (Nim, Pig), it
/// is 500 to 760.
pub const BYTES_PER_RULE: u64 = 800;

/// A probe that takes longer than this is the last one.
const LONG: Duration = Duration::from_millis(100);

/// The predicted size of a grounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prediction {
    pub atoms: u64,
    pub rules: u64,
}

impl Prediction {
    /// The memory it takes to ground and solve a program of this size, in bytes.
    pub fn bytes(&self) -> u64 {
        self.rules * BYTES_PER_RULE
    }
}

/// Predicts the size of a program at a horizon from `size_at`, which grounds it for short ones.
pub fn predict(
    size_at: impl Fn(u32) -> Result<Prediction, GroundError>,
    depth: u32,
) -> Result<Prediction, GroundError> {
    if depth <= 4 {
        return size_at(depth);
    }
    let nothing = Prediction { atoms: 0, rules: 0 };
    let (mut shorter, mut longer) = ((0, nothing), (2, size_at(2)?));
    let mut is_quick = true;
    while is_quick && longer.0 * 2 <= (depth / 2).max(4) {
        let start = Instant::now();
        let steps = longer.0 * 2;
        match size_at(steps) {
            Ok(size) => (shorter, longer) = (longer, (steps, size)),
            // Too large already; by how much the shorter ones tell.
            Err(GroundError::Stopped {
                reason: StopReason::Memory,
                ..
            }) => break,
            Err(error) => return Err(error),
        }
        is_quick = start.elapsed() < LONG;
    }
    let ((few_steps, fewer), (steps, more)) = (shorter, longer);
    let extended = |more: u64, fewer: u64| {
        more + u64::from(depth - steps) * more.saturating_sub(fewer) / u64::from(steps - few_steps)
    };
    Ok(Prediction {
        atoms: extended(more.atoms, fewer.atoms),
        rules: extended(more.rules, fewer.rules),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundLimits, ground};

    #[test]
    fn the_same_cost_per_step_is_predicted_exactly() {
        let text_at = |depth| format!("time(1..{depth}). {{a(T)}} :- time(T). b(T) :- a(T).");
        let limits = GroundLimits::default();
        for depth in [0, 3, 4, 5, 9, 100, 1000] {
            let made = ground(&text_at(depth), &limits).unwrap().made;
            let predicted =
                predict(|depth| Ok(ground(&text_at(depth), &limits)?.made), depth).unwrap();
            assert_eq!(predicted.rules, made.rules, "{depth}");
            assert_eq!(predicted.atoms, made.atoms, "{depth}");
        }
    }

    #[test]
    fn a_probe_that_is_too_large_is_done_without() {
        let text_at = |depth| format!("time(1..{depth}). {{a(1..100,T)}} :- time(T).");
        let limits = GroundLimits {
            rules: Some(1_000),
            ..GroundLimits::default()
        };
        let predicted = predict(|depth| Ok(ground(&text_at(depth), &limits)?.made), 1_000).unwrap();
        assert_eq!(predicted.atoms, 101_000);
        // Nothing can be said when not even the first steps can be made.
        let limits = GroundLimits {
            rules: Some(100),
            ..limits
        };
        assert!(predict(|depth| Ok(ground(&text_at(depth), &limits)?.made), 1_000).is_err());
    }

    #[test]
    fn growing_steps_are_followed_by_longer_probes() {
        // The number of reachable sizes grows for 30 steps.
        let text_at = |depth| {
            format!("time(0..{depth}). {{a(X,T)}} :- X = 0..30, X <= T, time(T). b :- a(X,T).")
        };
        let limits = GroundLimits::default();
        let made = ground(&text_at(200), &limits).unwrap().made;
        let predicted = predict(|depth| Ok(ground(&text_at(depth), &limits)?.made), 200).unwrap();
        let share = predicted.rules as f64 / made.rules as f64;
        assert!((0.8..=1.0).contains(&share), "{share}");
    }
}
