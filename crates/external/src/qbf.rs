//! Solvers of quantified boolean formulas: DepQBF and CAQE.
//!
//! Both read QDIMACS from a file. CAQE with `--qdo` prints `s cnf R V C`, where R is 1 for true, 0
//! for false and -1 for unknown; DepQBF prints `SAT` or `UNSAT`. The exit code is 10 for true and
//! 20 for false. Line and code must agree, else there is no answer.
//!
//! First moves that they can print are not asked for: with its default options DepQBF 5.01 prints
//! moves that lose.
//!
//! Formulas with chance are refused; certain chance (probability 0 or 1) is none.

use crate::child::{self, Run, RunEnd};
use crate::program::{CAQE, DEPQBF, ExternalProgram};
use formula::qdimacs::{self, QdimacsError};
use formula::{Answer, BigRational, Formula, Outcome, Solver, SolverError, Value};
use limits::Limits;
use num_traits::{One, Zero};
use std::ffi::OsString;
use std::path::PathBuf;

/// A solver of formulas without chance, as a child process. Its values, 0 and 1, are exact.
#[derive(Clone, Debug)]
pub struct Qbf {
    /// The name after `--engine`.
    name: &'static str,
    program: ExternalProgram,
    /// The options to get a result line.
    options: &'static [&'static str],
    path: Option<PathBuf>,
}

impl Qbf {
    /// DepQBF, found on the PATH.
    pub fn depqbf() -> Self {
        Qbf {
            name: "depqbf",
            program: DEPQBF,
            options: &[],
            path: None,
        }
    }

    /// CAQE, found on the PATH.
    pub fn caqe() -> Self {
        Qbf {
            name: "caqe",
            program: CAQE,
            options: &["--qdo"],
            path: None,
        }
    }

    /// The same solver at an explicit place.
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        Qbf {
            path: Some(path.into()),
            ..self
        }
    }

    /// The value that a program reports that ended by itself.
    fn interpret(&self, run: &Run) -> Result<BigRational, SolverError> {
        let result = run
            .output
            .lines()
            .find(|line| line.starts_with("s cnf ") || ["SAT", "UNSAT"].contains(&line.trim_end()));
        let Some(result) = result else {
            return Err(self.program.failed(run.no_answer("result line")));
        };
        let words: Vec<&str> = result.split_whitespace().collect();
        let (value, code) = match words[..] {
            ["SAT"] | ["s", "cnf", "1", ..] => (BigRational::one(), 10),
            ["UNSAT"] | ["s", "cnf", "0", ..] => (BigRational::zero(), 20),
            _ => {
                let reason = format!("it does not know the answer: `{result}`");
                return Err(self.program.failed(reason));
            }
        };
        if run.ended != RunEnd::Exited(code) {
            let reason = format!("it printed `{result}`, but {}", run.how_it_ended());
            return Err(self.program.failed(reason));
        }
        Ok(value)
    }
}

impl Solver for Qbf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let path = self.program.locate(self.path.as_deref())?;
        let arguments = self.options.iter().map(OsString::from).collect();
        let write = |file| {
            qdimacs::write(formula, file).map_err(|error| match error {
                QdimacsError::Io(error) => SolverError::Io(error),
                QdimacsError::Chance(_) => SolverError::Unsupported {
                    solver: self.name.to_owned(),
                    reason: format!("{error}, and use a solver that knows chance, such as xssat"),
                },
            })
        };
        let interpret = |run: &Run| Ok(Outcome::Solved(Value::Exact(self.interpret(run)?)));
        child::solve(
            &path,
            arguments,
            "formula.qdimacs",
            limits,
            write,
            interpret,
        )
    }
}
