//! The answer of `sqasp solve` by search, and the strategy with it.

use super::choose::search_failure;
use super::solve::Solving;
use super::whole::DEPTH_SHARE;
use crate::cli::moves::{MoveValue, legal_first_moves, overall};
use crate::cli::report::{Certificate, Engine, StrategyNote};
use crate::cli::request::{Budget, search_options};
use crate::cli::start::rules_failure;
use crate::cli::{Exit, Failure, files};
use crate::game::Game;
use crate::machine::Reasoner;
use crate::route::StageTimes;
use crate::search::{AdviceError, Adviser, Consulted, Search, SearchError};
use crate::strategy::{
    self, Certified, Certifier, CertifyError, DotError, ExtractLimits, Extracted, Heading, Side,
    Strategy, certify, extract, fingerprint, write_dot, write_json, write_text,
};
use formula::{Answer, Outcome, Value};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::Zero;
use std::io::{self, Write};
use std::path::Path;

impl Solving<'_> {
    /// The answer by expected minimax.
    pub(super) fn by_search(mut self, engine: Engine, mut search: Search) -> Result<Exit, Failure> {
        self.run.choose(engine);
        let mut times = std::mem::take(&mut self.times);
        let depth = match self.depth(&mut search, &mut times) {
            Ok(depth) => depth,
            Err(error) => return self.without_depth(Some(&mut search), &error, times),
        };
        self.note_subject(depth, None);
        let answer = times.measure("solve", || match self.arguments.moves {
            false => self.value(&mut search, depth),
            true => self.moves(&mut search, depth),
        });
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return self.without_answer(&error),
        };
        if let Outcome::Solved(Value::Exact(value)) = &answer.outcome {
            // Whatever comes now may take too long.
            self.run.known().bounds = (value.clone(), value.clone());
        }
        if !self.arguments.moves {
            let legal = self.moves_to_name(&answer, depth);
            let found = times.measure("move", || self.sure_move(&mut search, &legal, depth));
            match found {
                Ok(found) => self.run.known().sure_move = found.map(|action| action.to_string()),
                Err(error) => return self.without_answer(&error),
            }
        }
        let mut strategy = None;
        let mut unwritten = None;
        if let (Some(file), Outcome::Solved(_)) = (&self.arguments.strategy, &answer.outcome) {
            self.run.say("writing down the strategy");
            let written = times.measure("strategy", || self.strategy(&mut search, depth, file));
            match written {
                Ok(note) => strategy = Some(note),
                Err(failure) => unwritten = Some(failure),
            }
        }
        let mut certificate = None;
        if let (true, Outcome::Solved(Value::Exact(value))) =
            (self.arguments.certify, &answer.outcome)
        {
            self.run.say("proving the value from both sides");
            let certified = times.measure("certify", || self.certify(&mut search, depth, value));
            certificate = Some(certified?);
        }
        let sizes = sizes(&search);
        let mut report = self.run.report(answer, sizes, times);
        report.strategy = strategy;
        report.certificate = certificate;
        let exit = report.exit();
        let is_printed = self.arguments.strategy.as_deref() == Some(Path::new("-"));
        if is_printed && exit == Exit::Answered && unwritten.is_none() {
            self.run.finish();
            return Ok(exit);
        }
        self.run.end(&report)?;
        unwritten.map_or(Ok(exit), Err)
    }

    /// How many steps count: as many as was said, or as many as play can take.
    pub(super) fn depth(
        &self,
        search: &mut Search,
        times: &mut StageTimes,
    ) -> Result<u32, SearchError> {
        if let Some(depth) = self.asked.depth {
            return Ok(depth);
        }
        self.run.say("finding out how long plays are");
        let start = search.initial();
        let mut limits = self.run.budget.for_solver();
        limits.time = limits.time.map(|time| time / DEPTH_SHARE);
        times.measure("horizon", || search.horizon(&start, &limits))
    }

    /// Ends where the search gave no answer: with bounds if a limit is the reason.
    pub(super) fn without_answer(self, error: &SearchError) -> Result<Exit, Failure> {
        match error.stopped_by() {
            Some(reason) => self.run.stopped(reason, error),
            None => Err(search_failure(error)),
        }
    }

    fn value(&self, search: &mut Search, depth: u32) -> Result<Answer, SearchError> {
        self.run.say("searching");
        let listener = self.run.listener("", |known, bounds| known.bounds = bounds);
        let limits = Limits {
            progress: Some(listener),
            ..self.run.budget.for_solver()
        };
        let found = search.solve(&search.initial(), Some(depth), &limits)?;
        self.run.known().cut_off = found.cuts_off;
        Ok(Answer {
            outcome: found.outcome,
            statistics: found.statistics,
        })
    }

    /// What each legal move is worth; the value of the game is the largest.
    fn moves(&self, search: &mut Search, depth: u32) -> Result<Answer, SearchError> {
        self.run.say("searching");
        if depth > 0 {
            let legal = legal_first_moves(self.game, &self.asked.role)?;
            let unsolved = legal.into_iter().map(|action| MoveValue {
                action: action.to_string(),
                outcome: self.asked.unknown(StopReason::Interrupted),
            });
            self.run.known().moves = Some(unsolved.collect());
        }
        // Bounds that are told on the way are those of some position, not of the game.
        let listener = self.run.listener("", |_, _| ());
        let limits = Limits {
            progress: Some(listener),
            ..self.run.budget.for_solver()
        };
        let start = search.initial();
        let found = search.moves(&start, Some(depth), &limits)?;
        let mut values = Vec::with_capacity(found.len());
        for (action, outcome) in found {
            let action = action.to_string();
            values.push(MoveValue { action, outcome });
        }
        let outcome = match values.is_empty() {
            true => search.solve(&start, Some(depth), &limits)?.outcome,
            false => overall(&values),
        };
        let mut known = self.run.known();
        known.moves = Some(values);
        known.cut_off = search.cuts_off();
        Ok(Answer {
            outcome,
            statistics: Vec::new(),
        })
    }

    /// Writes what both sides should do.
    fn strategy(
        &self,
        search: &mut Search,
        depth: u32,
        file: &Path,
    ) -> Result<StrategyNote, Failure> {
        let heading = self.heading(depth).map_err(|error| rules_failure(&error))?;
        let budget = &self.run.budget;
        let limits = ExtractLimits {
            positions: self.arguments.strategy_positions,
            clock: budget.clock.clone(),
        };
        let mut adviser = Adviser::new(search, budget.for_solver());
        let extracted = match extract(&mut adviser, heading, &limits) {
            Ok(extracted) => extracted,
            Err(AdviceError::Stopped(reason)) => Extracted::Stopped(reason),
            Err(AdviceError::Search(error)) => {
                return Err(self.without_value(search, depth, search_failure(&error)));
            }
        };
        match extracted {
            Extracted::Complete(strategy) => {
                let written = self
                    .run
                    .undisturbed(|| write_strategy(&strategy, self.rules, file, budget));
                written?;
                Ok(StrategyNote::Written {
                    file: file.display().to_string(),
                    player: strategy.player.len(),
                    opponents: strategy.opponents.len(),
                })
            }
            Extracted::TooLarge => Ok(StrategyNote::TooLarge {
                positions: limits.positions,
            }),
            Extracted::Stopped(reason) => Ok(StrategyNote::Stopped(reason)),
        }
    }

    /// Computes what both sides' play is worth, without a list of positions.
    fn certify(
        &self,
        search: &mut Search,
        depth: u32,
        value: &BigRational,
    ) -> Result<Certificate, Failure> {
        let heading = self.heading(depth).map_err(|error| rules_failure(&error))?;
        let asked = strategy::Asked {
            role: heading.role,
            start: heading.start,
            depth,
            objective: heading.objective,
        };
        let budget = &self.run.budget;
        let step = search_options(&self.arguments.engine, budget).step;
        let memory = budget.for_solver().memory;
        let failed = |error: CertifyError<AdviceError>| match error {
            CertifyError::Policy(AdviceError::Stopped(reason)) => Ok(Certificate::Stopped(reason)),
            CertifyError::Policy(AdviceError::Search(error)) => Err(search_failure(&error)),
            CertifyError::Step(error) => Err(search_failure(&SearchError::Step(error))),
            CertifyError::Rules(_) | CertifyError::UnknownFact(_) => {
                Err(Failure::new(Exit::InvalidInput, error))
            }
            CertifyError::Disagreement(_) => Err(Failure::new(Exit::Internal, error)),
        };
        let mut certifier = match Certifier::new(self.game, asked, &step) {
            Ok(certifier) => certifier,
            Err(error) => return failed(error),
        };
        let solver = budget.for_solver();
        let policy = Consulted::new(search, certifier.ground(), self.asked.objective, solver);
        let Some(mut policy) = policy else {
            let message = "the game has two different circuits: this is a bug";
            return Err(Failure::new(Exit::Internal, message));
        };
        let mut efforts = Vec::new();
        for side in [Side::Role, Side::Opponents] {
            let limits = Limits {
                memory,
                ..budget.for_solver()
            };
            match certify(&mut certifier, side, &mut policy, &limits) {
                Ok((Certified::Worth(found), effort)) if found == *value => efforts.push(effort),
                Ok((Certified::Stopped(reason), _)) => {
                    return Ok(Certificate::Stopped(reason));
                }
                Ok((found, _)) => {
                    let bug = format!(
                        "the value {value} is not what play is worth ({found:?}): this is a bug"
                    );
                    drop(policy);
                    let bug = Failure::new(Exit::Internal, bug);
                    return Err(self.without_value(search, depth, bug));
                }
                Err(error) => {
                    drop(policy);
                    let result = failed(error);
                    return result.map_err(|failure| self.without_value(search, depth, failure));
                }
            }
        }
        Ok(Certificate::Proved {
            player: efforts[0],
            opponents: efforts[1],
        })
    }

    /// Where what both sides do leads to a state without a value, which the search for the value did not
    /// need: says so, with a play from the start. Else what was to be said.
    fn without_value(&self, search: &mut Search, depth: u32, otherwise: Failure) -> Failure {
        let start = search.initial();
        match search.check(&start, depth, &self.run.budget.for_solver()) {
            Err(error @ SearchError::Defect(_)) => search_failure(&error),
            _ => otherwise,
        }
    }

    /// What a strategy says first; its value comes later.
    fn heading(&self, depth: u32) -> Result<Heading, crate::machine::ReasonerError> {
        let mut reasoner = Reasoner::new(self.game)?;
        let start = reasoner.initial()?;
        Ok(Heading {
            game: self.rules.name().to_owned(),
            rules: fingerprint(self.rules),
            roles: self.rules.roles().to_vec(),
            role: self.asked.role.clone(),
            depth,
            objective: self.asked.objective,
            start: reasoner.facts(&start),
            value: BigRational::zero(),
        })
    }
}

/// Writes a strategy in the form that the file's ending asks for.
fn write_strategy(
    strategy: &Strategy,
    rules: &Game,
    file: &Path,
    budget: &Budget,
) -> Result<(), Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    files::write(Some(file), budget, |to: &mut dyn Write| match ending {
        Some("dot") => write_dot(strategy, rules, to).map_err(|error| match error {
            DotError::Io(error) => error,
            other => io::Error::other(other),
        }),
        Some("txt") => write_text(strategy, to),
        _ => write_json(strategy, to),
    })
}

/// Sizes of one step.
fn sizes(search: &Search) -> Vec<(&'static str, u64)> {
    let ground = search.ground();
    let moves = ground.moves.iter().map(Vec::len).sum::<usize>();
    vec![
        ("facts", ground.facts.len() as u64),
        ("moves", moves as u64),
        ("gates", ground.step.circuit.node_count() as u64),
    ]
}
