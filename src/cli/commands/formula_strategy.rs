//! Strategies for formulas: `sqasp solve-formula --strategy` and `sqasp solve-formula --verify`.

use super::solve_formula::read_formula;
use crate::Observer as _;
use crate::cli::args::SolveFormulaArguments;
use crate::cli::request::{budget, options};
use crate::cli::run::{Run, spinner};
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::report::FormulaVerification;
use engines::Entry;
use formula::{BigRational, Formula};
use limits::StopReason;
use num_traits::{One, Zero};
use portfolio::{Room, StrategyOutcome};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use witness::{Counted, Strategy, Verdict};

/// Refuses options that do not go together with `--strategy`, and a path that cannot be written.
pub(super) fn check(arguments: &SolveFormulaArguments, engine: &Entry) -> Result<(), Failure> {
    let Some(file) = &arguments.strategy else {
        return Ok(());
    };
    if !["xssat", "learning"].contains(&engine.name) {
        let message = "--strategy needs clause learning; drop --engine or use --engine learning";
        return Err(Failure::new(Exit::Usage, message));
    }
    files::check_writable(file, [arguments.formula.as_path()])
}

/// Solves a formula and writes what both players do.
pub(super) fn write(
    arguments: &SolveFormulaArguments,
    file: &Path,
    run: Run<'_>,
    name: &str,
    formula: &Formula,
    read: Duration,
) -> Result<Exit, Failure> {
    let options = options(&arguments.engine, None, &run.budget, run.observer());
    let room = Room {
        literals: arguments.max_size,
    };
    let (mut answer, found) = crate::solve_formula_with_strategy(name, formula, &options, room)?;
    answer.times.0.insert(0, ("read", read));
    let unwritten = match &found {
        StrategyOutcome::Strategy(strategy) => {
            let write = || {
                files::write(Some(file), &run.budget, |to| {
                    witness::write_json(strategy, to)
                })
            };
            run.undisturbed(write).err()
        }
        StrategyOutcome::TooLarge => Some(Failure::new(
            Exit::Limit,
            format!(
                "no strategy was written: its gates have more than {} literals; allow more with --max-size",
                arguments.max_size
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
        run.observer().remark(&told(strategy, file));
    }
    let exit = run.end(&answer)?;
    match unwritten {
        Some(failure) => Err(failure),
        None => Ok(exit),
    }
}

/// The message about a strategy that was written.
fn told(strategy: &Strategy, file: &Path) -> String {
    let (exists, forall) = (strategy.exists.len(), strategy.forall.len());
    let gates = strategy.gates.len();
    format!(
        "strategy in {}: functions for {exists} existential and {forall} universal variables, of {gates} gates",
        file.display()
    )
}

/// Proves what a strategy promises.
pub(super) fn verify(arguments: &SolveFormulaArguments, file: &Path) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    if file == Path::new("-") && arguments.formula == Path::new("-") {
        return Err(Failure::new(
            Exit::Usage,
            "the formula and the strategy cannot both come from standard input; name a file for one",
        ));
    }
    let name = files::short_name(&arguments.formula);
    let (formula, strategy, read) = guarded(&budget, || -> Result<_, Failure> {
        let begin = Instant::now();
        let bytes = files::read_unpacked(&arguments.formula, &budget)?;
        let is_quiet = arguments.output.quiet;
        let formula = read_formula(arguments, &bytes, |warning| {
            if !is_quiet {
                files::tell(warning);
            }
        })?;
        let bytes = files::read_unpacked(file, &budget)?;
        let strategy = witness::read(&bytes).map_err(|error| {
            let text = format!("{}: {error}", file.display());
            Failure::new(Exit::InvalidInput, text)
        })?;
        Ok((formula, strategy, begin.elapsed().as_secs_f64()))
    })?;
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (name, promised) = (name.clone(), strategy.value.clone());
            let json = arguments.output.json;
            Box::new(move |reason, elapsed| {
                // The process ends anyway.
                let _ = print(&cut_short(&name, &promised, reason, elapsed), json);
            })
        },
    });
    let bar = spinner(arguments.output.quiet);
    bar.set_message("verifying");
    let mut report = crate::verify_formula(&name, &formula, &strategy, &budget);
    bar.finish_and_clear();
    drop(watch);
    report.seconds.insert("read", read);
    print(&report, arguments.output.json)?;
    Ok(match &report.verification.verdict {
        Verdict::Proved(_) => Exit::Answered,
        Verdict::Refused(_) => Exit::InvalidInput,
        Verdict::Stopped { reason, .. } => Exit::for_stop(*reason),
    })
}

/// The report when a limit ends the process.
fn cut_short(
    name: &str,
    promised: &BigRational,
    reason: StopReason,
    elapsed: Duration,
) -> FormulaVerification {
    FormulaVerification {
        formula: name.to_owned(),
        promised: promised.clone(),
        verification: Counted {
            verdict: Verdict::Stopped {
                reason,
                lower: BigRational::zero(),
                upper: BigRational::one(),
            },
            decisions: [0; 2],
        },
        seconds: BTreeMap::from([("verify", elapsed.as_secs_f64())]),
    }
}

fn print(report: &FormulaVerification, json: bool) -> Result<(), Failure> {
    let text = if json { report.json() } else { report.text() };
    files::print(|to| writeln!(to, "{text}"))
}
