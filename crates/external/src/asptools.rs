//! lp2normal2, lp2acyc and lp2sat: a ground program becomes clauses with the same answer sets.
//!
//! These programs are the usual way from answer set programs to SAT solvers, and the one of the
//! published prototype of our method. They run as one pipe, `lp2normal2 | lp2acyc | lp2sat`: the
//! first takes the format of smodels and removes extended rules, the second adds conditions that
//! rule out circular support, the third prints clauses. Names of atoms survive as comments:
//!
//! ```text
//! 3 2 2 3 0 0        {a; b}.                      c 2 a
//! 1 1 1 1 2          :- not a.          ->        c 3 b
//! 0                                               p cnf 3 2
//! 2 a                                             2 0
//! ...                                             -1 0
//! ```
//!
//! Numbers mean nothing on the other side: an atom is found again by its name, so every atom that
//! matters needs one. Variables without a name stand for unnamed atoms or were made on the way; in
//! a quantified formula they go innermost.
//!
//! Clauses can be as large as the disk allows, so they go through a file. A text that breaks off
//! is noticed, since the header counts its clauses.
//!
//! Papers: T. Janhunen and I. Niemelä, Compact Translations of Non-disjunctive Answer Set Programs
//! to Propositional Clauses, 2011; M. Gebser, T. Janhunen and J. Rintanen, Answer Set Programming
//! as SAT modulo Acyclicity, ECAI 2014.

use crate::child::{self, Run, RunEnd};
use crate::program::{ExternalProgram, LP2ACYC, LP2NORMAL, LP2SAT};
use formula::{Clauses, SolverError, Var};
use limits::{Limits, StopReason};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

/// In the order of the pipe.
const PIPE: [ExternalProgram; 3] = [LP2NORMAL, LP2ACYC, LP2SAT];

/// How a process ends that writes into a pipe that was closed, its neighbour's fault: by a signal, or,
/// when a shell runs it, by a code that says so.
const BROKEN_PIPE: [RunEnd; 2] = [RunEnd::Killed(13), RunEnd::Exited(128 + 13)];

/// The three programs as child processes.
#[derive(Clone, Default, Debug)]
pub struct Asptools {
    folder: Option<PathBuf>,
}

/// Clauses made by outside programs.
#[derive(Clone, Debug)]
pub struct NamedClauses {
    pub clauses: Clauses,
    pub variable_count: usize,
    /// The variable of each atom that has a name.
    pub variables: HashMap<String, Var>,
}

#[derive(Clone, Debug)]
pub enum Translation {
    Finished(NamedClauses),
    Stopped(StopReason),
}

impl Asptools {
    /// The three programs, found on the PATH.
    pub fn new() -> Self {
        Self::default()
    }

    /// The three programs in one folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Asptools {
            folder: Some(folder.into()),
        }
    }

    /// Turns the ground program that `write_smodels` writes, in the format of smodels, into
    /// clauses. The time limit covers the writing too, though it does not cut it short.
    ///
    /// # Errors
    /// If a program is missing, fails or prints anything but clauses; if files or pipes fail.
    pub fn clausify(
        &self,
        write_smodels: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        limits: &Limits,
    ) -> Result<Translation, SolverError> {
        let start = Instant::now();
        let folder = self.folder.as_deref();
        let programs = PIPE
            .iter()
            .map(|program| program.locate_in(folder))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(reason) = limits.interrupt.raised() {
            return Ok(Translation::Stopped(reason));
        }
        let directory = tempfile::tempdir()?;
        let input = directory.path().join("program.smodels");
        let output = directory.path().join("clauses.cnf");
        let mut writer = BufWriter::new(File::create(&input)?);
        write_smodels(&mut writer)?;
        writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let runs = child::run_pipeline(
            &programs,
            directory.path(),
            File::open(&input)?,
            File::create(&output)?,
            limits,
            start,
        )?;
        if let Some(reason) = runs.iter().find_map(|run| run.stop_reason(limits)) {
            return Ok(Translation::Stopped(reason));
        }
        if let Some(error) = failure(&runs) {
            return Err(error);
        }
        let text = fs::read(&output)?;
        if text.trim_ascii().is_empty() {
            return Err(LP2SAT.failed(silence(&runs)));
        }
        interpret(&text).map(Translation::Finished)
    }
}

