//! Small random games, as text: rules in GDL that read as valid.
//!
//! | kind | is about |
//! |---|---|
//! | [`random_game`] (lamps) | all that rules can say: recursion, negation, constants and terms, domains given or not; it ends |
//! | [`graph_game`] | positions with legal moves and successors of their own: cycles, ties, percepts, any number of roles |
//! | [`hidden_game`] | states of several facts, of which roles see a part |

mod graph;
mod hidden;
mod lamps;

pub use graph::{GraphGame, GraphKind, GraphPoints, graph_game, simultaneous_game};
pub use hidden::{endless_hidden_game, hidden_game, one_hidden_role, two_hidden_roles};
pub use lamps::{RandomGame, endless_random_game, random_game};
