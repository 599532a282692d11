//! `sqasp solve`: the value of a game.

use super::check::{describe, is_error};
use super::curve::solve_curve;
use super::load::load_game;
use super::run::Run;
use super::translate::save_stages;
use crate::cli::args::{Format, SolveArguments};
use crate::cli::depths::Depths;
use crate::cli::moves::legal_first_moves;
use crate::cli::report::Subject;
use crate::cli::request::{Budget, question, route_options};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::gdl::Term;
use crate::machine::{PlaySettings, Reasoner, simulate};
use crate::route::{FirstMoves, GameRoute, ProgramError, RouteError, route_game};
use crate::translate::Question;
use formula::{Lit, SolverError};
use std::fmt::Display;
use std::time::Duration;

pub(super) fn solve(arguments: &SolveArguments) -> Result<Exit, Failure> {
    if let Depths::Range(first, last) = arguments.question.depth {
        return solve_curve(arguments, first, last);
    }
    if arguments.plot.is_some() {
        let message =
            "--plot draws values over the number of steps; give a range, such as --depth 1..9";
        return Err(Failure::new(Exit::Usage, message));
    }
    let budget = Budget::new(&arguments.limits)?;
    let game = load_game(&arguments.game, arguments.output.quiet)?;
    let question = question(&arguments.question, &game)?;
    let subject = Subject::Game {
        name: game.name().to_owned(),
        question: question.clone(),
        prefix: arguments.formula.quant,
    };
    let mut options = route_options(&arguments.formula, &budget);
    let run = Run::start(
        budget,
        subject,
        &arguments.engine,
        &arguments.output,
        Format::Text,
    )?;
    run.say("playing");
    try_playing(&game, &question)?;
    run.show_grounding(&mut options);
    let route = match route_game(&game, &question, &options) {
        Ok(route) => route,
        Err(error) => {
            return match error.stopped_by() {
                Some(reason) => run.stopped(reason, &error),
                None => Err(Failure::new(exit_of(&error), error)),
            };
        }
    };
    run.warn(&route.stages.warnings);
    run.check_engine(&route.stages.formula)?;
    if let Some(folder) = &arguments.save_stages {
        run.undisturbed(|| save_stages(folder, &game, &route))?;
    }
    let sizes = route.stages.sizes();
    let formula = &route.stages.formula;
    if !arguments.moves {
        return run.answer(formula, sizes, route.stages.times, false);
    }
    let moves = first_moves(&game, &question, &route)?;
    if moves.is_empty() {
        return run.answer_without_moves(formula, sizes, route.stages.times);
    }
    run.answer_moves(formula, moves, sizes, route.stages.times)
}

/// The legal moves of the role in the first step, as text and as literals of the formula; none if
/// no step is played.
fn first_moves(
    game: &Game,
    question: &Question,
    route: &GameRoute,
) -> Result<Vec<(String, Vec<Lit>)>, Failure> {
    if question.depth == 0 {
        return Ok(Vec::new());
    }
    let internal = |error: &dyn Display| {
        let text = format!("the moves of the first step cannot be listed: {error}");
        Failure::new(Exit::Internal, text)
    };
    let legal = legal_first_moves(game, &question.role).map_err(|error| internal(&error))?;
    let known = FirstMoves::of(game, &question.role, &route.stages);
    let known = known.map_err(|error| internal(&error))?;
    let literals = |action: Term| match known.literals(&action) {
        Some(literals) => Ok((action.to_string(), literals)),
        None => Err(internal(&format!("the formula lacks {action}"))),
    };
    legal.into_iter().map(literals).collect()
}

/// Refuses a game that a few random plays find to have no value: a role without a legal move in a
/// state that is not terminal, or without exactly one goal value at the end. Plays show such defects,
/// they do not prove that there are none; a game too hard to play this way passes.
pub(super) fn try_playing(game: &Game, question: &Question) -> Result<(), Failure> {
    let settings = PlaySettings {
        playouts: 10,
        plies: question.depth as usize,
        time: Some(Duration::from_millis(500)),
        ..PlaySettings::default()
    };
    let simulation =
        Reasoner::new(game).and_then(|mut reasoner| simulate(&mut reasoner, &settings));
    let findings = simulation
        .map(|simulation| simulation.findings)
        .unwrap_or_default();
    match findings.iter().find(|finding| is_error(&finding.defect)) {
        None => Ok(()),
        Some(finding) => Err(Failure::new(
            Exit::InvalidInput,
            format!("{} has no value: {}", game.name(), describe(finding)),
        )),
    }
}

/// The exit code for a game that did not become a formula though no limit was reached.
pub(super) fn exit_of(error: &RouteError) -> Exit {
    match error {
        RouteError::UnknownRole { .. } | RouteError::RandomRole(_) => Exit::Usage,
        RouteError::TooLarge { .. } => Exit::Limit,
        RouteError::NoMoves(_) => Exit::InvalidInput,
        RouteError::Program(ProgramError::Outside(SolverError::Missing { .. })) => {
            Exit::ProgramMissing
        }
        // The programs are ours: a valid game never leads to one that is refused.
        RouteError::Domain(_) | RouteError::Assumption(_) | RouteError::Program(_) => {
            Exit::Internal
        }
    }
}
