//! Games: descriptions that passed every check, in normal form. This folder knows no clauses.

mod game;
mod read;

pub use game::{Game, RelationKey};
pub use read::{Reading, Refused, read};
