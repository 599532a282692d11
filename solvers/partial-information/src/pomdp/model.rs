//! The model of a decision process.

use num_rational::BigRational;

/// A decision process as a list of states. It begins in the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pomdp {
    /// The states, by number.
    pub states: Vec<PomdpState>,
}

/// A state of a decision process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PomdpState {
    /// Play is over, with a payoff from 0 to 1.
    End(BigRational),
    /// Play goes on.
    Inner {
        /// The name of the list of actions: states that the agent cannot tell apart must have the same.
        menu: u32,
        /// For each action its outcomes, at least one, which are equally likely. They may come several times.
        actions: Vec<Vec<PomdpOutcome>>,
    },
}

/// An outcome of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PomdpOutcome {
    pub next: u32,
    /// The observation that the agent makes then, besides its own action.
    pub observation: u32,
}

/// Two states that the agent cannot tell apart, with different lists of actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("states {0} and {1} have different actions and cannot be told apart")]
pub struct Ambiguous(pub u32, pub u32);
