//! `sqasp verify`: whether a strategy is worth what it promises.

use super::load::{is_standard_input, load_game};
use crate::answer::VerificationReport;
use crate::cli::args::{MachineName, VerifyArguments};
use crate::cli::request::budget;
use crate::cli::run::spinner;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::game::{Game, largest_value};
use crate::machine::Reasoner;
use crate::strategy::{self, CertifyError, Heading, Verdict, Verification, VerifyError};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Instant;

pub(super) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let mut files = arguments.game.game.iter();
    if files.any(|file| is_standard_input(file)) && is_standard_input(&arguments.strategy) {
        return Err(Failure::new(
            Exit::Usage,
            "the game and the strategy cannot both come from standard input; name a file for one",
        ));
    }
    let (game, strategy, read) = guarded(&budget, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, arguments.quiet, &budget)?;
        let begin = Instant::now();
        let bytes = files::read(&arguments.strategy, &budget)?;
        let strategy = strategy::read(&bytes).map_err(|error| {
            let text = format!("{}: {error}", arguments.strategy.display());
            Failure::new(Exit::InvalidInput, text)
        })?;
        Ok((game, strategy, begin.elapsed().as_secs_f64()))
    })?;
    let heading = strategy.heading.clone();
    let starts_elsewhere = starts_elsewhere(&game, &heading).map_err(|e| refused(&e))?;
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (name, heading) = (game.name().to_owned(), heading.clone());
            let largest = largest_value(&game, &heading.role, heading.objective);
            let json = arguments.json;
            Box::new(move |reason, elapsed| {
                let report = VerificationReport {
                    game: name.clone(),
                    heading: heading.clone(),
                    starts_elsewhere,
                    verification: Verification::stopped(reason, largest.clone()),
                    seconds: BTreeMap::from([("verify", elapsed.as_secs_f64())]),
                };
                // The process ends anyway.
                let _ = print(&report, json);
            })
        },
    });
    let bar = spinner(arguments.quiet);
    bar.set_message("verifying");
    let begin = Instant::now();
    let by_rules = || strategy::verify(&game, &strategy, &budget.left()).map_err(|e| refused(&e));
    let verification = match arguments.machine {
        MachineName::Rules => by_rules(),
        by => match strategy::by_circuit(&game, &strategy, &budget.left()) {
            Err(CertifyError::Step(_)) if by == MachineName::Auto => by_rules(),
            verification => verification.map_err(not_certified),
        },
    };
    bar.finish_and_clear();
    let verification = verification?;
    drop(watch);
    let verify = begin.elapsed().as_secs_f64();
    let seconds = BTreeMap::from([("read", read), ("verify", verify)]);
    let report = VerificationReport {
        game: game.name().to_owned(),
        heading,
        starts_elsewhere,
        verification,
        seconds,
    };
    print(&report, arguments.json)?;
    Ok(match &report.verification.verdict {
        Verdict::Proved(_) => Exit::Answered,
        Verdict::Refused(_) => Exit::InvalidInput,
        Verdict::Stopped { reason, .. } => Exit::for_stop(*reason),
    })
}

fn print(report: &VerificationReport, json: bool) -> Result<(), Failure> {
    let text = match json {
        true => report.json(),
        false => report.text(),
    };
    files::print(|to| writeln!(to, "{text}"))
}

/// Whether play starts from another state than the game's initial one.
fn starts_elsewhere(game: &Game, heading: &Heading) -> Result<bool, VerifyError> {
    let mut reasoner = Reasoner::new(game)?;
    let initial = reasoner.initial()?;
    Ok(reasoner.state(&heading.start)? != initial)
}

/// What it means for the command that the circuit proves nothing.
fn not_certified(error: CertifyError<Infallible>) -> Failure {
    match error {
        CertifyError::Step(_) => Failure::new(
            Exit::Limit,
            format!("{error}; with `--machine rules` the rules are evaluated"),
        ),
        CertifyError::Rules(error) => refused(&error),
        CertifyError::UnknownFact(_) => Failure::new(Exit::InvalidInput, error),
        CertifyError::Disagreement(_) => Failure::new(Exit::Internal, error),
        CertifyError::Policy(error) => match error {},
    }
}

fn refused(error: &VerifyError) -> Failure {
    Failure::new(Exit::InvalidInput, error)
}
