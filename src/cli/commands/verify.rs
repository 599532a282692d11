//! `sqasp verify`: whether a strategy is worth what it promises.

use super::formula_strategy;
use super::load::{is_standard_input, load_game};
use crate::cli::args::VerifyArguments;
use crate::cli::request::limits;
use crate::cli::run::{Task, with_spinner};
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, files};
use crate::report::VerificationReport;
use std::time::Instant;
use verify::ReadError;

pub(super) fn verify(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let mut files = arguments.game.game.iter();
    if files.any(|file| is_standard_input(file)) && is_standard_input(&arguments.strategy) {
        return Err(Failure::new(
            Exit::Usage,
            "the rules and the strategy cannot both come from standard input; name a file for one",
        ));
    }
    let read = || files::read_unpacked(&arguments.strategy, &limits);
    let bytes = guarded(&limits, read)?;
    let begin = Instant::now();
    let strategy = match guarded(&limits, || verify::read_any(&bytes)) {
        Err(ReadError::Format { found }) if found == ssat::trace::FORMAT => {
            return formula_strategy::verify(arguments, &bytes, &limits);
        }
        other => other.map_err(|error| {
            let text = format!("{}: {error}", arguments.strategy.display());
            Failure::new(Exit::InvalidInput, text)
        })?,
    };
    let read = begin.elapsed().as_secs_f64();
    let game = guarded(&limits, || {
        load_game(&arguments.game, arguments.report.quiet, &limits)
    })?;
    let watched = game
        .with_team(&strategy.heading().role)
        .map_err(crate::Error::from)?;
    let unproved = VerificationReport::unproved(&watched, &strategy);
    let task = Task::start(
        &limits,
        arguments.report.form.is_json(),
        move |reason, elapsed| unproved.clone().cut_short(reason, elapsed),
    );
    let mut report = with_spinner(arguments.report.quiet, "verifying", || {
        crate::verify(&game, &strategy, &limits)
    })?;
    report.stats.seconds.insert("read", read);
    task.end(&report)
}
