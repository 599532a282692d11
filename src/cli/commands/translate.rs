//! `sqasp translate`: any stage of the translation.

use super::load::load_game;
use crate::cli::args::{Stage, TranslateArguments};
use crate::cli::files::{self, tell};
use crate::cli::request::{formula_options, limits, question, single_depth};
use crate::cli::run::WorkDisplay;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure};
use logic::asp::Program;
use logic::route::{GameRoute, ProgramRoute};
use logic::translate::encodings;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) fn translate(arguments: &TranslateArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    if arguments.explain && !matches!(arguments.to, Stage::Asp | Stage::Generated | Stage::Sqasp) {
        let problem = "--explain is for programs: --to asp, generated or sqasp";
        return Err(Failure::new(Exit::Usage, problem));
    }
    if let Some(file) = &arguments.output {
        files::check_writable(file, arguments.game.files())?;
    }
    let game = guarded(&limits, || load_game(&arguments.game, false, &limits))?;
    let depth = single_depth(&arguments.question)?.ok_or_else(|| {
        Failure::new(
            Exit::Usage,
            "say with --depth how many steps the stages are for",
        )
    })?;
    let question = question(&arguments.question, &game, depth)?;
    let watch = Watchdog::start(&limits, |_, _| tell("sqasp: nothing was written"));
    let shown = Arc::new(WorkDisplay::new(false));
    let observer = Arc::clone(&shown);
    let options = formula_options(&arguments.formula, &limits, observer);
    let route =
        crate::translate(&game, &question, &options).map_err(|error| match error.stopped_by() {
            Some(reason) => Failure::new(
                Exit::for_stop(reason),
                format!("{error} ({reason}; nothing was written)"),
            ),
            None => error.into(),
        })?;
    shown.finish();
    check_stage(arguments.to, &route.stages)?;
    let write = || {
        files::write(arguments.output.as_deref(), &limits, |to| {
            write_stage(arguments.to, arguments.explain, &route, to)
        })
    };
    match arguments.output {
        // A file is done in a moment, and in one piece.
        Some(_) => watch.undisturbed(write)?,
        // A reader may be slow; then Ctrl-C must help.
        None => write()?,
    }
    Ok(Exit::Answered)
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
