//! Transposition tables: from exact keys to bounds of values, for many threads.
//!
//! A search that comes to one state in several ways should search it once. The result is a
//! lower and an upper bound of the state's value, which meet when the value is known. [`Table`] maps
//! keys, of as many words as a state takes, to such bounds; [`Tables`] are several of them that
//! grow while threads use them, within one limit of memory; [`Interner`] number states in the order in which they are met;
//! [`BusyStates`] are those that a thread searches, so that other threads may search elsewhere first.
//!
//! ```text
//! state 0110, at least 3 of 8            set(0110, 3, 8)
//! state 0110, at most 5 of 8             set(0110, 0, 5)
//! what is known of 0110?                 get(0110) = (3, 5)
//! ```
//!
//! Keys are stored whole and compared whole, so a key finds the bounds that were stored for it, however many
//! threads write. An entry may be forgotten when memory is short; then the state is searched again.
//! The crate does not know the meaning of keys and values.

mod bounds;
mod busy;
mod interner;
mod layout;
mod prefetch;
mod segment;
mod tables;

pub use bounds::{Stored, Table, hash};
pub use busy::BusyStates;
pub use interner::Interner;
pub use tables::Tables;
