//! Interleaving: clause learning is tried again and again, while the layered engine pauses.
//!
//! The shape of a formula does not say for sure which engine is the faster one: some formulas take clause learning a
//! hundredth of a second, and the layered engine minutes. So the layered engine pauses after a tenth of a second, and
//! later after four times as long each time. In a pause learning begins anew, for a small part of the time gone by. If
//! it finds the value, that is the answer; if not, little time is lost. Where the formula is so long that the trial at the
//! beginning took long, the first pause is later.

use crate::policy::{FIRST_PAUSE, NEXT_PAUSE, PAUSE_MEMORY, PAUSE_SHARE, TRIALS};
use formula::engine::Statistics;
use formula::preprocess::Problem;
use limits::{Bounds, Limits, Watch};
use std::time::{Duration, Instant};

/// The interleaving of clause learning with a piece of work, and the bounds that learning found in them.
pub(crate) struct Interleaving<'p> {
    problem: &'p Problem,
    options: &'p crate::Options,
    begin: Instant,
    next: Duration,
    found: Option<(Bounds, Statistics)>,
    /// The bounds that were proved.
    pub(crate) known: Option<Bounds>,
}

impl<'p> Interleaving<'p> {
    /// For work that began then; before it was a trial, which ends now. Without `are_wanted` there are none.
    pub(crate) fn new(
        problem: &'p Problem,
        options: &'p crate::Options,
        begin: Instant,
        are_wanted: bool,
    ) -> Self {
        let first = FIRST_PAUSE.max(begin.elapsed() * TRIALS);
        Interleaving {
            problem,
            options,
            begin,
            next: if are_wanted { first } else { Duration::MAX },
            found: None,
            known: None,
        }
    }

    /// A watch under which learning is interleaved, and which ends when learning has found the value.
    pub(crate) fn under<'b>(&'b mut self, watch: &Watch<'_>) -> Watch<'b> {
        let limits = watch.limits().clone();
        watch.with_pauses(move || self.pause(&limits))
    }

    /// The value, if learning has found it.
    pub(crate) fn found(&mut self) -> Option<(Bounds, Statistics)> {
        self.found.take()
    }

    fn pause(&mut self, all: &Limits) -> bool {
        let gone = self.begin.elapsed();
        if gone >= self.next {
            self.next = gone * NEXT_PAUSE;
            let time = all.time_left().unwrap_or(gone).min(gone) / PAUSE_SHARE;
            let limits = Limits {
                memory: all.memory.map(|memory| memory / PAUSE_MEMORY),
                progress: None,
                ..all.within(time)
            };
            let (mut watch, mut about) = (Watch::new(&limits), Vec::new());
            // The other threads are at work for the layered engine. There is little time, so bounds come first.
            let alone = crate::Options {
                threads: 1,
                first_limited: self.options.first_limited / 16,
                ..self.options.clone()
            };
            let bounds = crate::search(self.problem, &alone, &mut watch, &mut about);
            match bounds.stopped {
                None => self.found = Some((bounds, about)),
                Some(reason) => {
                    let before = self.known.take();
                    self.known = Some(bounds.within(before.unwrap_or(Bounds::unknown(reason))));
                }
            }
        }
        self.found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::Quantifier::{Chance, Exists, Forall};
    use generators::{RandomClauses, random_clauses};

    #[test]
    fn learning_ends_the_work_with_the_value() {
        let mut random = fastrand::Rng::with_seed(5);
        let options = crate::Options::default();
        for _ in 0..50 {
            let family = RandomClauses {
                variables: 12,
                block: 3,
                clauses: 30,
                width: 3,
                quantifiers: vec![Exists, Chance, Forall],
            };
            let problem = Problem::new(&random_clauses(&mut random, &family));
            let limits = Limits::default();
            let mut watch = Watch::new(&limits);
            let value = crate::search(&problem, &options, &mut watch, &mut Vec::new());
            let mut interleaving = Interleaving::new(&problem, &options, Instant::now(), true);
            let begin = Instant::now().checked_sub(Duration::from_secs(100));
            interleaving.begin = begin.expect("the clock runs for longer");
            let looked = interleaving.under(&watch).check("working", 0);
            assert_eq!(looked, Err(limits::StopReason::Interrupted));
            assert_eq!(interleaving.found().expect("found").0, value);
            let mut unwanted = Interleaving::new(&problem, &options, Instant::now(), false);
            unwanted.begin = interleaving.begin;
            assert_eq!(unwanted.under(&watch).check("working", 0), Ok(()));
            assert!(unwanted.found().is_none());
        }
    }
}
