//! Ending in good order where the system gives no more memory.
//!
//! Under a limit of the system (`ulimit -v`, a container without swap) an allocation can fail at any
//! moment, and Rust then aborts the process: no bounds, and an exit code that means a crash. So the
//! command has this allocator, which is that of the system, but never returns without memory: the
//! thread that cannot have it waits forever, and the thread that watches the limits (`watch`) prints
//! the bounds that are known and ends the process with the usual exit code. For that it needs a little
//! memory itself, which is kept in reserve from the start; it takes that also if its own allocation is the one that fails.
//! Where nobody watches, the process says what happened and ends.
//!
//! Two things here are against the customs of this project. It is `unsafe` code, because the trait of
//! allocators is, as are `mallopt` and the hook of C++ for `new` without memory, where clingo would abort the process; every
//! function of the trait hands its arguments on as they are. And it is global state, because
//! an allocator is global.
#![allow(unsafe_code)]

use super::Exit;
use crate::memory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The system's allocator, for the command.
pub struct Allocator;

/// Whether an allocation failed.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Whether a thread watches, and speaks and ends the process in place of the one that fails.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Memory for the last words.
static RESERVE: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Enough to print any bounds, and for what other threads still take meanwhile.
const RESERVED_BYTES: u64 = 8 << 20;

thread_local! {
    /// Whether this is the thread that watches. It must not wait for itself.
    static IS_WATCHING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

// Of the standard library of C++, which comes with clingo.
unsafe extern "C" {
    /// `std::set_new_handler`: what is called when `new` has no memory.
    #[link_name = "_ZSt15set_new_handlerPFvvE"]
    fn set_new_handler(handler: extern "C" fn()) -> Option<extern "C" fn()>;
}

extern "C" fn without_memory() {
    wait_for_the_end()
}

/// Makes clingo, which has an allocator of its own, wait as our code does.
pub(super) fn prepare() {
    // SAFETY: the handler never returns, as is allowed, and does not unwind.
    unsafe { set_new_handler(without_memory) };
}

/// Makes the system's allocator give freed memory back at once, if it is more than a little. Else it keeps some of it for each thread that
/// asked for some, so that what a process takes depends on which thread did what when.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        // Of the C library: `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD`, in bytes.
        const OPTIONS: [(c_int, c_int); 2] = [(-1, 1 << 20), (-3, 1 << 20)];
        unsafe extern "C" {
            fn mallopt(option: c_int, value: c_int) -> c_int;
        }
        for (option, value) in OPTIONS {
            // SAFETY: it takes any numbers, and changes where blocks come from that are allocated later.
            unsafe { mallopt(option, value) };
        }
    }
}

/// Tells that this thread looks at [`has_failed`] all the time from now on.
pub(super) fn watch_from_here() {
    // Of little room, most is for the work.
    let room = memory::unmapped().map(|room| room / 4);
    let bytes = room.into_iter().chain([RESERVED_BYTES]).min();
    let reserve = Vec::with_capacity(bytes.unwrap_or(0) as usize);
    if let Ok(mut place) = RESERVE.lock() {
        *place = Some(black_box(reserve));
    }
    IS_WATCHING.set(true);
    WATCHED.store(true, Ordering::SeqCst);
}

/// Tells that nobody watches any more.
pub(super) fn unwatched() {
    WATCHED.store(false, Ordering::SeqCst);
}

/// Whether some thread waits for memory that it cannot have.
pub(super) fn has_failed() -> bool {
    FAILED.load(Ordering::SeqCst)
}

/// The memory that was asked for. If there is none, this does not return, but for the thread that watches: it tries once more, with
/// the reserve.
fn granted(memory: *mut u8, again: impl FnOnce() -> *mut u8) -> *mut u8 {
    if !memory.is_null() {
        return memory;
    }
    if is_watching() && free_reserve() {
        FAILED.store(true, Ordering::SeqCst);
        let memory = again();
        if !memory.is_null() {
            return memory;
        }
    }
    wait_for_the_end()
}

/// Gives back the memory for the last words; whether there was some.
fn free_reserve() -> bool {
    let reserve = RESERVE.try_lock().ok().and_then(|mut place| place.take());
    reserve.is_some()
}

/// Whether this is the thread that watches, or one that is about to end, where the mark is gone.
fn is_watching() -> bool {
    IS_WATCHING.try_with(|mark| mark.get()).unwrap_or(true)
}

#[cold]
fn wait_for_the_end() -> ! {
    free_reserve();
    FAILED.store(true, Ordering::SeqCst);
    while WATCHED.load(Ordering::SeqCst) && !is_watching() {
        thread::sleep(Duration::from_millis(100));
    }
    let _ = std::io::stderr().write_all(b"sqasp: the system has no more memory\n");
    signal_hook::low_level::exit(Exit::Limit as i32)
}

// SAFETY: `System` keeps the promises of an allocator. Its functions get the arguments unchanged, and
// what they return is returned unchanged or not at all.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of this very function. What fails changes nothing.
        let take = || unsafe { System.alloc(layout) };
        granted(take(), take)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let take = || unsafe { System.alloc_zeroed(layout) };
        granted(take(), take)
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let take = || unsafe { System.realloc(memory, layout, size) };
        granted(take(), take)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}
