//! [`Model`]: a stochastic game as a file has it.

use limits::StopReason;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// A turn-based stochastic game with finitely many states: a chain without players, a decision process with one.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// Its name, if it has one.
    pub name: Option<String>,
    pub players: Vec<String>,
    /// The state that play begins in.
    pub initial: usize,
    /// The sets of states that have names.
    pub labels: BTreeMap<String, Vec<bool>>,
    /// The probabilities that were decimal numbers and were taken for the simplest fractions next to them.
    pub decimals: Option<Decimals>,
    /// By state: the player who chooses, and where its choices begin.
    pub(crate) owners: Vec<u32>,
    pub(crate) first_choice: Vec<usize>,
    /// By choice: where its branches begin, and the sum of their weights.
    pub(crate) first_branch: Vec<usize>,
    pub(crate) totals: Vec<u64>,
    /// By branch.
    pub(crate) targets: Vec<u32>,
    pub(crate) weights: Vec<u64>,
}

impl Model {
    pub fn states(&self) -> usize {
        self.first_choice.len() - 1
    }

    /// The number of choices of all states.
    pub fn choices(&self) -> usize {
        self.first_branch.len() - 1
    }

    /// The number of branches of all choices.
    pub fn branches(&self) -> usize {
        self.targets.len()
    }
}

/// Decimal numbers that were taken for the simplest fractions next to them: the model that is solved is not quite that of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Decimals {
    pub count: usize,
    /// The branch of the first one.
    pub branch: usize,
    /// The number of the file.
    pub decimal: f64,
    /// The fraction that it was taken for.
    pub fraction: BigRational,
}

/// The reason why a file is not read, or a question about it not answered.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file is not in the format.
    #[error("{0}")]
    Format(String),
    /// The file has a model of another kind.
    #[error("{0}")]
    Unsupported(String),
    /// A limit was reached while the file was read.
    #[error("{0}")]
    Stopped(StopReason),
    /// The question does not fit the model.
    #[error("{0}")]
    Question(String),
}

impl From<StopReason> for ModelError {
    fn from(reason: StopReason) -> Self {
        ModelError::Stopped(reason)
    }
}
