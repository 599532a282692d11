//! The tests of this crate from outside, as one program.

mod preprocess;
mod qcir;
mod reading;
mod restrict;
mod round_trip;
