//! `sqasp check`: is this a valid game, and what kind of game is it?

use super::load::{drawn, read_game};
use crate::cli::args::CheckArguments;
use crate::cli::{Exit, Failure, files};
use crate::{Budget, Checks};
use std::time::Duration;

pub(super) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let options = arguments.game.options();
    let reading = read_game(&arguments.game, &options, &Budget::with_memory(None))?;
    files::tell_drawn(&drawn(&reading));
    let checks = Checks {
        plays: arguments.plays as usize,
        seed: arguments.seed,
        proofs: Duration::from_secs(arguments.proofs.into()),
    };
    let report = crate::check(&reading, &checks);
    let text = match arguments.json {
        true => report.json(),
        false => report.text(),
    };
    files::print(|to| writeln!(to, "{}", text.trim_end()))?;
    Ok(match report.is_refused() {
        true => Exit::InvalidInput,
        false => Exit::Answered,
    })
}
