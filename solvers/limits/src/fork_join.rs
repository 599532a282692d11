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

/// Starts a thread for each of some seats, while this one does work of its own. Gives all results, that of this thread first.
pub fn fork_join<S: Send, R: Send>(
    seats: impl IntoIterator<Item = S>,
    help: impl Fn(S) -> R + Sync,
    own: impl FnOnce() -> R,
) -> Vec<R> {
    thread::scope(|scope| {
        let help = &help;
        let start = |seat| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || help(seat));
            thread.ok()
        };
        let started: Vec<_> = seats.into_iter().map_while(start).collect();
        let mut results = vec![own()];
        for thread in started {
            results.push(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
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
