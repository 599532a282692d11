//! The tests of this crate from outside, as one program.

mod asptools;
mod common;
mod failures;
mod real;
