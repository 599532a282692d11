//! Invariants of a step circuit: claims about every state that it leads to, proved by induction.
//!
//! - [`houdini`]: induction for many claims at once. The loop serves all that prove facts together: the pairs and
//!   groups below, the systematic search of `sqasp prove`, and what must change in a plan.
//! - [`PersistentFacts`]: facts that stay once they hold, facts that stay away once they are gone, and pairs of
//!   which both never hold. From the pairs come *mutex groups*: sets of facts of which at most one ever
//!   holds. Planners use the same groups (M. Helmert, *Concise finite-domain
//!   representations for PDDL planning tasks*, 2009).
//! - [`constant_facts`]: facts that never change, by ternary simulation without a solver.
//! - [`Ranking`]: a bound on the length of plays, from facts that only come or only go.
//! - [`StepProver`]: the step as clauses, about which anything can be asked.
//!
//! Some proofs are alike and stay where they are. The changes that moves make in searches for plans are read off the circuit
//! without induction. The bounds on plays in `sqasp prove` follow values of whole groups, say which
//! properties they rest on, and work with answer sets too; [`Ranking`] needs neither.
//!
//! ```
//! use sqasp_circuit::invariants::PersistentFacts;
//! use sqasp_circuit::{Circuit, Literal, Step};
//! use limits::Limits;
//!
//! // A lamp, off at first, that one move puts on.
//! let mut circuit = Circuit::new();
//! let [on, off] = [circuit.input(0), circuit.input(0)];
//! let [press, wait] = [circuit.input(1), circuit.input(1)];
//! let next = vec![circuit.or([on, press]), circuit.and([off, !press])];
//! let step = Step {
//!     facts: vec![on, off],
//!     initial: vec![false, true],
//!     moves: vec![vec![press, wait]],
//!     legal: vec![vec![Literal::TRUE; 2]],
//!     terminal: Literal::FALSE,
//!     goals: vec![vec![]],
//!     next,
//!     circuit,
//! };
//! let limits = Limits::default();
//! let states = [vec![false, true], vec![true, false]];
//! let (persistent, _) = PersistentFacts::find(&step, &[0, 1], &states, &limits).unwrap();
//! assert_eq!((persistent.stay_true, persistent.stay_false), (vec![0], vec![1]));
//! assert_eq!(persistent.exclusive, [(0, 1)]);
//! ```
//!
//! Invariant: each result is proved, given what the documentation says of the state where play begins.
//! Samples only choose what is tried.

mod constant;
mod houdini;
mod persistent;
mod proof;
mod ranking;

pub use constant::constant_facts;
pub use houdini::{Claim, Oracle, Unanswered, find_one, houdini};
pub use persistent::PersistentFacts;
pub use proof::StepProver;
pub use ranking::Ranking;
