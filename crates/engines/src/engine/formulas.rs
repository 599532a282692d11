//! Engines that work on formulas: the game is translated, and a solver finds the value.
//!
//! The moves of the first step are literals of the formula: the value of a move is the value of the formula
//! in which it is made. A winning move is found by halving: if the formula in which only one half of the moves
//! may be made is true, it is among them, else among the others; so `n` moves take at most `log2 n` runs.
//!
//! A formula knows no state without a value ([`Engine::sees_defects`]), and not how long plays are.

use super::{Ability, Engine, EngineInput, Entry, Evaluation, Options, Play, Position, Query};
use super::{Setting, solved, value_ranges};
use crate::answer::{MoveValue, unknown_in};
use crate::error::{Error, ErrorKind, Remedy};
use crate::search::{Search, SearchError};
use crate::start::{legal_moves, reasoner};
use formula::{BigRational, Formula, Outcome, Solver, SolverError, Value};
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Limits, Publisher, StopReason};
use logic::route::{FirstMoves, GameRoute, route_game};
use num_traits::{One, Zero};
use ssat::StrategyOutcome;
use ssat::portfolio::Portfolio;
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

pub(super) const XSSAT: Entry = Entry {
    name: "xssat",
    about: "Our own solver of formulas: frontier or learning, whichever suits the formula; exact",
    abilities: &[
        Ability::Play(Play::Open),
        Ability::Formulas,
        Ability::Functions,
    ],
    techniques: ssat::portfolio::Options::techniques,
    input: EngineInput::Formula {
        solver: |options| built_in(options, options.solver.engine),
        program: None,
        takes_chance: true,
    },
};

pub(super) const FRONTIER: Entry = Entry {
    name: "frontier",
    about: "Many assignments at once, from state to state: for layered formulas, such as those of games; exact",
    abilities: &[Ability::Play(Play::Open), Ability::Formulas],
    techniques: ssat::portfolio::Options::techniques,
    input: EngineInput::Formula {
        solver: |options| built_in(options, ssat::portfolio::Engine::Layered),
        program: None,
        takes_chance: true,
    },
};

pub(super) const LEARNING: Entry = Entry {
    name: "learning",
    about: "Clause learning and components: for formulas that are not layered; exact",
    abilities: &[
        Ability::Play(Play::Open),
        Ability::Formulas,
        Ability::Functions,
    ],
    techniques: ssat::portfolio::Options::techniques,
    input: EngineInput::Formula {
        solver: |options| built_in(options, ssat::portfolio::Engine::Learning),
        program: None,
        takes_chance: true,
    },
};

pub(super) const SHARPSSAT: Entry = Entry {
    name: "sharpssat",
    about: "SharpSSAT, an outside program; floating point",
    abilities: &[Ability::Play(Play::Open), Ability::Formulas],
    techniques: Vec::new,
    input: EngineInput::Formula {
        solver: |_| Box::new(external::SharpSsat::new()),
        program: Some("sharpSSAT"),
        takes_chance: true,
    },
};

pub(super) const DEPQBF: Entry = Entry {
    name: "depqbf",
    about: "DepQBF, an outside program; where nothing is left to chance",
    abilities: &[Ability::Play(Play::Open), Ability::Formulas],
    techniques: Vec::new,
    input: EngineInput::Formula {
        solver: |_| Box::new(external::Qbf::depqbf()),
        program: Some("depqbf"),
        takes_chance: false,
    },
};

pub(super) const CAQE: Entry = Entry {
    name: "caqe",
    about: "CAQE, an outside program; where nothing is left to chance",
    abilities: &[Ability::Play(Play::Open), Ability::Formulas],
    techniques: Vec::new,
    input: EngineInput::Formula {
        solver: |_| Box::new(external::Qbf::caqe()),
        program: Some("caqe"),
        takes_chance: false,
    },
};

/// The most nodes, steps, literals and hints of a strategy, where the options say nothing.
const MAX_SIZE: usize = 20_000_000;

/// The value of a formula by the built-in solver, and the trace of the search, which proves it.
pub(crate) fn solve_with_strategy(
    name: &str,
    formula: &Formula,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
) -> Result<(formula::Answer, StrategyOutcome), SolverError> {
    let max_size = options.extras.strategy.unwrap_or(MAX_SIZE);
    let solver = Portfolio {
        options: options.solver.clone(),
    };
    solver.solve_with_strategy(name, formula, limits, publisher, max_size)
}

/// The built-in solver, by one of its engines.
fn built_in(options: &Options, engine: ssat::portfolio::Engine) -> Box<dyn Solver> {
    Box::new(Portfolio {
        options: ssat::portfolio::Options {
            engine,
            ..options.solver.clone()
        },
    })
}

