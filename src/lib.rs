//! Exact winning probabilities of games, from their rules.

pub mod asp;
pub mod game;
pub mod gdl;
pub mod ground;
pub mod route;
pub mod sqasp;
pub mod translate;
pub mod machine;
pub mod cli;
