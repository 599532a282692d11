//! `sqasp export`: the reachable game as a file for other programs.

use super::load::load_game;
use crate::answer::PERFECT_INFORMATION;
use crate::cli::args::{ExportArguments, ExportForm};
use crate::cli::request::{budget, question, single_depth};
use crate::cli::run::spinner;
use crate::cli::start::start_facts;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::export::{Exported, Fix, Format, NumberForm};
use crate::strategy::{self, Side};
use crate::{Budget, Export, Question};
use std::path::Path;

pub(super) fn export(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    check_output(arguments)?;
    let format = format(arguments)?;
    let depth = single_depth(&arguments.question)?;
    let (game, fix) = guarded(&budget, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, arguments.quiet, &budget)?;
        Ok((game, fix(arguments, &budget)?))
    })?;
    let mut question = Question {
        start: start_facts(&game, &arguments.start, arguments.quiet, &budget)?,
        ..question(&arguments.question, &game, depth)?
    };
    if let Some(Fix::Listed(_, strategy)) = &fix {
        // A strategy is for a number of steps.
        question.depth = depth.or(strategy.heading.depth);
    }
    let how = Export {
        fix,
        ..Export::to(format)
    };
    let how = Export {
        states: arguments
            .states
            .map_or(how.states, |states| states as usize),
        ..how
    };
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: Box::new(|_, _| files::tell("sqasp: nothing was written")),
    });
    let bar = spinner(arguments.quiet);
    bar.set_message("listing states");
    let exported = crate::export(&game, &question, &how, &budget);
    bar.finish_and_clear();
    let exported = exported?;
    let mut told = told(&exported);
    if game.assumes_perfect_information() {
        told = format!("{told}\n{PERFECT_INFORMATION}");
    }
    let output = arguments.output.as_deref();
    let write = || files::write(output, &budget, |to| exported.write_to(to));
    match output {
        // A file is written in one piece.
        Some(_) => watch.undisturbed().run(write)?,
        None => write()?,
    }
    match (output, arguments.quiet) {
        (_, true) => {}
        (Some(_), _) => files::print(|to| writeln!(to, "{told}"))?,
        (None, _) => files::tell(&told),
    }
    Ok(Exit::Answered)
}

fn format(arguments: &ExportArguments) -> Result<Format, Failure> {
    let numbers = if arguments.decimals {
        NumberForm::Decimals
    } else {
        NumberForm::Fractions
    };
    match arguments.to {
        ExportForm::Umb => Ok(Format::Umb(numbers)),
        _ if arguments.decimals => {
            let problem = "--decimals is for --to umb: the other forms hold fractions";
            Err(Failure::new(Exit::Usage, problem))
        }
        ExportForm::Efg => Ok(Format::Efg),
        ExportForm::Dot => Ok(Format::Dot),
    }
}

/// Refuses a place for the file before there is anything to write.
fn check_output(arguments: &ExportArguments) -> Result<(), Failure> {
    let Some(file) = &arguments.output else {
        return Ok(());
    };
    let fixed = arguments
        .fix
        .as_deref()
        .map(|text| Path::new(fixed_by(text).1));
    let inputs = arguments.game.files().chain(arguments.start.files());
    files::check_writable(file, inputs.chain(fixed))
}

/// The side that a strategy fixes, and the strategy's file.
fn fixed_by(text: &str) -> (Side, &str) {
    match (text.strip_prefix("role:"), text.strip_prefix("opponents:")) {
        (None, Some(file)) => (Side::Opponents, file),
        (file, _) => (Side::Role, file.unwrap_or(text)),
    }
}

/// The side that is fixed.
fn fix(arguments: &ExportArguments, budget: &Budget) -> Result<Option<Fix>, Failure> {
    let Some(text) = arguments.fix.as_deref() else {
        return Ok(None);
    };
    let (side, file) = match text {
        "role" => return Ok(Some(Fix::Best(Side::Role))),
        "opponents" => return Ok(Some(Fix::Best(Side::Opponents))),
        text => fixed_by(text),
    };
    let bytes = files::read(Path::new(file), budget)?;
    let strategy = strategy::read(&bytes)
        .map_err(|error| Failure::new(Exit::InvalidInput, format!("{file}: {error}")))?;
    Ok(Some(Fix::Listed(side, Box::new(strategy))))
}

/// What people are told.
fn told(exported: &Exported) -> String {
    let (states, choices, branches) = (exported.states, exported.choices, exported.branches);
    let sizes = format!("{states} states, {choices} choices, {branches} branches");
    match &exported.bounds {
        None => sizes,
        Some((lower, upper)) if lower == upper => format!("{sizes}; the value is {lower}"),
        Some((lower, upper)) => format!("{sizes}; the value is between {lower} and {upper}"),
    }
}
