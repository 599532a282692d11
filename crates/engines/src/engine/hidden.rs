//! Hidden information: each role knows its own moves and what it sees (crate [`hidden`]).
//!
//! The last solution is kept, for the strategy of a question that was just answered, and for what roles know later in the same play. It is
//! looked for again if a limit ended the work, and a question allows more time.

use super::{
    Ability, Engine, EngineInput, Entry, Evaluation, Play, Position, Query, outcome, value_ranges,
};
use crate::answer::MoveValue;
use crate::error::{Error, ErrorKind, Remedy};
use crate::mixed::{MixedMove, MixedPlay};
use crate::search::SearchOptions;
use crate::strategy::Extracted;
use ::hidden::{HiddenError, HiddenQuestion, HiddenSolution, KnownStep, solve_publishing};
use formula::{BigRational, Outcome};
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Limits, Publisher, StopReason, thread_count};
use std::time::{Duration, Instant};
use verify::{AnyStrategy, Heading};

pub(super) const ENTRY: Entry = Entry {
    name: "hidden",
    about: "Information sets and beliefs, for games in which roles do not see everything",
    abilities: &[
        Ability::Play(Play::Hidden),
        Ability::Mixtures,
        Ability::Advice,
    ],
    techniques: Vec::new,
    input: EngineInput::Game(|setting| {
        let question = setting.question;
        let (start, options) = (question.start.clone(), setting.options.search());
        let objective = question.payoff("the engine hidden")?;
        let engine = HiddenEngine::new(setting.rules, start, objective, &options);
        Ok(Box::new(engine))
    }),
};

/// Values of a game of hidden information from its start, for any of its roles.
pub struct HiddenEngine {
    game: Game,
    start: Option<Vec<Term>>,
    objective: Objective,
    digits: u32,
    threads: usize,
    ranges: Vec<ValueRange>,
    last: Option<KeptSolution>,
}

/// The last solution.
struct KeptSolution {
    /// The role and the number of steps.
    key: (usize, Option<u32>),
    /// How long it took.
    took: Duration,
    solution: HiddenSolution,
}

impl From<HiddenError> for Error {
    fn from(error: HiddenError) -> Self {
        match error {
            HiddenError::Role(error) => error.into(),
            HiddenError::Rules(error) => error.into(),
            HiddenError::Defect { .. }
            | HiddenError::InTheDark(_)
            | HiddenError::Coalition { .. } => Error::from_part(ErrorKind::Game, error),
            HiddenError::BelowZero => Error::from_part(ErrorKind::Depth, error),
            HiddenError::Endless => {
                Error::from_part(ErrorKind::Depth, error).with_remedy(Remedy::Depth)
            }
            HiddenError::JointMoves
            | HiddenError::Sequences(_)
            | HiddenError::TooLarge(_)
            | HiddenError::Walked => Error::from_part(ErrorKind::TooLarge, error),
            HiddenError::NoSuchPlay { .. } => Error::from_part(ErrorKind::Position, error),
            HiddenError::Stopped(reason) => Error::from_part(ErrorKind::Stopped(reason), error),
        }
    }
}

impl HiddenEngine {
    /// An engine for all roles of a game, from a state that all roles know, or from the initial state.
    pub fn new(
        game: &Game,
        start: Option<Vec<Term>>,
        objective: Objective,
        options: &SearchOptions,
    ) -> Self {
        HiddenEngine {
            ranges: match &start {
                Some(facts) => value_ranges(&game.starting_from(facts), objective),
                None => value_ranges(game, objective),
            },
            game: game.clone(),
            start,
            objective,
            digits: options.engine.digits,
            threads: thread_count(options.engine.search.threads),
            last: None,
        }
    }