/// The failure to report, if a program did not end well. When one dies its neighbours do too: the
/// one before it by a broken pipe, the one behind it on an input that breaks off.
fn failure(runs: &[Run]) -> Option<SolverError> {
    let failed: Vec<usize> = (0..runs.len())
        .filter(|&index| runs[index].ended != RunEnd::Exited(0))
        .collect();
    let is_victim = |&&index: &&usize| BROKEN_PIPE.contains(&runs[index].ended);
    if let Some(&index) = failed.iter().find(|index| !is_victim(index)) {
        return Some(PIPE[index].failed(runs[index].no_answer("translation")));
    }
    let &victim = failed.last()?;
    let Some(reader) = PIPE.get(victim + 1) else {
        return Some(PIPE[victim].failed(runs[victim].no_answer("translation")));
    };
    let said =
        complaint(&runs[victim + 1]).map_or(String::new(), |said| format!("; it said: {said}"));
    Some(reader.failed(format!("it ended before it had read all its input{said}")))
}

/// No clauses though all programs claim success; perhaps one complained.
fn silence(runs: &[Run]) -> String {
    let mut text = "it ended with exit code 0 and printed no clauses at all".to_owned();
    for (program, run) in PIPE.iter().zip(runs) {
        if let Some(said) = complaint(run) {
            text += &format!("; {} said: {said}", program.name);
        }
    }
    text
}

/// The last line a program printed as an error, shortened.
fn complaint(run: &Run) -> Option<String> {
    let line = run.errors.trim().lines().last()?;
    Some(line.chars().take(200).collect())
}

/// Reads clauses with names in comments `c VARIABLE NAME`.
fn interpret(text: &[u8]) -> Result<NamedClauses, SolverError> {
    let formula = formula::read(text).map_err(|error| {
        let problem = match error.diagnostics.first() {
            Some(first) => format!("line {}: {}", first.line, first.message),
            None => error.to_string(),
        };
        LP2SAT.failed(format!("what it printed are not clauses: {problem}"))
    })?;
    let variable_count = formula.variables();
    let mut variables = HashMap::new();
    let comments = text.split(|&byte| byte == b'\n').filter_map(named_variable);
    for (number, name) in comments {
        let name = std::str::from_utf8(name)
            .map_err(|_| LP2SAT.failed(format!("the name of variable {number} is not text")))?;
        if number == 0 || number > variable_count {
            return Err(LP2SAT.failed(format!(
                "it calls variable {number} `{name}`, but there are only {variable_count}"
            )));
        }
        let variable = Var::new(number - 1);
        let known = variables.insert(name.to_owned(), variable);
        if known.is_some_and(|known| known != variable) {
            return Err(LP2SAT.failed(format!("it calls two variables `{name}`")));
        }
    }
    Ok(NamedClauses {
        clauses: formula.matrix().clone(),
        variable_count,
        variables,
    })
}

/// The variable and the name in a line `c VARIABLE NAME`; other comments are for people.
fn named_variable(line: &[u8]) -> Option<(usize, &[u8])> {
    let rest = line.strip_prefix(b"c ")?;
    let blank = rest.iter().position(|&byte| byte == b' ')?;
    let number = std::str::from_utf8(&rest[..blank]).ok()?.parse().ok()?;
    let name = rest[blank + 1..].trim_ascii();
    (!name.is_empty()).then_some((number, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_comments() {
        let text = b"c lp2sat 1.24\nc 2 a\nc 3 p(\"x y\",0)\nc\np cnf 3 2\n2 -3 0\n-1 0\n";
        let named = interpret(text).unwrap();
        assert_eq!(format!("{:?}", named.clauses), "[[2, -3], [-1]]");
        assert_eq!(named.variable_count, 3);
        assert_eq!(named.variables.len(), 2);
        assert_eq!(named.variables["a"], Var::new(1));
        assert_eq!(named.variables["p(\"x y\",0)"], Var::new(2));
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, message) in [
            ("c 2 a\nhello\n", "line 2: the header is missing"),
            (
                "p cnf 2 2\n1 0\n",
                "the header says 2 clauses, but there are 1",
            ),
            ("p cnf 1 1\n1", "the last clause does not end"),
            ("c 2 a\np cnf 1 1\n1 0\n", "it calls variable 2 `a`"),
            (
                "c 1 a\nc 2 a\np cnf 2 1\n1 0\n",
                "it calls two variables `a`",
            ),
        ] {
            let error = interpret(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
