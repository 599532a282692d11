//! One step of a game as a circuit, and fast play by it.
//!
//! [`ground_step`] turns a [`Game`] into a [`circuit::Step`]: facts and moves are inputs, and legal moves,
//! the end of the game, the goals of each role and the facts of the next state are gates. Three
//! ideas make it work:
//!
//! 1. *Relaxed reachability* (`relaxed`) finds every fact that can ever be true, every move that can
//!    ever be legal, and the ground instances of the rules about them.
//! 2. Each sentence is the disjunction of the bodies that derive it (`build`), which is right as
//!    long as no sentence depends on itself.
//! 3. Sentences that depend on each other positively, as in `(reach ?y) <= (reach ?x) (edge ?x
//!    ?y)`, are computed round by round from nothing, like the least model that the rules mean,
//!    with as many rounds as it can take (`unfold`).
//!
//! ```
//! use gdl::game;
//!
//! let text = b"(role x) (init off) (<= (legal x press) (true off)) (legal x wait)
//!     (<= (next on) (does x press)) (<= (next off) (true off) (does x wait))
//!     (<= terminal (true on)) (<= (goal x 100) (true on)) (<= (goal x 0) (true off))";
//! let game = game::read("switch", text, &gdl::Options::default())?.game;
//! let ground = sqasp_step::ground_step(&game, &sqasp_step::StepLimits::default())?;
//! let texts = |terms: &[gdl::Term]| terms.iter().map(|t| t.to_string()).collect::<Vec<_>>();
//! assert_eq!(texts(&ground.facts), ["off", "on"]);
//! assert_eq!(texts(&ground.moves[0]), ["press", "wait"]);
//! assert_eq!(ground.step.initial, [true, false]);
//! assert_eq!(ground.step.legal[0], [ground.step.facts[0], circuit::Literal::TRUE]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On it stand [`StateMachine`], which uses the circuit where there is one and the [`Reasoner`](rules::Reasoner) where
//! not, and which all other code should use for play; [`StateMachine::playouts`] (many random plays,
//! quickly, some thousand times faster than by the rules); [`parse_joint_moves`] and [`follow`] (moves that people write); and [`replay()`]
//! (does a recorded play agree with the rules?).
//!
//! Invariant: in every state that can be reached, with legal moves, the circuit gives the same answers as
//! the [`Reasoner`](rules::Reasoner). Nothing here knows answer set programs, formulas or solvers; nothing is shared with the logical route
//! but the game.
//!
//! Left out: games whose instances cannot all be listed, because terms grow without end or there
//! are too many. They give a [`StepError`], and the reasoner has to do.

mod batch;
mod build;
mod choice;
mod circuit_playouts;
mod compact;
mod evaluate;
mod factor;
mod fire;
mod instances;
mod layout;
mod moves_text;
mod plan;
mod playouts;
mod relaxed;
mod replay;
mod split;
mod state_machine;
mod table;
#[cfg(test)]
#[allow(dead_code)]
#[path = "../../rules/src/test_games.rs"]
mod test_games;
mod triggers;
mod unfold;

pub use batch::{LANES, StateBatch, for_each_lane};
pub use moves_text::{FollowError, follow, parse_facts, parse_joint_moves};
pub use playouts::{PlayoutSettings, Playouts};
pub use replay::{Difference, Replay, ReplayError, Replayed, Visitor, replay, replay_with};
pub use state_machine::{Position, StateMachine};

use circuit::{Literal, Step};
use gdl::game::Game;
use gdl::{Name, Term};
use limits::{Limits, StopReason};
#[cfg(test)]
use rules::Reasoner;
use rules::ReasonerError;
use rustc_hash::FxHashMap;

/// One step of a game as a circuit, with the game's own names.
#[derive(Clone, Debug)]
pub struct GroundStep {
    /// The circuit. Its agents are the roles, in order.
    pub step: Step,
    /// All roles, in the order of the game.
    pub roles: Vec<Name>,
    /// The name of each fact, sorted by text: a superset of the facts that can come true.
    pub facts: Vec<Term>,
    /// For each role the names of its moves, sorted by text: a superset of those that can be legal.
    pub moves: Vec<Vec<Term>>,
    /// For each role all its goal values, as written and sorted by text. The values in
    /// [`Step::goals`] are those of these that are whole numbers.
    pub goals: Vec<Vec<(Term, Literal)>>,
    /// How many instances of rules the circuit was made from.
    pub instances: usize,
    /// The place of each fact, and of each move of each role.
    fact_places: FxHashMap<Term, usize>,
    move_places: Vec<FxHashMap<Term, usize>>,
}

impl GroundStep {
    /// The number of gates of the circuit.
    pub fn gates(&self) -> usize {
        let nodes = 0..self.step.circuit.node_count();
        nodes
            .filter(|&node| !self.step.circuit.gate(node).is_empty())
            .count()
    }

    /// The place of a fact in [`GroundStep::facts`], if it can ever be true.
    pub fn fact(&self, fact: &Term) -> Option<usize> {
        self.fact_places.get(fact).copied()
    }

