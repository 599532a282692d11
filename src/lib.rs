//! Exact winning probabilities of games, from their rules.

pub mod asp;
pub mod cli;
pub mod game;
pub mod gdl;
pub mod ground;
pub mod machine;
pub mod route;
pub mod sqasp;
pub mod translate;
