//! The tests of this crate from outside, as one program.

// Some of the modules are those of its tests.
extern crate simple_stochastic_game as sqasp_simple_stochastic_game;

mod explored;
mod layered;
#[path = "../../../simple-stochastic-game/tests/all/lists.rs"]
mod lists;
#[path = "../../../simple-stochastic-game/tests/all/proof.rs"]
mod proof;
