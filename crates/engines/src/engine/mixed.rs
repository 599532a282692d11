//! Mixed strategies: each state is a matrix game, in which roles choose at the same time ([`crate::mixed`]).
//!
//! The last solution is kept, for the strategy of a question that was just answered.

use super::{Ability, Engine, EngineInput, Entry, Evaluation, Play, Query};
use super::{locate_facts, outcome, value_ranges};
use crate::answer::MoveValue;
use crate::error::{Error, ErrorKind};
use crate::mixed::{
    GivenPlay, MixedError, MixedPlay, MixedQuestion, MixedSolution, respond_on, solve_on,
};
use crate::opponents::Opponents;
use crate::search::{SearchError, SearchOptions};
use crate::strategy::{Extracted, GREEDY_STEPS};
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::Publisher;
use step::StateMachine;
use verify::{AnyStrategy, Heading};

pub(super) const ENTRY: Entry = Entry {
    name: "mixed",
    about: "A matrix game in each state, for play in which no role knows the others' moves of a step",
    abilities: &[
        Ability::Play(Play::Mixed),
        Ability::Play(Play::Followed),
        Ability::Mixtures,
        Ability::Advice,
    ],
    techniques: Vec::new,
    input: EngineInput::Game(|setting| {
        let question = setting.question;
        let (start, options) = (question.start.as_deref(), setting.options.search());
        let objective = question.payoff("the engine mixed")?;
        let mut engine = MixedEngine::starting_from(setting.rules, start, objective, &options)?;
        engine.opponents = question.opponents.clone();
        Ok(Box::new(engine))
    }),
};

/// Values where roles may mix their moves, for any role of one game.
pub struct MixedEngine {
    /// As it was written, which strategies name.
    game: Game,
    objective: Objective,
    digits: u32,
    ranges: Vec<ValueRange>,
    machine: StateMachine,
    /// The play of the opponents, where it is given.
    opponents: Opponents,
    /// The last solution: for a role, a number of steps and the facts of the start.
    last: Option<(SolutionKey, MixedSolution)>,
}

type SolutionKey = (usize, Option<u32>, Vec<Term>);

impl From<MixedError> for Error {
    fn from(error: MixedError) -> Self {
        match error {
            MixedError::Role(error) => error.into(),
            MixedError::Step(error) => SearchError::Step(error).into(),
            MixedError::Rules(error) => error.into(),
            MixedError::BelowZero => Error::from_part(ErrorKind::Depth, error),
            MixedError::UnknownFact(_) => Error::from_part(ErrorKind::Position, error),
            MixedError::Defect { .. } | MixedError::Followed(_) => {
                Error::from_part(ErrorKind::Game, error)
            }
            MixedError::JointMoves | MixedError::TooLarge(_) => {
                Error::from_part(ErrorKind::TooLarge, error)
            }
            MixedError::Stopped(reason) => Error::from_part(ErrorKind::Stopped(reason), error),
        }
    }
}

impl MixedEngine {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When one step of the game is no circuit, or the rules cannot be evaluated.
    pub fn new(game: &Game, objective: Objective, options: &SearchOptions) -> Result<Self, Error> {
        MixedEngine::starting_from(game, None, objective, options)
    }

    /// Like [`MixedEngine::new`], for play that starts from a state with these facts.
    ///
    /// # Errors
    /// As for [`MixedEngine::new`].
    pub fn starting_from(
        game: &Game,
        start: Option<&[Term]>,
        objective: Objective,
        options: &SearchOptions,
    ) -> Result<Self, Error> {
        let started = start.map(|facts| game.starting_from(facts));
        let started = started.as_ref().unwrap_or(game);
        let machine = options.machine(started, "the engine mixed")?;
        Ok(MixedEngine {
            game: game.clone(),
            objective,
            digits: options.engine.digits,
            ranges: value_ranges(started, objective),
            machine,
            opponents: Opponents::Best,
            last: None,
        })
    }

    /// The solution for a query's position, and whether play is over there.
    fn solution(&mut self, query: &Query) -> Result<(&mut MixedSolution, bool), Error> {
        let (facts, terminal) = locate_facts(&mut self.machine, query)?;
        let key = (query.role, query.depth, facts);
        if self.last.as_ref().is_none_or(|(last, _)| *last != key) {
            let question = MixedQuestion {
                role: self.game.roles()[query.role].clone(),
                objective: self.objective,
                depth: query.depth,
                digits: self.digits,
            };
            let limits = query.watched();
            self.last = None;
            let given = match &self.opponents {
                Opponents::Following(followed) => Some(GivenPlay::Strategy(followed.strategy())),
                Opponents::Greedy => Some(GivenPlay::Greedy(GREEDY_STEPS)),
                Opponents::Best | Opponents::Random | Opponents::Selfish => None,
            };
            let (game, machine) = (&self.game, &self.machine);
            let solution = match given {
                None => solve_on(game, machine, &question, &key.2, &limits)?,
                Some(given) => respond_on(game, machine, &question, given, &key.2, &limits)?,
            };
            self.last = Some((key, solution));
        }
        let (_, solution) = self.last.as_mut().expect("it was just found");
        Ok((solution, terminal))
    }
}

impl Engine for MixedEngine {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn evaluate_publishing(&mut self, query: &Query, _: &Publisher) -> Result<Evaluation, Error> {
        let (solution, terminal) = self.solution(query)?;
        let stopped = solution.stopped();
        let play = if query.moves { solution.play() } else { None };
        let moves = play.into_iter().flat_map(|play| play.moves);
        let moves = moves.map(|each| MoveValue {
            action: each.action,
            outcome: outcome(each.bounds, stopped),
        });
        Ok(Evaluation {
            terminal,
            moves: moves.collect(),
            cut_off: solution.cuts_off(),
            unreached: solution.is_unreached(),
            horizon: solution.longest_play(),
            states: solution.states() as u64,
            statistics: vec![("states", solution.states() as u64)],
            ..Evaluation::of(outcome(solution.bounds(), stopped))
        })
    }

    fn clear(&mut self) {
        self.last = None;
    }

    fn mixtures(&mut self, query: &Query) -> Result<Option<MixedPlay>, Error> {
        Ok(self.solution(query)?.0.play())
    }

    fn strategy(
        &mut self,
        query: &Query,
        _: Heading,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        let (solution, _) = self.solution(query)?;
        match solution.strategy(positions, &query.limits) {
            Ok(strategy) => Ok(Extracted::Complete(Box::new(AnyStrategy::Mixed(strategy)))),
            Err(MixedError::TooLarge(positions)) => Ok(Extracted::TooLarge { positions }),
            Err(MixedError::Stopped(reason)) => Ok(Extracted::Stopped(reason)),
            Err(error) => Err(error.into()),
        }
    }
}
