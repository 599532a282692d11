//! The strategy of the maximising player: which values it gives its variables, and what other values
//! would be worth.
//!
//! A strategy as a table of all decisions would be as large as the tree of plays. [`Strategy`] answers
//! instead when asked: given the values of all earlier variables it decides the next existential block
//! by solving what is left of the formula ([`Formula::restricted`]). This works with every exact
//! [`Solver`], because it relies on nothing but values:
//!
//! 1. Solve what is left: its value v is what the decision must keep.
//! 2. If v is 0 nothing matters. Else unit clauses force literals: with their complement the value
//!    would be 0.
//! 3. Take a variable that is still open and solve with it true. If that has the value v it is true,
//!    else it is false, and false has the value v, since v is the larger of the two. Go on with 2.
//!
//! In formulas of games one move of a group makes the others false and all that follows from it is
//! forced, so a decision takes about as many runs of the solver as there are moves.
//!
//! # Playing a formula
//!
//! Keep the list of all values so far. While the next block is existential, ask
//! [`decide`](Strategy::decide) and append its literals; else append what the opponent chose or chance
//! threw. Against every play of the others this reaches the value of the formula or more.
//!
//! ```
//! use formula::{Strategy, Var};
//! use limits::Limits;
//! # use formula::*;
//! # struct Enumeration;
//! # impl Solver for Enumeration {
//! #     fn name(&self) -> &'static str { "enumeration" }
//! #     fn exactness(&self) -> Exactness { Exactness::Exact }
//! #     fn solve(&mut self, formula: &Formula, _: &Limits) -> Result<Answer, SolverError> {
//! #         let value = enumerate(formula).expect("it is small");
//! #         Ok(Answer { outcome: Outcome::Solved(Value::Exact(value)), statistics: Vec::new() })
//! #     }
//! # }
//! # let mut solver = Enumeration;
//! // A coin is thrown (1), then a player says whether it fell on heads (2).
//! let formula = formula::read(b"p cnf 2 2\nr 0.7 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")?;
//! let mut strategy = Strategy::new(&formula, &mut solver);
//! let tails = Var::new(0).negative();
//! let decision = strategy.decide(&[tails], &Limits::default())?;
//! assert_eq!(decision.literals, Some(vec![Var::new(1).negative()]));
//! // Saying the wrong thing is worth nothing.
//! let wrong = vec![Var::new(1).positive()];
//! let outcomes = strategy.alternatives(&[tails], &[wrong], &Limits::default())?;
//! assert_eq!(outcomes, [Outcome::Solved(Value::Exact("0".parse()?))]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It is left out to remember anything from one question to the next: every answer follows from the
//! formula alone, so a wrong one would have to be the solver's.

mod units;

use crate::{BigRational, Formula, Lit, Outcome, Quantifier, Solver, SolverError, Value, Var};
use limits::{Limits, StopReason};
use num_traits::Zero;
use std::time::Instant;
use units::Units;

/// Decides for the maximising player of a formula.
pub struct Strategy<'a> {
    formula: &'a Formula,
    solver: &'a mut dyn Solver,
}

/// What the maximising player does next.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// One literal for every variable asked about, all true under the decision; `None` if a limit was
    /// reached before it was known.
    pub literals: Option<Vec<Lit>>,
    /// The value, given the earlier values, that the decision keeps; bounds of it if a limit was reached.
    pub outcome: Outcome,
}

