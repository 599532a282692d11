//! `sqasp check`: the validity and the kind of a game.

use super::load::{drawn, read_game};
use crate::cli::args::CheckArguments;
use crate::cli::request::{limits, time};
use crate::cli::run::print_report;
use crate::cli::watchdog::{guarded, left_alone};
use crate::cli::{Exit, Failure, files};
use crate::{Checks, Report as _, ReportEnd};
use std::time::Duration;

/// How long proofs are searched for without --time.
const PROOFS: Duration = Duration::from_secs(5);

pub(super) fn check(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let options = arguments.game.options();
    let checks = Checks {
        plays: arguments.plays as usize,
        seed: arguments.seed.number,
        moves: arguments.moves,
        proofs: time(arguments.limits.time)?.unwrap_or(PROOFS),
        limits: limits.clone(),
    };
    let is_json = arguments.form.is_json();
    let (exit, is_stopped) = guarded(&limits, || {
        let reading = read_game(&arguments.game, &options, &limits)?;
        left_alone(&limits, "the game was checked", move || {
            // Drawing thousands of remarks takes long too.
            files::tell_drawn(&drawn(&reading));
            let report = crate::check::check_reading(&reading, &checks);
            (
                print_report(&report, is_json),
                matches!(report.ending(), ReportEnd::Stopped(_)),
            )
        })
    })?;
    if let (true, Some(reason)) = (is_stopped, limits.reached()) {
        files::tell(&format!(
            "sqasp: {reason} before all plays and proofs were done"
        ));
    }
    exit
}
