//! Exact winning probabilities of games, from their rules.

pub mod asp;
pub mod game;
pub mod gdl;
pub mod translate;