    /// The solution of the whole game, and whether it is new. Bounds are published while it is found.
    fn solution(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<(&HiddenSolution, bool), Error> {
        let steps = known_steps(query)?.len() as u32;
        let key = (
            query.role,
            query.depth.map(|depth| depth.saturating_add(steps)),
        );
        let is_new = self.last.as_ref().is_none_or(|last| last.key != key);
        if is_new {
            let question = HiddenQuestion {
                role: self.game.roles()[query.role].clone(),
                objective: self.objective,
                depth: key.1,
                digits: self.digits,
                threads: self.threads,
                start: self.start.clone(),
            };
            let limits = query.watched();
            self.last = None;
            let begin = Instant::now();
            let solution = solve_publishing(&self.game, &question, &limits, publisher)?;
            if let Some(text) = solution.remark() {
                query.observer.remark(&text);
            }
            let took = begin.elapsed();
            self.last = Some(KeptSolution {
                key,
                took,
                solution,
            });
        }
        let last = self.last.as_ref().expect("it was just found");
        Ok((&last.solution, is_new))
    }
}

/// The steps of a play as the role knows them.
fn known_steps(query: &Query) -> Result<&[KnownStep], Error> {
    match &query.position {
        Position::Information(steps) => Ok(steps),
        Position::History(steps) if steps.is_empty() => Ok(&[]),
        _ => Err(Error::new(
            ErrorKind::Position,
            "a state of a game that hides something has no value of its own: give the `information` of the role, its moves and what it saw",
        )),
    }
}

impl Drop for HiddenEngine {
    /// A thread gives back the millions of small parts of a large solution, while the answer is told.
    fn drop(&mut self) {
        if let Some(last) = self.last.take() {
            let _ = std::thread::Builder::new().spawn(move || drop(last));
        }
    }
}

impl Engine for HiddenEngine {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn evaluate_publishing(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<Evaluation, Error> {
        let left = query.limits.time_left();
        self.last.take_if(|last| {
            last.solution.is_unfinished() && left.is_none_or(|left| left > last.took)
        });
        let range = self.ranges[query.role].clone();
        let (solution, is_new) = self.solution(query, publisher)?;
        let statistics = solution.statistics();
        let found = worth(solution, query, &range)?;
        let is_start = known_steps(query)?.is_empty();
        Ok(Evaluation {
            cut_off: solution.cuts_off(),
            horizon: solution.longest_play().filter(|_| is_start),
            states: if is_new { statistics[0].1 } else { 0 },
            statistics,
            ..found
        })
    }

    fn clear(&mut self) {
        self.last = None;
    }

    fn mixtures(&mut self, query: &Query) -> Result<Option<MixedPlay>, Error> {
        let range = self.ranges[query.role].clone();
        let (solution, _) = self.solution(query, &Publisher::default())?;
        let known = solution.knowledge(known_steps(query)?, &interrupt_only(query))?;
        let moves = known.moves.into_iter().map(|each| {
            let unknown = || range.ends();
            Some(MixedMove {
                share: each.share?,
                bounds: each.bounds.unwrap_or_else(unknown),
                action: each.action,
            })
        });
        let moves: Option<Vec<MixedMove>> = moves.collect();
        Ok(moves
            .filter(|moves| !moves.is_empty())
            .map(|moves| MixedPlay {
                bounds: solution.bounds(),
                moves,
                replies: solution.replies(&[]).unwrap_or_default(),
            }))
    }

    fn strategy(
        &mut self,
        query: &Query,
        _: Heading,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        let (solution, _) = self.solution(query, &Publisher::default())?;
        match solution.strategy(positions, &query.limits) {
            Ok(strategy) => Ok(Extracted::Complete(Box::new(AnyStrategy::Hidden(strategy)))),
            Err(HiddenError::TooLarge(positions)) => Ok(Extracted::TooLarge { positions }),
            Err(HiddenError::Stopped(reason)) => Ok(Extracted::Stopped(reason)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The limits of the work when the solution is there: the time for it may have been all that the question has.
fn interrupt_only(query: &Query) -> Limits {
    Limits {
        interrupt: query.limits.interrupt.clone(),
        ..Limits::default()
    }
}

/// The value of the game, or the worth of what the role knows in the middle of a play, which is that against the opponents' mixture. If that
/// mixture is not proved to be a best one, the worth is an estimate.
fn worth(
    solution: &HiddenSolution,
    query: &Query,
    range: &ValueRange,
) -> Result<Evaluation, Error> {
    let steps = known_steps(query)?;
    let reason = solution.stopped();
    let is_estimate =
        !steps.is_empty() && reason.is_some() && solution.coalition().next().is_some();
    let told = |bounds: Option<(BigRational, BigRational)>| match bounds {
        Some(bounds) if !is_estimate => outcome(bounds, reason),
        bounds => Outcome::Stopped {
            reason: reason.unwrap_or(StopReason::Precision),
            lower: BigRational::default(),
            upper: range.largest(),
            estimate: bounds.map(|(worth, _)| worth),
        },
    };
    if steps.is_empty() && !query.moves {
        return Ok(Evaluation::of(told(Some(solution.bounds()))));
    }
    let known = solution.knowledge(steps, &interrupt_only(query))?;
    let whole = match (steps, query.depth) {
        ([], _) => Some(solution.bounds()),
        (_, Some(0)) => Some(Default::default()),
        _ => known.bounds,
    };
    let moves = known.moves.into_iter();
    let is_told = query.moves && query.depth != Some(0);
    let moves = moves.filter(|each| is_told && (each.bounds.is_some() || !steps.is_empty()));
    let moves = moves.map(|each| MoveValue {
        action: each.action,
        outcome: told(each.bounds),
    });
    Ok(Evaluation {
        moves: moves.collect(),
        ..Evaluation::of(told(whole))
    })
}
