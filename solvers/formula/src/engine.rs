//! What all solvers do around their engines: [`solve`] refuses problems that are too large, simplifies, multiplies the
//! result by the factor that simplification settled, and gives the reason why a run ended early.

use crate::preprocess::{Falsified, Options, Problem, simplify};
use crate::{Answer, BigRational, Formula, Outcome, SolverError, Value};
use limits::{Bounds, Limits, Publisher, StopReason, Watch};
use num_traits::{One, Zero};
use std::borrow::Borrow;

/// Literals and clauses are numbered with 32 bits, of which code takes one for itself.
const MAX_LITERALS: usize = 1 << 29;

/// Numbers about a run, by name.
pub type Statistics = Vec<(&'static str, u64)>;

/// Memory that a problem takes, and its simplification, in bytes.
fn room(formula: &Formula) -> u64 {
    let matrix = formula.matrix();
    (80 * formula.variables() + 26 * matrix.len() + 8 * matrix.literal_count()) as u64
}

/// Simplifies a formula and lets an engine find bounds of what is left, without the factor of the problem, which are published on the way. `work_limit` is a bound of the
/// decisions, for tests. A formula that is given away is dropped as soon as it was read.
pub fn solve(
    solver: &str,
    formula: impl Borrow<Formula>,
    (limits, publisher): (&Limits, &Publisher),
    work_limit: Option<u64>,
    options: &Options,
    engine: impl FnOnce(Problem, &mut Watch<'_>, &mut Statistics) -> Result<Bounds, StopReason>,
) -> Result<Answer, SolverError> {
    let literals = formula.borrow().matrix().literal_count();
    if literals > MAX_LITERALS {
        return Err(SolverError::Unsupported {
            solver: solver.to_owned(),
            reason: format!("it has {literals} literals, and at most {MAX_LITERALS} are taken"),
        });
    }
    let mut watch = Watch::publishing(limits, publisher);
    watch.set_work_limit(work_limit);
    let room = room(formula.borrow());
    if let Err(reason) = watch.take_memory(room) {
        let outcome = Outcome::between(BigRational::zero(), BigRational::one(), reason);
        return Ok(Answer {
            outcome,
            statistics: Vec::new(),
        });
    }
    let mut problem = Problem::new(formula.borrow());
    // Where the formula was given away, its memory becomes free here.
    drop(formula);
    let mut statistics = vec![("variables", problem.variables() as u64)];
    let simplified = simplify(&mut problem, options, &mut watch);
    statistics.push(("clauses", problem.clauses.len() as u64));
    watch.give_memory_back(room);
    let factor = problem.factor.clone();
    let found = match simplified {
        Ok(Ok(())) => {
            watch.set_factor(&factor);
            engine(problem, &mut watch, &mut statistics)
        }
        Ok(Err(Falsified)) => Ok(Bounds::known(BigRational::zero())),
        Err(reason) => Err(reason),
    };
    let found = found.unwrap_or_else(Bounds::unknown);
    let (mut lower, mut upper) = (found.lower * &factor, found.upper * &factor);
    if let Some(learned) = publisher.known() {
        lower = lower.max(learned.0);
        upper = upper.min(learned.1);
    }
    // Rather no answer than a wrong one.
    assert!(lower <= upper, "proved bounds do not cross");
    let outcome = match lower == upper {
        true => Outcome::Solved(Value::Exact(lower)),
        false => Outcome::Stopped {
            reason: found
                .stopped
                .expect("an engine that did not stop has the value"),
            lower,
            upper,
            estimate: None,
        },
    };
    statistics.push(("decisions", watch.work()));
    Ok(Answer {
        outcome,
        statistics,
    })
}
