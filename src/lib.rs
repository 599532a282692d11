//! Exact winning probabilities of games, from their rules.
//!
//! This crate takes the rules of a game in the Game Description Language (GDL), with a role `random` that
//! moves by chance, and computes exactly, as a fraction, the highest probability of winning that a
//! player can guarantee. The command `sqasp` is a thin layer on it. [`architecture`] has the picture of all stages.
//!
//! # A first example
//!
//! A wheel has three equal fields. The left half is fields one and two, the right half is field three. A player
//! bets on a half while `random` spins the wheel. Betting on the left wins with 2 of 3 fields:
//!
//! ```
//! use sqasp::{Options, Question};
//!
//! let rules = b"
//!     (role player) (role random)
//!     (covers left one) (covers left two) (covers right three)
//!     (init unspun)
//!     (<= (legal player (bet ?half)) (covers ?half ?field))
//!     (<= (legal random (spin ?field)) (covers ?half ?field))
//!     (<= (next won) (does player (bet ?half)) (does random (spin ?field)) (covers ?half ?field))
//!     (<= terminal (not (true unspun)))
//!     (<= (goal player 100) (true won))
//!     (<= (goal player 0) (not (true won)))";
//! let game = sqasp::read("wheel", rules)?;
//! let question = Question::about(&game)?;
//! let answer = sqasp::moves(&game, &question, &Options::default())?;
//! assert_eq!(answer.value(), Some(&"2/3".parse()?));
//! println!("{}", answer.text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The facade
//!
//! [`read`] gives a [`Game`]. [`solve`] answers a [`Question`] about it; [`moves`] and [`curve`] ask for more. They
//! take [`Options`]: the engine, the [`Limits`], the [`Observer`] that hears of the work. They give an
//! [`Answer`], which prints as text, JSON and competition lines. [`check`], [`prove()`], [`plan()`], [`verify()`] and [`export()`] answer other questions
//! about a game, [`State`] plays it; [`translate()`] gives the formula of a question, [`solve_program`], [`solve_formula`] and [`solve_model`] answer for
//! programs, formulas and models from anywhere.
//!
//! Behind it, every arrow of the picture is a public function of a crate of its own, `sqasp-gdl` to `sqasp-xssat`, and all data between two
//! arrows can be printed and looked at. The names of this crate are promised, those of the others are not.
//!
//! The command stands behind the feature `cli`, which is on by default; `default-features = false` leaves it out.

#![warn(missing_docs)]

mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod report;
mod state;
mod tasks;

pub use check::{Checks, check};
#[doc(inline)]
pub use engines::answer::{Depth, GameSubject, Mixtures, Share, Subject};
#[doc(inline)]
pub use engines::strategy::{Extracted, Losses};
#[doc(inline)]
pub use engines::{
    Answer, BestPlay, Choices, Curve, CurvePoint, EquilibriumValues, Error, ErrorKind, Extras,
    FollowedStrategy, Knowledge, MoveValue, Observer, Opponents, Options, Question, Remedy,
    RoleValue, SideError, Silent, curve, moves, read, solve, solve_formula,
    solve_formula_with_strategy, solve_program, solve_program_with_strategy, translate,
    translate_program,
};
#[doc(no_inline)]
pub use export::{Exported, Fix, Format};
pub use formula::{
    Bound, Count, Formula, FormulaQuestion, Outcome, Quantity, ReadError as FormulaReadError,
    Value, read_question as read_formula,
};
#[doc(no_inline)]
pub use gdl::game::{
    Aim, Game, Never, NoSuchRole, NoTeam, Objective, Points, Refused, StepAim, Unit, ValueRange,
};
#[doc(no_inline)]
pub use gdl::{Name, Term};
#[doc(no_inline)]
pub use limits::{Interrupt, Limits, Progress, ProgressListener, StopReason};
#[doc(no_inline)]
pub use logic::route::{GameRoute, ProgramRoute};
#[doc(no_inline)]
pub use logic::sqasp::PrefixMethod;
pub use plan::Plan;
pub use prove::{
    Counterexample, Finding, Pattern as PropertyPattern, Proof, Property, PropertyFormula, Verdict,
    Witness,
};
pub use report::{
    BestPlan, CheckReport, ExplainedFlaw, FormulaVerification, ModelReport, PlanReport,
    ProofReport, Report, ReportEnd, Several, StrategyVerdict, TraceFlaw, VerificationReport,
};
#[doc(no_inline)]
pub use ssat::StrategyOutcome;
pub use ssat::trace::{
    ReadError as FormulaStrategyReadError, Trace as FormulaStrategy, read as read_formula_strategy,
};
pub use state::State;
pub use tasks::{
    Claims, Export, Planning, export, plan, prove, solve_model, verify, verify_formula,
};
#[doc(no_inline)]
pub use umb::Reach;
pub use verify::{
    AnyStrategy as Strategy, Equilibrium, Flaw, Heading, HiddenStrategy, MixedStrategy,
    ReadError as StrategyReadError, Refusal, Side, Strategy as KnownStrategy,
    read_any as read_strategy,
};

/// A value: an exact number, with arithmetic, order and text such as `2/3`.
pub type Fraction = num_rational::BigRational;

#[doc = include_str!("ARCHITECTURE.md")]
pub mod architecture {}

#[cfg(doctest)]
#[doc = include_str!("../docs/how-to/rust.md")]
mod how_to {}
