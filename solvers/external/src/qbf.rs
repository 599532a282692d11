//! Solvers of quantified boolean formulas: DepQBF and CAQE.
//!
//! Both read QDIMACS from a file. With `--qdo` they print `s cnf R V C`, where R is 1 for true, 0
//! for false and -1 for unknown, then lines `V LITERAL 0` with first moves: an assignment of the
//! outermost block that wins for its player (existential when true, universal when false).
//! Without it DepQBF prints `SAT` or `UNSAT`. The exit code is 10 for true and 20 for false. Line
//! and code must agree, else there is no answer.
//!
//! First moves are not taken on trust. With its default options DepQBF 5.01 prints moves that
//! lose: for "for all 1, 2 there is a 3: (1 or 2), (3 or not 1 or not 2)" it says that 1 and 2
//! true make the formula false. The moves are right with pure literals switched off (in
//! thousands of random formulas), which is slower, so only runs for moves do it; and a second run
//! confirms that the value stays when the moves are made.
//!
//! Formulas with chance are refused; certain chance (probability 0 or 1) is none.

use crate::child::{self, Run, RunEnd};
use crate::program::{CAQE, DEPQBF, ExternalProgram};
use formula::qdimacs::{self, QdimacsError};
use formula::{
    Answer, BigRational, Exactness, Formula, Lit, Names, Outcome, Prefix, Quantifier, Solver,
    SolverError, Value,
};
use limits::Limits;
use num_traits::{One, Zero};
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

/// A solver of formulas without chance, as a child process. Its values, 0 and 1, are exact.
#[derive(Clone, Debug)]
pub struct Qbf {
    /// The name after `--engine`.
    name: &'static str,
    program: ExternalProgram,
    /// The options to get a result line, and those to get first moves as well.
    options: &'static [&'static str],
    options_for_moves: &'static [&'static str],
    path: Option<PathBuf>,
}

impl Qbf {
    /// DepQBF, found on the PATH.
    pub fn depqbf() -> Self {
        Qbf {
            name: "depqbf",
            program: DEPQBF,
            options: &[],
            options_for_moves: &["--qdo", "--no-pure-literals", "--no-qbce-dynamic"],
            path: None,
        }
    }

    /// CAQE, found on the PATH.
    pub fn caqe() -> Self {
        Qbf {
            name: "caqe",
            program: CAQE,
            options: &["--qdo"],
            options_for_moves: &["--qdo"],
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

    /// Solves a formula and gives first moves with the answer: literals of the outermost block
    /// that, once true, keep the value. They are the maximizer's when the value is 1 and
    /// the minimizer's when it is 0; there are none when the loser moves first, or when
    /// a limit was reached before they were confirmed. Variables of the block that are not among
    /// them are left open: some way to set them wins. (Not every way: DepQBF leaves out variables
    /// that its reasoning did not need, such as a universal one with a unit clause.)
    ///
    /// # Errors
    /// As [`Solver::solve`], and if the moves turn out not to win.
    pub fn solve_with_first_moves(
        &mut self,
        formula: &Formula,
        limits: &Limits,
    ) -> Result<(Answer, Vec<Lit>), SolverError> {
        let start = Instant::now();
        let (mut answer, run) = self.run(formula, self.options_for_moves, limits, start)?;
        let Outcome::Solved(value) = &answer.outcome else {
            return Ok((answer, Vec::new()));
        };
        let moves = self.first_moves(formula, value, &run.output)?;
        if moves.is_empty() {
            return Ok((answer, moves));
        }
        let after = after_moves(formula, &moves);
        let (confirmed, _) = self.run(&after, self.options, limits, start)?;
        answer.statistics = milliseconds(start);
        match &confirmed.outcome {
            Outcome::Solved(same) if same == value => Ok((answer, moves)),
            Outcome::Solved(_) => {
                let reason = format!("the first moves it printed lose: {moves:?}");
                Err(self.program.failed(reason))
            }
            Outcome::Stopped { .. } => Ok((answer, Vec::new())),
        }
    }

    fn run(
        &self,
        formula: &Formula,
        options: &[&str],
        limits: &Limits,
        start: Instant,
    ) -> Result<(Answer, Run), SolverError> {
        let path = self.program.locate(self.path.as_deref())?;
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("formula.qdimacs");
        qdimacs::write(formula, File::create(&file)?).map_err(|error| match error {
            QdimacsError::Io(error) => SolverError::Io(error),
            QdimacsError::Chance(_) => SolverError::Unsupported {
                solver: self.name.to_owned(),
                reason: format!("{error}, and use a solver that knows chance, such as xssat"),
            },
        })?;
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        arguments.push(file.into_os_string());
        let run = child::run(&path, &arguments, directory.path(), limits, start)?;
        let outcome = match run.stop_reason(limits) {
            Some(reason) => Outcome::unknown(reason),
            None => Outcome::Solved(Value::Exact(self.interpret(&run)?)),
        };
        let statistics = milliseconds(start);
        Ok((
            Answer {
                outcome,
                statistics,
            },
            run,
        ))
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

    /// The moves of the winner, if the outermost block is the winner's.
    fn first_moves(
        &self,
        formula: &Formula,
        value: &Value,
        output: &str,
    ) -> Result<Vec<Lit>, SolverError> {
        let winner = match value {
            Value::Exact(value) if value.is_one() => Quantifier::Exists,
            _ => Quantifier::Forall,
        };
        let blocks = formula.prefix().blocks();
        let Some(outermost) = blocks.first().filter(|block| block.quantifier == winner) else {
            return Ok(Vec::new());
        };
        let mut is_outermost = vec![false; formula.variables()];
        for var in &outermost.variables {
            is_outermost[var.index()] = true;
        }
        let mut moves = Vec::new();
        for line in output.lines() {
            let Some(rest) = line.strip_prefix("V ") else {
                continue;
            };
            let number = rest.trim_end().strip_suffix(" 0");
            let number = number.and_then(|number| number.trim().parse().ok());
            let Some(lit) = number.and_then(Lit::from_dimacs) else {
                return Err(self.program.failed(format!("it printed `{line}`")));
            };
            // The writer may add helper variables and merge certain chance into the block.
            if is_outermost.get(lit.var().index()) == Some(&true) {
                moves.push(lit);
            }
        }
        Ok(moves)
    }
}

/// The formula once these moves have been made.
fn after_moves(formula: &Formula, moves: &[Lit]) -> Formula {
    let mut is_made = vec![false; formula.variables()];
    let mut matrix = formula.matrix().clone();
    for &lit in moves {
        is_made[lit.var().index()] = true;
        matrix.push([lit]);
    }
    let mut prefix = Prefix::new();
    for block in formula.prefix().blocks() {
        for &var in &block.variables {
            match formula.prefix().probability(var) {
                Some(probability) => prefix.push_chance(var, probability.clone()),
                // A variable with a unit clause is nobody's decision.
                None if is_made[var.index()] => prefix.push(Quantifier::Exists, [var]),
                None => prefix.push(block.quantifier, [var]),
            }
        }
    }
    Formula::new(formula.variables(), prefix, matrix, Names::default())
}

/// How long a call has taken, as statistics.
pub(crate) fn milliseconds(start: Instant) -> Vec<(&'static str, u64)> {
    vec![("milliseconds", start.elapsed().as_millis() as u64)]
}

impl Solver for Qbf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        self.run(formula, self.options, limits, Instant::now())
            .map(|(answer, _)| answer)
    }
}
