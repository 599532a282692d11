//! `sqasp export`: the reachable game as a file for other programs.

use super::load::load_game;
use crate::cli::args::ExportArguments;
use crate::cli::request::{limits, question, single_depth};
use crate::cli::run::{print_result, with_spinner};
use crate::cli::start::start_facts;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure, files};
use crate::{Export, Limits};
use engines::Fraction;
use engines::answer::PERFECT_INFORMATION;
use export::{Exported, Fix};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use verify::Side;

pub(super) fn export(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    check_output(arguments)?;
    let depth = single_depth(&arguments.question)?;
    let (game, fix) = guarded(&limits, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, arguments.report.quiet, &limits)?;
        Ok((game, fix(arguments, &limits)?))
    })?;
    let start = start_facts(&game, &arguments.start, arguments.report.quiet, &limits)?;
    let question = question(&arguments.question, &game, depth)?;
    let mut question = question.start(start).mixed(arguments.mixed);
    if let Some(Fix::Listed(_, strategy)) = &fix {
        // A strategy is for a number of steps.
        question.depth = depth.or(strategy.heading.depth);
    }
    let states = arguments.max_states.map(|states| states as usize);
    let how = Export::to(arguments.to).fix(fix).states(states);
    let watch = Watchdog::start(&limits, |_, _| files::tell("sqasp: nothing was written"));
    let exported = with_spinner(arguments.report.quiet, "listing states", || {
        crate::export(&game, &question, &how, &limits)
    })?;
    let sizes = ExportSizes::of(&exported);
    let mut summary = sizes.to_string();
    if game.assumes_perfect_information() {
        summary = format!("{summary}\n{PERFECT_INFORMATION}");
    }
    let output = arguments.output.as_deref();
    let write = || files::write(output, &limits, |to| exported.write_to(to));
    match output {
        // A file is written in one piece.
        Some(_) => watch.undisturbed(write)?,
        None => write()?,
    }
    match (output, arguments.report.quiet) {
        _ if arguments.report.form.is_json() => print_result(&sizes, true)?,
        (_, true) => {}
        (Some(_), _) => files::print(|to| writeln!(to, "{summary}"))?,
        (None, _) => files::tell(&summary),
    }
    Ok(Exit::Answered)
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
fn fix(arguments: &ExportArguments, limits: &Limits) -> Result<Option<Fix>, Failure> {
    let Some(text) = arguments.fix.as_deref() else {
        return Ok(None);
    };
    let (side, file) = match text {
        "role" => return Ok(Some(Fix::Best(Side::Role))),
        "opponents" => return Ok(Some(Fix::Best(Side::Opponents))),
        text => fixed_by(text),
    };
    let bytes = files::read(Path::new(file), limits)?;
    let strategy = verify::read(&bytes)
        .map_err(|error| Failure::new(Exit::InvalidInput, format!("{file}: {error}")))?;
    Ok(Some(Fix::Listed(side, Box::new(strategy))))
}

/// The sizes of an export, and the value of a game with a side that was fixed by solving.
#[derive(Serialize)]
struct ExportSizes {
    states: u64,
    choices: u64,
    branches: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_sets: Option<u64>,
    #[serde(flatten)]
    bounds: Option<ExportBounds>,
}

#[derive(Serialize)]
struct ExportBounds {
    lower: Fraction,
    upper: Fraction,
}

impl ExportSizes {
    fn of(exported: &Exported) -> Self {
        let bounds = exported.bounds.as_ref();
        ExportSizes {
            states: exported.states,
            choices: exported.choices,
            branches: exported.branches,
            information_sets: exported.information_sets,
            bounds: bounds.map(|(lower, upper)| ExportBounds {
                lower: lower.into(),
                upper: upper.into(),
            }),
        }
    }
}

impl fmt::Display for ExportSizes {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, choices, branches) = (self.states, self.choices, self.branches);
        match self.information_sets {
            None => write!(
                to,
                "{states} states, {choices} choices, {branches} branches"
            )?,
            Some(sets) => write!(to, "{states} nodes, {sets} information sets")?,
        }
        let Some(ExportBounds { lower, upper }) = &self.bounds else {
            return Ok(());
        };
        match (lower.value(), upper.value()) {
            (lower, upper) if lower == upper => write!(to, "; the value is {lower}"),
            (lower, upper) => write!(to, "; the value is between {lower} and {upper}"),
        }
    }
}
