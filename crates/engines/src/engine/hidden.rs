//! Hidden information: each role knows its own moves and what it sees (crate [`hidden`]).
//!
//! The last solution is kept, for the strategy of a question that was just answered.

use super::{Engine, Evaluation, Options, Position, Query, largest_values, outcome};
use crate::answer::MoveValue;
use crate::error::{Error, ErrorKind, Remedy};
use ::hidden::{HiddenError, HiddenQuestion, HiddenSolution, solve};
use ::mixed::{MixedMove, MixedPlay};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective};
use limits::thread_count;
use strategy::Extracted;
use verify::AnyStrategy;

/// Values of a game of hidden information from its start, for any of its roles.
pub struct HiddenEngine {
    game: Game,
    start: Option<Vec<Term>>,
    objective: Objective,
    digits: u32,
    threads: usize,
    largest: Vec<BigRational>,
    /// The last solution, for a role and a number of steps.
    last: Option<((usize, Option<u32>), HiddenSolution)>,
}

impl From<HiddenError> for Error {
    fn from(error: HiddenError) -> Self {
        match error {
            HiddenError::Role(error) => error.into(),
            HiddenError::Rules(error) => error.into(),
            HiddenError::Defect { .. }
            | HiddenError::InTheDark(_)
            | HiddenError::Coalition { .. } => Error::from_part(ErrorKind::Game, error),
            HiddenError::Endless | HiddenError::EndlessStrategy => {
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
    /// An engine for all roles of a game, from a state that everybody knows, or from the initial state.
    pub fn new(
        game: &Game,
        start: Option<Vec<Term>>,
        objective: Objective,
        options: &Options,
    ) -> Self {
        HiddenEngine {
            largest: match &start {
                Some(facts) => largest_values(&game.starting_from(facts), objective),
                None => largest_values(game, objective),
            },
            game: game.clone(),
            start,
            objective,
            digits: options.search().engine.digits,
            threads: thread_count(options.search().engine.threads),
            last: None,
        }
    }

    fn solution(&mut self, query: &Query) -> Result<&HiddenSolution, Error> {
        if query.position != Position::History(Vec::new()) {
            let message = "positions in the middle of a game of hidden information have no value of their own: it depends on what \
                           each role knows there";
            return Err(Error::new(ErrorKind::Question, message));
        }
        let key = (query.role, query.depth);
        if self.last.as_ref().is_none_or(|(last, _)| *last != key) {
            let question = HiddenQuestion {
                role: self.game.roles()[query.role].clone(),
                objective: self.objective,
                depth: query.depth,
                digits: self.digits,
                threads: self.threads,
                start: self.start.clone(),
            };
            let limits = query.watched(&self.largest[query.role]);
            self.last = None;
            let solution = solve(&self.game, &question, &limits)?;
            if let Some(text) = solution.remark() {
                query.observer.remark(&text);
            }
            self.last = Some((key, solution));
        }
        let (_, solution) = self.last.as_ref().expect("it was just found");
        Ok(solution)
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
        "hidden"
    }

    fn largest(&self, role: usize) -> BigRational {
        self.largest[role].clone()
    }

    fn evaluate(&mut self, query: &Query) -> Result<Evaluation, Error> {
        let solution = self.solution(query)?;
        let stopped = solution.stopped();
        let moves = if query.moves {
            solution.moves(&query.limits.interrupt)
        } else {
            Vec::new()
        };
        let moves = moves.into_iter().map(|each| MoveValue {
            action: each.action,
            outcome: outcome(each.bounds, stopped),
        });
        let statistics = solution.statistics();
        Ok(Evaluation {
            moves: moves.collect(),
            cut_off: solution.cuts_off(),
            horizon: solution.longest_play(),
            states: statistics[0].1,
            statistics,
            ..Evaluation::of(outcome(solution.bounds(), stopped))
        })
    }

    fn clear(&mut self) {
        self.last = None;
    }

    fn counts_all_steps(&self) -> bool {
        true
    }

    fn mixtures(&mut self, query: &Query) -> Result<Option<MixedPlay>, Error> {
        let solution = self.solution(query)?;
        let Some(play) = solution.play() else {
            return Ok(None);
        };
        let moves = solution
            .moves(&query.limits.interrupt)
            .into_iter()
            .zip(play.moves);
        let moves = moves.map(|(each, share)| MixedMove {
            action: each.action,
            share,
            bounds: each.bounds,
        });
        Ok(Some(MixedPlay {
            bounds: solution.bounds(),
            moves: moves.collect(),
            replies: play.replies,
        }))
    }

    fn mixed_strategy(
        &mut self,
        query: &Query,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        match self.solution(query)?.strategy(positions, &query.limits) {
            Ok(strategy) => Ok(Extracted::Complete(Box::new(AnyStrategy::Hidden(strategy)))),
            Err(HiddenError::TooLarge(positions)) => Ok(Extracted::TooLarge { positions }),
            Err(HiddenError::Stopped(reason)) => Ok(Extracted::Stopped(reason)),
            Err(error) => Err(error.into()),
        }
    }
}
