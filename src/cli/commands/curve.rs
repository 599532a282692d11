//! `sqasp solve --depth A..B`: the value for every number of steps in a range.

use super::load::load_game;
use super::solve::{check_route, solve_options};
use crate::answer::{Curve, GameSubject, Subject};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::files::print;
use crate::cli::request::{budget, check_options, question};
use crate::cli::run::Shown;
use crate::cli::start::start_facts;
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::game::Objective;
use crate::plot::{Labels, Point, lines};
use crate::{Budget, Observer, Question};
use formula::{BigRational, Outcome, Value};
use num_traits::ToPrimitive;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) fn solve_curve(
    arguments: &SolveArguments,
    first: u32,
    last: u32,
) -> Result<Exit, Failure> {
    refuse_what_has_no_range(arguments)?;
    check_options(&arguments.engine)?;
    check_route(arguments)?;
    if let Some(file) = &arguments.plot {
        files::check_writable(file)?;
    }
    let budget = budget(&arguments.limits)?;
    let rules = guarded(&budget, || {
        load_game(&arguments.game, arguments.output.quiet, &budget)
    })?;
    let question = Question {
        start: start_facts(&rules, &arguments.start, &budget)?,
        ..question(&arguments.question, &rules, Some(last))?
    };
    let json = arguments.output.json;
    let known: Arc<Mutex<Option<Curve>>> = Arc::default();
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let known = Arc::clone(&known);
            Box::new(move |reason, _| {
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(curve) = known.as_mut() {
                    curve.stop(reason);
                    // The process ends anyway.
                    let _ = show(curve, json);
                    let _ = finish(curve, json);
                }
            })
        },
    });
    let shown = Arc::new(Shown::for_output(&arguments.output));
    let observer: Arc<dyn Observer> = Arc::clone(&shown) as Arc<dyn Observer>;
    let options = solve_options(arguments, &budget, observer);
    let mut unprinted = None;
    let curve = crate::curve(&rules, &question, first..=last, &options, |curve| {
        let printed = match curve.points.is_empty() {
            true => Ok(()),
            false => shown.suspended(|| show(curve, json)),
        };
        unprinted = printed.err();
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(curve.clone());
        unprinted.is_none()
    })?;
    if let Some(failure) = unprinted {
        shown.finish();
        return Err(failure);
    }
    shown.suspended(|| finish(&curve, json))?;
    // If a limit comes from now on, everything has been said.
    *known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    if let Some(file) = &arguments.plot {
        let limit = match curve.points.last() {
            Some(last) if last.cut_off && curve.stopped_by().is_none() => {
                let question = Question {
                    depth: None,
                    ..question
                };
                let answer = crate::solve(&rules, &question, &options);
                answer.ok().and_then(|answer| answer.value().cloned())
            }
            _ => None,
        };
        shown.finish();
        draw(&curve, limit.as_ref(), file, &budget)?;
    }
    shown.finish();
    drop(watch);
    Ok(curve.stopped_by().map_or(Exit::Answered, Exit::for_stop))
}

/// Options that make sense for one number of steps only.
fn refuse_what_has_no_range(arguments: &SolveArguments) -> Result<(), Failure> {
    let given = [
        (arguments.moves, "--moves"),
        (arguments.save_stages.is_some(), "--save-stages"),
        (arguments.strategy.is_some(), "--strategy"),
        (arguments.certify, "--certify"),
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

/// Draws a curve as SVG, and a line for the value without a step limit if that is known.
fn draw(
    curve: &Curve,
    limit: Option<&BigRational>,
    to: &Path,
    budget: &Budget,
) -> Result<(), Failure> {
    let Subject::Game(GameSubject {
        name,
        role,
        objective,
        ..
    }) = &curve.subject
    else {
        unreachable!("curves are about games")
    };
    let labels = Labels {
        title: format!("{name}: {role}"),
        x: "steps".to_owned(),
        y: match objective {
            Objective::Win => "probability of winning".to_owned(),
            Objective::GoalAtLeast(points) => format!("probability of {points} points or more"),
            Objective::Score => "mean part of 100 points".to_owned(),
            Objective::Points => "expected points".to_owned(),
        },
    };
    let float = |value: &BigRational| value.to_f64().expect("values are finite");
    let points = curve.points.iter().map(|point| {
        let (low, high) = match &point.outcome {
            Outcome::Solved(Value::Float(value)) => (*value, *value),
            other => {
                let (low, high) = other.bounds();
                (float(&low), float(&high))
            }
        };
        Point {
            x: f64::from(point.depth),
            low,
            high,
        }
    });
    let level = limit.map(|limit| {
        let at = |depth: u32| Point {
            x: f64::from(depth),
            low: float(limit),
            high: float(limit),
        };
        let name = format!("{role}, without a step limit");
        (name, vec![at(curve.first), at(curve.last)])
    });
    let series = [(role.to_string(), points.collect())];
    let series: Vec<(String, Vec<Point>)> = series.into_iter().chain(level).collect();
    let picture = lines(&labels, &series).map_err(|error| Failure::new(Exit::Internal, error))?;
    files::write(Some(to), budget, |file| file.write_all(picture.as_bytes()))
}
