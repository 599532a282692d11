//! `sqasp solve-program`: the value of a stochastic quantified answer set program.

use crate::cli::args::SolveProgramArguments;
use crate::cli::request::{limits, options};
use crate::cli::run::Run;
use crate::cli::{Exit, Failure, files};
use crate::{Answer, ErrorKind};
use engines::answer::Subject;
use engines::{Ability, Need};

pub(super) fn solve_program(arguments: &SolveProgramArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let name = files::short_name(&arguments.program);
    let subject = Subject::Program {
        name: name.clone(),
        prefix: arguments.formula.prefix(),
    };
    let need = Need::new("a program", Ability::Formulas);
    let engine = arguments.engine.able(vec![need])?;
    let unread = Answer::unknown(subject, engine.name);
    let run = Run::start(limits, unread, &arguments.output);
    let bytes = match files::read(&arguments.program, &run.limits) {
        Ok(bytes) => bytes,
        Err(failure) => return run.unread(failure),
    };
    let file = arguments.program.display();
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        Failure::new(
            Exit::InvalidInput,
            format!("{file} is not text: byte {position} is not UTF-8; give a clingo program"),
        )
    })?;
    // Some editors begin files with a byte order mark.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let options = options(
        &arguments.engine,
        Some(&arguments.formula),
        &run.limits,
        run.observer(),
    );
    let answer =
        crate::solve_program(&name, text, &options).map_err(|error| match error.kind() {
            ErrorKind::Game => Failure::new(Exit::InvalidInput, format!("{file}: {error}")),
            _ => error.into(),
        })?;
    run.end(&answer)
}
