//! Limits of work: deadline, memory, interrupt and progress, said in one way
//! by every crate of the workspace.
//!
//! - [`Limits`] is what a caller sets: a time, an amount of memory, a flag that asks to stop, and a receiver of
//!   progress reports.
//! - [`Clock`] is what a loop needs that only has to know when to end: a moment and the flag. It is
//!   cheap to clone.
//! - [`Halt`] is a clock for one of several threads, which also end when another one has the answer.
//! - [`Watch`] is what a solver needs: a clock, an account of memory, a count of work, and progress.
//! - [`OwnThread`] is for code that cannot look at a clock.
//! - [`fork_join`] and [`share_out`] let several threads work, as many as there can be.
//!
//! ```
//! use sqasp_limits::{Limits, StopReason, Watch};
//!
//! let limits = Limits { memory: Some(1000), ..Limits::default() };
//! let mut watch = Watch::new(&limits);
//! assert_eq!(watch.take_memory(900), Ok(()));
//! assert_eq!(watch.take_memory(200), Err(StopReason::Memory));
//! limits.interrupt.raise();
//! assert_eq!(watch.look("searching", 0), Err(StopReason::Interrupted));
//! ```
//!
//! Invariant: nothing here knows what the work is.

mod allowed;
mod clock;
mod fork_join;
mod lock;
pub mod memory;
mod own_thread;
mod watch;

pub use allowed::{Interrupt, Limits, Progress, ProgressListener, StopReason};
pub use clock::{Clock, Halt};
pub use fork_join::{fork_join, share_out, thread_count};
pub use lock::{lock, unpoisoned};
pub use own_thread::{OwnThread, is_thread_left};
pub use watch::{Share, Watch};
