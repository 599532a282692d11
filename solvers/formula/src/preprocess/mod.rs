//! A formula made smaller without changing its value, for the engines that solve it.
//!
//! [`Problem`] is a formula in the form engines work on. [`simplify`](simplify()) keeps its value:
//! unit propagation, universal reduction, replacement of equal variables; a unit clause on a chance
//! variable becomes a factor of the result. [`Occurrences`] lists the clauses of a literal.
//! [`reduced`] makes clauses fewer and shorter, [`without_blocked`] leaves out those that a player can always make true. [`expanded`] copies what universal variables decide about. [`Closure`] finds variables that others define.

mod blocked;
mod definitions;
mod expand;
mod occurrences;
mod problem;
mod reduce;
mod simplify;

pub use blocked::without_blocked;
pub use definitions::{BinaryClauses, Closure, Definable, VariableDefinition};
pub use expand::expanded;
pub use occurrences::Occurrences;
pub use problem::{Falsified, Problem};
pub use reduce::{Reduction, reduced, room as room_for_reduction};
pub use simplify::{Options, simplify};