/// A question about a strategy that has no answer.
#[derive(Debug, thiserror::Error)]
pub enum StrategyError {
    /// The values so far are not those of the first variables of the prefix.
    #[error(
        "{variable:?} is decided before {missing:?}: give the values in the order of the prefix"
    )]
    OutOfOrder {
        /// A variable that has a value.
        variable: Var,
        /// A variable of an earlier block that has none.
        missing: Var,
    },
    /// The next variable is not the maximising player's.
    #[error("{0:?} is next, and the maximising player does not decide it: give its value")]
    NotItsTurn(Var),
    /// A variable is asked about that is decided already, or later.
    #[error("{0:?} is not one of the variables that the maximising player decides next")]
    NotNext(Var),
    /// Every variable has a value.
    #[error("every variable has a value: nothing is left to decide")]
    NothingLeft,
    /// Two values for one variable.
    #[error("{0:?} cannot be true and false")]
    Contradiction(Var),
    /// A variable that the formula does not have.
    #[error("the formula has no variable {0:?}")]
    Unknown(Var),
    /// The solver rounds, so equal values cannot be told from values that are nearly so.
    #[error("{0} is not exact, and a strategy needs exact values; use another solver")]
    NotExact(&'static str),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl<'a> Strategy<'a> {
    /// The strategy for a formula, with a solver to find it.
    pub fn new(formula: &'a Formula, solver: &'a mut dyn Solver) -> Self {
        Strategy { formula, solver }
    }

    /// The variables that the maximising player decides next, after these values of the earlier ones:
    /// the open variables of the first block that has any.
    ///
    /// # Errors
    /// If the values are not those of the first variables, or it is not this player's turn.
    pub fn next_variables(&self, earlier: &[Lit]) -> Result<Vec<Var>, StrategyError> {
        let mut decided = vec![None; self.formula.variables()];
        for lit in earlier {
            let variable = lit.var();
            let place = decided.get_mut(variable.index());
            let place = place.ok_or(StrategyError::Unknown(variable))?;
            if *place == Some(lit.is_negative()) {
                return Err(StrategyError::Contradiction(variable));
            }
            *place = Some(!lit.is_negative());
        }
        let is_open = |variable: &Var| decided[variable.index()].is_none();
        let mut blocks = self.formula.prefix().blocks().iter();
        let next = blocks
            .by_ref()
            .find_map(|block| Some((block, *block.variables.iter().find(|var| is_open(var))?)));
        let (block, missing) = next.ok_or(StrategyError::NothingLeft)?;
        let mut later = blocks.flat_map(|block| &block.variables);
        if let Some(&variable) = later.find(|var| !is_open(var)) {
            return Err(StrategyError::OutOfOrder { variable, missing });
        }
        if block.quantifier != Quantifier::Exists {
            return Err(StrategyError::NotItsTurn(missing));
        }
        let open = block.variables.iter().copied();
        Ok(open.filter(is_open).collect())
    }

    /// Decides the next existential block, given the values of all earlier variables (and of none or
    /// some of the block itself), so that the value is kept.
    ///
    /// # Errors
    /// See [`StrategyError`].
    pub fn decide(&mut self, earlier: &[Lit], limits: &Limits) -> Result<Decision, StrategyError> {
        let group = self.next_variables(earlier)?;
        self.decide_group(earlier, &group, limits)
    }

    /// The same for some variables of the next existential block only.
    ///
    /// # Errors
    /// See [`StrategyError`].
    pub fn decide_group(
        &mut self,
        earlier: &[Lit],
        group: &[Var],
        limits: &Limits,
    ) -> Result<Decision, StrategyError> {
        let clock = Clock::start(limits);
        self.check_next(earlier, group.iter().copied())?;
        let mut known = earlier.to_vec();
        let outcome = self.solve(&known, &clock.left())?;
        let value = match &outcome {
            Outcome::Solved(Value::Exact(value)) => value.clone(),
            Outcome::Solved(Value::Float(_)) => {
                return Err(StrategyError::NotExact(self.solver.name()));
            }
            Outcome::Stopped { .. } => {
                let literals = None;
                return Ok(Decision { literals, outcome });
            }
        };
        if value.is_zero() {
            let literals = group.iter().map(|variable| variable.negative());
            let literals = Some(literals.collect());
            return Ok(Decision { literals, outcome });
        }
        let mut units = Units::of(self.formula);
        earlier.iter().for_each(|&lit| units.assume(lit));
        let mut literals = Vec::with_capacity(group.len());
        for &variable in group {
            let literal = match units.value(variable) {
                Some(value) => variable.literal(value),
                None => {
                    known.push(variable.positive());
                    let with_it = self.solve(&known, &clock.left())?;
                    known.pop();
                    match keeps(&with_it, &value) {
                        Ok(keeps) => variable.literal(keeps),
                        Err(reason) => {
                            let outcome = Outcome::between(value.clone(), value, reason);
                            let literals = None;
                            return Ok(Decision { literals, outcome });
                        }
                    }
                }
            };
            units.assume(literal);
            known.push(literal);
            literals.push(literal);
        }
        let literals = Some(literals);
        Ok(Decision { literals, outcome })
    }

    /// The value of every one of these alternatives for the next existential block: lists of literals
    /// over some of its variables, such as those of [`one_of`]. The time that is left is shared
    /// equally among those still to come; where it ends the outcome has bounds.
    ///
    /// If every assignment that matters is among the alternatives, the largest value is the value of
    /// the formula.
    ///
    /// # Errors
    /// See [`StrategyError`]. The solver need not be exact here.
    pub fn alternatives(
        &mut self,
        earlier: &[Lit],
        alternatives: &[Vec<Lit>],
        limits: &Limits,
    ) -> Result<Vec<Outcome>, StrategyError> {
        let variables = alternatives.iter().flatten().map(|lit| lit.var());
        self.check_next(earlier, variables)?;
        let clock = Clock::start(limits);
        let mut outcomes = Vec::with_capacity(alternatives.len());
        for (index, alternative) in alternatives.iter().enumerate() {
            let mut known = earlier.to_vec();
            known.extend(alternative);
            contradiction_in(alternative)?;
            let still_to_come = alternatives.len() - index;
            let share = clock.share(still_to_come);
            outcomes.push(match clock.stopped() {
                Some(reason) => Outcome::unknown(reason),
                None => self.solve(&known, &share)?,
            });
        }
        Ok(outcomes)
    }

    fn solve(&mut self, known: &[Lit], limits: &Limits) -> Result<Outcome, StrategyError> {
        let left = self.formula.restricted(known);
        Ok(self.solver.solve(&left, limits)?.outcome)
    }

    /// Checks that these variables are decided next.
    fn check_next(
        &self,
        earlier: &[Lit],
        variables: impl Iterator<Item = Var>,
    ) -> Result<(), StrategyError> {
        let mut next = vec![false; self.formula.variables()];
        for variable in self.next_variables(earlier)? {
            next[variable.index()] = true;
        }
        for variable in variables {
            if !next.get(variable.index()).is_some_and(|next| *next) {
                return Err(StrategyError::NotNext(variable));
            }
        }
        Ok(())
    }
}

