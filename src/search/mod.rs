//! The route by search: from a question about a game to expected minimax on the circuit of a step.
//!
//! ```text
//! Game --machine--> GroundStep --problem--> emm::Problem --emm--> values, in the game's own terms
//! ```
//!
//! [`Search`] puts the parts together: it grounds one step, says which agent moves for whom and what
//! the end is worth (`problem`), and passes questions on to [`emm::Engine`], with states and moves as
//! the game names them. The engine keeps its tables from one question to the next. As an
//! [`Advisor`](crate::strategy::Advisor) (`advisor`) or a [`Policy`](crate::strategy::Policy)
//! (`policy`) it tells everybody what to do.
//!
//! Invariant: nothing is shared with the logical route but the game, so that values that agree are
//! evidence for both.
//!
//! ```
//! use sqasp::formula::{Limits, Outcome, Value};
//! use sqasp::{game, gdl, search};
//!
//! let rules = b"(role guest) (role random) (door a) (door b)
//!     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
//!     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
//!     (<= (next over) (role ?role)) (<= terminal (true over))
//!     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
//! let game = game::read("doors", rules, &gdl::Options::default())?.game;
//! let guest = gdl::Name::new("guest");
//! let options = search::SearchOptions::default();
//! let mut search = search::Search::new(&game, &guest, game::Objective::Win, &options)?;
//! let start = search.initial();
//! let answer = search.solve(&start, Some(1), &Limits::default())?;
//! assert_eq!(answer.outcome, Outcome::Solved(Value::Exact("1/2".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advisor;
mod policy;
mod problem;

pub use advisor::{AdviceError, Adviser};
pub use policy::Consulted;

use crate::game::{Game, Objective};
use crate::gdl::{Name, Term};
use crate::machine::{
    GroundStep, Limits as RuleLimits, Position, ReasonerError, StateMachine, StepError, StepLimits,
};
use emm::{NoHorizon, QuestionError};
use formula::{Answer, Limits, Outcome, StopReason, Value};
use num_traits::One;

/// How to ground and how to search.
#[derive(Clone, Default)]
pub struct SearchOptions {
    /// How much work grounding may be.
    pub step: StepLimits,
    /// How to search.
    pub engine: emm::Options,
}

/// Why there is no answer by search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The role is not one of those that choose.
    #[error("`{role}` is none of the players of this game; they are {players}")]
    NoPlayer {
        /// The role asked for.
        role: Name,
        /// The players there are.
        players: String,
    },
    /// One step of the game is no circuit.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// A state holds a fact that no play from the initial state leads to.
    #[error("the fact {0} cannot come true in this game")]
    UnknownFact(Term),
    /// The engine cannot take the game.
    #[error(transparent)]
    Problem(#[from] emm::ProblemError),
    /// The engine cannot take the question.
    #[error(transparent)]
    Question(#[from] emm::QuestionError),
}

impl SearchError {
    /// Whether there is no answer because nobody said how many steps count.
    pub fn needs_depth(&self) -> bool {
        matches!(self, SearchError::Question(QuestionError::NoHorizon(_)))
    }

    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            SearchError::Step(
                StepError::OutOfTime | StepError::Rules(ReasonerError::OutOfTime),
            )
            | SearchError::Rules(ReasonerError::OutOfTime) => Some(StopReason::Time),
            SearchError::Step(
                StepError::Interrupted | StepError::Rules(ReasonerError::Interrupted),
            )
            | SearchError::Rules(ReasonerError::Interrupted) => Some(StopReason::Interrupted),
            SearchError::Question(
                QuestionError::NoHorizon(NoHorizon::Stopped(reason))
                | QuestionError::Stopped(reason),
            ) => Some(*reason),
            _ => None,
        }
    }
}

/// The role that moves by chance.
const RANDOM: &str = "random";

/// A state as the engine takes it: for each fact of the step whether it holds.
pub type SearchState = Vec<bool>;

/// A game, a role and what the role is after, ready to be searched.
pub struct Search {
    machine: StateMachine,
    ground: GroundStep,
    engine: emm::Engine,
    role: usize,
}

impl Search {
    /// Grounds one step of the game and compiles it.
    ///
    /// # Errors
    /// When the role does not choose, or one step is too large or not that of a valid game.
    pub fn new(
        game: &Game,
        role: &Name,
        objective: Objective,
        options: &SearchOptions,
    ) -> Result<Self, SearchError> {
        let limits = RuleLimits {
            deadline: options.step.deadline,
            ..RuleLimits::default()
        };
        let machine = StateMachine::new(game, &options.step, limits)?;
        Search::on(machine, role, objective, options)
    }

