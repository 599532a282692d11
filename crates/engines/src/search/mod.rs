//! The route by search: from a question about a game to expected minimax on the circuit of a step.
//!
//! ```text
//! Game --machine--> GroundStep --problem--> emm::Problem --emm--> values, in the game's own terms
//! ```
//!
//! [`Search`] puts the parts together: it grounds one step, says which agent moves for whom and what
//! the end is worth (`problem`), and passes questions on to [`emm::Engine`], with states and moves as
//! the game names them. The engine keeps its tables from one question to the next. As an
//! [`Advisor`](crate::strategy::Advisor) (`advisor`) it gives the move of each role.
//!
//! Invariant: nothing is shared with the logical route but the game, so that values that agree are
//! evidence for both.
//!
//! ```
//! use formula::{Outcome, Value};
//! use limits::Limits;
//! use gdl::game;
//! use sqasp_engines::search;
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
mod problem;
mod table;
mod table_reader;

pub use advisor::{AdviceError, Adviser};
pub use table::{TableFailure, TableSubject};
pub use table_reader::{TableEntry, TableReader};

use crate::opponents::SideError;
use emm::{NoHorizon, QuestionError};
use formula::{Outcome, Value};
use gdl::game::{Game, HiddenInformation, NoSuchRole, Objective, Sides, ValueRange};
use gdl::{Name, Term};
use limits::{Limits, Publisher, StopReason};
use num_traits::One;
use rules::{PlayFinding, ReasonerError, RuleLimits, defect};
use step::{GroundStep, Position, StateMachine, StepError, StepLimits};

/// How to ground and how to search.
#[derive(Clone, Default)]
pub struct SearchOptions {
    /// How much work grounding may be.
    pub step: StepLimits,
    /// How to search.
    pub engine: emm::Options,
}

impl SearchOptions {
    /// A machine with the circuit of one step, for a part of the program that takes games in which nothing is hidden.
    ///
    /// # Errors
    /// When something is hidden, one step of the game is no circuit, or the rules cannot be evaluated.
    pub fn machine(&self, game: &Game, part: &str) -> Result<StateMachine, SearchError> {
        game.check_open(part)?;
        let limits = RuleLimits::within(&self.step.overall);
        let machine = StateMachine::new(game, &self.step, limits)?;
        machine.circuit().map_err(Clone::clone)?;
        Ok(machine)
    }
}

/// Why there is no answer by search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The role is not one of those that choose.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// Roles do not see everything.
    #[error(transparent)]
    Hidden(#[from] HiddenInformation),
    /// The sides of the question are no roles.
    #[error(transparent)]
    Sides(#[from] SideError),
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
    Question(emm::QuestionError),
    /// The game is not valid: a state that play leads to has no value.
    #[error("the game has no value: {0}")]
    Defect(Box<PlayFinding>),
    /// The circuit finds a defect that is none by the rules.
    #[error("the circuit and the rules disagree about a state: this is a bug")]
    Disagreement,
}

impl SearchError {
    /// Whether there is no answer because the question has no number of steps.
    pub fn needs_depth(&self) -> bool {
        matches!(
            self,
            SearchError::Question(QuestionError::NoHorizon(_) | QuestionError::Unlisted(_))
        )
    }

    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            SearchError::Step(StepError::Stopped(reason))
            | SearchError::Rules(ReasonerError::Stopped(reason))
            | SearchError::Question(
                QuestionError::NoHorizon(NoHorizon::Stopped(reason))
                | QuestionError::Stopped(reason),
            ) => Some(*reason),
            _ => None,
        }
    }
}

/// A value, and the conditions it rests on.
#[derive(Clone, Debug)]
pub struct Valued {
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// Whether plays that were not over after the last step may count in it, as worth nothing. If not, it
    /// is the value of the whole game.
    pub cuts_off: bool,
    /// Numbers about the search, by name.
    pub statistics: Vec<(&'static str, u64)>,
}

/// A state as the engine takes it: for each fact of the step whether it holds.
pub type SearchState = Vec<bool>;

/// A game, a role and the role's objective, ready to be searched.
pub struct Search {
    machine: StateMachine,
    ground: GroundStep,
    engine: emm::Engine,
    role: usize,
    /// The engine's values are parts of this range.
    range: ValueRange,
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
        let machine = options.machine(game, "a search through its states")?;
        let range = ValueRange::of(game, role, objective);
        Search::on(machine, role, objective, range, options)
    }

