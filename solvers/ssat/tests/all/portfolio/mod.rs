//! Tests of the built-in solver, which chooses between both engines.

mod conformance;
mod engines;
mod interruption;
mod questions;
