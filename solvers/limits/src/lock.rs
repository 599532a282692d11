//! Locks whose holders may panic: the data that they guard is right after every single change, so others go on.

use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

/// Takes the lock, also after a thread that held it panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}

/// The guard that a lock or a wait gives, also after a thread that held it panicked.
pub fn unpoisoned<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
