//! `sqasp verify`: whether a strategy is worth what it promises.

use super::load::{is_standard_input, load_game};
use crate::cli::args::{MachineName, VerifyArguments};
use crate::cli::request::budget;
use crate::cli::run::spinner;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::report::VerificationReport;
use crate::{Error, Machine};
use engines::starts_elsewhere;
use std::collections::BTreeMap;
use std::time::Instant;
use verify::{Heading, MixedStrategy, Strategy, Verdict, Verification};

/// A strategy of either kind.
enum Typed {
    /// Opponents know the role's move.
    Known(Strategy),
    /// Nobody knows the moves of others.
    Mixed(MixedStrategy),
}

impl Typed {
    fn heading(&self) -> &Heading {
        match self {
            Typed::Known(strategy) => &strategy.heading,
            Typed::Mixed(strategy) => &strategy.heading,
        }
    }
}

pub(super) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let mut files = arguments.game.game.iter();
    if files.any(|file| is_standard_input(file)) && is_standard_input(&arguments.strategy) {
        return Err(Failure::new(
            Exit::Usage,
            "the game and the strategy cannot both come from standard input; name a file for one",
        ));
    }
    let (game, strategy, starts_elsewhere, read) = guarded(&budget, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, arguments.report.quiet, &budget)?;
        let begin = Instant::now();
        let bytes = files::read(&arguments.strategy, &budget)?;
        let strategy = match verify::is_mixed(&bytes) {
            true => verify::read_mixed(&bytes).map(Typed::Mixed),
            false => verify::read(&bytes).map(Typed::Known),
        };
        let strategy = strategy.map_err(|error| {
            let text = format!("{}: {error}", arguments.strategy.display());
            Failure::new(Exit::InvalidInput, text)
        })?;
        let read = begin.elapsed().as_secs_f64();
        let starts_elsewhere = match starts_elsewhere(&game, &strategy.heading().start, &budget) {
            // Bounds are told below.
            Err(Error::Stopped { .. }) => false,
            told => told?,
        };
        Ok((game, strategy, starts_elsewhere, read))
    })?;
    let heading = strategy.heading().clone();
    let mixed = matches!(strategy, Typed::Mixed(_));
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (name, heading) = (game.name().to_owned(), heading.clone());
            let assumes_perfect_information = game.assumes_perfect_information();
            let largest = heading.largest(&game);
            let json = arguments.report.json;
            Box::new(move |reason, elapsed| {
                let report = VerificationReport {
                    game: name.clone(),
                    assumes_perfect_information,
                    heading: heading.clone(),
                    mixed,
                    starts_elsewhere,
                    verification: Verification::stopped(reason, largest.clone()),
                    seconds: BTreeMap::from([("verify", elapsed.as_secs_f64())]),
                };
                // The process ends anyway.
                let _ = print(&report, json);
            })
        },
    });
    let bar = spinner(arguments.report.quiet);
    bar.set_message("verifying");
    let machine = match arguments.engine {
        MachineName::Rules => Machine::Rules,
        MachineName::Circuit => Machine::Circuit,
        MachineName::Auto => Machine::Auto,
    };
    let report = match &strategy {
        Typed::Known(strategy) => crate::verify(&game, strategy, machine, &budget),
        Typed::Mixed(strategy) => crate::verify_mixed(&game, strategy, &budget),
    };
    bar.finish_and_clear();
    let mut report = report?;
    drop(watch);
    report.seconds.insert("read", read);
    print(&report, arguments.report.json)?;
    Ok(match &report.verification.verdict {
        Verdict::Proved(_) => Exit::Answered,
        Verdict::Refused(_) => Exit::InvalidInput,
        Verdict::Stopped { reason, .. } => Exit::for_stop(*reason),
    })
}

fn print(report: &VerificationReport, json: bool) -> Result<(), Failure> {
    let text = if json { report.json() } else { report.text() };
    files::print(|to| writeln!(to, "{text}"))
}
