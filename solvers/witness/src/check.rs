//! The check that a strategy fits a formula: each variable of a player has one function, of variables that stand
//! in earlier blocks.

use crate::fingerprint::fingerprint;
use crate::strategy::{Decider, Strategy, positions};
use formula::{Formula, Quantifier, Var};

/// A mistake in a strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// It is for another formula.
    #[error(
        "the strategy is for another formula ({name}): its SHA-256 is {found}, that of this formula {expected}"
    )]
    OtherFormula {
        /// The name of the other formula.
        name: String,
        /// The SHA-256 in the strategy.
        found: String,
        /// The SHA-256 of the formula.
        expected: String,
    },
    /// The number of variables is not that of the formula.
    #[error("the strategy is for {found} variables, and this formula has {expected}")]
    Variables {
        /// The number in the strategy.
        found: usize,
        /// The number in the formula.
        expected: usize,
    },
    /// A variable has no function.
    #[error("`{}` has no function for variable {}", .side.name(), .variable.to_dimacs())]
    Missing {
        /// The player who decides the variable.
        side: Decider,
        /// The variable.
        variable: Var,
    },
    /// A variable has two functions.
    #[error("`{}` has two functions for variable {}", .side.name(), .variable.to_dimacs())]
    Twice {
        /// The player whose list has them.
        side: Decider,
        /// The variable.
        variable: Var,
    },
    /// A function for a variable that somebody else decides.
    #[error("`{}` has a function for variable {}, which that player does not decide", .side.name(), .variable.to_dimacs())]
    NotDecided {
        /// The player whose list has it.
        side: Decider,
        /// The variable.
        variable: Var,
    },
    /// A function depends on a variable that is not known yet.
    #[error(
        "the function of variable {} depends on variable {}, which does not stand in an earlier block of the prefix",
        .variable.to_dimacs(), .later.to_dimacs()
    )]
    Later {
        /// The variable that is decided.
        variable: Var,
        /// The variable that it depends on.
        later: Var,
    },
    /// A gate has a literal of itself or of a later gate.
    #[error("gate {gate} depends on itself or on a later gate")]
    Order {
        /// The number of the gate, from 1.
        gate: usize,
    },
    /// The functions of one player do not keep the promise.
    #[error("the functions of `{}` {} {found}, not the value {value} that the strategy promises", .side.name(),
        match .side { Decider::Exists => "guarantee", Decider::Forall => "allow" })]
    BrokenPromise {
        /// The player of these functions.
        side: Decider,
        /// The value that the strategy promises.
        value: Box<formula::BigRational>,
        /// The value of these functions.
        found: Box<formula::BigRational>,
    },
}

/// Checks all that can be said without counting.
///
/// # Errors
/// The first flaw.
pub fn check(formula: &Formula, strategy: &Strategy) -> Result<(), Flaw> {
    let expected = fingerprint(formula);
    if strategy.sha256 != expected {
        return Err(Flaw::OtherFormula {
            name: strategy.formula.clone(),
            found: strategy.sha256.clone(),
            expected,
        });
    }
    let variables = formula.variables();
    if strategy.variables != variables {
        return Err(Flaw::Variables {
            found: strategy.variables,
            expected: variables,
        });
    }
    let positions = positions(formula);
    // By variable and gate, a variable in its cone that stands last, and its level.
    let own = |index: usize| Some((positions[index].0, Var::new(index)));
    let mut latest: Vec<Option<(u32, Var)>> = (0..variables).map(own).collect();
    for (index, gate) in strategy.gates.iter().enumerate() {
        let inputs = gate.iter().map(|literal| latest.get(literal.var().index()));
        let inputs: Option<Vec<_>> = inputs.collect();
        let inputs = inputs.ok_or(Flaw::Order { gate: index + 1 })?;
        latest.push(inputs.into_iter().copied().max().flatten());
    }
    for side in Decider::BOTH {
        check_side(strategy, side, &positions, &latest)?;
    }
    Ok(())
}

fn check_side(
    strategy: &Strategy,
    side: Decider,
    positions: &[(u32, Quantifier)],
    latest: &[Option<(u32, Var)>],
) -> Result<(), Flaw> {
    let mut has_function = vec![false; positions.len()];
    for &(variable, function) in strategy.functions(side) {
        let (level, quantifier) = positions[variable.index()];
        if quantifier != side.quantifier() {
            return Err(Flaw::NotDecided { side, variable });
        }
        if std::mem::replace(&mut has_function[variable.index()], true) {
            return Err(Flaw::Twice { side, variable });
        }
        if let Some((last, later)) = latest[function.var().index()]
            && last >= level
        {
            return Err(Flaw::Later { variable, later });
        }
    }
    let missing = (0..positions.len())
        .find(|&index| positions[index].1 == side.quantifier() && !has_function[index]);
    match missing {
        Some(index) => Err(Flaw::Missing {
            side,
            variable: Var::new(index),
        }),
        None => Ok(()),
    }
}