    /// Compiles one step that is grounded already; the values of the role lie in the range.
    ///
    /// # Errors
    /// As for [`Search::new`].
    pub fn on(
        machine: StateMachine,
        role: &Name,
        objective: Objective,
        range: ValueRange,
        options: &SearchOptions,
    ) -> Result<Self, SearchError> {
        let role = Sides::of(machine.roles(), role)?.role;
        let ground = machine.circuit().map_err(Clone::clone)?.clone();
        let problem = problem::problem(&ground, role, objective, &range);
        let engine = emm::Engine::new(problem, options.engine.clone())?;
        // An engine that was made in too little time is none for later questions.
        options.engine.limits.check().map_err(StepError::Stopped)?;
        Ok(Search {
            machine,
            ground,
            engine,
            role,
            range,
        })
    }

    /// The range of the values of all states.
    pub fn range(&self) -> &ValueRange {
        &self.range
    }

    /// One step of the game, with names.
    pub fn ground(&self) -> &GroundStep {
        &self.ground
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        self.engine.states()
    }

    /// Whether any value so far may count plays that were not over after the last step.
    pub fn cuts_off(&self) -> bool {
        self.engine.cuts_off()
    }

    /// Whether that may be so of the value of this state with `steps` steps left, which is known. Little work is spent on it.
    pub fn may_cut_off(&mut self, state: &SearchState, steps: u32, limits: &Limits) -> bool {
        self.engine.may_cut_off(state, steps, true, limits)
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

    /// The number of joint moves in a state, of those with equal effects one; `usize::MAX` if there are more.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn joint_moves(&self, state: &SearchState) -> Result<usize, SearchError> {
        self.engine
            .joint_moves(state)
            .map_err(SearchError::Question)
    }

    /// The state with these facts.
    ///
    /// # Errors
    /// If a fact cannot come true in this game.
    pub fn state(&self, facts: &[Term]) -> Result<SearchState, SearchError> {
        self.ground.state(facts).map_err(SearchError::UnknownFact)
    }

    /// The value of a state with this many steps left; without a number all steps count, and play that never ends
    /// is worth 0.
    ///
    /// # Errors
    /// If play leads to a state without a value, or no number is given and there are too many states to list.
    pub fn solve(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        limits: &Limits,
    ) -> Result<Valued, SearchError> {
        self.solve_publishing(state, steps, limits, &Publisher::default())
    }