    /// The place of a move in the list of its role in [`GroundStep::moves`], if it can ever be
    /// legal.
    pub fn action(&self, role: usize, action: &Term) -> Option<usize> {
        self.move_places.get(role)?.get(action).copied()
    }

    /// The state in which these facts hold, as a value for each of [`GroundStep::facts`].
    ///
    /// # Errors
    /// With the first fact that is not among them.
    pub fn state(&self, facts: &[Term]) -> Result<Vec<bool>, Term> {
        let mut state = vec![false; self.facts.len()];
        for fact in facts {
            state[self.fact(fact).ok_or_else(|| fact.clone())?] = true;
        }
        Ok(state)
    }

    /// A state as a row of bits, of one word or more.
    pub fn row(&self, state: &[bool]) -> Box<[u64]> {
        evaluate::packed(state.iter().copied())
    }

    /// The facts of a state that is a row of bits, sorted by text.
    pub fn held(&self, row: &[u64]) -> Vec<Term> {
        let facts = self.facts.iter().enumerate();
        let held = facts.filter(|(index, _)| row[index / 64] >> (index % 64) & 1 == 1);
        held.map(|(_, fact)| fact.clone()).collect()
    }
}

/// How much work grounding may be.
#[derive(Clone, Debug)]
pub struct StepLimits {
    /// The most ground sentences.
    pub atoms: usize,
    /// The most instances of rules.
    pub instances: usize,
    /// The most gates.
    pub gates: usize,
    /// How many rows may be visited in all.
    pub join_steps: u64,
    /// How deep functions may be nested.
    pub term_depth: u32,
    pub overall: Limits,
}

impl Default for StepLimits {
    /// A million sentences, two million instances, a million gates (under a gigabyte, some
    /// seconds), functions nested up to 1000 deep, no deadline.
    fn default() -> Self {
        StepLimits {
            atoms: 1_000_000,
            instances: 2_000_000,
            gates: 1_000_000,
            join_steps: 50_000_000,
            term_depth: 1000,
            overall: Limits::default(),
        }
    }
}

impl StepLimits {
    /// Limits that allow up to half a minute and about a gigabyte: for callers that asked for a circuit and nothing
    /// else.
    pub fn patient() -> Self {
        StepLimits {
            atoms: 8_000_000,
            instances: 30_000_000,
            gates: 2_000_000,
            join_steps: 500_000_000,
            ..StepLimits::default()
        }
    }

    /// Limits that allow well under a second: for a few plays only, for which the rules do as well.
    pub fn modest() -> Self {
        StepLimits {
            atoms: 200_000,
            instances: 300_000,
            gates: 500_000,
            join_steps: 5_000_000,
            ..StepLimits::default()
        }
    }

    /// These limits, within those of all work.
    pub fn within(self, limits: &Limits) -> Self {
        let overall = limits.clone();
        StepLimits { overall, ..self }
    }

    /// Checks the limits of all work.
    fn check(&self) -> Result<(), StepError> {
        self.overall.check().map_err(StepError::Stopped)
    }
}

/// Why a game has no circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// No circuit was asked for.
    #[error("no circuit was asked for")]
    NotWanted,
    /// More ground sentences than allowed.
    #[error("one step of the game has more than {0} ground sentences")]
    TooManyAtoms(usize),
    /// More instances of rules than allowed.
    #[error("the rules of the game have more than {0} ground instances")]
    TooManyInstances(usize),
    /// A rule with more conditions than can be ordered.
    #[error("a rule of the game has more than {0} conditions")]
    RuleTooLong(usize),
    #[error("the circuit of one step of the game has more than {0} gates")]
    TooManyGates(usize),
    /// Too much work.
    #[error("grounding one step of the game takes more than {0} steps")]
    TooManySteps(u64),
    #[error("{0} while grounding one step of the game")]
    Stopped(StopReason),
    /// A negated sentence depends on itself.
    #[error("a negated ground sentence depends on itself: the rules are not stratified")]
    NotStratified,
    /// `legal`, `terminal` or `goal` depends on `does`.
    #[error("`{0}` depends on `does`: it must follow from the state alone")]
    DependsOnMoves(&'static str),
    /// A relation that does not change could not be evaluated.
    #[error(transparent)]
    Rules(ReasonerError),
}

impl From<ReasonerError> for StepError {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::TooManySteps { limit } => StepError::TooManySteps(limit),
            ReasonerError::TooManyRows { limit } => StepError::TooManyAtoms(limit as usize),
            ReasonerError::Stopped(reason) => StepError::Stopped(reason),
            ReasonerError::NotStratified => StepError::NotStratified,
            other => StepError::Rules(other),
        }
    }
}

/// Grounds one step of a game.
///
/// # Errors
/// When the limits are exceeded, or the game is not valid in a way that only shows between ground
/// sentences.
pub fn ground_step(game: &Game, limits: &StepLimits) -> Result<GroundStep, StepError> {
    ground_step_from(game, &[], limits)
}

/// Grounds one step of a game that may also start from other states than its own initial one.
pub fn ground_step_from(
    game: &Game,
    starts: &[Vec<Term>],
    limits: &StepLimits,
) -> Result<GroundStep, StepError> {
    let rules = relaxed::ground_rules(game, starts, limits)?;
    build::build(game, &rules, limits)
}
