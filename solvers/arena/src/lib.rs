//! States, alternatives and weighted outcomes of stochastic games in flat tables: their listing, and their values where there are steps.
//!
//! A *stochastic game* has states. In each a maximizer chooses, a minimizer replies knowing that, and
//! chance decides with known probabilities, in any order and number; then play is in a state of the next
//! *layer*, or over with a known value. A game says of itself what follows from a state and which states have the same value
//! ([`StochasticGame`]).
//!
//! ```text
//! StochasticGame --expand--> Tree of a batch of states --explore--> Arena: all states, where steps do not count
//!                                                      --sweep----> values of one layer after the other; layered: outside of memory
//! ```
//!
//! * `game`: the trait. `expansion`: where a game puts the successors of states. `tree`: what may happen from some states, with bounds.
//! * `denominators`: values as whole numbers.
//! * `batch`: states expanded together; `chunk`: their shapes (`shape`) and successors, for backward induction.
//! * `arena`: a game as a graph in flat tables; `payoffs`: with the payoffs at its ends.
//! * `frontier`: listed states expanded in order, by several threads. `sweep`: backward induction in memory.
//! * `explore`: all states as an arena (`listing`); `afterstates`: successors that several states share.
//! * `layered`: backward induction with layers that the caller keeps, as on disk.
//! * `successors`: one state's; `trail`: the way to a state without a value.

mod afterstates;
mod arena;
mod batch;
mod bounds;
mod chunk;
mod denominators;
mod expansion;
mod explore;
mod frontier;
mod game;
mod layered;
mod payoffs;
mod shape;
mod successors;
mod sweep;
mod trail;
mod tree;

pub use arena::{Arena, ArenaError, Backward, Builder, MAX_TOTAL, NONE, Target};
pub use batch::Batch;
pub use denominators::{Chances, Denominators, NewShare, NoScale, Scale, Site};
pub use expansion::{Expansion, Refusal};
pub use explore::{Listing, Unexplored, explore};
pub use game::{StochasticGame, set_key};
pub use layered::{Backwards, Forwards};
pub use payoffs::{GameGraph, PayoffError};
pub use successors::Successors;
pub use sweep::Sweep;
pub use trail::{Trail, find as find_flaw};
pub use tree::{Kind, NO_CHOICE, NO_NODE, Node, Rows, Tree};
