//! Questions about boolean circuits, for an incremental satisfiability solver.
//!
//! Three layers, each a file:
//!
//! - [`BatSat`] is an incremental solver: new variables, clauses, solving under assumptions, the model or the
//!   assumptions that failed, and a callback that stops it.
//! - [`Gates`] writes clauses into it: conjunctions in both directions (G. S. Tseitin, *On the
//!   complexity of derivation in propositional calculus*, 1968), "at most one" and "exactly n".
//! - [`Cone`] keeps the literals of the nodes of a circuit, and makes clauses of a gate when it is first
//!   asked about. Inputs may be given, so one circuit can be used for several states.
//!
//! Beside them, [`observed`] lets tests watch every solver at work, and check what it proves.
//!
//! ```
//! use sqasp_circuit::Circuit;
//! use sqasp_circuit::sat::{BatSat, Cone, Gates};
//!
//! let mut circuit = Circuit::new();
//! let [a, b] = [circuit.input(0), circuit.input(0)];
//! let both = circuit.and([a, b]);
//! let mut gates = Gates::new(BatSat::new());
//! let mut cone = Cone::new(&gates);
//! let [a, both] = [a, both].map(|signal| cone.literal(&mut gates, &circuit, signal));
//! assert_eq!(gates.solve(&[both]), Some(true));
//! assert_eq!(gates.solve(&[both, !a]), Some(false));
//! ```
//!
//! Invariant: a literal of a signal says exactly what the signal says, in both directions.

mod batsat;
mod cone;
mod gates;
mod observer;

pub use batsat::BatSat;
pub use cone::Cone;
pub use gates::Gates;
pub use observer::{Observer, observed};
