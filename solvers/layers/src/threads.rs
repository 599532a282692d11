//! Work for several threads.

use crate::error::DiskTableError;
use std::thread;

/// Does something with each item, each in a thread; with one item there is no other thread. Tells the first error.
pub fn in_parallel<T: Send>(
    mut items: impl ExactSizeIterator<Item = T>,
    work: impl Fn(T) -> Result<(), DiskTableError> + Sync,
) -> Result<(), DiskTableError> {
    if items.len() <= 1 {
        return items.try_for_each(work);
    }
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items.map(|item| scope.spawn(move || work(item))).collect();
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        // All are waited for, whatever the first one says.
        ended.fold(Ok(()), Result::and)
    })
}