    /// Compiles one step that is grounded already.
    ///
    /// # Errors
    /// As for [`Search::new`].
    pub fn on(
        machine: StateMachine,
        role: &Name,
        objective: Objective,
        options: &SearchOptions,
    ) -> Result<Self, SearchError> {
        let place = machine.roles().iter().position(|other| other == role);
        let Some(role) = place.filter(|_| role.as_str() != RANDOM) else {
            let players = machine.roles().iter().map(Name::as_str);
            let players: Vec<&str> = players.filter(|role| *role != RANDOM).collect();
            return Err(SearchError::NoPlayer {
                role: role.clone(),
                players: players.join(", "),
            });
        };
        let ground = machine.circuit().map_err(Clone::clone)?.clone();
        let problem = problem::problem(&ground, role, objective);
        let engine = emm::Engine::new(problem, options.engine.clone())?;
        Ok(Search {
            machine,
            ground,
            engine,
            role,
        })
    }

    /// One step of the game, with names.
    pub fn ground(&self) -> &GroundStep {
        &self.ground
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        self.engine.states()
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.engine.bytes()
    }

    /// Forgets all values.
    pub fn forget(&mut self) {
        self.engine.forget();
    }

    /// The initial state.
    pub fn initial(&self) -> SearchState {
        self.ground.step.initial.clone()
    }

    /// The number of joint moves in a state, of those with equal effects one; only as large as fits.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn joint_moves(&self, state: &SearchState) -> Result<usize, SearchError> {
        Ok(self.engine.joint_moves(state)?)
    }

    /// The state with these facts.
    ///
    /// # Errors
    /// If a fact cannot come true in this game.
    pub fn state(&self, facts: &[Term]) -> Result<SearchState, SearchError> {
        self.ground.state(facts).map_err(SearchError::UnknownFact)
    }

    /// The value of a state with this many steps left; without a number, as many as it takes.
    ///
    /// # Errors
    /// If it is not known that plays end and no number is given.
    pub fn solve(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        limits: &Limits,
    ) -> Result<Answer, SearchError> {
        let answer = self.engine.solve(state, steps, limits)?;
        Ok(Answer {
            outcome: outcome(answer.outcome),
            statistics: answer.statistics,
        })
    }

    /// After how many steps every play from a state is over, proved. It may be sooner.
    ///
    /// # Errors
    /// If no proof is found, or a limit comes first.
    pub fn horizon(&mut self, state: &SearchState, limits: &Limits) -> Result<u32, SearchError> {
        Ok(self.engine.horizon(state, limits)?)
    }

    /// What each legal move of the role is worth; none where play is over or no steps are left.
    ///
    /// # Errors
    /// See [`Search::solve`].
    pub fn moves(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<(Term, Outcome)>, SearchError> {
        let values = self.engine.moves(state, steps, limits)?;
        let moves = &self.ground.moves[self.role];
        let named = values
            .into_iter()
            .map(|value| (moves[value.number].clone(), outcome(value.outcome)));
        Ok(named.collect())
    }

    /// Whether a legal move of the role is worth 1; nothing if a limit came first. Without time to
    /// search, what is known from earlier questions still answers.
    ///
    /// # Errors
    /// See [`Search::solve`]; and if the move is not legal, or play is over.
    pub fn is_sure(
        &mut self,
        state: &SearchState,
        action: &Term,
        steps: Option<u32>,
        limits: &Limits,
    ) -> Result<Option<bool>, SearchError> {
        let moves = &self.ground.moves[self.role];
        // A number that no move has is not legal either.
        let number = moves.iter().position(|other| other == action);
        let number = number.unwrap_or(moves.len());
        let replies = self.engine.replies(state, number, steps, limits)?;
        if replies.iter().any(|reply| !reply.outcome.upper.is_one()) {
            return Ok(Some(false));
        }
        let is_sure = replies.iter().all(|reply| reply.outcome.lower.is_one());
        Ok(is_sure.then_some(true))
    }

    fn state_of(&self, position: &Position) -> Result<SearchState, SearchError> {
        self.state(&self.machine.facts(position))
    }
}

/// An outcome in the words that all engines use.
fn outcome(found: emm::Outcome) -> Outcome {
    match found.value() {
        Some(value) => Outcome::Solved(Value::Exact(value.clone())),
        None => Outcome::Stopped {
            // What is not known was cut short.
            reason: found.stopped.unwrap_or(StopReason::Interrupted),
            lower: found.lower,
            upper: found.upper,
        },
    }
}
