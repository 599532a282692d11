//! `sqasp solve --depth A..B`: the value for every number of steps in a range.

use super::choose::{Choice, choose, search_failure};
use super::load::load_game;
use super::run::{check_engine, engine_of, failed, find_program, spinner};
use super::solve::{check_route, exit_of, started};
use super::validity::{Checked, check_by_steps, try_playing};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::curve::{Curve, CurvePoint};
use crate::cli::files::{print, tell};
use crate::cli::report::Engine;
use crate::cli::request::{Asked, Budget, check_options, route_options, solver};
use crate::cli::watch::{Watch, Watched, guarded};
use crate::cli::{Exit, Failure, files};
use crate::game::Game;
use crate::route::{StageTimes, check_role, route_game};
use crate::search::Search;
use crate::translate::Question;
use formula::{Outcome, Solver};
use limits::StopReason;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) fn solve_curve(
    arguments: &SolveArguments,
    first: u32,
    last: u32,
) -> Result<Exit, Failure> {
    refuse_what_has_no_range(arguments)?;
    check_options(&arguments.engine)?;
    find_program(&arguments.engine)?;
    check_route(arguments)?;
    if let Some(file) = &arguments.plot {
        files::check_writable(file)?;
    }
    let budget = Budget::new(&arguments.limits)?;
    let rules = guarded(&budget, || {
        load_game(&arguments.game, arguments.output.quiet, &budget)
    })?;
    let game = started(&rules, &arguments.start, &budget)?;
    let asked = Asked::new(&arguments.question, &game, Some(last))?;
    check_role(&game, &asked.role).map_err(|error| Failure::new(exit_of(&error), error))?;
    try_playing(&game, last, &budget)?;
    let question = asked.within(last);
    let curve = Curve {
        game: game.name().to_owned(),
        question: question.clone(),
        first,
        prefix: None,
        engine: engine_of(&arguments.engine).name,
        points: Vec::new(),
    };
    let json = arguments.output.json;
    let curve = Arc::new(Mutex::new(curve));
    let watch = Watch::start(Watched {
        budget: budget.clone(),
        last_words: {
            let (curve, asked) = (Arc::clone(&curve), asked.clone());
            Box::new(move |reason, time| {
                let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
                let point = CurvePoint {
                    depth: curve.points.last().map_or(first, |point| point.depth + 1),
                    outcome: asked.unknown(reason),
                    cut_off: false,
                    time,
                };
                curve.push(point);
                // The process ends anyway.
                let _ = show(&curve, json);
                let _ = finish(&curve, json);
            })
        },
    });
    let choice = choose(
        arguments,
        &game,
        &asked,
        &budget,
        &mut StageTimes::default(),
    )?;
    let (mut values, engine, prefix): (Box<dyn Values>, _, _) = match choice {
        Choice::Search(engine, search) => (Box::new(BySearch(search)), engine, None),
        Choice::Stopped(reason, error) => {
            if !arguments.output.quiet {
                tell(&format!("sqasp: {error}"));
            }
            let engine = Engine {
                name: "emm",
                why: None,
                exact_if: None,
            };
            (Box::new(Never(asked.unknown(reason))), engine, None)
        }
        Choice::Logic(engine) => {
            let by_logic = ByLogic {
                arguments,
                game: &game,
                asked: &asked,
                checked: check_by_steps(
                    &arguments.engine,
                    &game,
                    &asked,
                    last,
                    &budget,
                    false,
                    true,
                )?,
                solver: solver(&arguments.engine)?,
            };
            (Box::new(by_logic), engine, Some(arguments.formula.prefix()))
        }
    };
    {
        let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
        (curve.engine, curve.prefix) = (engine.name, prefix);
    }
    let bar = spinner(arguments.output.quiet);
    for depth in first..=last {
        bar.set_message(format!("{depth} of {last} steps"));
        let start = Instant::now();
        let question = Question {
            depth,
            ..question.clone()
        };
        let (outcome, cut_off) = match budget.for_solver().time {
            Some(Duration::ZERO) => (asked.unknown(StopReason::Time), false),
            _ => values.value(&question, &budget)?,
        };
        let mut curve = curve.lock().unwrap_or_else(PoisonError::into_inner);
        curve.push(CurvePoint {
            depth,
            outcome,
            cut_off,
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
    finish(&curve, json)?;
    if let Some(file) = &arguments.plot {
        curve.draw(file, &budget)?;
    }
    Ok(curve.exit())
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

/// A way to the value for one number of steps, and whether plays that are not over by then may count in
/// it.
trait Values {
    fn value(&mut self, question: &Question, budget: &Budget) -> Result<(Outcome, bool), Failure>;
}

/// Not at all, since a limit came first.
struct Never(Outcome);

impl Values for Never {
    fn value(&mut self, _: &Question, _: &Budget) -> Result<(Outcome, bool), Failure> {
        Ok((self.0.clone(), false))
    }
}

/// By search, which keeps its tables from one number of steps to the next.
struct BySearch(Box<Search>);

impl Values for BySearch {
    fn value(&mut self, question: &Question, budget: &Budget) -> Result<(Outcome, bool), Failure> {
        let start = self.0.initial();
        let found = self
            .0
            .solve(&start, Some(question.depth), &budget.for_solver());
        let found = found.map_err(|error| search_failure(&error))?;
        Ok((found.outcome, found.cuts_off))
    }
}

/// By way of formulas, one for each number of steps.
struct ByLogic<'a> {
    arguments: &'a SolveArguments,
    game: &'a Game,
    asked: &'a Asked,
    checked: Checked,
    solver: Box<dyn Solver>,
}

impl Values for ByLogic<'_> {
    fn value(&mut self, question: &Question, budget: &Budget) -> Result<(Outcome, bool), Failure> {
        let options = route_options(&self.arguments.formula, budget);
        let cut_off = self.checked.cuts_off(question.depth);
        match route_game(self.game, question, &options) {
            Ok(route) => {
                let formula = &route.stages.formula;
                check_engine(&self.arguments.engine, formula)?;
                let answer = self.solver.solve(formula, &budget.for_solver());
                let answer = answer.map_err(|error| failed(&error))?;
                Ok((answer.outcome.times(&self.asked.largest), cut_off))
            }
            Err(error) => match error.stopped_by() {
                Some(reason) => {
                    if !self.arguments.output.quiet {
                        tell(&format!("sqasp: {error}"));
                    }
                    Ok((self.asked.unknown(reason), cut_off))
                }
                None => Err(Failure::new(exit_of(&error), error)),
            },
        }
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
