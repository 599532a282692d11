//! The tests of this crate from outside, as one program.

mod explored;
mod layered;
#[path = "../../../simple-stochastic-game/tests/all/lists.rs"]
mod lists;
#[path = "../../../simple-stochastic-game/tests/all/proof.rs"]
mod proof;
