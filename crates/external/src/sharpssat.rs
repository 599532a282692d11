//! SharpSSAT: stochastic SAT, also with universal quantifiers, by component caching.
//!
//! It reads SDIMACS from a file that must be called `*.sdimacs`, takes probabilities in single
//! and computes in double precision, and prints `# satisfying probability = 0.25` with 7 digits.
//! So its values are [`Value::Float`]: a cross-check within a tolerance. When its preprocessing
//! finds that nothing satisfies the formula it says so instead, after its own time limit it prints
//! ` TIMEOUT !` instead; the exit code is 0 in all three cases. It appends to a file in the
//! current directory, which therefore is a temporary one.

use crate::child::{self, Run, RunEnd};
use crate::program::SHARP_SSAT;
use formula::{Answer, Formula, Outcome, Quantifier, Solver, SolverError, Value, sdimacs};
use limits::{Limits, StopReason};
use std::ffi::OsString;
use std::path::PathBuf;

/// SharpSSAT as a child process.
#[derive(Clone, Default, Debug)]
pub struct SharpSsat {
    path: Option<PathBuf>,
}

impl SharpSsat {
    /// SharpSSAT, found on the PATH.
    pub fn new() -> Self {
        Self::default()
    }

    /// SharpSSAT at an explicit place.
    pub fn at(self, path: impl Into<PathBuf>) -> Self {
        SharpSsat {
            path: Some(path.into()),
        }
    }
}

impl Solver for SharpSsat {
    fn name(&self) -> &'static str {
        "sharpssat"
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let path = SHARP_SSAT.locate(self.path.as_deref())?;
        let arguments = options(formula, limits);
        let write = |file| Ok(sdimacs::write(formula, file)?);
        child::solve(
            &path,
            arguments,
            "formula.sdimacs",
            limits,
            write,
            interpret,
        )
    }
}

/// Stochastic mode with pure literals; universals, time and cache size as needed.
fn options(formula: &Formula, limits: &Limits) -> Vec<OsString> {
    let mut options: Vec<OsString> = vec!["-s".into(), "-p".into()];
    let blocks = formula.prefix().blocks();
    if blocks
        .iter()
        .any(|block| block.quantifier == Quantifier::Forall)
    {
        options.push("-u".into());
    }
    if let Some(time) = limits.time_left() {
        // Whole seconds; our own clock is the precise one.
        options.push("-t".into());
        options.push((time.as_secs() + 1).to_string().into());
    }
    if let Some(bytes) = limits.memory {
        // The cache is not all: clauses, stacks and the program need room too.
        options.push("-cs".into());
        options.push((bytes / 2 / (1 << 20)).max(1).to_string().into());
    }
    options
}

/// The outcome that a program reports that ended by itself.
fn interpret(run: &Run) -> Result<Outcome, SolverError> {
    const ANSWER: &str = "satisfying probability =";
    let has_line = |text: &str| run.output.lines().any(|line| line.trim() == text);
    let answer = run
        .output
        .lines()
        .rev()
        .find_map(|line| line.split_once(ANSWER));
    let value = match answer {
        _ if run.ended != RunEnd::Exited(0) => None,
        Some((_, number)) => {
            let value: Option<f64> = number.trim().parse().ok();
            let value = value.filter(|value| (0.0..=1.000_001).contains(value));
            let value = value.ok_or_else(|| {
                let reason = format!("`{}` is not a probability", number.trim());
                SHARP_SSAT.failed(reason)
            })?;
            Some(value.min(1.0))
        }
        None if has_line("FOUND UNSAT DURING PREPROCESSING") => Some(0.0),
        None if has_line("TIMEOUT !") => return Ok(Outcome::unknown(StopReason::Time)),
        None => None,
    };
    match value {
        Some(value) => Ok(Outcome::Solved(Value::Float(value))),
        None => Err(SHARP_SSAT.failed(run.no_answer("satisfying probability"))),
    }
}
