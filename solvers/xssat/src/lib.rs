//! An exact solver for Extended Stochastic SAT (in work: the method is described here).

mod budget;
mod compile;
mod components;
mod occurrences;
mod options;
mod order;
mod problem;
mod search;
mod simplify;

pub use options::{Options, SWITCHES, Switch};

use budget::Budget;
use formula::{
    Answer, BigRational, Exactness, Formula, Limits, Outcome, Probability, Solver, SolverError,
    StopReason, Value,
};
use num_traits::Zero;
use problem::{Falsified, Problem};

/// The embedded solver.
#[derive(Clone, Default, Debug)]
pub struct Xssat {
    /// How to solve.
    pub options: Options,
}

impl Solver for Xssat {
    fn name(&self) -> &'static str {
        "xssat"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let mut budget = Budget::new(limits, self.options.decision_limit);
        let mut problem = Problem::new(formula);
        let mut statistics = Vec::new();
        let outcome = match self.run(&mut problem, &mut budget, &mut statistics) {
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Stopped {
                reason,
                lower: BigRational::zero(),
                upper: problem.factor,
            },
        };
        statistics.push(("decisions", budget.decisions()));
        Ok(Answer {
            outcome,
            statistics,
        })
    }
}

impl Xssat {
    fn run(
        &self,
        problem: &mut Problem,
        budget: &mut Budget<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Result<Outcome, StopReason> {
        statistics.push(("variables", problem.variables() as u64));
        let simplified = simplify::simplify(problem, &self.options, budget)?;
        statistics.push(("clauses", problem.clauses.len() as u64));
        if let Err(Falsified) = simplified {
            return Ok(Outcome::Solved(Value::Exact(BigRational::zero())));
        }
        let program = order::walk(problem, &self.options, budget)?;
        let compiled = compile::compile(program, problem.variables(), &self.options, budget)?;
        let widest = compiled
            .segments
            .iter()
            .map(|segment| segment.key.len())
            .max();
        statistics.extend([
            ("gates", compiled.program.gates.len() as u64),
            ("checks", compiled.program.checks.len() as u64),
            ("groups", compiled.program.decisions.len() as u64),
            ("segments", compiled.segments.len() as u64),
            ("key_bits", widest.unwrap_or(0) as u64),
        ]);
        let probability = |&variable: &formula::Var| problem.chances[variable.index()].clone();
        let decisions = compiled.program.decisions.iter();
        let probabilities: Vec<Vec<Probability>> = decisions
            .map(|decision| decision.variables.iter().filter_map(probability).collect())
            .collect();
        let found = search::search(&compiled, &probabilities, &self.options, budget);
        statistics.extend([
            ("states", found.states),
            ("visits", found.visits),
            ("value_bits", u64::from(found.bits)),
        ]);
        let bound = |parts| value::fraction(parts, found.denominator.clone()) * &problem.factor;
        let (lower, upper) = (bound(found.lower), bound(found.upper));
        Ok(match found.stopped {
            Some(reason) if lower != upper => Outcome::Stopped {
                reason,
                lower,
                upper,
            },
            _ => Outcome::Solved(Value::Exact(lower)),
        })
    }
}
