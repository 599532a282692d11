//! The thresholds of bounds of hidden games without a last step.

/// Beliefs that are expanded before the first bounds.
pub(crate) const FIRST: usize = 64;

/// Rounds in which a controller is improved between two proofs. Each takes much less time than a proof.
pub(crate) const IMPROVEMENTS: usize = 30;

/// The steps of value iteration in each of these rounds.
pub(crate) const STEPS: usize = 40;