    /// The same, and publishes bounds of the value on the way.
    ///
    /// # Errors
    /// As for [`Search::solve`].
    pub fn solve_publishing(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Result<Valued, SearchError> {
        let publisher = publisher.plus(self.range.least()).times(self.range.width());
        let answer = self
            .engine
            .solve_publishing(state, steps, limits, &publisher);
        let answer = answer.map_err(|error| self.named(error, state))?;
        Ok(Valued {
            outcome: self.outcome(answer.outcome),
            cuts_off: answer.cuts_off,
            statistics: answer.statistics,
        })
    }

    /// A shortest play of at most `steps` steps from a state to a state without a value.
    ///
    /// # Errors
    /// If there is such a state: its defect; or a limit that comes first.
    pub fn check(
        &mut self,
        state: &SearchState,
        steps: u32,
        limits: &Limits,
    ) -> Result<(), SearchError> {
        let found = self.engine.check(state, steps, limits);
        found.map_err(|error| self.named(error, state))
    }

    /// After how many steps every play from a state is over, proved. It may be sooner.
    ///
    /// # Errors
    /// If no proof is found, or a limit comes first.
    pub fn horizon(&mut self, state: &SearchState, limits: &Limits) -> Result<u32, SearchError> {
        let found = self.engine.horizon(state, limits);
        found.map_err(|error| self.named(error, state))
    }

    /// After how many steps every play from a state is over, if an earlier question has shown that.
    pub fn known_horizon(&self, state: &SearchState) -> Option<u32> {
        self.engine.known_horizon(state)
    }

    /// The value of each legal move of the role; none where play is over or no steps are left.
    ///
    /// # Errors
    /// See [`Search::solve`].
    pub fn moves(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<(Term, Outcome)>, SearchError> {
        let values = self.engine.moves(state, steps, limits);
        let values = values.map_err(|error| self.named(error, state))?;
        let moves = &self.ground.moves[self.role];
        let named = values
            .into_iter()
            .map(|value| (moves[value.number].clone(), self.outcome(value.outcome)));
        Ok(named.collect())
    }

    /// Whether a legal move of the role is worth 1; nothing if a limit came first. Without time to
    /// search, the values from earlier questions still answer.
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
        let replies = self.engine.replies(state, number, steps, limits);
        let replies = replies.map_err(|error| self.named(error, state))?;
        if replies.iter().any(|reply| !reply.outcome.upper.is_one()) {
            return Ok(Some(false));
        }
        let is_sure = replies.iter().all(|reply| reply.outcome.lower.is_one());
        Ok(is_sure.then_some(true))
    }

    /// The first of some best moves that makes progress, so that play ends, if all steps count: best moves alone may go round for ever.
    ///
    /// # Errors
    /// See [`Search::solve`].
    pub fn first_to_advance(
        &mut self,
        state: &SearchState,
        best: &[Term],
        limits: &Limits,
    ) -> Result<Option<Term>, SearchError> {
        let moves = &self.ground.moves[self.role];
        let number = |action| moves.iter().position(|other| other == action);
        let numbers: Vec<usize> = best.iter().filter_map(number).collect();
        let found = self.engine.first_to_advance(state, &numbers, limits);
        let found = found.map_err(|error| self.named(error, state))?;
        Ok(found.map(|number| self.ground.moves[self.role][number].clone()))
    }

    fn state_of(&self, position: &Position) -> Result<SearchState, SearchError> {
        self.state(&self.machine.facts(position))
    }

    /// An outcome in the words that all engines use.
    fn outcome(&self, found: limits::Bounds) -> Outcome {
        match found.value() {
            Some(value) => Outcome::Solved(Value::Exact(self.range.value(value))),
            None => Outcome::Stopped {
                // The search for a value that is not known was cut short.
                reason: found.stopped.unwrap_or(StopReason::Interrupted),
                lower: self.range.value(&found.lower),
                upper: self.range.value(&found.upper),
                estimate: None,
            },
        }
    }

    /// The terms of some facts that hold.
    fn facts(&self, state: &[bool]) -> Vec<Term> {
        let facts = self.ground.facts.iter().zip(state);
        let held = facts.filter(|(_, holds)| **holds);
        held.map(|(fact, _)| fact.clone()).collect()
    }

    /// An error about a question in the terms of the game. The rules say which defect a state has.
    fn named(&mut self, error: QuestionError, start: &SearchState) -> SearchError {
        let QuestionError::Flaw(flaw) = error else {
            return SearchError::Question(error);
        };
        let names = |joint: &Vec<usize>| {
            let moves = self.ground.moves.iter().zip(joint);
            moves
                .map(|(moves, &number)| moves[number].clone())
                .collect()
        };
        let history: Vec<Vec<Term>> = flaw.moves.iter().map(names).collect();
        let facts = self.facts(start);
        let reasoner = self.machine.reasoner();
        let found = reasoner.state(&facts).and_then(|start| {
            let end = history
                .iter()
                .try_fold(start, |state, joint| reasoner.next(&state, joint))?;
            defect(reasoner, &end, self.role).map(|defect| (defect, reasoner.facts(&end)))
        });
        match found {
            Ok((Some(defect), state)) => SearchError::Defect(Box::new(PlayFinding {
                defect,
                history,
                state,
            })),
            Ok((None, _)) => SearchError::Disagreement,
            Err(error) => SearchError::Rules(error),
        }
    }
}
