//! `sqasp umb`: the exact value of a model in a UMB file.

use crate::cli::args::UmbArguments;
use crate::cli::request::budget;
use crate::cli::watch::guarded;
use crate::cli::{Exit, Failure, files};
use crate::umb::Reach;

pub(super) fn umb(arguments: &UmbArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let players = match &arguments.role[..] {
        [] => None,
        [one] if one == "nobody" => Some(Vec::new()),
        several => Some(several.to_vec()),
    };
    let objective = Reach {
        players,
        steps: arguments.depth,
        ..Reach::label(&arguments.objective)
    };
    let report = guarded(&budget, || -> Result<_, Failure> {
        let bytes = files::read(&arguments.model, &budget)?;
        Ok(crate::solve_model(&bytes[..], &objective, &budget)?)
    })?;
    if report.has_decimals {
        files::tell(
            "warning: the probabilities are decimal numbers, taken for the simplest fractions next to them",
        );
    }
    let text = match arguments.json {
        true => report.json(),
        false => report.text(),
    };
    files::print(|to| writeln!(to, "{text}"))?;
    Ok(match report.outcome.stopped_by() {
        Some(reason) => Exit::for_stop(reason),
        None => Exit::Answered,
    })
}
