//! `sqasp solve`: the value of a game.

use super::check::{describe, is_error};
use super::load::load_game;
use super::run::Run;
use super::translate::save_stages;
use crate::cli::args::{Format, SolveArguments};
use crate::cli::report::Subject;
use crate::cli::request::{Budget, question, route_options};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::machine::{PlaySettings, Reasoner, simulate};
use crate::route::{ProgramError, RouteError, route_game};
use crate::translate::Question;
use formula::SolverError;
use std::time::Duration;

pub(super) fn solve(arguments: &SolveArguments) -> Result<Exit, Failure> {
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
    run.answer(&route.stages.formula, sizes, route.stages.times, false)
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
