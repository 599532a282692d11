//! Methods that share a thread's worth of work take turns.
//!
//! Each method runs in a thread of its own, since none can be written to stop and go on anywhere; but
//! of a group only one works at a time. A turn lasts a tenth of the time that has passed, so
//! that no method waits long at first and little is lost by changing later.

use limits::{lock, unpoisoned};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The shortest turn.
const SHORTEST: Duration = Duration::from_millis(30);

/// The methods that have come to a group and have not left it: the first works now, the others wait. A method whose thread has not begun
/// gets no turn: it could not pass that on.
type Queue = (Mutex<VecDeque<usize>>, Condvar);

/// A member of a group. Dropping it leaves the group.
pub(super) struct Turn {
    group: Arc<Queue>,
    index: usize,
    start: Instant,
    since: Mutex<Instant>,
}

/// The turns of methods, for each the number of its group.
pub(super) fn turns<const N: usize>(groups: [usize; N]) -> [Turn; N] {
    let queues: [Arc<Queue>; N] = std::array::from_fn(|_| Arc::default());
    let now = Instant::now();
    std::array::from_fn(|index| Turn {
        group: Arc::clone(&queues[groups[index]]),
        index,
        start: now,
        since: Mutex::new(now),
    })
}

impl Turn {
    /// Whether others should work now.
    pub(super) fn is_over(&self) -> bool {
        let shares = lock(&self.group.0).len() > 1;
        shares && self.is_long_enough()
    }

    fn is_long_enough(&self) -> bool {
        lock(&self.since).elapsed() >= SHORTEST.max(self.start.elapsed() / 10)
    }

    /// Lets the others work if the turn is over, and waits for the next turn.
    pub(super) fn take(&self) {
        let (queue, changed) = &*self.group;
        let mut queue = lock(queue);
        if !queue.contains(&self.index) {
            queue.push_back(self.index);
        } else if queue.front() == Some(&self.index) {
            if queue.len() == 1 || !self.is_long_enough() {
                return;
            }
            queue.rotate_left(1);
            changed.notify_all();
        }
        while queue.front() != Some(&self.index) {
            queue = unpoisoned(changed.wait(queue));
        }
        *lock(&self.since) = Instant::now();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (queue, changed) = &*self.group;
        lock(queue).retain(|&index| index != self.index);
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
        let [first, late, _never] = turns([0; 3]);
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
            let threads = turns([0; 3]).into_iter();
            let threads: Vec<_> = threads
                .map(|turn| scope.spawn(move || work(turn)))
                .collect();
            done.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        });
        assert!(done.iter().all(|&rounds: &u32| rounds > 5), "{done:?}");
    }
}
