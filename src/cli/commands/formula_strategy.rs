//! Strategies for formulas and programs: `--strategy` of `sqasp solve-formula` and `solve-program`, and `sqasp verify`.

use super::solve_formula::{of_value, read_formula};
use super::solve_program::{read_program, translate};
use crate::cli::args::VerifyArguments;
use crate::cli::run::{Run, Task, with_spinner};
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, files};
use crate::report::FormulaVerification;
use crate::{Answer, Observer as _, Options, Silent};
use formula::Formula;
use limits::Limits;
use ssat::StrategyOutcome;
use ssat::trace::{self, Trace};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The lines of a strategy for people.
type AsText = fn(&Trace) -> Result<Vec<String>, Failure>;

/// No lines for people: a strategy is written as JSON.
pub(super) const AS_JSON: Option<AsText> = None;

/// Writes what both players do, as it was found: as JSON, or by `as_text`.
pub(super) fn write(
    file: &Path,
    run: Run<'_>,
    (answer, found): (&Answer, &StrategyOutcome),
    max_literals: usize,
    as_text: Option<impl Fn(&Trace) -> Result<Vec<String>, Failure>>,
) -> Result<Exit, Failure> {
    let write_it = |strategy: &Trace| {
        let lines = match &as_text {
            Some(as_text) => Some(as_text(strategy)?),
            None => None,
        };
        let write = |to: &mut dyn Write| match &lines {
            Some(lines) => lines.iter().try_for_each(|line| writeln!(to, "{line}")),
            None => trace::write_json(strategy, to),
        };
        run.write(file, write)
    };
    let unwritten = match found {
        StrategyOutcome::Strategy(strategy) => write_it(strategy).err(),
        StrategyOutcome::TooLarge => Some(Failure::new(
            Exit::Limit,
            format!(
                "no strategy was written: it has more than {max_literals} nodes and literals; allow more with --max-literals"
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
        && let StrategyOutcome::Strategy(strategy) = found
    {
        if file == Path::new("-") {
            run.finish();
            return Ok(Exit::Answered);
        }
        run.observer().remark(&summary(strategy, file));
    }
    let exit = run.end(answer)?;
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
        let message = "the strategy is for one formula or program; name one file before it";
        return Err(Failure::new(Exit::Usage, message));
    };
    let name = files::short_name(file);
    let (formula, strategy, read) = guarded(limits, || -> Result<_, Failure> {
        let begin = Instant::now();
        let strategy = trace::read(strategy).map_err(|error| {
            let text = format!("{}: {error}", arguments.strategy.display());
            Failure::new(Exit::InvalidInput, text)
        })?;
        let formula = match &strategy.quant {
            Some(quant) => of_program(file, quant, limits)?,
            None => {
                let bytes = files::read_unpacked(file, limits)?;
                let is_quiet = arguments.report.quiet;
                let question = read_formula(file, arguments.game.strict, &bytes, |warning| {
                    if !is_quiet {
                        files::tell(warning);
                    }
                })?;
                of_value(&question, "a strategy")?;
                question.formula
            }
        };
        Ok((formula, strategy, begin.elapsed().as_secs_f64()))
    })?;
    let (named, promised) = (name.clone(), strategy.value.clone());
    let task = Task::start(
        limits,
        arguments.report.form.is_json(),
        move |reason, elapsed| FormulaVerification::cut_short(&named, &promised, reason, elapsed),
    );
    let mut report = with_spinner(arguments.report.quiet, "verifying", || {
        crate::verify_formula(&name, &formula, &strategy, limits)
    });
    report.stats.seconds.insert("read", read);
    task.end(&report)
}

/// The formula of a program, made anew as it was made for a strategy.
fn of_program(file: &Path, quant: &str, limits: &Limits) -> Result<Formula, Failure> {
    let prefix = quant.parse().map_err(|expected| {
        let message = format!("the strategy has the `quant` {quant:?}: {expected}");
        Failure::new(Exit::InvalidInput, message)
    })?;
    let text = read_program(file, limits)?;
    let mut options = Options::new(limits.clone(), Arc::new(Silent));
    options.prefix = prefix;
    let route = translate(file, &text, &options)?;
    Ok(route.formula)
}
