//! Engines that value positions of a game: the trait [`Engine`], and the list of all engines, [`ENGINES`].
//!
//! All that need values - `solve`, curves, moves, the evaluator - ask an engine a
//! [`Query`] and get an [`Evaluation`]. A new engine is a file in this folder and a line in [`ENGINES`].
//!
//! - `choose` has all that decides which engine answers;
//! - `emm` searches the game itself, on the circuit of one step;
//! - `formulas` translates the game, and leaves the formula to a solver, ours or an outside program;
//! - `on_disk` builds a table of all positions on disk;
//! - [`HiddenEngine`] takes games in which roles know only what they see;
//! - [`MixedEngine`] lets all roles choose at random, and none know the moves of others;
//! - [`SelfishEngine`] finds equilibria of roles that play for themselves;
//! - [`StepsEngine`] counts steps until play is over;
//! - [`TableEngine`] looks positions up in a table on disk;
//! - [`DefinitionEngine`] follows the rules as they are written: slow, for comparison.

mod best_play;
pub(crate) mod choose;
mod definition;
mod emm;
mod formulas;
mod hidden;
mod locate;
mod mixed;
mod on_disk;
mod options;
mod selfish;
mod steps;
mod tabled;

pub(crate) use best_play::mixed_summary;
pub use choose::{Need, Unable, able, check_aim, for_positions};
pub use definition::DefinitionEngine;
pub use emm::EmmEngine;
pub use formulas::FormulaEngine;
pub(crate) use formulas::solve_with_strategy;
pub use hidden::HiddenEngine;
use locate::locate_facts;
pub use locate::{locate, own_machine, position_after};
pub use mixed::MixedEngine;
pub use options::{Extras, MAX_THREADS, Options, check_threads};
pub use selfish::SelfishEngine;
pub(crate) use ssat::StrategyOutcome;
pub use steps::StepsEngine;
pub use tabled::TableEngine;

use crate::answer::{BestPlay, EquilibriumValues, MoveValue};
use crate::error::{Error, ErrorKind};
use crate::mixed::MixedPlay;
use crate::observer::Observer;
use crate::question::{Play, Question};
use crate::strategy::Extracted;
use ::hidden::KnownStep;
use formula::{BigRational, Outcome, Solver, Value};
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Limits, Publisher, StopReason};
use logic::route::StageTimes;
use rules::RuleLimits;
use std::fmt;
use std::sync::Arc;
use verify::{AnyStrategy, Heading};

/// Something that values positions of one game for one objective, and keeps what it finds.
pub trait Engine {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The value of a position, and of each legal move if the query asks for them. At a limit the evaluation
    /// has proved bounds. Those of the position's value, and of no other, are published on the way.
    ///
    /// # Errors
    /// When the query makes no sense for the game, the engine cannot answer such queries, or a limit comes
    /// before anything is known.
    fn evaluate_publishing(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<Evaluation, Error>;

    /// The same for a caller to whom bounds on the way are of no use.
    ///
    /// # Errors
    /// As for [`Engine::evaluate_publishing`].
    fn evaluate(&mut self, query: &Query) -> Result<Evaluation, Error> {
        self.evaluate_publishing(query, &Publisher::default())
    }

    /// The range of the values of the role with this index.
    fn range(&self, role: usize) -> ValueRange;

    /// Whether small values are good for the role.
    fn prefers_small(&self) -> bool {
        false
    }

    /// Forgets all it has found.
    fn clear(&mut self) {}

    /// The number of entries in its tables.
    fn entries(&self) -> u64 {
        0
    }

    /// The memory of its tables in bytes, if it counts that.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// Sizes of the data that it searches, by name.
    fn sizes(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Whether it refuses a game in which play reaches a state without a value. If not, such states count as
    /// worth nothing, and the caller must run `validity`.
    fn sees_defects(&self) -> bool {
        true
    }

    /// Whether it values positions without a number of steps, when play may go on for ever.
    fn counts_all_steps(&self) -> bool {
        true
    }

    /// After how many steps every play from the query's position is over, proved; asked of engines that need a number
    /// of steps.
    ///
    /// # Errors
    /// If no proof is found, or a limit comes first.
    fn horizon(&mut self, query: &Query) -> Result<u32, Error> {
        let _ = query;
        Err(Error::new(
            ErrorKind::Depth,
            format!(
                "{} cannot tell how long plays are: say how many steps count",
                self.name()
            ),
        ))
    }

    /// A first move with which the role keeps the value 1, which the position has; nothing if a limit comes
    /// first. `legal` has the moves to choose from.
    ///
    /// # Errors
    /// See [`Engine::evaluate`].
    fn winning_move(&mut self, query: &Query, legal: &[Term]) -> Result<Option<Term>, Error> {
        let _ = (query, legal);
        Ok(None)
    }

    /// The strategies of both sides, in at most this many positions.
    ///
    /// # Errors
    /// If the engine gives no advice, or play reaches a state without a value.
    fn strategy(
        &mut self,
        query: &Query,
        heading: Heading,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        let _ = (query, heading, positions);
        Err(no_advice(self.name()))
    }

    /// The probabilities with which both sides make their moves; none if no role needs to choose at random.
    ///
    /// # Errors
    /// See [`Engine::evaluate`].
    fn mixtures(&mut self, query: &Query) -> Result<Option<MixedPlay>, Error> {
        let _ = query;
        Ok(None)
    }

    /// How play goes when both sides do what the engine advises; or the limit that came first.
    ///
    /// # Errors
    /// If the engine gives no advice, or play reaches a state without a value.
    fn best_play(&mut self, query: &Query) -> Result<Result<BestPlay, StopReason>, Error> {
        let _ = query;
        Err(no_advice(self.name()))
    }
}

fn no_advice(name: &str) -> Error {
    Error::new(
        ErrorKind::Question,
        format!("{name} does not say what to do in each position; emm does"),
    )
}

/// An ability that some engines have, and that some questions need.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ability {
    /// It values this play.
    Play(Play),
    /// It lets roles choose at random, and know no moves of others of the same step.
    Mixtures,
    /// It counts steps until play is over.
    Steps,
    /// It works on the formula of the logical route.
    Formulas,
    /// It says what to do in each position.
    Advice,
    /// It gives functions of both players of a formula.
    Functions,
    /// It has this technique.
    Technique(String),
}

impl fmt::Display for Ability {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Ability::Play(Play::Open) => "values play in which opponents know the role's move",
            Ability::Play(Play::Followed) => "follows strategies of opponents",
            Ability::Play(Play::Mixed) | Ability::Mixtures => {
                "values play in which no role knows the others' moves of a step"
            }
            Ability::Play(Play::Selfish) => "lets each role play for itself",
            Ability::Play(Play::Hidden) => "values games in which roles do not see everything",
            Ability::Steps => "counts steps",
            Ability::Formulas => "works on formulas",
            Ability::Advice => "says what to do in each position",
            Ability::Functions => "gives functions of both players",
            Ability::Technique(name) => return write!(to, "has the technique `{name}`"),
        })
    }
}

