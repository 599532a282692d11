//! Limits of work: deadline, memory, interrupt and progress, said in one way
//! by every crate of the workspace.
//!
//! - [`Limits`] says what work may cost: a deadline, an amount of memory, a flag that asks to stop, and a receiver of
//!   progress reports. It goes from the command line to the innermost loop, which checks it ([`Limits::check`]).
//! - [`Watch`] is work under limits: it counts memory and work, and reports progress.
//! - [`Bounds`] are a value or proved bounds of it, with the limit that was reached. [`Publisher`] has the bounds of the value of one question. Work gets it beside its limits, and passes it on with that question alone.
//! - [`OwnThread`] is for code that cannot check limits.
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
//! assert_eq!(watch.check("searching", 0), Err(StopReason::Interrupted));
//! ```
//!
//! Invariant: nothing here knows what the work is.

mod bounds;
mod fork_join;
mod interrupt;
mod limits;
mod lock;
pub mod memory;
mod own_thread;
mod progress;
mod publisher;
mod watch;

pub use bounds::Bounds;
pub use fork_join::{fork_join, share_out, thread_count};
pub use interrupt::{Interrupt, StopReason};
pub use limits::Limits;
pub use lock::{lock, unpoisoned};
pub use own_thread::{OwnThread, is_thread_left};
pub use progress::{Progress, ProgressListener};
pub use publisher::{BoundsPair, Publisher};
pub use watch::Watch;
