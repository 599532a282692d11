//! The built-in solver of formulas: a portfolio of two engines, of which it chooses the one that suits
//! the formula.
//!
//! ```text
//! Formula --preprocess--> Problem ----> xssat: layered formulas, such as those of games
//!                                  \\--> ssat:  all others, by clause learning
//! ```
//!
//! The module `suitability` says how the choice is made, and `interleaving` how it is corrected while the layered engine works.
//! Both engines are exact and take all formulas, so a wrong choice costs time only. Each technique has a switch ([`Options::techniques`]);
//! no switch changes an answer.
//!
//! ```
//! use formula::{Outcome, Solver, Value};
//! use limits::Limits;
//!
//! // Two coins are thrown, one after the other; in between a player says whether they will differ.
//! let text = "p cnf 3 4\nr 0.5 1 0\ne 2 0\nr 0.25 3 0\n1 3 -2 0\n-1 -3 -2 0\n1 -3 2 0\n-1 3 2 0\n";
//! let formula = formula::read(text.as_bytes())?;
//! let answer = sqasp_ssat::portfolio::Portfolio::default().solve(&formula, &Limits::default())?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("3/4".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod interleaving;
mod suitability;

use self::interleaving::Interleaving;
use self::suitability::{has_few_gates, has_no_steps, is_for_learning};
use crate::StrategyOutcome;
use crate::policy::TRIAL_WORK;
use formula::engine::Statistics;
use formula::preprocess::{Falsified, Problem};
use formula::{Answer, Formula, Solver, SolverError};
use limits::{Bounds, Limits, Publisher, StopReason, Watch};
use std::borrow::Cow;
use std::time::Instant;
use xssat::program::Program;

/// The engine that is taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// The one that suits the formula.
    #[default]
    Auto,
    /// Many assignments at once, from cut to cut: for layered formulas, such as those of games.
    Layered,
    /// Clause learning and components: for formulas that are not layered.
    Learning,
}

base::options! {
    /// The engine and the techniques that are used; the default is the fastest on the formulas of `docs/speed.md`.
    #[derive(Clone, PartialEq, Eq, Debug)]
    Options {
        /// Where the choice is free.
        try_learning "trial" "try clause learning before compiling"
    }
    Parts {
        /// How to simplify before.
        simplify: formula::preprocess::Options = formula::preprocess::Options::default();
        /// How the engine for layered formulas works.
        layered: xssat::Options = xssat::Options::default();
        /// How the engine by clause learning works.
        learning: crate::Options = crate::Options::default();
    }
    Sizes {
        /// The engine that is taken.
        engine: Engine = Engine::Auto;
        /// Stop after this many decisions, as if interrupted. For tests.
        decision_limit: Option<u64> = None;
    }
}

/// The built-in solver. Its users know it as `xssat`.
#[derive(Clone, Default, Debug)]
pub struct Portfolio {
    /// The engine and the techniques that are used.
    pub options: Options,
}

impl Solver for Portfolio {
    fn name(&self) -> &'static str {
        "xssat"
    }

    fn solve_publishing(
        &mut self,
        formula: Cow<'_, Formula>,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Result<Answer, SolverError> {
        let options = &self.options;
        let is_free = options.engine == Engine::Auto;
        let mut layered = options.layered.clone();
        layered.search.expansion_limit = options.decision_limit;
        let engine = |problem: Problem, watch: &mut Watch<'_>, statistics: &mut Statistics| {
            if options.engine == Engine::Learning || is_free && has_no_steps(&problem) {
                return Ok(crate::search(problem, &options.learning, watch, statistics));
            }
            if is_free {
                return try_learning(&problem, options, &layered, watch, statistics);
            }
            let program = xssat::order(&problem, &layered, watch)?;
            let compiled = xssat::compile(program, &layered, watch, statistics)?;
            Ok(xssat::search(&compiled, &layered, watch, statistics))
        };
        formula::engine::solve(
            self.name(),
            formula,
            (limits, publisher),
            options.decision_limit,
            &options.simplify,
            engine,
        )
    }
}

