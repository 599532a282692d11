//! Limits on the work of one question, so that no game can keep the reasoner busy for ever.

use super::ReasonerError;
use limits::Limits;

/// How much a [`Reasoner`](super::Reasoner) may do for one question.
#[derive(Clone, Debug)]
pub struct RuleLimits {
    /// How many rows may be visited and rules tried.
    pub derivation_steps: u64,
    /// The number of sentences that may be derived and questions asked: both are kept in memory.
    pub derived_rows: u64,
    /// How deep functions may be nested.
    pub term_depth: u32,
    /// When to give up, whatever the question.
    pub overall: Limits,
}

impl Default for RuleLimits {
    /// Two billion steps (some minutes), ten million rows (a few gigabytes), functions nested up
    /// to 1000 deep, no other limit.
    fn default() -> Self {
        RuleLimits {
            derivation_steps: 2_000_000_000,
            derived_rows: 10_000_000,
            term_depth: 1000,
            overall: Limits::default(),
        }
    }
}

impl RuleLimits {
    /// The default limits, within these limits for all work.
    pub fn within(limits: &Limits) -> Self {
        RuleLimits {
            overall: limits.clone(),
            ..RuleLimits::default()
        }
    }
}

/// The effort that is left for the present question.
#[derive(Clone, Default)]
pub struct Effort {
    step_limit: u64,
    steps_left: u64,
    row_limit: u64,
    rows_left: u64,
    limits: Limits,
}

impl Effort {
    /// The limits of a new question, unless time is up.
    pub fn refill(&mut self, limits: &RuleLimits) -> Result<(), ReasonerError> {
        self.step_limit = limits.derivation_steps;
        self.steps_left = limits.derivation_steps;
        self.row_limit = limits.derived_rows;
        self.rows_left = limits.derived_rows;
        self.limits.clone_from(&limits.overall);
        self.check_time()
    }

    /// Takes one step.
    pub(super) fn spend(&mut self) -> Result<(), ReasonerError> {
        if self.steps_left == 0 {
            let limit = self.step_limit;
            return Err(ReasonerError::TooManySteps { limit });
        }
        self.steps_left -= 1;
        if self.steps_left & 0xfff == 0 {
            self.check_time()?;
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), ReasonerError> {
        self.limits.check().map_err(ReasonerError::Stopped)
    }

    /// Keeps one row more.
    pub(super) fn keep(&mut self) -> Result<(), ReasonerError> {
        if self.rows_left == 0 {
            let limit = self.row_limit;
            return Err(ReasonerError::TooManyRows { limit });
        }
        self.rows_left -= 1;
        Ok(())
    }
}
