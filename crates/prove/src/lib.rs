//! Properties of games proved by induction: statements that hold in every state that play can lead to.
//!
//! A player, and our own solvers, want to know facts about a game that its rules do not state: whose
//! turn it is is always clear, each cell of the board has one content, the game is zero-sum. Play can
//! suggest such things; here they are *proved*, after S. Schiffel and M. Thielscher, *Automated Theorem
//! Proving for General Game Playing* (IJCAI 2009): a property holds if it holds
//! in the initial state, and no step by legal moves leads from a state that has it to one that has it
//! not. Both questions are answer set programs over one step of the game, and "no answer set" is the
//! proof.
//!
//! | file | what |
//! |---|---|
//! | `formula`, `property`, `condition` | the language: text, named properties, ground conditions |
//! | `vocabulary`, `view` | facts, moves and goal values of states; conditions in a state, by definition |
//! | `program` | the two programs of the paper |
//! | `steps`, `answer_sets`, `clauses` | plays of some steps as a question, by clingo or by clauses of the step's circuit |
//! | `choices` | constraints on sets of moves that are plain to see, as more clauses |
//! | `search`, `lanes`, `playing` | violations by random play: one play at a time by the rules, or 64 on the circuit |
//! | `prover`, `witness` | one property: base case, step, refutation by play, more steps; violations checked by the rules |
//! | `houdini`, `reasons`, `candidates`, `all` | the systematic search: all candidates at once, weakened until inductive |
//! | `lengths`, `termination`, `measure` | how long plays can be: facts that only change one way, sums over facts that fall |
//! | `bounds` | bounds and sizes of all proofs |
//! | `board` | features that are proved to be boards, as text |
//!
//! ```
//! use sqasp_prove::{Property, Prover, Settings, Verdict};
//! use gdl::game;
//!
//! let rules = b"(role white) (role black) (init (control white)) (init (lamp off))
//!     (<= (legal ?p press) (true (control ?p))) (<= (legal ?p wait) (role ?p))
//!     (<= (next (control white)) (true (control black)))
//!     (<= (next (control black)) (true (control white)))
//!     (<= (next (lamp on)) (does ?p press)) (<= (next (lamp ?x)) (true (lamp ?x)))
//!     (<= terminal (true (lamp on))) (<= (goal ?p 50) (role ?p))";
//! let game = game::read("lamp", rules, &gdl::Options::default())?.game;
//! let mut prover = Prover::new(&game, Settings::default())?;
//! let control = Property::parse("unique (control ?p)")?;
//! assert!(prover.prove(&control, &[])?.is_proved());
//! let lamp = Property::parse("unique (lamp ?x)")?;
//! let Verdict::Refuted(witness) = prover.prove(&lamp, &[])? else { panic!() };
//! assert!(!witness.joint_moves.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *Invariants.* A verdict is never a guess: every proved property has a proof by one of the two routes, a
//! play that refutes and a step that offends have been followed by the rules themselves
//! ([`Reasoner`](rules::Reasoner)). This crate does not know the command line nor strategies.

mod all;
mod answer_sets;
mod board;
mod bounds;
mod candidates;
mod choices;
mod clauses;
mod condition;
mod formula;
mod houdini;
mod lanes;
mod lengths;
mod linear_program;
mod measure;
mod playing;
mod program;
mod property;
mod prover;
mod reasons;
mod search;
mod steps;
mod termination;
mod verdict;
mod view;
mod vocabulary;
mod witness;

pub use all::Finding;
pub use board::Board;
pub use condition::{Atom, Condition, instances};
pub use formula::{Pattern, PropertyFormula};
pub use property::Property;
pub use prover::{ProveError, Prover, Route, Settings};
pub use verdict::{Counterexample, Proof, Verdict, Witness};
pub use view::{StateView, ViewError};
pub use vocabulary::Vocabulary;
