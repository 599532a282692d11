//! The tests of this crate from outside, as one program.

mod aiger;
mod flaws;
mod random;
mod worth;
