//! One evaluator for many askers at once, such as the tabs of a browser.
//!
//! Each asker has at most one request at a time; a new one takes the place of the old one, whose work ends
//! at once. The evaluator turns from one asker to the next: a request gets a slice of time, which doubles every
//! time, until its answer is exact. So each client has bounds soon and better ones later, and a short question does not wait
//! for a long one. Work that a slice cannot end begins anew in the next one, so slices double also while several ask: each runs as
//! long as the shortest slice that waits.
//!
//! Invariants. The number of askers and the text of their requests are bounded, and a request that no client asks about any
//! more is dropped, so a thousand requests take no more memory than a few. Everything happens in two threads: one answers, the
//! other sees to it that answers come in time, as in `server`.

use super::protocol::{ErrorReply, Reply, ReplyBody, Request};
use super::server::{Evaluator, PERIOD};
use super::stops::Stops;
use engines::Error;
use limits::{StopReason, lock, unpoisoned};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// The most askers; with one more, the one that asked least recently is forgotten.
const MAX_ASKERS: usize = 128;

/// The most bytes of the requests of all askers.
const MAX_TEXT: usize = 1 << 22;

/// The first slice of time, and the longest while no other request waits.
const FIRST_SLICE: Duration = Duration::from_millis(60);
const LONGEST_SLICE: Duration = Duration::from_secs(60);

/// How long any slice may last while others wait.
const SLICE_OF_SEVERAL: Duration = Duration::from_millis(400);

/// A request is dropped when no client asks about it for this long.
const PATIENCE: Duration = Duration::from_secs(5);

/// An evaluator that many may ask. Its threads end with the last copy.
#[derive(Clone)]
pub struct Shared(Arc<Owner>);

/// Ends the threads when it is dropped.
struct Owner(Arc<SharedState>);

struct SharedState {
    schedule: Mutex<Schedule>,
    changed: Condvar,
    stops: Stops,
}

impl Drop for Owner {
    fn drop(&mut self) {
        let mut schedule = self.0.schedule();
        schedule.has_ended = true;
        schedule.jobs.clear();
        self.0.stops.stop_before(schedule.slices + 1);
        self.0.changed.notify_all();
    }
}

#[derive(Default)]
struct Schedule {
    jobs: HashMap<String, Job>,
    /// The askers that wait for the evaluator, in order.
    queue: VecDeque<String>,
    /// The request that is being answered: its asker, its job, and the time since when.
    running: Option<RunningJob>,
    /// The number of the latest slice, and of the latest job.
    slices: u64,
    latest: u64,
    /// Whether the evaluator takes no more requests.
    has_ended: bool,
}

struct RunningJob {
    asker: String,
    job: u64,
    since: Instant,
}

struct Job {
    number: u64,
    /// The request as text, which takes less than a tenth of its memory.
    request: Box<[u8]>,
    /// How long its answer may take in all.
    time: Option<f64>,
    slice: Duration,
    used: Duration,
    /// The reply so far, whether it was told, and whether nothing more is to come.
    reply: Option<Reply>,
    is_told: bool,
    is_done: bool,
    /// When a client asked last.
    asked: Instant,
}

/// The reply to a request so far.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialReply {
    /// The reply so far; nothing before the first bounds.
    pub reply: Option<Reply>,
    /// Whether that is all: it is exact, refused, stopped, or its time is up.
    pub is_done: bool,
}

impl Shared {
    /// Starts an evaluator in a thread of its own, which makes it: that can take long. `watch` is called about a
    /// hundred times a second, as by [`serve`](super::serve).
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(
        stops: Stops,
        make: impl FnOnce() -> Result<Evaluator, Error> + Send + 'static,
        mut watch: impl FnMut(&dyn Fn(StopReason)) + Send + 'static,
    ) -> io::Result<Self> {
        let state = Arc::new(SharedState {
            schedule: Mutex::default(),
            changed: Condvar::new(),
            stops,
        });
        let shared = Shared(Arc::new(Owner(Arc::clone(&state))));
        let room = Arc::clone(&state);
        thread::Builder::new().spawn(move || match make() {
            Ok(mut evaluator) => {
                while room.serve_next(|request| evaluator.answer_request(request, Instant::now())) {
                    if room.stops.is_short_of_memory() {
                        evaluator.engine.clear();
                    }
                    room.stops.finish();
                }
            }
            Err(error) => {
                while room.serve_next(|request| refused(request, &error)) {
                    room.stops.finish();
                }
            }
        })?;
        thread::Builder::new().spawn(move || {
            while !state.schedule().has_ended {
                watch(&|reason| state.stand_in(reason));
                state.guard();
                thread::sleep(PERIOD);
            }
        })?;
        Ok(shared)
    }

