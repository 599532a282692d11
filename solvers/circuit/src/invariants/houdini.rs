//! Houdini: the largest part of some claims that holds after every step, if it holds before.
//!
//! Claims often hold only together: each is used in the proof of the others. [`houdini`] assumes that all of
//! them hold, and searches for a counterexample to induction: a step after which some do not. These are dropped,
//! and so on, until no step breaks any of the rest. The rest is the largest part that is inductive, since two
//! inductive parts together are inductive; so the order in which claims are dropped does not matter. (C.
//! Flanagan and K. R. M. Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001.)
//!
//! ```text
//! a, b, c hold --> a step after which c fails      c is dropped
//! a, b hold    --> a step after which b fails      b is dropped
//! a holds      --> no step breaks a                a is proved
//! ```
//!
//! Claims of which nothing is assumed before ([`Claim::before`] is empty) are those that no solution
//! contradicts, such as the facts that hold in all solutions (a *backbone*).
//!
//! An [`Oracle`] answers the questions: a satisfiability solver, or a program with answer sets.

use crate::Literal;
use crate::sat::{BatSat, Gates};

/// The solver that decides whether literals can be true together.
pub trait Oracle {
    /// The reason why there is no answer.
    type Stop;

    /// A literal of a new variable.
    fn new_literal(&mut self) -> Literal;

    /// From now on one of these is true.
    fn require(&mut self, clause: &[Literal]);

    /// Whether these literals can be true together.
    fn can_hold(&mut self, literals: &[Literal]) -> Result<bool, Self::Stop>;

    /// Whether a literal is true in the solution that was found last.
    fn is_true(&self, literal: Literal) -> bool;
}

/// A limit was reached before a question was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unanswered;

impl Oracle for Gates<'_> {
    type Stop = Unanswered;

    fn new_literal(&mut self) -> Literal {
        BatSat::new_literal(self)
    }

    fn require(&mut self, clause: &[Literal]) {
        BatSat::require(self, clause);
    }

    fn can_hold(&mut self, literals: &[Literal]) -> Result<bool, Unanswered> {
        self.solve(literals).ok_or(Unanswered)
    }

    fn is_true(&self, literal: Literal) -> bool {
        BatSat::is_true(self, literal)
    }
}

/// A claim about states, as literals.
#[derive(Clone, Debug)]
pub struct Claim {
    /// These together imply that it holds before the step: one literal for each earlier state that it is about.
    pub before: Vec<Literal>,
    /// It holds after the step where one of these is true.
    pub after: Vec<Literal>,
}

/// A new literal that implies that one of these is true.
pub(crate) fn guard<O: Oracle + ?Sized>(
    oracle: &mut O,
    clause: impl IntoIterator<Item = Literal>,
) -> Literal {
    let guard = oracle.new_literal();
    let clause: Vec<Literal> = clause.into_iter().chain([!guard]).collect();
    oracle.require(&clause);
    guard
}

/// Searches for a solution in which all `assumed` and at least one of `some` are true; `read` is given
/// the solution.
pub fn find_one<O: Oracle + ?Sized, T>(
    oracle: &mut O,
    some: impl IntoIterator<Item = Literal>,
    assumed: &[Literal],
    read: impl FnOnce(&O) -> T,
) -> Result<Option<T>, O::Stop> {
    let goal = guard(oracle, some);
    let is_found = oracle.can_hold(&[assumed, &[goal]].concat())?;
    let found = is_found.then(|| read(oracle));
    oracle.require(&[!goal]);
    Ok(found)
}

/// The largest part of some claims that passes through every step, by number in ascending order.
///
/// Each question is about one of several `batches` of claims: that a certain claim breaks leaves a solver
/// little to choose, that any of thousands breaks leaves everything. `dropped` is called with each counterexample
/// which claims it breaks.
pub fn houdini<O: Oracle + ?Sized>(
    oracle: &mut O,
    claims: &[Claim],
    batches: usize,
    mut dropped: impl FnMut(&O, &[usize]),
) -> Result<Vec<usize>, O::Stop> {
    let violations = claims.iter().map(|claim| violation(oracle, &claim.after));
    let violations: Vec<Literal> = violations.collect();
    let mut left: Vec<usize> = (0..claims.len()).collect();
    let size = claims.len().div_ceil(batches).max(1);
    let batches = claims.len().div_ceil(size);
    // Once something is dropped, what was shown of the other batches must be shown again.
    let mut shown = 0;
    let mut batch = 0;
    while shown < batches {
        let asked = left.iter().filter(|&&number| number / size == batch);
        let broken: Vec<Literal> = asked.map(|&number| violations[number]).collect();
        let assumed = left.iter().flat_map(|&number| &claims[number].before);
        let assumed: Vec<Literal> = assumed.copied().collect();
        let counterexample = if broken.is_empty() {
            None
        } else {
            find_one(oracle, broken, &assumed, |oracle| {
                let is_true = |&literal: &Literal| oracle.is_true(literal);
                let is_broken = |&number: &usize| !claims[number].after.iter().any(is_true);
                let (broken, kept): (Vec<usize>, Vec<usize>) =
                    left.iter().copied().partition(is_broken);
                dropped(oracle, &broken);
                kept
            })?
        };
        match counterexample {
            Some(kept) => {
                left = kept;
                shown = 0;
            }
            None => {
                shown += 1;
                batch = (batch + 1) % batches;
            }
        }
    }
    Ok(left)
}

/// A literal that implies that none of these is true.
fn violation<O: Oracle + ?Sized>(oracle: &mut O, after: &[Literal]) -> Literal {
    if let [single] = after {
        return !*single;
    }
    let violation = oracle.new_literal();
    for &literal in after {
        oracle.require(&[!violation, !literal]);
    }
    violation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims that fail after a step where the one before in a row fails, the first of them always.
    fn chain(gates: &mut Gates<'static>, length: usize) -> Vec<Claim> {
        let before: Vec<Literal> = (0..length).map(|_| gates.new_literal()).collect();
        let mut claims = Vec::new();
        for (number, &now) in before.iter().enumerate() {
            let after = match number {
                0 => gates.constant(false),
                // Far ahead claims hold on their own.
                _ if number > length / 2 => now,
                _ => before[number - 1],
            };
            claims.push(Claim {
                before: vec![now],
                after: vec![after],
            });
        }
        claims
    }

    #[test]
    fn what_is_left_is_the_largest_inductive_part() {
        for batches in [1, 2, 3, 100] {
            let mut gates = Gates::new(BatSat::new());
            let claims = chain(&mut gates, 9);
            let mut dropped = Vec::new();
            let left = houdini(&mut gates, &claims, batches, |_, broken| {
                dropped.extend_from_slice(broken);
            });
            assert_eq!(left, Ok(vec![5, 6, 7, 8]), "{batches} batches");
            dropped.sort_unstable();
            assert_eq!(dropped, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn without_assumptions_what_no_solution_contradicts_is_left() {
        let mut gates = Gates::new(BatSat::new());
        let facts: Vec<Literal> = (0..4).map(|_| gates.new_literal()).collect();
        gates.require(&[facts[0], facts[1]]);
        gates.require(&[facts[0], !facts[1]]);
        gates.require(&[!facts[3]]);
        let claim = |&after: &Literal| Claim {
            before: Vec::new(),
            after: vec![after],
        };
        let claims: Vec<Claim> = facts.iter().map(claim).collect();
        assert_eq!(houdini(&mut gates, &claims, 1, |_, _| ()), Ok(vec![0]));
    }
}
