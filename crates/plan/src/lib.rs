//! Plans: the moves by which a player that is alone in a game gets its points.
//!
//! Methods of two kinds work at the same time and share their results ([`PlanBounds`]):
//!
//! - *Logic* (`answer_sets`): the rules over time as a logic program, whose answer sets of length n are the plans
//!   of n moves. The horizon n grows within one instance of clingo, so the first plan is a shortest one.
//! - *Search* (`search`, [`paths`]): breadth first and depth first over the states, on the circuit of one step.
//!   It takes over where grounding or searching for answer sets takes too much. Where moves can be
//!   made in any order, a third search makes many of them in one step.
//!
//! Every plan is replayed by the rules as written (`replay`) before it is reported.
//!
//! ```
//! use gdl::game;
//!
//! let rules = b"(role robot) (init (at 1)) (way 1 2) (way 2 3) (way 2 4) (way 3 5)
//!     (<= (legal robot (go ?y)) (true (at ?x)) (way ?x ?y)) (<= (next (at ?y)) (does robot (go ?y)))
//!     (<= terminal (true (at 4))) (<= terminal (true (at 5)))
//!     (<= (goal robot 50) (true (at 4))) (<= (goal robot 100) (true (at 5)))";
//! let game = game::read("ways", rules, &gdl::Options::default())?.game;
//! let question = sqasp_plan::Question {
//!     role: gdl::Name::new("robot"),
//!     goal: sqasp_plan::Goal::Best,
//!     depth: None,
//! };
//! let board = sqasp_plan::Blackboard::new(&game, &question);
//! sqasp_plan::plan(&game, &question, &board, &sqasp_plan::Options::default())?;
//! let known = board.known();
//! let (best, _) = known.best().expect("there is a plan");
//! let moves: Vec<String> = best.moves.iter().map(|m| m.to_string()).collect();
//! assert_eq!(moves, ["(go 2)", "(go 3)", "(go 5)"]);
//! assert!(best.points == 100.into() && known.is_answered());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The method is that of M. Thielscher, *Answer Set Programming for Single-Player Games in General
//! Game Playing*, 2009.

mod all;
mod answer_sets;
mod blackboard;
mod growing;
mod known;
pub mod paths;
mod replay;
mod search;
mod together;
mod turns;

pub use all::all_plans;
pub use blackboard::{Blackboard, PlanProgress};
pub use known::PlanBounds;
pub use replay::{Refuted, replay};
pub use together::Ending;

use gdl::game::{Game, NoSuchRole, Points};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use logic::ground::{GroundError, Prediction};
use logic::translate::UnreadableTerm;
use paths::ProblemError;
use step::StepError;

/// A question about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The role that plans; it must be alone, see [`check_alone`].
    pub role: Name,
    /// The goal of the plan.
    pub goal: Goal,
    /// How many moves a plan may have; none for any number.
    pub depth: Option<u32>,
}

/// The goal of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// As many points as possible.
    Best,
    /// At least this number of points.
    AtLeast(Points),
}

/// Moves after which play is over.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Plan {
    /// The moves, in order.
    pub moves: Vec<Term>,
    /// The points that the final state gives.
    pub points: Points,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundBy {
    /// By answer sets.
    Logic,
    /// By search, breadth first.
    BreadthFirst,
    /// By search, depth first.
    DepthFirst,
    /// By clauses in which many moves are made side by side.
    SideBySide,
}

/// The limits and methods of planning.
#[derive(Clone, Default)]
pub struct Options {
    /// Time, memory, and the request to stop.
    pub limits: Limits,
    /// The number of threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// Whether to go on until a plan is proved to be a shortest one, however long that takes.
    pub insist: bool,
    /// The methods that search for plans.
    pub engine: Engine,
}

/// The methods that work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// All of them.
    #[default]
    All,
    /// Answer sets alone.
    Logic,
    /// Searches over the states alone.
    Search,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// Chance has a part.
    #[error(
        "chance has a part in this game, so no sequence of moves is sure; \
         solve the game for the probability of winning"
    )]
    Chance,
    /// Others have a part.
    #[error(
        "this game has {0} players, so what the others do counts too; \
         solve the game for what one can guarantee, or let the team `{1}` plan for all of them"
    )]
    SeveralPlayers(usize, String),
    /// The role is not there.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// The grounding would not fit.
    #[error(
        "grounding {depth} steps would give about {} rules and {} atoms and take about {} MB",
        predicted.rules, predicted.atoms, predicted.bytes().div_ceil(1_000_000)
    )]
    TooLarge { depth: u32, predicted: Prediction },
    /// One step of the game is no circuit.
    #[error("no search: {0}")]
    Step(#[from] StepError),
    /// The circuit cannot be searched: a mistake of ours.
    #[error(transparent)]
    Paths(#[from] ProblemError),
    /// clingo failed.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// A name came back that was never handed in.
    #[error(transparent)]
    Term(#[from] UnreadableTerm),
    /// A plan that the rules do not confirm: a mistake of ours.
    #[error("a plan that was found does not hold: {0}")]
    Refuted(#[from] Refuted),
}

impl PlanError {
    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            PlanError::TooLarge { .. } => Some(StopReason::Memory),
            PlanError::Ground(GroundError::Stopped { reason, .. }) => Some(*reason),
            PlanError::Step(StepError::Stopped(reason)) => Some(*reason),
            _ => None,
        }
    }

    /// Whether nothing that was found can be trusted any more.
    fn is_mistake(&self) -> bool {
        match self {
            PlanError::Ground(error) => !matches!(error, GroundError::Stopped { .. }),
            PlanError::Term(_) | PlanError::Refuted(_) | PlanError::Paths(_) => true,
            _ => false,
        }
    }
}

/// Refuses a game in which others or chance have a part.
///
/// # Errors
/// With the command to use instead.
pub fn check_alone(game: &Game) -> Result<&Name, PlanError> {
    if game.random_role().is_some() {
        return Err(PlanError::Chance);
    }
    match game.roles() {
        [role] => Ok(role),
        roles => {
            let names: Vec<&str> = roles.iter().map(Name::as_str).collect();
            Err(PlanError::SeveralPlayers(roles.len(), names.join("+")))
        }
    }
}

/// Looks for a plan until the question is answered, or a limit is reached; the results stand on
/// the board. It does not wait long for methods that do not stop at once, as clingo may not while it
/// grounds: their threads end later, and change nothing that matters.
pub fn plan(
    game: &Game,
    question: &Question,
    board: &Blackboard,
    options: &Options,
) -> Result<Ending, PlanError> {
    let player = check_alone(game)?;
    if *player != question.role {
        return Err(NoSuchRole::among(game.roles(), &question.role).into());
    }
    together::plan(game, question, board, options)
}
