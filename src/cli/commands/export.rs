//! The files of `sqasp translate` for other programs: the reachable game.

use super::load::load_game;
use crate::cli::args::TranslateArguments;
use crate::cli::request::{single_depth, single_question};
use crate::cli::run::{print_result, with_spinner};
use crate::cli::start::start_facts;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure, files};
use crate::{Export, Limits};
use engines::answer::{PERFECT_INFORMATION, Worth};
use export::{Fix, Format};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use verify::Side;

/// Lists the states of a game, and writes the file.
pub(super) fn export(
    format: Format,
    arguments: &TranslateArguments,
    limits: &Limits,
) -> Result<(), Failure> {
    let depth = single_depth(&arguments.question)?;
    let quiet = arguments.report.quiet;
    let (game, fix) = guarded(limits, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, quiet, limits)?;
        Ok((game, fix(arguments, limits)?))
    })?;
    let start = start_facts(&game, &arguments.start, quiet, limits)?;
    let question = single_question(&arguments.question, &game, depth)?;
    let mut question = question.start(start).mixed(arguments.mixed);
    if let Some(Fix::Listed(_, strategy)) = &fix {
        // A strategy is for a number of steps.
        question.depth = depth.or(strategy.heading.depth);
    }
    let states = arguments.max_states.map(|states| states as usize);
    let how = Export::to(format).fix(fix).states(states);
    let watch = Watchdog::of_file(limits);
    let exported = with_spinner(quiet, "listing states", || {
        crate::export(&game, &question, &how, limits)
    })?;
    let sizes = ExportSizes {
        states: exported.states,
        choices: exported.choices,
        branches: exported.branches,
        information_sets: exported.information_sets,
        worth: exported.bounds.as_ref().map(Worth::from),
    };
    let mut summary = sizes.to_string();
    if game.assumes_perfect_information() {
        summary = format!("{summary}\n{PERFECT_INFORMATION}");
    }
    let output = arguments.output.as_deref();
    watch.write(output, limits, |to| exported.write_to(to))?;
    match output {
        _ if arguments.report.form.is_json() => print_result(&sizes, true)?,
        _ if quiet => {}
        Some(_) => files::print(|to| writeln!(to, "{summary}"))?,
        None => files::tell(&summary),
    }
    Ok(())
}

/// The file that `--fix` may name.
pub(super) fn fixed_file(text: &str) -> &Path {
    Path::new(fixed_by(text).1)
}

/// The side that a strategy fixes, and the strategy's file.
fn fixed_by(text: &str) -> (Side, &str) {
    match (text.strip_prefix("role:"), text.strip_prefix("opponents:")) {
        (None, Some(file)) => (Side::Opponents, file),
        (file, _) => (Side::Role, file.unwrap_or(text)),
    }
}

/// The side that is fixed.
fn fix(arguments: &TranslateArguments, limits: &Limits) -> Result<Option<Fix>, Failure> {
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
    worth: Option<Worth>,
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
        match &self.worth {
            None => Ok(()),
            Some(Worth { lower, upper, .. }) if lower == upper => {
                write!(to, "; the value is {}", lower.0)
            }
            Some(Worth { lower, upper, .. }) => {
                write!(to, "; the value is between {} and {}", lower.0, upper.0)
            }
        }
    }
}
