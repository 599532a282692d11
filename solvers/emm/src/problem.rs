//! The problem: a step, the player for whom each agent moves, and the worth of the end.

use circuit::{Literal, Step};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// For whom an agent moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Agent {
    /// The one whose value is asked for.
    Maximizer,
    /// Against the maximizer, knowing its move of the same step; all adversaries act as one.
    Adversary,
    /// Uniformly at random among its legal moves, after all others.
    Chance,
}

/// The worth of a terminal state: the sum of the values whose signal holds in it.
///
/// The signals depend on facts only. In every terminal state that can be reached the sum must be
/// between 0 and 1; a larger sum counts as 1.
pub type Payoff = Vec<(BigRational, Literal)>;

/// A step of a transition system, the player for whom each agent moves, and the worth of the end.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The step.
    pub step: Step,
    /// One for each agent of the step.
    pub agents: Vec<Agent>,
    /// The worth of terminal states.
    pub payoff: Payoff,
    /// The worth of play that is not over after the last step: between 0 and 1.
    pub unfinished: BigRational,
    /// Whether the worth of a terminal state has no meaning. An engine that meets such a state, or one
    /// that is not terminal and in which some agent cannot move, gives no value
    /// ([`QuestionError::Flaw`](crate::QuestionError)).
    pub flaw: Literal,
}

/// A problem that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProblemError {
    /// The number of agents.
    #[error("the step has {step} agents, but it is said for {given} whom they move for")]
    Agents {
        /// Agents of the step.
        step: usize,
        /// Agents given.
        given: usize,
    },
    /// Not exactly one maximizer.
    #[error("{0} agents are maximizers; exactly one must be")]
    Maximizers(usize),
    /// Lists that belong together differ in length.
    #[error("the step is not whole: {0}")]
    Step(&'static str),
    /// A payoff that is no probability.
    #[error("the payoff {0} is not between 0 and 1")]
    Payoff(BigRational),
    /// A signal that must depend on facts only depends on moves.
    #[error("{0} depends on moves, but may depend on facts only")]
    DependsOnMoves(&'static str),
}

impl Problem {
    /// Checks that all parts make sense.
    ///
    /// # Errors
    /// The first thing found.
    pub fn check(&self) -> Result<(), ProblemError> {
        let Step {
            circuit,
            facts,
            initial,
            moves,
            legal,
            terminal,
            next,
            ..
        } = &self.step;
        let agents = moves.len();
        if agents != self.agents.len() {
            let given = self.agents.len();
            return Err(ProblemError::Agents {
                step: agents,
                given,
            });
        }
        let is_maximizer = |agent: &&Agent| **agent == Agent::Maximizer;
        let maximizers = self.agents.iter().filter(is_maximizer).count();
        if maximizers != 1 {
            return Err(ProblemError::Maximizers(maximizers));
        }
        if facts.len() != initial.len() || facts.len() != next.len() {
            return Err(ProblemError::Step(
                "facts, their initial and their next values differ in number",
            ));
        }
        let lengths = moves.iter().zip(legal);
        if legal.len() != agents || lengths.clone().any(|(m, l)| m.len() != l.len()) {
            return Err(ProblemError::Step(
                "moves and what is legal differ in number",
            ));
        }
        let payoffs = self.payoff.iter().map(|(value, _)| value);
        for value in payoffs.chain([&self.unfinished]) {
            if *value < BigRational::zero() || *value > BigRational::one() {
                return Err(ProblemError::Payoff(value.clone()));
            }
        }
        let on_facts = |signal: &Literal| circuit.level(*signal) == 0;
        if !legal.iter().flatten().all(on_facts) {
            return Err(ProblemError::DependsOnMoves("what is legal"));
        }
        if !on_facts(terminal) {
            return Err(ProblemError::DependsOnMoves("the end"));
        }
        if !self.payoff.iter().all(|(_, signal)| on_facts(signal)) {
            return Err(ProblemError::DependsOnMoves("the payoff"));
        }
        if !on_facts(&self.flaw) {
            return Err(ProblemError::DependsOnMoves("what has no meaning"));
        }
        Ok(())
    }

    /// Everything that is asked of a state when play may be over: whether it is, whether its worth has no
    /// meaning, and what is paid.
    pub fn ends(&self) -> Vec<Literal> {
        let paid = self.payoff.iter().map(|(_, signal)| *signal);
        [self.step.terminal, self.flaw]
            .into_iter()
            .chain(paid)
            .collect()
    }
}
