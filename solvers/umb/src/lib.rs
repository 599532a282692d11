//! Stochastic games in UMB files: written as a stream, read, and solved exactly.
//!
//! UMB, the *unified Markov binary* format (<https://github.com/pmc-tools/umb>, version 1.0), is what model checkers
//! exchange: Storm, PRISM, PRISM-games and Modest read and write it. A file is an archive (`tar`) with an index
//! in JSON and tables of numbers: states with choices, choices with branches, branches with a target and a
//! probability, and labels, rewards and values of variables for states.
//!
//! ```text
//! states, one after the other --Writer--> file        file --Model::read--> Model --solve--> exact value
//! ```
//!
//! A [`Writer`] keeps nothing in memory but a bit for each state and label: the tables grow in temporary files until
//! their sizes are known. Probabilities are fractions, in both directions. A file with decimal numbers is read
//! as the simplest fractions next to them (1/3, not 0.3333333333333333), and refused where these do not sum up to 1.
//!
//! ```
//! use sqasp_umb::{Header, Model, Reach, StateRow, Writer};
//!
//! // Throw a coin until it shows heads.
//! let mut writer = Writer::new(Header::new("coin", &["win"]))?;
//! writer.state(&StateRow { player: 0, labels: 0, valuation: &[], reward: (0, 1) })?;
//! writer.choice(0)?;
//! writer.branch(0, 1, 2)?;
//! writer.branch(1, 1, 2)?;
//! writer.state(&StateRow { player: 0, labels: 1, valuation: &[], reward: (0, 1) })?;
//! writer.choice(0)?;
//! writer.branch(1, 1, 1)?;
//! let mut file = Vec::new();
//! writer.finish(&["throw".to_owned()], &mut file)?;
//! let model = Model::read(&file[..])?;
//! let found = model.solve(&Reach::label("win"), &limits::Limits::default())?;
//! assert_eq!(found.value().unwrap().to_string(), "1");
//! let found = model.solve(&Reach::label("win").within(3), &limits::Limits::default())?;
//! assert_eq!(found.value().unwrap().to_string(), "7/8");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Left out: continuous time, intervals, and observations, which are refused by name.

mod index;
mod model;
mod numbers;
mod read;
mod solve;
mod spool;
#[cfg(test)]
mod tests;
mod write;

pub use model::{Decimals, Model, ModelError};
pub use solve::{ModelValue, Reach};
pub use spool::Spool;
pub use write::{Header, NumberForm, Sizes, StateRow, Variable, Writer};
