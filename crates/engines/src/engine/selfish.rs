//! Each role plays for itself: subgame perfect equilibria ([`crate::selfish`]).
//!
//! The last solution is kept: later questions about positions in it are about the same equilibrium.

use super::{Ability, Engine, EngineInput, Entry, Evaluation, Play, Query};
use super::{locate_facts, value_ranges};
use crate::answer::{EquilibriumValues, MoveValue, RoleValue};
use crate::error::{Error, ErrorKind, Remedy};
use crate::search::SearchOptions;
use crate::selfish::{SelfishError, SelfishSolution};
use crate::strategy::Extracted;
use formula::Outcome;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Publisher, StopReason};
use num_rational::BigRational;
use step::StateMachine;
use verify::{AnyStrategy, Heading};

pub(super) const ENTRY: Entry = Entry {
    name: "selfish",
    about: "Backward induction where each role plays for itself, for opponents that are `selfish`",
    abilities: &[Ability::Play(Play::Selfish), Ability::Advice],
    techniques: Vec::new,
    input: EngineInput::Game(|setting| {
        let objective = setting.question.payoff("the engine selfish")?;
        let options = setting.options.search();
        let engine = SelfishEngine::new(setting.game, objective, &options)?;
        Ok(Box::new(engine))
    }),
};

/// Values of all roles of one game, each of which plays for itself.
pub struct SelfishEngine {
    objective: Objective,
    ranges: Vec<ValueRange>,
    machine: StateMachine,
    last: Option<SelfishSolution>,
}

impl From<SelfishError> for Error {
    fn from(error: SelfishError) -> Self {
        match error {
            SelfishError::Game(error) => error.into(),
            SelfishError::Together { .. } => Error::from_part(ErrorKind::Question, error),
            SelfishError::NotFound => {
                Error::from_part(ErrorKind::Depth, error).with_remedy(Remedy::Depth)
            }
        }
    }
}

impl SelfishEngine {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When something is hidden in the game, one step of it is no circuit, or the rules cannot be evaluated.
    pub fn new(game: &Game, objective: Objective, options: &SearchOptions) -> Result<Self, Error> {
        Ok(SelfishEngine {
            objective,
            ranges: value_ranges(game, objective),
            machine: options.machine(game, "the engine selfish")?,
            last: None,
        })
    }

    /// A solution that has the query's position, and its number there.
    fn solution(&mut self, query: &Query) -> Result<(&mut SelfishSolution, usize), Error> {
        let (facts, _) = locate_facts(&mut self.machine, query)?;
        let known = self.last.as_ref();
        let number = known.and_then(|solution| solution.find(&facts, query.depth));
        if number.is_none() {
            self.last = None;
            let limits = query.watched();
            let solution =
                SelfishSolution::new(&self.machine, self.objective, &facts, query.depth, &limits)?;
            self.last = Some(solution);
        }
        let solution = self.last.as_mut().expect("it was just found");
        Ok((solution, number.unwrap_or(0)))
    }
}

/// The value, or the interval of several.
fn outcome((lower, upper): (BigRational, BigRational)) -> Outcome {
    Outcome::between(lower, upper, StopReason::Ties)
}

impl Engine for SelfishEngine {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn evaluate_publishing(&mut self, query: &Query, _: &Publisher) -> Result<Evaluation, Error> {
        let roles = self.machine.roles().to_vec();
        let (solution, position) = self.solution(query)?;
        let players = solution.players().to_vec();
        let asked = players.iter().position(|&role| role == query.role);
        let asked = asked.expect("the role chooses");
        let moves = match query.moves && query.depth != Some(0) {
            true => solution.moves(position, asked),
            false => Vec::new(),
        };
        let moves = moves.into_iter().map(|(action, interval)| MoveValue {
            action,
            outcome: outcome(interval),
        });
        let values = players.iter().enumerate().map(|(player, &role)| RoleValue {
            role: roles[role].clone(),
            outcome: outcome(solution.interval(position, player)),
        });
        Ok(Evaluation {
            terminal: solution.is_over(position),
            moves: moves.collect(),
            cut_off: solution.cuts_off(),
            horizon: solution.longest_play(),
            states: solution.positions() as u64,
            statistics: vec![("states", solution.positions() as u64)],
            equilibrium: Some(EquilibriumValues {
                all: solution.has_all(),
                wide: solution.is_wide(position),
                roles: values.collect(),
            }),
            ..Evaluation::of(outcome(solution.interval(position, asked)))
        })
    }

    fn clear(&mut self) {
        self.last = None;
    }

    fn strategy(
        &mut self,
        query: &Query,
        heading: Heading,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        let (solution, _) = self.solution(query)?;
        Ok(match solution.equilibrium(heading, positions) {
            Some(found) => Extracted::Complete(Box::new(AnyStrategy::Equilibrium(found))),
            None => Extracted::TooLarge { positions },
        })
    }
}