    /// The reply to a request so far. It is given as soon as it is new, or after this time; nothing is given where too much is asked
    /// at once. If the same asker sends the same request again, that request goes on; another request takes its place.
    pub fn ask(&self, asker: &str, request: &Request, patience: Duration) -> Option<PartialReply> {
        let until = Instant::now() + patience;
        let room = &*self.0.0;
        let mut schedule = room.schedule();
        let job = schedule.turn_to(asker, request, &room.stops)?;
        room.changed.notify_all();
        loop {
            // Another client may ask under the same name.
            let Some(current) = schedule
                .jobs
                .get_mut(asker)
                .filter(|other| other.number == job)
            else {
                return Some(PartialReply {
                    reply: None,
                    is_done: true,
                });
            };
            current.asked = Instant::now();
            let left = until.saturating_duration_since(Instant::now());
            if current.is_done || !current.is_told && current.reply.is_some() || left.is_zero() {
                current.is_told = true;
                return Some(PartialReply {
                    reply: current.reply.clone(),
                    is_done: current.is_done,
                });
            }
            let wait = room.changed.wait_timeout(schedule, left.min(PATIENCE / 2));
            schedule = unpoisoned(wait).0;
        }
    }

    /// Ends the work on the request of an asker; its reply so far stays.
    pub fn stop(&self, asker: &str) {
        let room = &*self.0.0;
        let mut schedule = room.schedule();
        if let Some(job) = schedule.jobs.get_mut(asker) {
            job.is_done = true;
            schedule.leave(asker, &room.stops);
        }
        room.changed.notify_all();
    }
}

fn refused(request: &Request, error: &Error) -> Reply {
    let told = ReplyBody::Error(ErrorReply::new("game", error));
    let id = request.id.clone();
    Reply { id, told }
}

impl Schedule {
    /// The number of the job for a request of this asker, if there is room for it.
    fn turn_to(&mut self, asker: &str, request: &Request, stops: &Stops) -> Option<u64> {
        let text = serde_json::to_vec(request).expect("requests have text keys only");
        if let Some(job) = self.jobs.get_mut(asker)
            && *job.request == *text
        {
            // A request that was stopped goes on.
            if job.is_done && job.reply.as_ref().is_some_and(is_unfinished) && !job.is_out_of_time()
            {
                job.is_done = false;
                job.is_told = true;
                self.queue.push_back(asker.to_owned());
            }
            return Some(self.jobs[asker].number);
        }
        self.leave(asker, stops);
        self.jobs.remove(asker);
        if self.jobs.len() >= MAX_ASKERS {
            let oldest = self.jobs.iter().min_by_key(|(_, job)| job.asked);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.leave(&oldest, stops);
                self.jobs.remove(&oldest);
            }
        }
        // Jobs that are done may be removed, but none that a client waits for.
        let held = |schedule: &Schedule| {
            schedule
                .jobs
                .values()
                .map(|job| job.request.len())
                .sum::<usize>()
        };
        while held(self) + text.len() > MAX_TEXT {
            let done = self.jobs.iter().filter(|(_, job)| job.is_done);
            let oldest = done.min_by_key(|(_, job)| job.asked);
            let oldest = oldest.map(|(name, _)| name.clone())?;
            self.jobs.remove(&oldest);
        }
        self.latest += 1;
        let job = Job {
            number: self.latest,
            request: text.into(),
            time: request.time,
            slice: FIRST_SLICE,
            used: Duration::ZERO,
            reply: None,
            is_told: false,
            is_done: false,
            asked: Instant::now(),
        };
        self.jobs.insert(asker.to_owned(), job);
        self.queue.push_back(asker.to_owned());
        Some(self.latest)
    }

    /// The asker's request is not wanted any more.
    fn leave(&mut self, asker: &str, stops: &Stops) {
        self.queue.retain(|other| other != asker);
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.asker == asker)
        {
            stops.stop_before(self.slices + 1);
        }
    }

    /// How long the slice that runs may last: as long as it is, or while others wait as the shortest of theirs.
    fn longest_slice(&self) -> Duration {
        let waiting = self.queue.iter().filter_map(|asker| self.jobs.get(asker));
        let shortest = waiting.map(|job| job.slice).min();
        shortest.map_or(LONGEST_SLICE, |slice| slice.max(SLICE_OF_SEVERAL))
    }

    /// Drops requests that no client asks about.
    fn drop_abandoned(&mut self, stops: &Stops) {
        let abandoned = self
            .jobs
            .iter()
            .filter(|(_, job)| !job.is_done && job.asked.elapsed() > PATIENCE);
        let abandoned: Vec<String> = abandoned.map(|(name, _)| name.clone()).collect();
        for asker in abandoned {
            self.leave(&asker, stops);
            self.jobs.remove(&asker);
        }
    }
}

