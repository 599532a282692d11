//! Limits on the work of one question, so that no game can keep the reasoner busy for ever.

use super::ReasonerError;
use std::time::Instant;

/// How much a [`Reasoner`](super::Reasoner) may do for one question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows that may be looked at and rules that may be tried; hence also a limit on memory.
    pub derivation_steps: u64,
    /// How deep functions may be nested.
    pub term_depth: u32,
    /// When to give up, whatever the question.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    /// Two billion steps (some minutes), functions nested up to 1000 deep, no deadline.
    fn default() -> Self {
        Limits {
            derivation_steps: 2_000_000_000,
            term_depth: 1000,
            deadline: None,
        }
    }
}

/// What is left of the limits for the present question.
#[derive(Clone, Default)]
pub(super) struct Budget {
    limit: u64,
    left: u64,
    deadline: Option<Instant>,
}

impl Budget {
    /// A fresh budget for a new question.
    pub(super) fn refill(&mut self, limits: &Limits) {
        self.limit = limits.derivation_steps;
        self.left = limits.derivation_steps;
        self.deadline = limits.deadline;
    }

    /// Takes one step.
    pub(super) fn spend(&mut self) -> Result<(), ReasonerError> {
        if self.left == 0 {
            return Err(ReasonerError::TooManySteps { limit: self.limit });
        }
        self.left -= 1;
        if self.left & 0xfff == 0
            && let Some(deadline) = self.deadline
            && Instant::now() >= deadline
        {
            return Err(ReasonerError::OutOfTime);
        }
        Ok(())
    }
}
