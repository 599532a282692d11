//! `sqasp table`: values of all positions in a folder.

use super::load::load_game;
use crate::Budget;
use crate::cli::args::{TableArguments, TableBuildArguments, TableCommand, TableProbeArguments};
use crate::cli::request::{budget, question, single_depth};
use crate::cli::run::spinner;
use crate::cli::start::start_facts;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::table::{Probe, Progress, Table, TableError, TableFailure, build, check, open};
use limits::StopReason;
use num_rational::BigRational;
use std::path::Path;

pub(super) fn table(arguments: &TableArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        TableCommand::Build(arguments) => build_table(arguments),
        TableCommand::Info { folder } => info(folder),
        TableCommand::Probe(arguments) => probe(arguments),
        TableCommand::Check(arguments) => {
            let budget = budget(&arguments.limits)?;
            let checked = guarded(&budget, || check(&open(&arguments.folder)?))?;
            let (files, states) = (checked.files, checked.states);
            files::print(|to| writeln!(to, "{files} files are whole; {states} states"))?;
            Ok(Exit::Answered)
        }
    }
}

fn build_table(arguments: &TableBuildArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let depth = single_depth(&arguments.question)?;
    let game = guarded(&budget, || {
        load_game(&arguments.game, arguments.quiet, &budget)
    })?;
    let question = question(&arguments.question, &game, depth)?;
    let _watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: Box::new(|_, _| {
            files::tell("sqasp: what was finished is kept, and the same command goes on");
        }),
    });
    let bar = spinner(arguments.quiet);
    bar.set_message("preparing");
    let mut tell = |progress: Progress| {
        if !bar.is_hidden() {
            let Progress {
                is_listing,
                layer,
                done,
                states,
            } = progress;
            let what = if is_listing { "listing" } else { "valuing" };
            bar.set_message(format!("{what}, layer {layer}: {done} of {states} states"));
        }
    };
    let built = build(&game, &question, &arguments.dir, &budget, &mut tell);
    bar.finish_and_clear();
    let table = built?;
    let value = initial_value(&arguments.dir, &budget)?;
    let told = told(&table)?;
    files::print(|to| writeln!(to, "{value}\n{told}"))?;
    Ok(Exit::Answered)
}

/// The value of the initial state, as the files say.
fn initial_value(folder: &Path, budget: &Budget) -> Result<BigRational, Failure> {
    let mut probe = Probe::open(folder, budget)?;
    let depth = probe.table().manifest().depth;
    let values = probe.values(None)?;
    let value = values.into_iter().find(|(layer, _)| *layer == depth);
    value.map(|(_, value)| value).ok_or_else(|| {
        Failure::new(
            Exit::Internal,
            "the initial state is not in its table: this is a bug",
        )
    })
}

/// What people are told of the size of a table.
fn told(table: &Table) -> Result<String, Failure> {
    let layers = table.layers().len();
    let (states, bytes) = (
        table.states(),
        table.folder().bytes().map_err(TableFailure::from)?,
    );
    Ok(format!("{states} states in {layers} layers, {bytes} bytes"))
}

fn info(folder: &Path) -> Result<Exit, Failure> {
    let table = open(folder)?;
    let told = told(&table)?;
    let about = table.manifest();
    files::print(|to| {
        writeln!(
            to,
            "{}: {} of {}, {} steps",
            about.game, about.objective, about.role, about.depth
        )?;
        if table.cuts_off() {
            writeln!(
                to,
                "some plays are not over after the last step; they are worth 0"
            )?;
        }
        writeln!(to, "{told}")?;
        writeln!(to, "steps left  states  bytes of a key and of a value")?;
        table.layers().iter().rev().try_for_each(|info| {
            let (layer, states) = (info.layer, info.states);
            writeln!(
                to,
                "{layer}  {states}  {} {}",
                info.key_bytes, info.value_bytes
            )
        })
    })?;
    Ok(Exit::Answered)
}

fn probe(arguments: &TableProbeArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let values = guarded(&budget, || -> Result<_, Failure> {
        let mut probe = Probe::open(&arguments.folder, &budget)?;
        let facts = start_facts(probe.game(), &arguments.start, &budget)?;
        Ok(probe.values(facts.as_deref())?)
    })?;
    if values.is_empty() {
        let message =
            "this position is not in the table: play is over there, or does not lead to it";
        return Err(Failure::new(Exit::InvalidInput, message));
    }
    files::print(|to| {
        values.iter().try_for_each(|(steps, value)| {
            let plural = if *steps == 1 { "" } else { "s" };
            writeln!(to, "{value} with {steps} step{plural} left")
        })
    })?;
    Ok(Exit::Answered)
}

impl From<TableFailure> for Failure {
    fn from(failure: TableFailure) -> Self {
        let exit = match &failure {
            TableFailure::Search(error) => return Failure::from(crate::Error::from(error)),
            TableFailure::Empty => Exit::Usage,
            TableFailure::Table(error) => match error {
                TableError::Foreign(_) | TableError::Other { .. } => Exit::Usage,
                TableError::Missing(_) | TableError::Unfinished(_) => Exit::Unreadable,
                TableError::Damaged { .. } | TableError::Flaw(_) => Exit::InvalidInput,
                TableError::File { what, .. } => match *what {
                    "read" | "open" => Exit::Unreadable,
                    _ => Exit::Unwritable,
                },
                TableError::Full { .. } => Exit::Unwritable,
                TableError::Wrong { .. } => Exit::Internal,
                TableError::TooLarge => Exit::Limit,
                TableError::Stopped(StopReason::Interrupted) => Exit::Interrupted,
                TableError::Stopped(_) => Exit::Limit,
            },
        };
        Failure::new(exit, failure)
    }
}
