//! `sqasp export`: the reachable game as a file for other programs.

use super::load::load_game;
use crate::answer::PERFECT_INFORMATION;
use crate::cli::args::{ExportArguments, ExportForm};
use crate::cli::files::Content;
use crate::cli::request::{budget, question, single_depth};
use crate::cli::run::spinner;
use crate::cli::start::start_facts;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::export::{Exported, Fix, Format, NumberForm};
use crate::strategy::{self, Side};
use crate::{Budget, Export, Question};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) fn export(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let places = places(arguments)?;
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
    let write = || write(exported, &places, &budget);
    match arguments.output {
        // A file is written in one piece.
        Some(_) => watch.undisturbed().run(write)?,
        None => write()?,
    }
    match (&arguments.output, arguments.quiet) {
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
        ExportForm::Prism => Ok(Format::Prism(numbers)),
        _ if arguments.decimals => {
            let problem =
                "--decimals is for --to umb and --to prism: the other forms hold fractions";
            Err(Failure::new(Exit::Usage, problem))
        }
        ExportForm::Efg => Ok(Format::Efg),
        ExportForm::Dot => Ok(Format::Dot),
    }
}

/// The files that are written, or none for standard output; checked before there is anything to write.
fn places(arguments: &ExportArguments) -> Result<Vec<PathBuf>, Failure> {
    let places = match (&arguments.output, arguments.to) {
        (None, ExportForm::Prism) => {
            let problem = "--to prism writes several files: say with -o how they are named";
            return Err(Failure::new(Exit::Usage, problem));
        }
        (None, _) => Vec::new(),
        (Some(file), ExportForm::Prism) => {
            let endings = ["tra", "sta", "lab", "srew"].into_iter();
            endings.map(|ending| file.with_extension(ending)).collect()
        }
        (Some(file), _) => vec![file.clone()],
    };
    let fixed = arguments
        .fix
        .as_deref()
        .map(|text| Path::new(fixed_by(text).1));
    let inputs = || {
        let files = arguments.game.files().chain(arguments.start.files());
        files.chain(fixed)
    };
    places
        .iter()
        .try_for_each(|file| files::check_writable(file, inputs()))?;
    Ok(places)
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

fn write(exported: Exported, places: &[PathBuf], budget: &Budget) -> Result<(), Failure> {
    if places.is_empty() {
        let mut parts = exported.parts.into_iter();
        return parts.try_for_each(|part| files::print(|to| part.write_to(to)));
    }
    let parts = places.iter().cloned().zip(exported.parts);
    let parts = parts.map(|(place, part)| -> Content<'_> {
        (place, Box::new(move |to: &mut dyn Write| part.write_to(to)))
    });
    files::write_together(parts.collect(), budget)
}