/// Tries clause learning for a while. If that does not give the value, the formula is compiled, and its shape says which
/// engine finds it. The layered engine pauses now and then, and learning is tried again. Where memory does not hold the branches of a
/// single state, learning goes on.
fn try_learning(
    problem: &Problem,
    options: &Options,
    layered: &xssat::Options,
    watch: &mut Watch<'_>,
    statistics: &mut Statistics,
) -> Result<Bounds, StopReason> {
    let begin = Instant::now();
    let learning = &options.learning;
    let work = match options.try_learning {
        true => TRIAL_WORK * problem.clauses.literal_count() as u64,
        false => 0,
    };
    if let Some(found) = crate::attempt(problem, learning, watch, statistics, Some(work)) {
        return Ok(found);
    }
    let mut interleaving = Interleaving::new(problem, learning, begin, options.try_learning);
    let mut layered_search = || {
        let watch = &mut interleaving.under(watch);
        let program = xssat::order(problem, layered, watch)?;
        if has_few_gates(&program) {
            return Ok(None);
        }
        let compiled = xssat::compile(program, layered, watch, statistics)?;
        let is_layered = !is_for_learning(&compiled.shape());
        Ok(is_layered.then(|| xssat::search(&compiled, layered, watch, statistics)))
    };
    let searched = layered_search();
    if let Some((found, mut about)) = interleaving.found() {
        statistics.append(&mut about);
        return Ok(found);
    }
    let known = match searched {
        // The trial made only a few clauses fewer and shorter.
        Ok(None) => return Ok(crate::search(problem, learning, watch, statistics)),
        Ok(Some(found)) => found,
        Err(reason) => Bounds::unknown(reason),
    };
    // Bounds that learning proved in the pauses hold too.
    let known = match interleaving.known {
        Some(learned) => known.within(learned),
        None => known,
    };
    if known.stopped != Some(StopReason::Memory) || !options.try_learning {
        return Ok(known);
    }
    // A single state has more branches than memory holds. Learning keeps one branch at a time.
    let found = crate::search(problem, learning, watch, statistics);
    Ok(found.within(known))
}

impl Portfolio {
    /// The value of a formula, of which bounds are published, and what both players do to get it, by clause learning, which writes down its
    /// branches. `name` is for people.
    pub fn solve_with_strategy(
        &self,
        name: &str,
        formula: &Formula,
        limits: &Limits,
        publisher: &Publisher,
        max_literals: usize,
    ) -> Result<(Answer, StrategyOutcome), SolverError> {
        let options = crate::Options {
            decision_limit: self.options.decision_limit,
            ..self.options.learning.clone()
        };
        crate::solve_with_strategy(name, formula, &options, limits, publisher, max_literals)
    }

    /// The chosen engine and the reason, and the compiled form of a formula in words, for teaching and for studies.
    pub fn describe(&self, formula: &Formula) -> String {
        let (simplify, layered) = (&self.options.simplify, &self.options.layered);
        self.choice(formula) + &xssat::describe(formula, simplify, layered)
    }

    /// The chosen engine, and the reason.
    fn choice(&self, formula: &Formula) -> String {
        match self.options.engine {
            Engine::Layered => return "engine: layered, as asked\n".to_owned(),
            Engine::Learning => return "engine: clause learning, as asked\n".to_owned(),
            Engine::Auto => {}
        }
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let mut problem = Problem::new(formula);
        let simplified =
            formula::preprocess::simplify(&mut problem, &self.options.simplify, &mut watch);
        if let Err(Falsified) = simplified.expect("there are no limits") {
            return "engine: none is needed\n".to_owned();
        }
        if has_no_steps(&problem) {
            return "engine: clause learning, because it has no steps\n".to_owned();
        }
        let layered = &self.options.layered;
        let program = xssat::order(&problem, layered, &mut watch);
        let compiled = program
            .and_then(|program| xssat::compile(program, layered, &mut watch, &mut Vec::new()));
        let compiled = compiled.expect("there are no limits");
        let shape = compiled.shape();
        let engine = match is_for_learning(&shape) {
            true => "clause learning",
            false if self.options.try_learning => "layered, after a short trial of clause learning",
            false => "layered",
        };
        format!(
            "engine: {engine}, because of its shape: variables: {} decided, {} computed; segments: {}; widest key: {} bits\n",
            shape.decided, shape.gates, shape.segments, shape.widest_key
        )
    }

    /// The program that the layered engine makes of a formula.
    pub fn program(&self, formula: &Formula) -> Program {
        xssat::program(formula, &self.options.simplify, &self.options.layered)
    }
}
