//! `sqasp solve-model`: the exact value of a model in a UMB file.

use crate::cli::args::SolveModelArguments;
use crate::cli::request::limits;
use crate::cli::run::print_report;
use crate::cli::watchdog::guarded;
use crate::cli::{Exit, Failure, files};
use umb::{Decimals, Reach};

pub(super) fn solve_model(arguments: &SolveModelArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let players = match &arguments.role[..] {
        [] => None,
        [one] if one == "nobody" => Some(Vec::new()),
        several => Some(several.to_vec()),
    };
    let objective = Reach {
        players,
        steps: arguments.depth,
        ..Reach::label(&arguments.label)
    };
    let report = guarded(&limits, || -> Result<_, Failure> {
        let bytes = files::read_unpacked(&arguments.model, &limits)?;
        Ok(crate::solve_model(&bytes, &objective, &limits)?)
    })?;
    if let Some(decimals) = &report.decimals {
        let Decimals {
            count,
            branch,
            decimal,
            fraction,
        } = decimals;
        files::tell(&format!(
            "warning: {count} probabilities are decimal numbers that were taken for the simplest fractions next to them, first {decimal} \
             for {fraction} at branch {branch}; the answer is that of the fractions"
        ));
    }
    print_report(&report, arguments.form.is_json())
}
