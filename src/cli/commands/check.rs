//! `sqasp check`: the validity and the kind of a game.

use super::load::{drawn, read_game};
use crate::Checks;
use crate::cli::args::CheckArguments;
use crate::cli::request::{budget, time};
use crate::cli::watchdog::{guarded, left_alone};
use crate::cli::{Exit, Failure, files};
use std::time::Duration;

/// How long proofs are searched for without --time.
const PROOFS: Duration = Duration::from_secs(5);

pub(super) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let budget = budget(&arguments.limits)?;
    let options = arguments.game.options();
    let checks = Checks {
        plays: arguments.plays as usize,
        seed: arguments.seed,
        proofs: time(arguments.limits.time)?.unwrap_or(PROOFS),
        limits: budget.clone(),
    };
    let is_json = arguments.json;
    let (text, is_refused) = guarded(&budget, || {
        let reading = read_game(&arguments.game, &options, &budget)?;
        left_alone(&budget, "the game was looked at", move || {
            // Drawing thousands of remarks takes long too.
            files::tell_drawn(&drawn(&reading));
            let report = crate::check(&reading, &checks);
            let text = if is_json {
                report.json()
            } else {
                report.text()
            };
            (text, report.is_refused())
        })
    })?;
    files::print(|to| writeln!(to, "{}", text.trim_end()))?;
    let stopped = budget.reached().filter(|_| !is_refused);
    if let Some(reason) = stopped {
        files::tell(&format!(
            "sqasp: {reason} before all plays and proofs were done"
        ));
    }
    Ok(if is_refused {
        Exit::InvalidInput
    } else {
        stopped.map_or(Exit::Answered, Exit::for_stop)
    })
}
