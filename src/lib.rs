//! Exact winning probabilities of games, from their rules.

pub mod game;
pub mod gdl;
pub mod machine;
