//! `sqasp solve-program`: the value of a stochastic quantified answer set program, its choices and strategies, and the stages on the way.

use super::formula_strategy;
use super::translate::{check_stage, write_stage_behind};
use crate::cli::args::{ClauseMaker, SolveProgramArguments, Stage};
use crate::cli::request::{limits, options};
use crate::cli::run::Run;
use crate::cli::{Exit, Failure, files};
use crate::report::function_lines;
use crate::{Answer, Error, ErrorKind, Limits, Options};
use engines::answer::Subject;
use engines::{Ability, Need};
use logic::route::ProgramRoute;
use ssat::trace::Trace;
use std::path::Path;

pub(super) fn solve_program(arguments: &SolveProgramArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let file = &arguments.program;
    let name = files::short_name(file);
    let subject = Subject::Program {
        name: name.clone(),
        prefix: arguments.formula.prefix(),
    };
    let mut needs = vec![Need::new("a program", Ability::Formulas)];
    if let Some(strategy) = &arguments.strategy {
        needs.push(Need::new("--strategy", Ability::Functions));
        files::check_writable(strategy, [file.as_path()])?;
        if arguments.formula.cnf_via == Some(ClauseMaker::Asptools) {
            let message =
                "a strategy is proved for the formula that lp2sat makes; leave out --cnf-via";
            return Err(Failure::new(Exit::Usage, message));
        }
    }
    let engine = arguments.engine.able(needs)?;
    let run = Run::start(
        limits,
        Answer::unknown(subject, engine.name),
        &arguments.output,
    );
    let text = match read_program(file, &run.limits) {
        Ok(text) => text,
        Err(failure) => return run.unread(failure),
    };
    let mut options = options(
        &arguments.engine,
        Some(&arguments.formula),
        &run.limits,
        run.observer(),
    );
    options.extras.moves = arguments.moves;
    if arguments.to.is_none() && arguments.strategy.is_none() {
        let answer = crate::solve_program(&name, &text, &options);
        let answer = answer.map_err(|error| in_program(file, error))?;
        return run.end(&answer);
    }
    let route = match translate(file, &text, &options) {
        Ok(route) => route,
        Err(failure) => return run.unread(failure),
    };
    match (&arguments.strategy, arguments.to) {
        (Some(file), _) => write_strategy(arguments, file, run, &name, &route, options),
        (None, stage) => write_stage(stage.unwrap_or(Stage::Sdimacs), run, &route),
    }
}

/// Prints a stage of the translation.
fn write_stage(stage: Stage, run: Run<'_>, route: &ProgramRoute) -> Result<Exit, Failure> {
    check_stage(stage, route)?;
    run.finish();
    files::print(|to| write_stage_behind(stage, route, to))?;
    Ok(Exit::Answered)
}

/// Solves a program and writes what both players do.
fn write_strategy(
    arguments: &SolveProgramArguments,
    file: &Path,
    run: Run<'_>,
    name: &str,
    route: &ProgramRoute,
    mut options: Options,
) -> Result<Exit, Failure> {
    let is_text = file.extension().is_some_and(|ending| ending == "txt");
    options.extras.strategy = Some(arguments.max_literals);
    // People want functions of the atoms before, not of others that these define.
    options.solver.learning.move_defined &= !is_text;
    let found = crate::solve_program_with_strategy(name, route, &options)?;
    let as_text = is_text.then_some(|trace: &Trace| {
        function_lines(route, trace).map_err(|error| {
            let message = format!("no strategy was written: {error}; write it as JSON, in a file that does not end in .txt");
            Failure::new(Exit::Limit, message)
        })
    });
    let found = (&found.0, &found.1);
    formula_strategy::write(file, run, found, arguments.max_literals, as_text)
}

/// The text of a program.
pub(super) fn read_program(file: &Path, limits: &Limits) -> Result<String, Failure> {
    let bytes = files::read(file, limits)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        let file = file.display();
        Failure::new(
            Exit::InvalidInput,
            format!("{file} is not text: byte {position} is not UTF-8; give a clingo program"),
        )
    })?;
    // Some editors begin files with a byte order mark.
    Ok(match text.strip_prefix('\u{FEFF}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

/// All stages of a program.
pub(super) fn translate(
    file: &Path,
    text: &str,
    options: &Options,
) -> Result<ProgramRoute, Failure> {
    crate::translate_program(text, options).map_err(|error| in_program(file, error))
}

/// The error, with the file if the program is wrong.
fn in_program(file: &Path, error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Game => Failure::new(Exit::InvalidInput, format!("{}: {error}", file.display())),
        _ => error.into(),
    }
}
