//! The tests of this crate from outside, as one program.

mod preprocess;
mod reading;
mod restrict;
mod round_trip;
