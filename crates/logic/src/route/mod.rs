//! The logical route in one piece: from a game, or a program, to a formula, with every stage kept.
//!
//! ```text
//! Game --translate--> Program --ground--> GroundProgram --lp2sat, quantifiers--> Formula
//! ```
//!
//! Each arrow is a function of its own folder; this one only calls them in order, checks between
//! stages the assumptions of the next one, predicts whether a grounding will fit, and takes the time.

mod asptools;
mod first_block;
mod first_moves;
mod game;
mod program;

pub use first_block::{BlockError, FirstBlock};
pub use first_moves::FirstMoves;
pub use game::{GameRoute, RouteError, route_game};
pub use program::{
    ClauseMaker, ProgramError, ProgramRoute, RouteOptions, StageTimes, route_program,
};
