//! The tests of this crate from outside, as one program.

mod afterstates;
mod board;
mod chances;
mod dead_facts;
mod definition;
mod endless;
mod flaws;
mod interchangeable;
mod keys;
mod oracle;
mod race;
mod random;
mod stones;
mod values;