/// For each variable the assignment in which it is true and all others of the group are false: the
/// alternatives of a group of which exactly one is true, such as the moves of a player.
pub fn one_of(group: &[Var]) -> Vec<Vec<Lit>> {
    let only = |chosen: Var| group.iter().map(move |&var| var.literal(var == chosen));
    group.iter().map(|&chosen| only(chosen).collect()).collect()
}

/// Whether an alternative has this value, the largest that is possible; the reason if a limit was
/// reached before that was known.
fn keeps(outcome: &Outcome, largest: &BigRational) -> Result<bool, StopReason> {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => Ok(value == largest),
        Outcome::Solved(Value::Float(_)) => unreachable!("the solver gave an exact value before"),
        Outcome::Stopped { lower, .. } if lower >= largest => Ok(true),
        Outcome::Stopped { upper, .. } if upper < largest => Ok(false),
        Outcome::Stopped { reason, .. } => Err(*reason),
    }
}

fn contradiction_in(alternative: &[Lit]) -> Result<(), StrategyError> {
    let mut sorted = alternative.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == !pair[1]) {
        Some(pair) => Err(StrategyError::Contradiction(pair[0].var())),
        None => Ok(()),
    }
}

/// The limits of one question, of which several runs of the solver take their part.
struct Clock<'a> {
    limits: &'a Limits,
    started: Instant,
}

impl<'a> Clock<'a> {
    fn start(limits: &'a Limits) -> Self {
        Clock {
            limits,
            started: Instant::now(),
        }
    }

    /// All that is left.
    fn left(&self) -> Limits {
        self.share(1)
    }

    /// What is left for one of this many runs.
    fn share(&self, runs: usize) -> Limits {
        let runs = u32::try_from(runs).unwrap_or(u32::MAX).max(1);
        Limits {
            time: self
                .limits
                .time
                .map(|time| time.saturating_sub(self.started.elapsed()) / runs),
            ..self.limits.clone()
        }
    }

    /// The limit that is reached already, if any.
    fn stopped(&self) -> Option<StopReason> {
        if let Some(reason) = self.limits.interrupt.raised() {
            return Some(reason);
        }
        let over = |time| self.started.elapsed() >= time;
        self.limits
            .time
            .is_some_and(over)
            .then_some(StopReason::Time)
    }
}
