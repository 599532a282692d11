//! `sqasp xssat`: the value of a formula from a file.

use super::run::{Run, check_engine, engine_of, find_program};
use crate::cli::args::{Format, XssatArguments};
use crate::cli::report::Subject;
use crate::cli::request::{Budget, built_in, solver};
use crate::cli::{Exit, Failure, files};
use crate::route::StageTimes;

pub(super) fn xssat(arguments: &XssatArguments) -> Result<Exit, Failure> {
    let budget = Budget::new(&arguments.limits)?;
    let subject = Subject::Formula {
        name: files::short_name(&arguments.formula),
    };
    let mut solver = solver(&arguments.engine)?;
    find_program(&arguments.engine)?;
    let mut engine = engine_of(&arguments.engine);
    if arguments.hash_keys {
        if engine.name != "xssat" {
            let message = "--hash-keys is for xssat; drop it or use --engine xssat";
            return Err(Failure::new(Exit::Usage, message));
        }
        let mut own = built_in(&arguments.engine);
        own.options.layered.hash_keys = true;
        solver = Box::new(own);
        engine.exact_if = Some("no two states have the same hash");
    }
    let run = Run::start(
        budget,
        subject,
        engine,
        &arguments.output,
        Format::Competition,
    );
    run.say("reading");
    let bytes = match files::read(&arguments.formula, &run.budget) {
        Ok(bytes) => bytes,
        Err(failure) => return run.unread(failure),
    };
    let mut times = StageTimes::default();
    let formula = times
        .measure("read", || formula::read(&bytes))
        .map_err(|error| {
            let file = arguments.formula.display();
            Failure::new(
                Exit::InvalidInput,
                format!("{file} is not a formula:\n{error}"),
            )
        })?;
    drop(bytes);
    let sizes = vec![
        ("formula_variables", formula.variables() as u64),
        ("formula_clauses", formula.matrix().len() as u64),
    ];
    check_engine(&arguments.engine, &formula)?;
    if arguments.describe || arguments.program {
        let solver = built_in(&arguments.engine);
        let description = match arguments.describe {
            true => solver.describe(&formula),
            false => {
                let program = solver.program(&formula);
                format!("{program}{}", program.legend(formula.names()))
            }
        };
        run.finish();
        files::print(|to| to.write_all(description.as_bytes()))?;
        return Ok(Exit::Answered);
    }
    run.answer(solver.as_mut(), &formula, sizes, times, arguments.sat_codes)
}
