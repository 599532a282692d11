//! How large a grounding will be, before it is made.
//!
//! The program is grounded for two short horizons. What the second has more than the first is what
//! a step costs, as far as states so early in the game show; a longer horizon is that many steps
//! more. States grow as a game goes on, so the prediction is doubled for safety once and checked
//! again at each doubling of the horizon: it is a lower estimate that gets better, never a promise.

use super::grounder::{GroundError, GroundLimits, ground};

/// Bytes that a rule of a ground program costs on its way to a value, measured on the boards and
/// Nim games of `games/`: the rule, its clauses, and what the solver keeps of them.
pub const BYTES_PER_RULE: u64 = 600;

/// The predicted size of a grounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prediction {
    /// Number of atoms.
    pub atoms: u64,
    /// Number of rules.
    pub rules: u64,
}

impl Prediction {
    /// The memory it takes to ground and solve a program of this size, in bytes.
    pub fn bytes(&self) -> u64 {
        self.rules * BYTES_PER_RULE
    }
}

/// Predicts the size of a program at a horizon from `text_at`, which writes it for any horizon.
///
/// # Errors
/// If even the short horizons cannot be grounded within the limits.
pub fn predict(
    text_at: impl Fn(u32) -> String,
    depth: u32,
    limits: &GroundLimits,
) -> Result<Prediction, GroundError> {
    let size = |depth| {
        let program = ground(&text_at(depth), limits)?.program;
        Ok((program.atom_count() as u64, program.rule_count() as u64))
    };
    let short = depth.min(4);
    let shorter = short / 2;
    let (atoms, rules) = size(short)?;
    if short == depth {
        return Ok(Prediction { atoms, rules });
    }
    let (fewer_atoms, fewer_rules) = size(shorter)?;
    let per_step = |more: u64, less: u64| (more - less.min(more)) / u64::from(short - shorter);
    let steps = u64::from(depth - short);
    Ok(Prediction {
        atoms: atoms + steps * per_step(atoms, fewer_atoms),
        rules: rules + steps * per_step(rules, fewer_rules),
    })
}
