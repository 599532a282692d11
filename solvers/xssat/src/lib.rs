//! An exact solver for Extended Stochastic SAT (in work: the method is described here).

mod budget;
mod compile;
mod components;
mod describe;
mod occurrences;
mod options;
mod order;
mod problem;
mod search;
mod simplify;

pub use options::{Options, SWITCHES, Switch};

use budget::Budget;
use compile::Compiled;
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
    /// The compiled form of a formula in words, for teaching and for studies.
    pub fn describe(&self, formula: &Formula) -> String {
        let limits = Limits::default();
        let mut budget = Budget::new(&limits, None);
        let mut problem = Problem::new(formula);
        match self.compile(&mut problem, &mut budget, &mut Vec::new()) {
            Ok(Some(compiled)) => describe::describe(&compiled, formula.names()),
            Ok(None) => "some clause is false in any case: the value is 0\n".to_owned(),
            Err(_) => unreachable!("there are no limits"),
        }
    }

    /// Compiles a problem; `None` if its value is 0.
    fn compile(
        &self,
        problem: &mut Problem,
        budget: &mut Budget<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Result<Option<Compiled>, StopReason> {
        statistics.push(("variables", problem.variables() as u64));
        let simplified = simplify::simplify(problem, &self.options, budget)?;
        statistics.push(("clauses", problem.clauses.len() as u64));
        if let Err(Falsified) = simplified {
            return Ok(None);
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
        Ok(Some(compiled))
    }

    fn run(
        &self,
        problem: &mut Problem,
        budget: &mut Budget<'_>,
        statistics: &mut Vec<(&'static str, u64)>,
    ) -> Result<Outcome, StopReason> {
        let Some(compiled) = self.compile(problem, budget, statistics)? else {
            return Ok(Outcome::Solved(Value::Exact(BigRational::zero())));
        };
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
