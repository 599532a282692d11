//! The limits of one question while it is being answered.

use crate::interrupt::{Interrupt, StopReason};
use crate::limits::Limits;
use crate::progress::Progress;
use num_rational::BigRational;
use num_traits::One;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often progress is told.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// Work under limits: an account of memory, a count of work, and reports of progress a few times a second.
pub struct Watch<'a> {
    limits: Limits,
    reported: Instant,
    work_limit: Option<u64>,
    work: u64,
    /// Memory taken, by all threads at work on the question.
    memory: Arc<AtomicU64>,
    factor: BigRational,
    /// The best bounds of the whole value that were given to [`Watch::learn`].
    known: Option<Pair>,
    pause: Option<Pause<'a>>,
    /// The interrupt of the limits, while that of a team counts too.
    interrupt_alone: Option<Interrupt>,
}

/// A lower and an upper bound.
type Pair = (BigRational, BigRational);

/// The closer bounds of two pairs of bounds of one value.
fn closer(one: Option<Pair>, other: Option<Pair>) -> Option<Pair> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.max(other.0), one.1.min(other.1))),
        (one, other) => one.or(other),
    }
}

/// Something else that is done while work pauses; it says whether the work need not go on.
type Pause<'a> = Box<dyn FnMut() -> bool + Send + 'a>;

