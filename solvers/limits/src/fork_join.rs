//! Fork and join: work shared between threads.
//!
//! Threads that the system has no room for are done without: those that are there do all the work.

use std::panic::resume_unwind;
use std::sync::Mutex;
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
    let seats: Vec<S> = seats.into_iter().collect();
    let mut results: Vec<Option<R>> = seats.iter().map(|_| None).collect();
    let mut jobs = seats
        .into_iter()
        .zip(&mut results)
        .map(|(seat, result)| -> Job<'_> {
            let help = &help;
            Box::new(move || *result = Some(help(seat)))
        });
    let mut own_work = Some(own);
    let mut own_result = None;
    run_beside(&mut jobs, &mut || {
        own_result = own_work.take().map(|work| work());
    });
    own_result
        .into_iter()
        .chain(results.into_iter().flatten())
        .collect()
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
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(items.len(), || None);
    let queue = Mutex::new(items.zip(&mut results));
    let run = |mut seat: S| {
        while let Some((item, result)) = take_next(&queue) {
            *result = Some(work(&mut seat, item));
        }
    };
    fork_join(seats, run, || run(own));
    results.into_iter().flatten().collect()
}

/// The next item of a queue. It is free again when this returns.
fn take_next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().expect("no thread panics").next()
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
