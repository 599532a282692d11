//! `sqasp solve --depth A..B`: the value for every number of steps in a range.

use super::load::load_game;
use super::solve::{asked, check_engine, solve_options};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::files::print;
use crate::cli::request::limits;
use crate::cli::run::{VALUE_COLUMNS, WorkDisplay, print_csv, value_cells};
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure};
use crate::report::json;
use engines::answer::{Curve, shortened};
use limits::lock;
use std::sync::{Arc, Mutex};

pub(super) fn solve_curve(
    arguments: &SolveArguments,
    first: u32,
    last: u32,
) -> Result<Exit, Failure> {
    let statistics = (arguments.statistics, "--statistics");
    refuse_single(
        arguments,
        &[statistics],
        "number of steps",
        "the range of --depth",
    )?;
    check_engine(arguments)?;
    let limits = limits(&arguments.limits)?;
    let rules = guarded(&limits, || {
        load_game(&arguments.game, arguments.output.quiet, &limits)
    })?;
    let question = asked(arguments, &rules, Some(last), &limits)?;
    let roles = arguments.question.roles(&rules, &question.role);
    let form = Form {
        format: arguments.output.form.format(),
        exact: arguments.output.exact,
        several: arguments.question.asks_for_all_roles(&rules),
    };
    form.begin()?;
    let known: Arc<Mutex<Vec<Curve>>> = Arc::default();
    let found = Arc::clone(&known);
    let watch = Watchdog::start(&limits, move |reason, _| {
        let mut found = lock(&found);
        // One that is complete was printed.
        let open = found.last_mut().filter(|curve| !curve.is_complete());
        if let Some(curve) = open {
            curve.stop(reason);
            // The process ends anyway.
            let _ = form.show(curve);
            let _ = form.finish(curve);
        }
        let _ = form.end(&found);
    });
    let shown = Arc::new(WorkDisplay::new(arguments.output.quiet));
    let options = solve_options(arguments, &limits, shown.clone());
    let mut curves = Vec::new();
    for role in roles {
        let question = question.clone().role(role.as_str());
        let mut unprinted = None;
        let curve = crate::curve(&rules, &question, first..=last, &options, |curve| {
            let printed = if curve.points.is_empty() {
                Ok(())
            } else {
                shown.suspended(|| form.show(curve))
            };
            unprinted = printed.err();
            let mut known = lock(&known);
            known.truncate(curves.len());
            known.push(curve.clone());
            unprinted.is_none()
        })?;
        if let Some(failure) = unprinted {
            shown.finish();
            return Err(failure);
        }
        shown.suspended(|| form.finish(&curve))?;
        curves.push(curve);
    }
    shown.suspended(|| form.end(&curves))?;
    // If a limit comes from now on, everything has been said.
    lock(&known).clear();
    shown.finish();
    drop(watch);
    let stopped = curves.iter().find_map(Curve::stopped_by);
    Ok(stopped.map_or(Exit::Answered, Exit::for_stop))
}

/// Refuses options that make sense for a single value only.
pub(super) fn refuse_single(
    arguments: &SolveArguments,
    others: &[(bool, &str)],
    one: &str,
    several: &str,
) -> Result<(), Failure> {
    let format = arguments.output.form.format();
    let given = [
        (arguments.moves, "--moves"),
        (arguments.strategy.is_some(), "--strategy"),
        (format == Format::Competition, "--format competition"),
        (format == Format::Sat, "--format sat"),
    ];
    match given.iter().chain(others).find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::new(
            Exit::Usage,
            format!("{option} is for one {one}; drop it or {several}"),
        )),
    }
}

/// How curves are printed.
#[derive(Clone, Copy)]
struct Form {
    format: Format,
    /// Whether fractions are printed whole.
    exact: bool,
    /// Whether there is one for each role.
    several: bool,
}

impl Form {
    /// Prints what comes before all curves.
    fn begin(self) -> Result<(), Failure> {
        match self.format {
            Format::Csv => {
                let heads = ["steps", "role"].into_iter().chain(VALUE_COLUMNS);
                print_csv(&[heads.map(str::to_owned).collect()])
            }
            _ => Ok(()),
        }
    }

    /// Prints the last point of a curve, unless all come together at the end.
    fn show(self, curve: &Curve) -> Result<(), Failure> {
        match (curve.points.last(), self.format) {
            (Some(point), Format::Csv) => {
                let cells = [point.depth.to_string(), curve.role().to_string()];
                let cells = cells.into_iter().chain(value_cells(&point.outcome));
                print_csv(&[cells.collect()])
            }
            (Some(point), Format::Text) => {
                let line = curve.line(point);
                let line = if self.exact { line } else { shortened(&line) };
                print(|to| writeln!(to, "{line}"))
            }
            _ => Ok(()),
        }
    }

    /// Prints the line that comes after all points of a curve.
    fn finish(self, curve: &Curve) -> Result<(), Failure> {
        match self.format {
            Format::Text => print(|to| writeln!(to, "{}", curve.last_line())),
            _ => Ok(()),
        }
    }

    /// Prints what comes after all curves.
    fn end(self, curves: &[Curve]) -> Result<(), Failure> {
        let text = match curves {
            _ if self.format != Format::Json => return Ok(()),
            [only] if !self.several => only.json(),
            all => json(&all),
        };
        print(|to| writeln!(to, "{text}"))
    }
}
