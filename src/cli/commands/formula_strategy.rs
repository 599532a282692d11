//! Strategies for formulas: `sqasp solve-formula --strategy`, and `sqasp verify`.

use super::solve_formula::{of_value, read_formula};
use crate::Observer as _;
use crate::cli::args::{SolveFormulaArguments, VerifyArguments};
use crate::cli::request::options;
use crate::cli::run::{Run, Task, with_spinner};
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, files};
use crate::report::FormulaVerification;
use formula::Formula;
use limits::Limits;
use ssat::StrategyOutcome;
use ssat::trace::{self, Trace};
use std::path::Path;
use std::time::{Duration, Instant};

/// Solves a formula and writes what both players do.
pub(super) fn write(
    arguments: &SolveFormulaArguments,
    file: &Path,
    run: Run<'_>,
    name: &str,
    formula: &Formula,
    read: Duration,
) -> Result<Exit, Failure> {
    let mut options = options(&arguments.engine, None, &run.limits, run.observer());
    options.extras.strategy = Some(arguments.max_literals);
    let (mut answer, found) = crate::solve_formula_with_strategy(name, formula, &options)?;
    answer.times.0.insert(0, ("read", read));
    let unwritten = match &found {
        StrategyOutcome::Strategy(strategy) => {
            let write = || {
                files::write(Some(file), &run.limits, |to| {
                    trace::write_json(strategy, to)
                })
            };
            run.undisturbed(write).err()
        }
        StrategyOutcome::TooLarge => Some(Failure::new(
            Exit::Limit,
            format!(
                "no strategy was written: it has more than {} nodes and literals; allow more with --max-literals",
                arguments.max_literals
            ),
        )),
        StrategyOutcome::Stopped(_) if answer.stopped_by().is_some() => {
            run.observer()
                .remark("no strategy was written: the value is not known");
            None
        }
        StrategyOutcome::Stopped(reason) => Some(Failure::new(
            Exit::for_stop(*reason),
            format!("no strategy was written: {reason} before it was complete"),
        )),
    };
    if unwritten.is_none()
        && let StrategyOutcome::Strategy(strategy) = &found
    {
        if file == Path::new("-") {
            run.finish();
            return Ok(Exit::Answered);
        }
        run.observer().remark(&summary(strategy, file));
    }
    let exit = run.end(&answer)?;
    match unwritten {
        Some(failure) => Err(failure),
        None => Ok(exit),
    }
}

/// The message about a strategy that was written.
fn summary(strategy: &Trace, file: &Path) -> String {
    let [lower, upper] = [&strategy.lower, &strategy.upper].map(|diagram| diagram.nodes().len());
    let clauses = strategy.clauses.len();
    format!(
        "strategy in {}: {lower} nodes for the lower bound, {upper} for the upper one, on {clauses} clauses",
        file.display()
    )
}

/// Proves what a strategy for a formula promises.
pub(super) fn verify(
    arguments: &VerifyArguments,
    strategy: &[u8],
    limits: &Limits,
) -> Result<Exit, Failure> {
    let [file] = &arguments.game.game[..] else {
        let message = "the strategy is for one formula; name one file before it";
        return Err(Failure::new(Exit::Usage, message));
    };
    let name = files::short_name(file);
    let (question, strategy, read) = guarded(limits, || -> Result<_, Failure> {
        let begin = Instant::now();
        let bytes = files::read_unpacked(file, limits)?;
        let is_quiet = arguments.report.quiet;
        let question = read_formula(file, arguments.game.strict, &bytes, |warning| {
            if !is_quiet {
                files::tell(warning);
            }
        })?;
        of_value(&question, "a strategy")?;
        let strategy = trace::read(strategy).map_err(|error| {
            let text = format!("{}: {error}", arguments.strategy.display());
            Failure::new(Exit::InvalidInput, text)
        })?;
        Ok((question, strategy, begin.elapsed().as_secs_f64()))
    })?;
    let (named, promised) = (name.clone(), strategy.value.clone());
    let task = Task::start(
        limits,
        arguments.report.form.is_json(),
        move |reason, elapsed| FormulaVerification::cut_short(&named, &promised, reason, elapsed),
    );
    let mut report = with_spinner(arguments.report.quiet, "verifying", || {
        crate::verify_formula(&name, &question.formula, &strategy, limits)
    });
    report.stats.seconds.insert("read", read);
    task.end(&report)
}
