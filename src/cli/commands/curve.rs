//! `sqasp solve --depth A..B`: the value for every number of steps in a range.

use super::load::load_game;
use super::run::{engine_of, failed, find_program, spinner};
use super::solve::{exit_of, try_playing};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::curve::{Curve, CurvePoint};
use crate::cli::files::{print, tell};
use crate::cli::moves::unknown;
use crate::cli::request::{Asked, Budget, route_options, solver};
use crate::cli::watch::{Watch, Watched};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::route::route_game;
use crate::translate::Question;
use formula::{Limits, Outcome, Solver, StopReason};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

pub(super) fn solve_curve(
    arguments: &SolveArguments,
    first: u32,
    last: u32,
) -> Result<Exit, Failure> {
    refuse_what_has_no_range(arguments)?;
    let budget = Budget::new(&arguments.limits)?;
    let game = load_game(&arguments.game, arguments.output.quiet)?;
    let question = Asked::new(&arguments.question, &game, Some(last))?.within(last);
    let mut solver = solver(&arguments.engine)?;
    find_program(&arguments.engine)?;
    try_playing(&game, last)?;
    let curve = Curve {
        game: game.name().to_owned(),
        question: question.clone(),
        first,
        prefix: Some(arguments.formula.prefix()),
        engine: engine_of(&arguments.engine).name,
        points: Vec::new(),
    };
    let json = arguments.output.json;
    let curve = Arc::new(Mutex::new(curve));
    let watch = Watch::start(Watched {
        interrupt: budget.interrupt.clone(),
        deadline: budget.deadline,
        memory: budget.memory,
        last_words: {
            let curve = Arc::clone(&curve);
            Box::new(move |reason, time| {
                let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
                let point = CurvePoint {
                    depth: curve.points.last().map_or(first, |point| point.depth + 1),
                    outcome: unknown(reason),
                    time,
                };
                curve.push(point);
                // The process ends anyway.
                let _ = show(&curve, json);
                let _ = finish(&curve, json);
            })
        },
    });
    let bar = spinner(arguments.output.quiet);
    for depth in first..=last {
        bar.set_message(format!("{depth} of {last} steps"));
        let start = Instant::now();
        let question = Question {
            depth,
            ..question.clone()
        };
        let mut outcome = solve_one(arguments, &budget, &game, &question, solver.as_mut())?;
        if let Outcome::Stopped { reason, .. } = &mut outcome {
            *reason = watch.reason(*reason);
        }
        let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
        curve.push(CurvePoint {
            depth,
            outcome,
            time: start.elapsed(),
        });
        bar.suspend(|| show(&curve, json))?;
        if curve.stopped_by().is_some() {
            break;
        }
    }
    bar.finish_and_clear();
    drop(watch);
    let curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = &arguments.plot {
        curve.draw(file)?;
    }
    finish(&curve, json)?;
    Ok(curve.exit())
}

/// Options that make sense for one number of steps only.
fn refuse_what_has_no_range(arguments: &SolveArguments) -> Result<(), Failure> {
    let given = [
        (arguments.moves, "--moves"),
        (arguments.save_stages.is_some(), "--save-stages"),
        (
            arguments.output.format == Some(Format::Competition),
            "--format competition",
        ),
    ];
    match given.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::new(
            Exit::Usage,
            format!("{option} is for one number of steps; drop it or the range of --depth"),
        )),
    }
}

/// The value for one number of steps.
fn solve_one(
    arguments: &SolveArguments,
    budget: &Budget,
    game: &Game,
    question: &Question,
    solver: &mut dyn Solver,
) -> Result<Outcome, Failure> {
    let limits: Limits = budget.for_solver();
    if limits.time.is_some_and(|time| time.is_zero()) {
        return Ok(unknown(StopReason::Time));
    }
    match route_game(game, question, &route_options(&arguments.formula, budget)) {
        Ok(route) => {
            let answer = solver.solve(&route.stages.formula, &budget.for_solver());
            Ok(answer.map_err(|error| failed(&error))?.outcome)
        }
        Err(error) => match error.stopped_by() {
            Some(reason) => {
                if !arguments.output.quiet {
                    tell(&format!("sqasp: {error}"));
                }
                Ok(unknown(reason))
            }
            None => Err(Failure::new(exit_of(&error), error)),
        },
    }
}

/// Prints the last point, unless all come together at the end.
fn show(curve: &Curve, json: bool) -> Result<(), Failure> {
    match curve.points.last() {
        Some(point) if !json => print(|to| writeln!(to, "{}", curve.line(point))),
        _ => Ok(()),
    }
}

/// Prints what comes after all points.
fn finish(curve: &Curve, json: bool) -> Result<(), Failure> {
    let text = if json {
        curve.json()
    } else {
        curve.last_line()
    };
    print(|to| writeln!(to, "{text}"))
}