impl Watch<'_> {
    /// Work that begins.
    pub fn new(limits: &Limits) -> Self {
        Watch::with_work_limit(limits, None)
    }

    /// The same, and no more than this many units of work ([`Watch::decide`]), so that tests can stop a
    /// solver at an exact place.
    pub fn with_work_limit(limits: &Limits, work_limit: Option<u64>) -> Self {
        Watch {
            limits: limits.clone(),
            reported: Instant::now(),
            work_limit,
            work: 0,
            memory: Arc::default(),
            factor: BigRational::one(),
            known: None,
            pause: None,
            interrupt_alone: None,
        }
    }

    /// A watch for the same question, under which work pauses whenever the limits are looked at. Then `pause` is called; if it says so,
    /// the work ends as if interrupted.
    pub fn with_pauses<'b>(&self, pause: impl FnMut() -> bool + Send + 'b) -> Watch<'b> {
        Watch {
            limits: self.limits.clone(),
            reported: self.reported,
            work_limit: self.work_limit,
            work: self.work,
            memory: Arc::new(self.taken().into()),
            factor: self.factor.clone(),
            known: self.known.clone(),
            pause: Some(Box::new(pause)),
            interrupt_alone: None,
        }
    }

    /// From now on this interrupt, which a team of threads shares, ends the work as well.
    pub fn join(&mut self, team: &Interrupt) {
        let alone = self.interrupt_alone.take();
        let alone = alone.unwrap_or_else(|| self.limits.interrupt.clone());
        self.limits.interrupt = team.or(&alone);
        self.interrupt_alone = Some(alone);
    }

    /// No other thread is at work any more.
    pub fn work_alone(&mut self) {
        if let Some(interrupt) = self.interrupt_alone.take() {
            self.limits.interrupt = interrupt;
        }
    }

    /// The watch of another thread at work on the question, with the same account of memory. It reports no progress.
    pub fn helper(&self) -> Watch<'static> {
        let quiet = Limits {
            progress: None,
            ..self.limits.clone()
        };
        Watch {
            memory: Arc::clone(&self.memory),
            ..Watch::new(&quiet)
        }
    }

    /// Memory taken, in bytes.
    pub fn taken(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Tells what the whole value is, as a multiple of what is searched for; reported bounds are
    /// multiplied by it.
    pub fn set_factor(&mut self, factor: BigRational) {
        self.factor = factor;
    }

    /// Takes over proved bounds of what is searched for, where one search follows another. From now on what is told of the whole value only
    /// gets better.
    pub fn learn(&mut self, lower: BigRational, upper: BigRational) {
        let found = (lower * &self.factor, upper * &self.factor);
        self.known = closer(self.known.take(), Some(found));
    }

    /// The best bounds of the whole value that were learned.
    pub fn learned(&self) -> Option<&Pair> {
        self.known.as_ref()
    }

    /// Units of work counted so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Counts one unit of work, as a decision.
    ///
    /// # Errors
    /// If that is more than the limit for tests.
    #[inline]
    pub fn decide(&mut self) -> Result<(), StopReason> {
        self.work += 1;
        match self.work_limit {
            Some(limit) if self.work > limit => Err(StopReason::Interrupted),
            _ => Ok(()),
        }
    }

    /// Tells that tables take this many bytes more.
    ///
    /// # Errors
    /// If that is more than allowed; then it must not be allocated.
    pub fn take_memory(&mut self, bytes: u64) -> Result<(), StopReason> {
        let before = self.memory.fetch_add(bytes, Ordering::Relaxed);
        match self.limits.memory {
            Some(limit) if before + bytes > limit => {
                self.give_memory_back(bytes);
                Err(StopReason::Memory)
            }
            _ => Ok(()),
        }
    }

    /// Tells that tables take this many bytes less.
    pub fn give_memory_back(&mut self, bytes: u64) {
        self.memory.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Looks at the limits, and tells of progress when it is time to: what is being done, and the
    /// states handled.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look(&mut self, phase: &'static str, states: u64) -> Result<(), StopReason> {
        self.look_and_tell(phase, states, self.taken(), || None)
    }

    /// The same, with the memory of tables that are not accounted for here, and the bounds known so
    /// far, asked for only when progress is told.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look_and_tell(
        &mut self,
        phase: &'static str,
        states: u64,
        memory: u64,
        bounds: impl FnOnce() -> Option<Pair>,
    ) -> Result<(), StopReason> {
        if let Some(report) = &self.limits.progress {
            let now = Instant::now();
            if now - self.reported >= REPORT_EVERY {
                self.reported = now;
                let fill = |allowed: u64| (memory as f64 / allowed.max(1) as f64).min(1.0);
                let whole = |(lower, upper)| (lower * &self.factor, upper * &self.factor);
                let bounds = closer(bounds().map(whole), self.known.clone());
                report(&Progress {
                    phase,
                    states,
                    memory,
                    fill: self.limits.memory.map(fill),
                    bounds,
                });
            }
        }
        self.look_only()
    }

    /// Looks at the limits alone.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look_only(&mut self) -> Result<(), StopReason> {
        if self.pause.as_mut().is_some_and(|pause| pause()) {
            return Err(StopReason::Interrupted);
        }
        self.limits.look()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_limit() {
        let limits = Limits::default();
        let mut watch = Watch::with_work_limit(&limits, Some(3));
        let done = (0..).find(|_| watch.decide().is_err());
        assert_eq!((done, watch.work()), (Some(3), 4));
    }

    #[test]
    fn work_pauses_and_may_end_then() {
        let limits = Limits::default();
        let mut pauses = 0;
        let mut watch = Watch::new(&limits).with_pauses(|| {
            pauses += 1;
            pauses == 3
        });
        let looks: Vec<_> = (0..3).map(|_| watch.look("working", 0)).collect();
        assert_eq!(looks, [Ok(()), Ok(()), Err(StopReason::Interrupted)]);
    }

    #[test]
    fn memory_is_accounted_for() {
        let limits = Limits {
            memory: Some(100),
            ..Limits::default()
        };
        let mut watch = Watch::new(&limits);
        assert_eq!(watch.take_memory(100), Ok(()));
        assert_eq!(watch.take_memory(1), Err(StopReason::Memory));
        watch.give_memory_back(40);
        assert_eq!(watch.take_memory(40), Ok(()));
    }

    #[test]
    fn threads_share_memory_and_the_end() {
        let limits = Limits {
            memory: Some(100),
            ..Limits::default()
        };
        let mut watch = Watch::new(&limits);
        let team = Interrupt::default();
        watch.join(&team);
        let mut other = watch.helper();
        assert_eq!(watch.take_memory(60), Ok(()));
        assert_eq!(other.take_memory(60), Err(StopReason::Memory));
        assert_eq!(other.take_memory(40), Ok(()));
        assert_eq!(watch.take_memory(1), Err(StopReason::Memory));
        assert_eq!(other.look("searching", 0), Ok(()));
        team.raise();
        assert_eq!(other.look("searching", 0), Err(StopReason::Interrupted));
        assert_eq!(watch.look("searching", 0), Err(StopReason::Interrupted));
        watch.work_alone();
        assert_eq!(watch.look("searching", 0), Ok(()));
    }
}
