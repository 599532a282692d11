//! Which engine answers a question about a game.
//!
//! Where the user leaves it open, options decide that only one route knows; then the game does: if
//! one step of it is a circuit and not too many moves can be made together, expected minimax searches it: on the questions of `scripts/compare` it is
//! the faster one nearly everywhere, and where it is not, it loses seconds (`docs/benchmarks.md`).

use super::run::engine_of;
use super::solve::{about_formulas, about_strategies};
use crate::cli::args::{EngineName, SolveArguments};
use crate::cli::report::Engine;
use crate::cli::request::{Asked, Budget, search_options};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::route::StageTimes;
use crate::search::{Search, SearchError};
use limits::StopReason;

/// A search tries all joint moves of a state one after the other, a formula speaks of the moves of each
/// role: with more joint moves than these it is the better way (ten roles with ten moves each: 0.1 s).
const MAX_JOINT_MOVES: usize = 100_000;

/// An engine, with what it needs.
pub(super) enum Choice {
    /// By way of a formula.
    Logic(Engine),
    /// By search.
    Search(Engine, Box<Search>),
    /// A limit came first.
    Stopped(StopReason, SearchError),
}

/// Decides who answers a question about a game.
pub(super) fn choose(
    arguments: &SolveArguments,
    game: &Game,
    asked: &Asked,
    budget: &Budget,
    times: &mut StageTimes,
) -> Result<Choice, Failure> {
    let logic = |why: String| {
        Choice::Logic(Engine {
            name: "xssat",
            why: Some(why),
            exact_if: None,
        })
    };
    let is_open = match arguments.engine.engine {
        EngineName::Auto => true,
        EngineName::Emm => false,
        _ => return Ok(Choice::Logic(engine_of(&arguments.engine))),
    };
    if let (true, Some(option)) = (is_open, about_formulas(arguments)) {
        return Ok(logic(format!("{option} is about formulas")));
    }
    let options = search_options(&arguments.engine, budget);
    let search = times.measure("step", || {
        Search::new(game, &asked.role, asked.objective, &options)
    });
    match search {
        Ok(search) => {
            let joint_moves = search.joint_moves(&search.initial());
            if joint_moves.is_ok_and(|number| number > MAX_JOINT_MOVES)
                && is_open
                && about_strategies(arguments).is_none()
            {
                return Ok(logic(format!(
                    "there are more than {MAX_JOINT_MOVES} joint moves in the initial state"
                )));
            }
            let ground = search.ground();
            let why = is_open.then(|| {
                format!(
                    "one step of the game is a circuit of {} gates over {} facts and {} moves",
                    ground.step.circuit.node_count(),
                    ground.facts.len(),
                    ground.moves.iter().map(Vec::len).sum::<usize>()
                )
            });
            let engine = Engine {
                name: "emm",
                why,
                exact_if: None,
            };
            Ok(Choice::Search(engine, Box::new(search)))
        }
        Err(error) => match error.stopped_by() {
            Some(reason) => Ok(Choice::Stopped(reason, error)),
            None if is_open && about_strategies(arguments).is_none() => Ok(logic(format!(
                "one step of the game is no circuit: {error}"
            ))),
            None => Err(search_failure(&error)),
        },
    }
}

/// What it means for the command that there is no answer by search.
pub(super) fn search_failure(error: &SearchError) -> Failure {
    let exit = match error {
        SearchError::NoPlayer { .. } | SearchError::Question(_) => Exit::Usage,
        SearchError::UnknownFact(_) | SearchError::Rules(_) | SearchError::Defect(_) => {
            Exit::InvalidInput
        }
        SearchError::Step(_) => match error.stopped_by() {
            Some(reason) => Exit::for_stop(reason),
            None => Exit::Limit,
        },
        SearchError::Problem(_) | SearchError::Disagreement => Exit::Internal,
    };
    Failure::new(exit, error)
}