impl Job {
    /// How much of its own time is left, if it has a limit.
    fn time_left(&self) -> Option<Duration> {
        let time = self.time.filter(|time| *time >= 0.0)?;
        let time = Duration::try_from_secs_f64(time).ok()?;
        Some(time.saturating_sub(self.used))
    }

    fn is_out_of_time(&self) -> bool {
        self.time_left().is_some_and(|left| left.is_zero())
    }

    /// Takes what a slice of time gave.
    fn take(&mut self, reply: Reply, used: Duration) {
        self.used += used;
        if used >= self.slice / 2 {
            self.slice = (self.slice * 2).min(LONGEST_SLICE);
        }
        self.is_done = self.is_done || !is_unfinished(&reply) || self.is_out_of_time();
        self.is_told = false;
        self.reply = Some(reply);
    }
}

/// Whether more time could make a better answer of it.
fn is_unfinished(reply: &Reply) -> bool {
    let stopped_by = match &reply.told {
        ReplyBody::Bounds(reply) => reply.stopped_by,
        ReplyBody::Replies(reply) => reply.stopped_by,
        _ => None,
    };
    matches!(stopped_by, Some(StopReason::Time | StopReason::Interrupted))
}

impl SharedState {
    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        lock(&self.schedule)
    }

    /// Waits for a request and gives it a slice of time. Returns whether there can be another one.
    fn serve_next(&self, answer: impl FnOnce(&Request) -> Reply) -> bool {
        let mut schedule = self.schedule();
        let asker = loop {
            if schedule.has_ended {
                return false;
            }
            match schedule.queue.pop_front() {
                Some(asker) if schedule.jobs.contains_key(&asker) => break asker,
                Some(_) => {}
                None => {
                    let wait = self.changed.wait(schedule);
                    schedule = unpoisoned(wait);
                }
            }
        };
        let job = &schedule.jobs[&asker];
        let request: Result<Request, _> = serde_json::from_slice(&job.request);
        let (number, mut request) = (job.number, request.expect("it was written here"));
        // A time that makes no sense is refused by the evaluator.
        if request.time.is_none_or(|time| time >= 0.0) {
            let slice = job
                .time_left()
                .map_or(job.slice, |left| left.min(job.slice));
            request.time = Some(slice.as_secs_f64());
        }
        let since = Instant::now();
        schedule.slices += 1;
        self.stops.begin(schedule.slices);
        schedule.running = Some(RunningJob {
            asker: asker.clone(),
            job: number,
            since,
        });
        drop(schedule);
        let reply = answer(&request);
        self.stops.tell();
        let mut schedule = self.schedule();
        schedule.running = None;
        let job = schedule
            .jobs
            .get_mut(&asker)
            .filter(|job| job.number == number);
        if let Some(job) = job {
            job.take(reply, since.elapsed());
            if !job.is_done {
                schedule.queue.push_back(asker);
            }
        }
        self.changed.notify_all();
        true
    }

    /// Tells bounds in place of an answer that is late.
    fn stand_in(&self, reason: StopReason) {
        let Some(reply) = self.stops.stand_in(reason) else {
            return;
        };
        let mut schedule = self.schedule();
        let Some(RunningJob { asker, job, .. }) = &schedule.running else {
            return;
        };
        let (asker, number) = (asker.clone(), *job);
        let job = schedule
            .jobs
            .get_mut(&asker)
            .filter(|job| job.number == number);
        // A reply of an earlier slice is better than this one, which knows only the largest value.
        if let Some(job) = job.filter(|job| job.reply.is_none()) {
            job.reply = Some(reply);
            job.is_told = false;
        }
        self.changed.notify_all();
    }

    /// Looks whether an answer is late, a request waits for too long, or no client waits any more.
    fn guard(&self) {
        if let Some(reason) = self.stops.overdue() {
            self.stand_in(reason);
        }
        let mut schedule = self.schedule();
        schedule.drop_abandoned(&self.stops);
        let longest = schedule.longest_slice();
        let is_long = schedule
            .running
            .as_ref()
            .is_some_and(|running| running.since.elapsed() > longest);
        if is_long {
            self.stops.stop_before(schedule.slices + 1);
        }
    }
}