impl Entry {
    /// Makes sure that the engine takes a formula.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_formula(&self, formula: &Formula) -> Result<(), Error> {
        match self.input {
            EngineInput::Formula {
                takes_chance: false,
                ..
            } if formula.has_chance() => Err(Error::new(
                ErrorKind::Question,
                format!("{} cannot take this formula: it has chance", self.name),
            )
            .with_remedy(Remedy::Engine("xssat"))),
            _ => Ok(()),
        }
    }
}

/// A game, ready to become formulas, and a solver for them.
pub struct FormulaEngine {
    entry: &'static Entry,
    game: Game,
    objective: Objective,
    options: Options,
    solver: Box<dyn Solver>,
    /// For each role the range of its values.
    ranges: Vec<ValueRange>,
    /// The formula of the last query: a query for a winning move is about the same one.
    last: Option<(Position, usize, u32, GameRoute)>,
}

impl FormulaEngine {
    /// For an engine of the list that works on formulas.
    ///
    /// # Errors
    /// If its program is missing, or the role never decides.
    pub fn new(entry: &'static Entry, setting: &Setting<'_>) -> Result<Self, Error> {
        let objective = setting.question.payoff("a formula")?;
        setting.game.role(&setting.question.role)?;
        Ok(FormulaEngine {
            entry,
            game: setting.game.clone(),
            objective,
            options: setting.options.clone(),
            solver: entry.solver(setting.options)?,
            ranges: value_ranges(setting.game, objective),
            last: None,
        })
    }

    /// The game from a position on.
    fn game_from(&self, position: &Position) -> Result<Game, Error> {
        let facts = match position {
            Position::History(steps) if steps.is_empty() => return Ok(self.game.clone()),
            Position::State(facts) => facts.clone(),
            Position::Information(_) => return Err(Position::no_state_error()),
            Position::History(steps) => {
                let reasoner = reasoner(&self.game, &self.options.limits)?;
                let mut machine = step::StateMachine::by_rules(reasoner);
                let start = machine.initial()?;
                let position = step::follow(&mut machine, start, steps)?;
                machine.facts(&position)
            }
        };
        Ok(self.game.starting_from(&facts))
    }

    /// The formula of a query.
    fn route(&self, query: &Query, game: &Game, depth: u32) -> Result<GameRoute, Error> {
        query.observer.stage("translating and grounding");
        let question = logic::translate::Question {
            role: self.game.roles()[query.role].clone(),
            depth,
            objective: self.objective,
        };
        let mut options = self.options.route();
        options.limits.overall = query.limits.clone();
        let route = route_game(game, &question, &options)?;
        let warnings = route.stages.warnings.iter();
        warnings.for_each(|text| query.observer.remark(&format!("warning: {text}")));
        self.entry.check_formula(&route.stages.formula)?;
        Ok(route)
    }

    /// The value of each move of the first step. The time that is left is shared equally among the moves still
    /// to come.
    fn moves(
        &mut self,
        query: &Query,
        route: &GameRoute,
        game: &Game,
        found: &mut Evaluation,
    ) -> Result<(), Error> {
        let (limits, range) = (query.limits.clone(), route.range.clone());
        let moves = first_moves(game, &self.game.roles()[query.role], route, &limits)?;
        let unknown = |reason| unknown_in(&range, reason);
        let actions = moves.iter().map(|(action, _)| action.clone());
        let unsolved = actions.map(|action| MoveValue::unknown(action, &range));
        found.moves = unsolved.collect();
        for (index, (action, literals)) in moves.iter().enumerate() {
            if let Err(reason) = limits.check() {
                for unsolved in &mut found.moves[index..] {
                    unsolved.outcome = unknown(reason);
                }
                query.observer.moves(&found.moves);
                break;
            }
            let count = moves.len();
            let about = format!("move {} of {count}, {action}: solving", index + 1);
            query.observer.stage(&about);
            let still_to_come = u32::try_from(count - index).expect("moves are few");
            let time = limits.time_left().map(|time| time / still_to_come);
            let watched = query.watched().within(time);
            let (observer, known) = (Arc::clone(&query.observer), found.moves.clone());
            let publisher = Publisher::new(
                range.ends(),
                query.observer.period(),
                move |(lower, upper)| {
                    let mut moves = known.clone();
                    let (lower, upper) = (lower.clone(), upper.clone());
                    moves[index].outcome = Outcome::between(lower, upper, StopReason::Interrupted);
                    observer.moves(&moves);
                },
            );
            let formula = route.stages.formula.restricted(literals);
            let publisher = publisher.plus(range.least()).times(range.width());
            let solver = &mut self.solver;
            let solve = || solver.solve_publishing(Cow::Owned(formula), &watched, &publisher);
            let answer = found.times.measure("solve", solve)?;
            add_statistics(&mut found.statistics, &answer.statistics);
            found.moves[index].outcome = answer.outcome.times(range.width()).plus(range.least());
            query.observer.moves(&found.moves);
        }
        let outcomes = found.moves.iter().map(|each| &each.outcome);
        if let Some(outcome) = Outcome::largest(outcomes) {
            found.outcome = outcome;
        }
        Ok(())
    }
}

