//! Simplification that keeps the value: unit propagation, universal reduction and equal
//! variables, in turn until nothing changes, then merging of blocks that became neighbours.
//!
//! Formulas that come from logic programs are full of atoms that equal one another (a rule with
//! one literal in its body defines one). Replacing them is what makes the later steps see the
//! state of a game instead of many copies of it.

mod equivalences;
mod propagation;
mod reduction;

use super::problem::{Falsified, Problem};
use limits::{StopReason, Watch};

/// Rounds of all passes. Each round is linear; in practice three or four suffice, and stopping
/// early is only less simple, never wrong.
const MAX_ROUNDS: usize = 20;

base::options! {
    /// The techniques that are used.
    #[derive(Clone, PartialEq, Eq, Debug)]
    Options {
        propagate_units "units" "propagate units before the search"
        substitute_equivalences "equivalences" "replace variables by equal, earlier ones"
        reduce_universals "universal-reduction" "drop universal literals decided last in their clause"
    }
    Parts {}
    Sizes {}
}

/// Simplifies a problem in place.
///
/// # Errors
/// The reason if a limit was reached; then the problem has still the right value.
pub fn simplify(
    problem: &mut Problem,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Result<(), Falsified>, StopReason> {
    for _ in 0..MAX_ROUNDS {
        watch.check("simplifying", 0)?;
        let mut changed = false;
        if options.propagate_units {
            match propagation::propagate(problem) {
                Ok(propagated) => changed |= propagated,
                Err(falsified) => return Ok(Err(falsified)),
            }
        }
        if options.reduce_universals {
            changed |= reduction::reduce_universals(problem);
        }
        if options.substitute_equivalences {
            match equivalences::substitute(problem) {
                Ok(substituted) => changed |= substituted,
                Err(falsified) => return Ok(Err(falsified)),
            }
        }
        if !changed {
            break;
        }
    }
    problem.merge_blocks();
    Ok(Ok(()))
}