/// An engine in the list: its name, its description, its abilities, and how it is made.
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// Its description, in a sentence.
    pub about: &'static str,
    /// Its abilities, but for techniques.
    pub abilities: &'static [Ability],
    /// Tells the names of its techniques, each with its purpose.
    pub techniques: fn() -> Vec<(&'static str, &'static str)>,
    /// The data that it works on.
    pub input: EngineInput,
}

/// The data that an engine works on.
pub enum EngineInput {
    /// The game itself: makes the engine.
    Game(fn(&Setting<'_>) -> Result<Box<dyn Engine>, Error>),
    /// Formulas: makes the solver.
    Formula {
        /// The solver with these options.
        solver: fn(&Options) -> Box<dyn Solver>,
        /// The outside program that does the work, if it is one.
        program: Option<&'static str>,
        /// Whether it takes formulas with chance.
        takes_chance: bool,
    },
}

/// The question that an engine is made for.
pub struct Setting<'a> {
    /// The game as it was written.
    pub rules: &'a Game,
    /// The same, from the state that play starts from.
    pub game: &'a Game,
    /// The question; other roles may be asked about later.
    pub question: &'a Question,
    /// How to work.
    pub options: &'a Options,
}

/// All engines.
pub static ENGINES: &[Entry] = &[
    emm::ENTRY,
    on_disk::ENTRY,
    mixed::ENTRY,
    steps::ENTRY,
    hidden::ENTRY,
    selfish::ENTRY,
    formulas::XSSAT,
    formulas::FRONTIER,
    formulas::LEARNING,
    formulas::SHARPSSAT,
    formulas::DEPQBF,
    formulas::CAQE,
];

impl Entry {
    /// The engine with this name.
    pub fn named(name: &str) -> Option<&'static Entry> {
        ENGINES.iter().find(|entry| entry.name == name)
    }

    /// Whether the engine has an ability.
    pub fn can(&self, ability: &Ability) -> bool {
        match ability {
            Ability::Technique(name) => (self.techniques)().iter().any(|(other, _)| other == name),
            ability => self.abilities.contains(ability),
        }
    }

    /// Makes the engine.
    ///
    /// # Errors
    /// If the engine cannot take the game, or its program is missing.
    pub fn make(&'static self, setting: &Setting<'_>) -> Result<Box<dyn Engine>, Error> {
        match self.input {
            EngineInput::Game(make) => make(setting),
            EngineInput::Formula { .. } => Ok(Box::new(FormulaEngine::new(self, setting)?)),
        }
    }

    /// Makes the solver of an engine that works on formulas.
    ///
    /// # Errors
    /// If it works on games, or its program is missing.
    pub fn solver(&self, options: &Options) -> Result<Box<dyn Solver>, Error> {
        let EngineInput::Formula { solver, .. } = self.input else {
            return Err(Error::new(
                ErrorKind::Question,
                format!(
                    "{} searches games; a formula or a program needs an engine for formulas, such as xssat",
                    self.name
                ),
            ));
        };
        self.locate()?;
        Ok(solver(options))
    }

