//! `sqasp evaluate`: positions valued on request, line by line.

use super::guard::{Guards, room};
use super::load::{is_standard_input, load_game};
use crate::cli::args::EvaluateArguments;
use crate::cli::files::tell;
use crate::cli::request::{threads, time};
use crate::cli::{Exit, Failure};
use crate::{Error, Limits, Options, Question, Silent};
use engines::{Engine, HiddenEngine, SearchOptions, for_mixed_positions, for_positions};
use evaluator::{Defaults, Evaluator, Stops, serve};
use gdl::Name;
use gdl::game::{Game, Objective};
use rules::RuleLimits;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;
use step::{StateMachine, StepLimits};

pub(super) fn evaluate(arguments: &EvaluateArguments) -> Result<Exit, Failure> {
    let service = &arguments.service;
    if service.game.game.iter().any(|file| is_standard_input(file)) {
        return Err(Failure::new(
            Exit::Usage,
            "the game must be a file: standard input is for requests",
        ));
    }
    let game = load_game(&service.game, service.quiet, &Limits::with_memory(None))?;
    let game = with_team(&game, service.role.as_deref())?;
    let mut defaults = Defaults {
        role: player(&game, service.role.as_deref())?,
        depth: arguments.depth,
        time: time(arguments.time)?,
        memory: Limits::with_memory(service.memory.memory).memory,
        stops: Stops::default(),
    };
    let mut options = SearchOptions::default();
    options.engine.threads = threads(&service.threads);
    let table = service.table.as_deref();
    // A table is of states that everybody knows, which the last one refuses.
    let is_hidden = game.has_percepts() && table.is_none();
    let (engine, warning) = match is_hidden || arguments.mixed {
        true => (
            closed(&game, service.objective, options.engine.threads, table)?,
            None,
        ),
        false => for_positions(&game, service.objective, defaults.role, options, table)?,
    };
    if let Some(warning) = warning.filter(|_| !service.quiet) {
        tell(&format!("warning: {warning}"));
    }
    let (tables, allowed) = room(defaults.memory);
    defaults.memory = tables;
    let mut guard = Guards::default().guard(defaults.stops.clone(), allowed);
    let objective = service.objective.to_string();
    let evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
    let mut evaluator = match is_hidden || arguments.mixed {
        // Nobody replies to a move that nobody knows.
        true => evaluator,
        false => {
            let machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default());
            evaluator.following(machine.map_err(Error::from)?)
        }
    };
    let reader = BufReader::new(io::stdin());
    match serve(reader, io::stdout(), &mut evaluator, |speak| {
        guard.look(speak)
    }) {
        // The client may be gone.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Unwritable,
            format!("the conversation broke off: {error}"),
        )),
        _ => Ok(Exit::Answered),
    }
}

/// The engine where nobody knows the moves of others of the same step.
fn closed(
    game: &Game,
    objective: Objective,
    threads: usize,
    table: Option<&Path>,
) -> Result<Box<dyn Engine>, Failure> {
    let mut options = Options::new(Limits::default(), Arc::new(Silent));
    options.use_threads(Some(threads));
    Ok(match game.has_percepts() && table.is_none() {
        true => Box::new(HiddenEngine::new(game, None, objective, &options)),
        false => for_mixed_positions(game, objective, &options, table)?,
    })
}

/// The game in which the team that is meant is a role.
pub(super) fn with_team(game: &Game, typed: Option<&str>) -> Result<Game, Failure> {
    let team = Name::new(&typed.unwrap_or_default().to_lowercase());
    Ok(game.with_team(&team).map_err(Error::from)?)
}

/// The index of the role that is meant: this one, or the first that is not `random`.
pub(super) fn player(game: &Game, typed: Option<&str>) -> Result<usize, Failure> {
    let role = match typed {
        Some(role) => Name::new(&role.to_lowercase()),
        None => Question::about(game)?.role,
    };
    Ok(game.role(&role).map_err(crate::Error::from)?)
}
