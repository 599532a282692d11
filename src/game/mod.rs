//! Games: descriptions that passed every check, in normal form. This folder knows no clauses.

mod game;

pub use game::{Game, RelationKey};