    /// Makes sure that the outside program is there, if the engine is one.
    ///
    /// # Errors
    /// If it is not.
    pub fn locate(&self) -> Result<(), Error> {
        let EngineInput::Formula {
            program: Some(name),
            ..
        } = self.input
        else {
            return Ok(());
        };
        let program = external::PROGRAMS.iter().find(|other| other.name == name);
        let program = program.expect("each outside engine is a program");
        program.locate(None)?;
        Ok(())
    }
}

/// A position in a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// The facts that hold.
    State(Vec<Term>),
    /// The joint moves that lead there from the initial state: for each step one move of each role,
    /// in the order of the roles.
    History(Vec<Vec<Term>>),
    /// The steps from the initial state on as the role of the question knows them, in a game of hidden information.
    Information(Vec<KnownStep>),
}

impl Position {
    /// The error of an engine that needs to know the state.
    pub(crate) fn no_state_error() -> Error {
        let message = "`information` is a position where `evaluate` is asked about a game that hides something: give `state` or `history` here";
        Error::new(ErrorKind::Position, message)
    }
}

/// A question to an engine.
#[derive(Clone)]
pub struct Query {
    /// The position that the question is about.
    pub position: Position,
    /// The role that wants to win, as its index in the list of roles.
    pub role: usize,
    /// How many steps from the position on count; all without a number.
    pub depth: Option<u32>,
    /// Whether each legal move is to be valued.
    pub moves: bool,
    /// The limits of the work.
    pub limits: Limits,
    /// The observer, which hears how the work goes on.
    pub observer: Arc<dyn Observer>,
}

impl Query {
    /// The limits with an observer that passes progress on.
    fn watched(&self) -> Limits {
        let observer = Arc::clone(&self.observer);
        Limits {
            progress: Some(Arc::new(move |progress| observer.progress(progress))),
            ..self.limits.clone()
        }
    }
}

/// The answer of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Whether the play is over.
    pub terminal: bool,
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// The value of each legal move of the role, if that was asked and there is a step to make.
    pub moves: Vec<MoveValue>,
    /// The best of these moves as far as is known, if all steps count and the engine chooses among equal ones: some can keep play
    /// going for ever; this one does not.
    pub best: Option<Term>,
    /// For a number of steps that is infinite: the facts of a state from which on one side can keep play going for ever.
    pub endless: Option<Vec<Term>>,
    /// Whether plays that were not over after the last step may count in it, as worth nothing.
    pub cut_off: bool,
    /// Whether the strategy that is known gets less than the value, though some come as near as wanted. If the value is the
    /// largest there is none gets it.
    pub unreached: bool,
    /// If all steps count: after how many of them every play is over, where that was found.
    pub horizon: Option<u32>,
    /// How many states were searched.
    pub states: u64,
    /// Other numbers about the work, by name.
    pub statistics: Vec<(&'static str, u64)>,
    /// The time of the stages, where there are several.
    pub times: StageTimes,
    /// The values of all roles, where each plays for itself.
    pub equilibrium: Option<EquilibriumValues>,
}

impl Evaluation {
    /// An outcome, and nothing else.
    pub fn of(outcome: Outcome) -> Self {
        Evaluation {
            terminal: false,
            outcome,
            moves: Vec::new(),
            best: None,
            endless: None,
            cut_off: false,
            unreached: false,
            horizon: None,
            states: 0,
            statistics: Vec::new(),
            times: StageTimes::default(),
            equilibrium: None,
        }
    }
}

/// For each role the range of its values.
fn value_ranges(game: &Game, objective: Objective) -> Vec<ValueRange> {
    let roles = game.roles().iter();
    roles
        .map(|role| ValueRange::of(game, role, objective))
        .collect()
}

/// The value, or its bounds and why there is no more.
fn outcome((lower, upper): (BigRational, BigRational), stopped: Option<StopReason>) -> Outcome {
    Outcome::between(lower, upper, stopped.unwrap_or(StopReason::Precision))
}

/// The bytes of a sentence that the rules derive, roughly.
const BYTES_PER_ROW: u64 = 400;

/// The limits of the rules within those of a question, whose time runs from now on.
pub fn rule_limits(limits: &Limits) -> RuleLimits {
    let all = RuleLimits::default();
    let rows = limits
        .memory
        .map_or(u64::MAX, |bytes| bytes / BYTES_PER_ROW);
    RuleLimits {
        derived_rows: all.derived_rows.min(rows),
        overall: limits.clone(),
        ..all
    }
}

/// The value is known.
pub fn solved(value: BigRational) -> Outcome {
    Outcome::Solved(Value::Exact(value))
}

/// The limit that kept something of an answer from being solved, if one did.
pub fn stopped(outcome: &Outcome, moves: &[MoveValue]) -> Option<StopReason> {
    let mut outcomes = std::iter::once(outcome).chain(moves.iter().map(|each| &each.outcome));
    outcomes.find_map(Outcome::stopped_by)
}
