//! `sqasp evaluate`: positions valued on request, line by line.

use super::guard::{Guards, room};
use super::load::{is_standard_input, load_game};
use crate::cli::args::EvaluateArguments;
use crate::cli::files::tell;
use crate::cli::request::{threads, time};
use crate::cli::{Exit, Failure};
use crate::{Error, Limits, Question};
use engines::{Play, SearchOptions, for_positions};
use gdl::Name;
use gdl::game::Game;
use rules::RuleLimits;
use servers::evaluator::{Defaults, Evaluator, Stops, serve};
use std::io::{self, BufReader};
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
    options.engine.search.threads = threads(&service.threads);
    let table = service.table.as_deref();
    let (play, objective) = (service.play(&game, arguments.mixed)?, service.objective);
    let (engine, warning) = for_positions(&game, play, objective, defaults.role, options, table)?;
    if let Some(warning) = warning.filter(|_| !service.quiet) {
        tell(&format!("warning: {warning}"));
    }
    let (tables, allowed) = room(defaults.memory);
    defaults.memory = tables;
    let mut guard = Guards::default().guard(defaults.stops.clone(), allowed);
    let objective = objective.to_string();
    let evaluator = Evaluator::new(game.name(), game.roles(), &objective, defaults, engine);
    let mut evaluator = match play {
        // There is no reply to a move that is not known.
        Play::Mixed | Play::Hidden => evaluator,
        Play::Open | Play::Selfish | Play::Followed => {
            let machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default());
            evaluator.following(machine.map_err(Error::from)?)
        }
    };
    let reader = BufReader::new(io::stdin());
    match serve(reader, io::stdout(), &mut evaluator, |speak| {
        guard.check(speak)
    }) {
        // The client may be gone.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Unwritable,
            format!("the conversation broke off: {error}"),
        )),
        _ => Ok(Exit::Answered),
    }
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
