//! `sqasp translate`: a game in another form: its rules, any stage of the translation, or (in `export`) the reachable game.

use super::export::{export, fixed_file};
use super::load::{load_game, read_game};
use crate::cli::args::{Form, Stage, TranslateArguments};
use crate::cli::request::{formula_options, limits, single_depth, single_question};
use crate::cli::run::WorkDisplay;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure, files};
use gdl::{Options, format, standalone, without_libraries};
use limits::Limits;
use logic::asp::Program;
use logic::route::{GameRoute, ProgramRoute};
use logic::translate::encodings;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn translate(arguments: &TranslateArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    if let Some(file) = &arguments.output {
        let inputs = arguments.game.files().chain(arguments.start.files());
        let fixed = arguments.fix.as_deref().map(fixed_file);
        files::check_writable(file, inputs.chain(fixed))?;
    }
    match arguments.to {
        Form::Kif => write_rules(arguments, &limits)?,
        Form::Stage(stage) => translate_to(stage, arguments, &limits)?,
        Form::File(format) => export(format, arguments, &limits)?,
    }
    Ok(Exit::Answered)
}

/// Writes the rules in prefix form, as they stand or with all that they use.
fn write_rules(arguments: &TranslateArguments, limits: &Limits) -> Result<(), Failure> {
    let options = Options {
        // Printing `sees` rules does no harm.
        assume_perfect_information: true,
        ..arguments.game.options()
    };
    let reading = guarded(limits, || read_game(&arguments.game, &options, limits))?;
    let description = if arguments.standalone {
        standalone(reading.description, &reading.source)
    } else {
        let files = arguments.game.game.len();
        without_libraries(reading.description, &reading.source, files)
    };
    let text = format(&description);
    Watchdog::of_file(limits).write(arguments.output.as_deref(), limits, |to| {
        to.write_all(text.as_bytes())
    })
}

/// Writes a stage of the translation.
fn translate_to(
    stage: Stage,
    arguments: &TranslateArguments,
    limits: &Limits,
) -> Result<(), Failure> {
    let depth = single_depth(&arguments.question)?.ok_or_else(|| {
        Failure::new(
            Exit::Usage,
            "say with --depth how many steps the stages are for",
        )
    })?;
    let quiet = arguments.report.quiet;
    let game = guarded(limits, || load_game(&arguments.game, quiet, limits))?;
    let question = single_question(&arguments.question, &game, depth)?;
    let watch = Watchdog::of_file(limits);
    let shown = Arc::new(WorkDisplay::new(quiet));
    let options = formula_options(&arguments.formula, limits, shown.clone());
    let route =
        crate::translate(&game, &question, &options).map_err(|error| match error.stopped_by() {
            Some(reason) => Failure::new(
                Exit::for_stop(reason),
                format!("{error} ({reason}; nothing was written)"),
            ),
            None => error.into(),
        })?;
    shown.finish();
    check_stage(stage, &route.stages)?;
    watch.write(arguments.output.as_deref(), limits, |to| {
        write_stage(stage, arguments.explain, &route, to)
    })
}

/// The end of a program: answer sets are printed by their moves.
pub(super) const SHOW_MOVES: &str = "% Answer sets are shown by their moves\n#show does/3.";

fn write_stage(
    stage: Stage,
    explain: bool,
    route: &GameRoute,
    to: &mut dyn Write,
) -> io::Result<()> {
    let program = &route.program;
    match stage {
        Stage::Asp => {
            let plain = program.without(|file| *file == encodings::QUANTIFIERS);
            write_program(&plain, explain, to)?;
            writeln!(to, "\n{SHOW_MOVES}")
        }
        Stage::Generated => write_program(&program.without(|_| true), explain, to),
        Stage::Sqasp => {
            write_program(program, explain, to)?;
            writeln!(to, "\n{SHOW_MOVES}")
        }
        behind => write_stage_behind(behind, &route.stages, to),
    }
}

/// Refuses to write a formula with chance without it.
pub(super) fn check_stage(stage: Stage, stages: &ProgramRoute) -> Result<(), Failure> {
    match stage == Stage::Qdimacs && stages.formula.has_chance() {
        false => Ok(()),
        true => Err(Failure::new(
            Exit::Usage,
            "there is chance, which QDIMACS cannot say; use --to sdimacs",
        )),
    }
}

/// Writes a stage behind the program.
///
/// # Panics
/// If it is one before.
pub(super) fn write_stage_behind(
    stage: Stage,
    stages: &ProgramRoute,
    mut to: &mut dyn Write,
) -> io::Result<()> {
    match stage {
        Stage::Asp | Stage::Generated | Stage::Sqasp => unreachable!("it is the program"),
        Stage::Aspif => lp2sat::write_aspif(&stages.ground, &mut to),
        Stage::Cnf => {
            let formula = &stages.formula;
            formula::dimacs::write(formula.variables(), formula.matrix(), formula.names(), to)
        }
        Stage::Sdimacs => formula::sdimacs::write(&stages.formula, to),
        Stage::Qdimacs => formula::qdimacs::write(&stages.formula, to).map_err(io::Error::other),
    }
}

fn write_program(program: &Program, explain: bool, to: &mut dyn Write) -> io::Result<()> {
    if explain {
        write!(to, "{}", program.explained())
    } else {
        write!(to, "{program}")
    }
}
