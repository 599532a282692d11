//! `sqasp solve-formula`: the value of a formula from a file.

use super::formula_strategy::{self, AS_JSON};
use crate::cli::args::{ShownFormula, SolveFormulaArguments};
use crate::cli::request::{built_in, limits, options};
use crate::cli::run::Run;
use crate::cli::{Exit, Failure, files};
use crate::{Answer, Observer as _};
use engines::answer::Subject;
use engines::{Ability, Need};
use formula::{Formula, FormulaQuestion, Quantity};
use std::path::Path;
use std::time::Instant;

pub(super) fn solve_formula(arguments: &SolveFormulaArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let mut needs = vec![Need::new("a formula", Ability::Formulas)];
    if let Some(file) = &arguments.strategy {
        needs.push(Need::new("--strategy", Ability::Functions));
        files::check_writable(file, [arguments.formula.as_path()])?;
    }
    let engine = arguments.engine.able(needs)?;
    let name = files::short_name(&arguments.formula);
    let subject = Subject::Formula {
        name: name.clone(),
        count: None,
    };
    let run = Run::start(
        limits,
        Answer::unknown(subject, engine.name),
        &arguments.output,
    );
    let observer = run.observer();
    observer.stage("reading");
    let bytes = match files::read_unpacked(&arguments.formula, &run.limits) {
        Ok(bytes) => bytes,
        Err(failure) => return run.unread(failure),
    };
    if let Some(note) = run.limits.memory.and_then(|most| needed(bytes.len(), most)) {
        observer.remark(&note);
    }
    let begin = Instant::now();
    let mut question = read_formula(&arguments.formula, arguments.strict, &bytes, |warning| {
        observer.remark(warning)
    })?;
    if arguments.count {
        question = question.counting().ok_or_else(|| {
            let message = format!(
                "{} has universal variables or chance, and --count is about models: leave it out, or remove the prefix",
                arguments.formula.display()
            );
            Failure::new(Exit::InvalidInput, message)
        })?;
    }
    let read = begin.elapsed();
    drop(bytes);
    if let Some(shown) = arguments.to {
        let solver = built_in(&arguments.engine);
        let formula = &question.formula;
        let description = match shown {
            ShownFormula::Structure => solver.describe(formula),
            ShownFormula::Program => {
                let program = solver.program(formula);
                format!("{program}{}", program.legend(formula.names()))
            }
        };
        run.finish();
        files::print(|to| to.write_all(description.as_bytes()))?;
        return Ok(Exit::Answered);
    }
    if let Some(file) = &arguments.strategy {
        let formula = of_value(&question, "--strategy")?;
        let mut options = options(&arguments.engine, None, &run.limits, run.observer());
        options.extras.strategy = Some(arguments.max_literals);
        let (mut answer, found) = crate::solve_formula_with_strategy(&name, formula, &options)?;
        answer.times.0.insert(0, ("read", read));
        let found = (&answer, &found);
        return formula_strategy::write(file, run, found, arguments.max_literals, AS_JSON);
    }
    let options = options(&arguments.engine, None, &run.limits, observer);
    let mut answer = crate::solve_formula(&name, question, &options)?;
    answer.times.0.insert(0, ("read", read));
    run.end(&answer)
}

/// How many times the size of its text a formula may take when its search begins.
const MEMORY_FOR_TEXT: u64 = 5;

/// Below this many bytes, the text tells little about the memory.
const SMALL_TEXT: usize = 1_000_000;

/// The warning about a text of this many bytes if this much memory may not suffice.
fn needed(text: usize, most: u64) -> Option<String> {
    let needed = text as u64 * MEMORY_FOR_TEXT;
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    (text > SMALL_TEXT && needed > most).then(|| {
        format!(
            "warning: the search of a formula of {} MB may need {} MB of memory to begin, and {} MB are allowed; \
             give it more by --memory {}M",
            megabytes(text as u64),
            megabytes(needed),
            megabytes(most),
            megabytes(needed)
        )
    })
}

/// The formula of a question about its value, as strategies answer it.
pub(super) fn of_value<'a>(
    question: &'a FormulaQuestion,
    option: &str,
) -> Result<&'a Formula, Failure> {
    match question.quantity {
        Quantity::Value => Ok(&question.formula),
        Quantity::Count(_) => Err(Failure::new(
            Exit::InvalidInput,
            format!(
                "the text asks for a count, and {option} is about values of formulas; leave {option} out"
            ),
        )),
    }
}

/// A formula and the number that is asked about it, from text. Says if the text breaks the format.
pub(super) fn read_formula(
    file: &Path,
    strict: bool,
    bytes: &[u8],
    warn: impl FnOnce(&str),
) -> Result<FormulaQuestion, Failure> {
    let file = file.display();
    let invalid = |error| {
        let message = format!("{file} is not a formula:\n{error}");
        Failure::new(Exit::InvalidInput, message)
    };
    let formula::FormulaReading { question, slips } =
        formula::read_with_slips(bytes).map_err(invalid)?;
    let Some(slips) = slips else {
        return Ok(question);
    };
    if strict {
        return Err(invalid(slips));
    }
    let count = slips.diagnostics.len();
    let more = if slips.more { "more than " } else { "" };
    let first = &slips.diagnostics[0];
    warn(&format!(
        "warning: {file} breaks the format in {more}{count} {}, first in {first}; --strict refuses that",
        if count == 1 { "place" } else { "places" },
    ));
    Ok(question)
}
