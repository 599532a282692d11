//! Fork and join: work shared between threads.
//!
//! Threads that the system has no room for are done without: those that are there do all the work.

use crate::lock;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A number of threads, where 0 stands for as many as there are cores.
pub fn thread_count(wanted: usize) -> usize {
    match wanted {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Work of one thread.
type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Starts a thread for each of some seats, while this one does work of its own. Gives all results, that of this thread first.
pub fn fork_join<S: Send, R: Send>(
    seats: impl IntoIterator<Item = S>,
    help: impl Fn(S) -> R + Sync,
    own: impl FnOnce() -> R,
) -> Vec<R> {
    let found: Mutex<Vec<(usize, R)>> = Mutex::default();
    let mut jobs = seats
        .into_iter()
        .enumerate()
        .map(|(place, seat)| -> Job<'_> {
            let (help, found) = (&help, &found);
            Box::new(move || {
                let result = help(seat);
                lock(found).push((place, result));
            })
        });
    let mut own_work = Some(own);
    let mut own_result = None;
    run_beside(&mut jobs, &mut || {
        own_result = own_work.take().map(|work| work());
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|(place, _)| *place);
    let others = found.into_iter().map(|(_, result)| result);
    own_result.into_iter().chain(others).collect()
}

/// Runs each job in a thread of its own, and `own` in this one. It is compiled once, for all callers.
fn run_beside<'a>(jobs: &mut dyn Iterator<Item = Job<'a>>, own: &mut dyn FnMut()) {
    thread::scope(|scope| {
        let start = |job| thread::Builder::new().spawn_scoped(scope, job).ok();
        let started: Vec<_> = jobs.map_while(start).collect();
        own();
        for thread in started {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// Does something with each item. A thread for each seat, of which there must be one, takes one item after the other. Gives the
/// results in the order of the items.
pub fn share_out<S: Send, T: Send, R: Send>(
    seats: impl IntoIterator<Item = S>,
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator + Send>,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let items = items.into_iter();
    let mut seats = seats.into_iter().take(items.len().max(1));
    let own = seats.next().expect("this thread has a seat");
    let queue = Mutex::new(items.enumerate());
    let run = |mut seat: S| {
        let mut results = Vec::new();
        loop {
            let next = queue.lock().expect("no thread panics").next();
            let Some((number, item)) = next else {
                return results;
            };
            results.push((number, work(&mut seat, item)));
        }
    };
    let results = fork_join(seats, run, || run(own)).into_iter();
    let mut results: Vec<(usize, R)> = results.flatten().collect();
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_items() {
        for seats in [1, 2, 7] {
            let doubled = share_out(0..seats, 0..100, |_, item| 2 * item);
            assert_eq!(doubled, (0..100).map(|item| 2 * item).collect::<Vec<_>>());
            assert!(share_out(0..seats, 0..0, |_, item: usize| item).is_empty());
        }
        assert_eq!(fork_join([1, 2], |seat| seat, || 0), [0, 1, 2]);
    }
}
