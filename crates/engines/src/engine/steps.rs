//! Numbers of steps until play is over ([`crate::steps`]): the states are listed, and valued as a stochastic shortest path game.
//!
//! The last solution is kept, for the strategy of a question that was just answered.

use super::locate_facts;
use super::{Ability, Engine, EngineInput, Entry, Evaluation, Play, Query};
use crate::error::{Error, ErrorKind, Remedy};
use crate::opponents::{FollowedStrategy, Opponents};
use crate::search::SearchOptions;
use crate::steps::{NoNumber, StepQuestion, StepSolution, solve};
use crate::strategy::{ExtractLimits, Extracted, extract};
use gdl::game::{Aim, Game, StepAim, ValueRange};
use limits::Publisher;
use step::StateMachine;
use verify::{AnyStrategy, Heading};

pub(super) const ENTRY: Entry = Entry {
    name: "steps",
    about: "All states as a stochastic shortest path game, for the objectives `fewest-steps` and `most-steps`: exact. For games",
    abilities: &[
        Ability::Steps,
        Ability::Play(Play::Open),
        Ability::Play(Play::Followed),
        Ability::Advice,
    ],
    techniques: Vec::new,
    input: EngineInput::Game(|setting| {
        let question = setting.question;
        let Aim::Steps(aim) = question.objective else {
            let objective = question.objective;
            let message = format!(
                "the engine steps counts steps, and `{objective}` is about the ends of plays"
            );
            let error = Error::new(ErrorKind::Question, message);
            return Err(error.with_remedy(Remedy::Engine("emm")));
        };
        let mut engine = StepsEngine::new(setting.game, aim, &setting.options.search())?;
        engine.followed = match &question.opponents {
            Opponents::Following(followed) => Some(followed.clone()),
            Opponents::Greedy => {
                let message =
                    "opponents that are `greedy` look at payoffs; steps are counted against others";
                return Err(Error::new(ErrorKind::Question, message));
            }
            _ => None,
        };
        Ok(Box::new(engine))
    }),
};

/// Numbers of steps, for any role of one game.
pub struct StepsEngine {
    aim: StepAim,
    digits: u32,
    machine: StateMachine,
    /// The strategy that an opponent follows, if one does.
    followed: Option<FollowedStrategy>,
    /// The last solution, for a role and a number of steps.
    last: Option<(SolutionKey, StepSolution)>,
}

type SolutionKey = (usize, Option<u32>);

impl StepsEngine {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When one step of the game is no circuit, or the rules cannot be evaluated.
    pub fn new(game: &Game, aim: StepAim, options: &SearchOptions) -> Result<Self, Error> {
        Ok(StepsEngine {
            aim,
            digits: options.engine.digits,
            machine: options.machine(game, "the engine steps")?,
            followed: None,
            last: None,
        })
    }

    /// The solution for a query's position, and whether play is over there.
    fn solution(&mut self, query: &Query) -> Result<(&mut StepSolution, bool), Error> {
        let limits = query.watched();
        let (facts, terminal) = locate_facts(&mut self.machine, query)?;
        let key = (query.role, query.depth);
        let known = self.last.as_mut().filter(|(last, _)| *last == key);
        if !known.is_some_and(|(_, last)| last.turn_to(&facts)) {
            self.last = None;
            let followed = self.followed.as_ref().map(FollowedStrategy::strategy);
            let question = StepQuestion {
                role: query.role,
                aim: self.aim,
                depth: query.depth,
                digits: self.digits,
                followed,
            };
            let solution = solve(&mut self.machine, question, &facts, &limits)?;
            self.last = Some((key, solution));
        }
        let (_, solution) = self.last.as_mut().expect("it was just found");
        Ok((solution, terminal))
    }
}

impl Engine for StepsEngine {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn range(&self, _: usize) -> ValueRange {
        ValueRange::unbounded()
    }

    fn prefers_small(&self) -> bool {
        self.aim == StepAim::Fewest
    }

    fn evaluate_publishing(&mut self, query: &Query, _: &Publisher) -> Result<Evaluation, Error> {
        // With another limit more may be known.
        self.last.take_if(|(_, last)| last.stopped().is_some());
        let (solution, terminal) = self.solution(query)?;
        let states = solution.states() as u64;
        Ok(Evaluation {
            terminal,
            moves: match query.moves {
                true => solution.moves(),
                false => Vec::new(),
            },
            cut_off: solution.cuts_off(),
            endless: solution.endless(),
            states,
            statistics: vec![("states", states)],
            ..Evaluation::of(solution.outcome())
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
        let limits = ExtractLimits {
            positions,
            overall: query.limits.clone(),
        };
        let (solution, _) = self.solution(query)?;
        Ok(match extract(solution, heading, &limits) {
            Ok(found) => found.map(AnyStrategy::Known),
            Err(NoNumber::Infinite) => Extracted::Endless,
            Err(NoNumber::Stopped(reason)) => Extracted::Stopped(reason),
        })
    }
}
