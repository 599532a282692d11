//! The tests of this crate from outside, as one program.

mod conformance;
mod engines;
mod interruption;
mod mixture;
mod questions;
