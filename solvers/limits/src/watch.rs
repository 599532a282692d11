//! The limits of one question while it is being answered.

use crate::interrupt::{Interrupt, StopReason};
use crate::limits::Limits;
use crate::progress::Progress;
use crate::publisher::{BoundsPair, Publisher};
use num_rational::BigRational;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Work under limits: an account of memory, a count of work, and reports of progress and of bounds a few times a second.
pub struct Watch<'a> {
    limits: Limits,
    reported: Instant,
    work_limit: Option<u64>,
    work: u64,
    /// Memory taken, by all threads at work on the question.
    memory: Arc<AtomicU64>,
    publisher: Publisher,
    pause: Option<Pause<'a>>,
    /// The interrupt of the limits, while that of a team counts too.
    interrupt_alone: Option<Interrupt>,
}

/// Something else that is done while work pauses; it says whether the work need not go on.
type Pause<'a> = Box<dyn FnMut() -> bool + Send + 'a>;

impl Watch<'_> {
    /// Work that begins. There is no listener for its bounds.
    pub fn new(limits: &Limits) -> Self {
        Watch::publishing(limits, &Publisher::default())
    }

    /// The same for work on a question whose owner hears of bounds.
    pub fn publishing(limits: &Limits, publisher: &Publisher) -> Self {
        Watch {
            limits: limits.clone(),
            reported: Instant::now(),
            work_limit: None,
            work: 0,
            memory: Arc::default(),
            publisher: publisher.clone(),
            pause: None,
            interrupt_alone: None,
        }
    }

    /// From now on no more than this many units of work ([`Watch::decide`]), so that tests can stop a solver at an exact place.
    pub fn set_work_limit(&mut self, work_limit: Option<u64>) {
        self.work_limit = work_limit;
    }

    /// A watch for the same question, under which work pauses whenever the limits are checked. Then `pause` is called; if it says so,
    /// the work ends as if interrupted.
    pub fn with_pauses<'b>(&self, pause: impl FnMut() -> bool + Send + 'b) -> Watch<'b> {
        Watch {
            limits: self.limits.clone(),
            reported: self.reported,
            work_limit: self.work_limit,
            work: self.work,
            memory: Arc::new(self.taken().into()),
            publisher: self.publisher.clone(),
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

    /// The watch of another thread at work on the question, with the same account of memory. It reports no progress and publishes no bounds.
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

    /// The publisher of bounds of the value that is searched for.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// From now on the value is this multiple, above 0, of the value that is searched for.
    pub fn set_factor(&mut self, factor: &BigRational) {
        self.publisher = self.publisher.times(factor);
    }

    /// Publishes proved bounds of the value that is searched for, also for searches that follow under this watch.
    pub fn learn(&mut self, lower: BigRational, upper: BigRational) {
        self.publisher.publish(lower, upper);
    }

    /// The best bounds of the value that is searched for which were published.
    pub fn learned(&self) -> Option<BoundsPair> {
        self.publisher.known()
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

    /// Checks the limits, and reports progress once a period: the phase, and the
    /// states handled.
    pub fn check(&mut self, phase: &'static str, states: u64) -> Result<(), StopReason> {
        self.check_and_report(phase, states, self.taken(), || None)
    }

    /// The same, with the memory of tables that are not accounted for here, and the bounds known so
    /// far of the value that is searched for, asked for only when they are published.
    pub fn check_and_report(
        &mut self,
        phase: &'static str,
        states: u64,
        memory: u64,
        bounds: impl FnOnce() -> Option<BoundsPair>,
    ) -> Result<(), StopReason> {
        if self.limits.progress.is_some() || self.publisher.is_heard() {
            let now = Instant::now();
            if now - self.reported >= self.publisher.period() {
                self.reported = now;
                let heard = self.publisher.is_heard().then(bounds);
                if let Some((lower, upper)) = heard.flatten() {
                    self.publisher.publish(lower, upper);
                }
                if let Some(report) = &self.limits.progress {
                    let fill = |allowed: u64| (memory as f64 / allowed.max(1) as f64).min(1.0);
                    report(&Progress {
                        phase,
                        states,
                        memory,
                        fill: self.limits.memory.map(fill),
                    });
                }
            }
        }
        self.check_limits()
    }

    /// Checks the limits alone.
    pub fn check_limits(&mut self) -> Result<(), StopReason> {
        if self.pause.as_mut().is_some_and(|pause| pause()) {
            return Err(StopReason::Interrupted);
        }
        self.limits.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_limit() {
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        watch.set_work_limit(Some(3));
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
        let checked: Vec<_> = (0..3).map(|_| watch.check("working", 0)).collect();
        assert_eq!(checked, [Ok(()), Ok(()), Err(StopReason::Interrupted)]);
    }

    #[test]
    fn memory_is_accounted_for() {
        let limits = Limits::with_memory(Some(100));
        let mut watch = Watch::new(&limits);
        assert_eq!(watch.take_memory(100), Ok(()));
        assert_eq!(watch.take_memory(1), Err(StopReason::Memory));
        watch.give_memory_back(40);
        assert_eq!(watch.take_memory(40), Ok(()));
    }

    #[test]
    fn threads_share_memory_and_the_end() {
        let limits = Limits::with_memory(Some(100));
        let mut watch = Watch::new(&limits);
        let team = Interrupt::default();
        watch.join(&team);
        let mut other = watch.helper();
        assert_eq!(watch.take_memory(60), Ok(()));
        assert_eq!(other.take_memory(60), Err(StopReason::Memory));
        assert_eq!(other.take_memory(40), Ok(()));
        assert_eq!(watch.take_memory(1), Err(StopReason::Memory));
        assert_eq!(other.check("searching", 0), Ok(()));
        team.raise();
        assert_eq!(other.check("searching", 0), Err(StopReason::Interrupted));
        assert_eq!(watch.check("searching", 0), Err(StopReason::Interrupted));
        watch.work_alone();
        assert_eq!(watch.check("searching", 0), Ok(()));
    }
}
