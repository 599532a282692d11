//! Methods that share a thread's worth of work take turns.
//!
//! Each method runs in a thread of its own, since none can be written to stop and go on anywhere; but
//! of a group only one works at a time. A turn lasts a tenth of the time that has passed, so
//! that no method waits long at first and little is lost by changing later.

use limits::{lock, unpoisoned};
use std::mem;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The shortest turn.
const SHORTEST: Duration = Duration::from_millis(30);

struct Group {
    /// The index of the method that works now.
    current: usize,
    /// For each method, whether it has come to the group and has not left it.
    present: Vec<bool>,
}

impl Group {
    /// Notes that a method is there, and works at once if no other does. A method whose thread has not begun gets no turn: it could not pass
    /// that on. Gives whether it was not there before.
    fn arrive(&mut self, index: usize) -> bool {
        if !self.present[self.current] {
            self.current = index;
        }
        !mem::replace(&mut self.present[index], true)
    }

    fn pass_on(&mut self) {
        let count = self.present.len();
        let next = (1..=count).map(|step| (self.current + step) % count);
        if let Some(next) = next.into_iter().find(|&index| self.present[index]) {
            self.current = next;
        }
    }
}

/// A member of a group. Dropping it leaves the group.
pub(super) struct Turn {
    group: Arc<(Mutex<Group>, Condvar)>,
    index: usize,
    start: Instant,
    since: Mutex<Instant>,
}

/// Places in a group of this many.
pub(super) fn turns(count: usize) -> Vec<Turn> {
    let group = Group {
        current: 0,
        present: vec![false; count],
    };
    let group = Arc::new((Mutex::new(group), Condvar::new()));
    let now = Instant::now();
    let turn = |index| Turn {
        group: Arc::clone(&group),
        index,
        start: now,
        since: Mutex::new(now),
    };
    (0..count).map(turn).collect()
}

impl Turn {
    /// Whether others should work now.
    pub(super) fn is_over(&self) -> bool {
        let shares = lock(&self.group.0).present.iter().filter(|p| **p).count() > 1;
        shares && lock(&self.since).elapsed() >= SHORTEST.max(self.start.elapsed() / 10)
    }

    /// Lets the others work if the turn is over, and waits for the next turn.
    pub(super) fn take(&self) {
        let (group, changed) = &*self.group;
        let mut guard = lock(group);
        if !guard.arrive(self.index) && guard.current == self.index {
            drop(guard);
            if !self.is_over() {
                return;
            }
            guard = lock(group);
            guard.pass_on();
            changed.notify_all();
        }
        while guard.current != self.index {
            guard = unpoisoned(changed.wait(guard));
        }
        drop(guard);
        *lock(&self.since) = Instant::now();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (group, changed) = &*self.group;
        let mut group = lock(group);
        group.present[self.index] = false;
        if group.current == self.index {
            group.pass_on();
        }
        changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};
    use std::thread;

    /// On a slow machine the turn of a method may be over before its thread begins.
    #[test]
    fn who_comes_late_or_never_is_not_waited_for() {
        let mut all = turns(3);
        let [_never, late, first] = [2, 1, 0].map(|index| all.remove(index));
        let (done, waits) = channel();
        let work = move |turn: Turn, rounds: usize, done: Sender<()>| {
            for _ in 0..rounds {
                turn.take();
                thread::sleep(2 * SHORTEST);
            }
            let _ = done.send(());
        };
        let other = done.clone();
        thread::spawn(move || work(first, 4, other));
        thread::sleep(4 * SHORTEST);
        thread::spawn(move || work(late, 4, done));
        for _ in 0..2 {
            let ended = waits.recv_timeout(Duration::from_secs(60));
            assert_eq!(ended, Ok(()), "all wait for each other");
        }
    }

    #[test]
    fn one_works_at_a_time_and_all_come_to_work() {
        let working = AtomicUsize::new(0);
        let mut done = Vec::new();
        thread::scope(|scope| {
            let working = &working;
            let work = |turn: Turn| {
                let mut rounds = 0;
                let end = Instant::now() + Duration::from_millis(400);
                while Instant::now() < end {
                    turn.take();
                    assert_eq!(working.fetch_add(1, Ordering::SeqCst), 0);
                    thread::sleep(Duration::from_millis(1));
                    working.fetch_sub(1, Ordering::SeqCst);
                    rounds += 1;
                }
                rounds
            };
            let threads = turns(3).into_iter();
            let threads: Vec<_> = threads
                .map(|turn| scope.spawn(move || work(turn)))
                .collect();
            done.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        });
        assert!(done.iter().all(|&rounds: &u32| rounds > 5), "{done:?}");
    }
}
