//! The built-in solver of formulas: a portfolio of two engines, of which it chooses the one that suits
//! the formula.
//!
//! ```text
//! Formula --preprocess--> Problem ----> xssat: layered formulas, such as those of games
//!                                  \\--> ssat:  all others, by clause learning
//! ```
//!
//! The module `suitability` says how the choice is made. Both engines are exact and take all formulas, so a
//! wrong choice costs time only. Each technique has a switch ([`techniques`]); no switch changes an
//! answer.
//!
//! ```
//! use formula::{Outcome, Solver, Value};
//! use limits::Limits;
//!
//! // Two coins are thrown, one after the other; in between a player says whether they will differ.
//! let text = "p cnf 3 4\nr 0.5 1 0\ne 2 0\nr 0.25 3 0\n1 3 -2 0\n-1 -3 -2 0\n1 -3 2 0\n-1 3 2 0\n";
//! let formula = formula::read(text.as_bytes())?;
//! let answer = portfolio::Portfolio::default().solve(&formula, &Limits::default())?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("3/4".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod suitability;

use formula::{Answer, Exactness, Formula, Solver, SolverError};
use limits::{Limits, Watch};
use preprocess::{Problem, Statistics};
use suitability::{has_no_steps, is_for_learning};
use xssat::{Xssat, program::Program};

/// Which engine is taken.
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

/// How to solve. The default is the fastest known mixture.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Which engine is taken.
    pub engine: Engine,
    /// How to simplify before.
    pub simplify: preprocess::Options,
    /// How the engine for layered formulas works.
    pub layered: xssat::Options,
    /// How the engine by clause learning works.
    pub learning: ssat::Options,
    /// Stop after this many decisions, as if interrupted. For tests.
    pub decision_limit: Option<u64>,
}

impl Options {
    /// The switch of a technique.
    pub fn technique(&mut self, name: &str) -> Option<&mut bool> {
        fn find<O>(table: &[formula::Switch<O>], name: &str) -> Option<fn(&mut O) -> &mut bool> {
            let found = table.iter().find(|switch| switch.name == name);
            found.map(|switch| switch.field)
        }
        if let Some(field) = find(preprocess::SWITCHES, name) {
            return Some(field(&mut self.simplify));
        }
        if let Some(field) = find(xssat::SWITCHES, name) {
            return Some(field(&mut self.layered));
        }
        find(ssat::SWITCHES, name).map(|field| field(&mut self.learning))
    }
}

/// All techniques that can be switched off: their names, and what they do in a few words.
pub fn techniques() -> impl Iterator<Item = (&'static str, &'static str)> {
    let simplify = preprocess::SWITCHES.iter().map(|s| (s.name, s.purpose));
    let layered = xssat::SWITCHES.iter().map(|s| (s.name, s.purpose));
    let learning = ssat::SWITCHES.iter().map(|s| (s.name, s.purpose));
    simplify.chain(layered).chain(learning)
}

/// The built-in solver. Its users know it as `xssat`.
#[derive(Clone, Default, Debug)]
pub struct Portfolio {
    /// How to solve.
    pub options: Options,
}

impl Solver for Portfolio {
    fn name(&self) -> &'static str {
        "xssat"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let options = &self.options;
        let is_free = options.engine == Engine::Auto;
        let is_learned = options.engine == Engine::Learning || is_free && has_no_steps(formula);
        let layered = xssat::Options {
            decision_limit: options.decision_limit,
            ..options.layered.clone()
        };
        let engine = |problem: &Problem, watch: &mut Watch<'_>, statistics: &mut Statistics| {
            if !is_learned {
                let compiled = xssat::compile(problem, &layered, watch, statistics)?;
                if !(is_free && is_for_learning(&compiled.shape())) {
                    return Ok(xssat::search(&compiled, &layered, watch, statistics));
                }
            }
            Ok(ssat::search(problem, &options.learning, watch, statistics))
        };
        preprocess::solve(
            self.name(),
            formula,
            limits,
            options.decision_limit,
            &options.simplify,
            engine,
        )
    }
}

impl Portfolio {
    /// The compiled form of a formula in words, for teaching and for studies.
    pub fn describe(&self, formula: &Formula) -> String {
        self.layered().describe(formula)
    }

    /// The program that the layered engine makes of a formula.
    pub fn program(&self, formula: &Formula) -> Program {
        self.layered().program(formula)
    }

    fn layered(&self) -> Xssat {
        Xssat {
            simplify: self.options.simplify.clone(),
            options: self.options.layered.clone(),
        }
    }
}
