//! `sqasp eval`: the value of a stochastic quantified answer set program.

use super::run::{Run, check_engine, engine_of, failed, find_program};
use crate::cli::args::{EvalArguments, Format};
use crate::cli::report::Subject;
use crate::cli::request::{Budget, route_options, solver};
use crate::cli::{Exit, Failure, files};
use crate::route::{ProgramError, route_program};

pub(super) fn eval(arguments: &EvalArguments) -> Result<Exit, Failure> {
    let budget = Budget::new(&arguments.limits)?;
    let subject = Subject::Program {
        name: files::short_name(&arguments.program),
        prefix: arguments.formula.prefix(),
    };
    let mut solver = solver(&arguments.engine)?;
    find_program(&arguments.engine)?;
    let engine = engine_of(&arguments.engine);
    let run = Run::start(budget, subject, engine, &arguments.output, Format::Text);
    let bytes = match files::read(&arguments.program, &run.budget) {
        Ok(bytes) => bytes,
        Err(failure) => return run.unread(failure),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        let file = arguments.program.display();
        Failure::new(
            Exit::InvalidInput,
            format!("{file} is not text: byte {position} is not UTF-8; give a clingo program"),
        )
    })?;
    let mut options = route_options(&arguments.formula, &run.budget);
    run.show_grounding(&mut options);
    // Some editors begin files with a byte order mark.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let route = match route_program(text, &options) {
        Ok(route) => route,
        Err(error) => {
            let file = arguments.program.display();
            return match (error.stopped_by(), &error) {
                (Some(reason), _) => run.stopped(reason, &error),
                (None, ProgramError::Outside(error)) => Err(failed(error)),
                (None, ProgramError::AtomLost(_)) => Err(Failure::new(Exit::Internal, error)),
                (None, _) => Err(Failure::new(Exit::InvalidInput, format!("{file}: {error}"))),
            };
        }
    };
    run.warn(&route.warnings);
    let sizes = route.sizes();
    check_engine(&arguments.engine, &route.formula)?;
    run.answer(solver.as_mut(), &route.formula, sizes, route.times, false)
}