impl Engine for FormulaEngine {
    fn counts_all_steps(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        self.entry.name
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn sees_defects(&self) -> bool {
        false
    }

    fn evaluate_publishing(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<Evaluation, Error> {
        let depth = query.depth.ok_or_else(|| {
            Error::new(
                ErrorKind::Depth,
                format!("{} needs to know how many steps count", self.entry.name),
            )
        })?;
        let game = self.game_from(&query.position)?;
        let route = self.route(query, &game, depth)?;
        let mut found = Evaluation {
            cut_off: true,
            times: route.stages.times.clone(),
            ..Evaluation::of(solved(BigRational::zero()))
        };
        if query.moves && depth > 0 {
            self.moves(query, &route, &game, &mut found)?;
        }
        if found.moves.is_empty() {
            query.observer.stage("solving");
            let range = &route.range;
            let publisher = publisher.plus(range.least()).times(range.width());
            let limits = query.watched();
            let (solver, formula) = (&mut self.solver, Cow::Borrowed(&route.stages.formula));
            let solve = || solver.solve_publishing(formula, &limits, &publisher);
            let answer = found.times.measure("solve", solve)?;
            found.outcome = answer.outcome.times(range.width()).plus(range.least());
            found.statistics = answer.statistics;
        }
        self.last = Some((query.position.clone(), query.role, depth, route));
        Ok(found)
    }

    fn sizes(&self) -> Vec<(&'static str, u64)> {
        let last = self.last.as_ref();
        last.map_or(Vec::new(), |(.., route)| route.stages.sizes())
    }

    fn horizon(&mut self, query: &Query) -> Result<u32, Error> {
        let game = self.game_from(&query.position)?;
        let role = &self.game.roles()[query.role];
        let mut options = self.options.search();
        options.step.overall = query.limits.clone();
        let found = Search::new(&game, role, self.objective, &options).and_then(|mut search| {
            let start = search.initial();
            search.horizon(&start, &query.limits)
        });
        found.map_err(|error| match (&error, error.stopped_by()) {
            (SearchError::Question(_), _) | (_, Some(_)) => error.into(),
            _ => Error::new(
                ErrorKind::TooLarge,
                format!("it was not found how long plays are: {error}"),
            ),
        })
    }

    fn winning_move(&mut self, query: &Query, legal: &[Term]) -> Result<Option<Term>, Error> {
        let about = (&query.position, query.role, query.depth);
        let Some((.., route)) = self
            .last
            .as_ref()
            .filter(|(position, role, depth, _)| about == (position, *role, Some(*depth)))
        else {
            return Ok(None);
        };
        let role = &self.game.roles()[query.role];
        let game = self.game_from(&query.position)?;
        let moves = FirstMoves::of(&game, role, &route.stages).map_err(unlisted)?;
        let mut left = legal;
        while left.len() > 1 {
            let (half, others) = left.split_at(left.len() / 2);
            let about = format!("looking for a first move among {}", left.len());
            query.observer.stage(&about);
            let restricted = route.stages.formula.restricted(&moves.literals_among(half));
            left = match self.solver.solve(&restricted, &query.limits)?.outcome {
                Outcome::Solved(Value::Exact(value)) if value.is_one() => half,
                Outcome::Solved(_) => others,
                _ => return Ok(None),
            };
        }
        Ok(left.first().cloned())
    }
}

/// The legal moves of the role in the first step, with their literals of the formula.
fn first_moves(
    game: &Game,
    role: &gdl::Name,
    route: &GameRoute,
    limits: &Limits,
) -> Result<Vec<(Term, Vec<formula::Lit>)>, Error> {
    let legal = legal_moves(game, role, limits)?;
    let known = FirstMoves::of(game, role, &route.stages).map_err(unlisted)?;
    let literals = |action: Term| match known.literals(&action) {
        Some(literals) => Ok((action, literals)),
        None => Err(unlisted(format!("the formula lacks {action}"))),
    };
    legal.into_iter().map(literals).collect()
}

fn unlisted(error: impl Display) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("the moves of the first step cannot be listed: {error}"),
    )
}

/// Adds the numbers of one run to those of the runs before: counts of work are summed, of all else
/// the largest is kept.
fn add_statistics(all: &mut Vec<(&'static str, u64)>, run: &[(&'static str, u64)]) {
    for &(name, number) in run {
        match all.iter_mut().find(|(other, _)| *other == name) {
            None => all.push((name, number)),
            Some((_, total)) if ["states", "visits", "decisions"].contains(&name) => {
                *total += number;
            }
            Some((_, largest)) => *largest = number.max(*largest),
        }
    }
}
