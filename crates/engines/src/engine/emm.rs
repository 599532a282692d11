//! emm: expected minimax on the circuit of one step.
//!
//! For every role that is asked about there is one [`Search`], made when it is first asked about, by a
//! thread of its own: that can take longer than an answer may, and then goes on for later questions. Each
//! keeps its tables. Histories are played on a state machine of the same game. Exact answers are kept
//! whole as well, because players ask about a position again: putting one together from the tables means
//! looking up what follows from every move, which takes far longer than finding it here.
//!
//! Invariant: values are those of [`Search`]; nothing is computed here but the largest of the values of
//! moves.

use super::best_play::summary;
use super::{
    Ability, Engine, EngineInput, Entry, Evaluation, Play, Query, Setting, locate, rule_limits,
    stopped, value_ranges,
};
use crate::answer::{BestPlay, MoveValue};
use crate::error::{Error, ErrorKind};
use crate::search::{AdviceError, Adviser, Search, SearchError, SearchOptions, SearchState};
use crate::strategy::{ExtractLimits, Extracted, best_play, extract};
use formula::Outcome;
use gdl::Term;
use gdl::game::{Game, Objective, ValueRange};
use limits::{Limits, Publisher, StopReason};
use rustc_hash::FxHashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use step::StateMachine;
use verify::{AnyStrategy, Heading};

pub(super) const ENTRY: Entry = Entry {
    name: "emm",
    about: "Expected minimax, which searches the game itself: exact. For games",
    abilities: &[Ability::Play(Play::Open), Ability::Advice],
    techniques: ::emm::Options::techniques,
    input: EngineInput::Game(make),
};

fn make(setting: &Setting<'_>) -> Result<Box<dyn Engine>, Error> {
    let objective = setting.question.payoff("the engine emm")?;
    Ok(Box::new(for_setting(setting, objective)?))
}

/// The engine for a question.
pub(super) fn for_setting(
    setting: &Setting<'_>,
    objective: Objective,
) -> Result<EmmEngine, SearchError> {
    let options = setting.options.search();
    EmmEngine::for_role(setting.game, &setting.question.role, objective, options)
}

/// Expected minimax, for any role of one game.
pub struct EmmEngine {
    objective: Objective,
    /// For each role the range of its values.
    ranges: Vec<ValueRange>,
    options: SearchOptions,
    machine: StateMachine,
    /// One for each role.
    searches: Vec<SearchSlot>,
    /// Exact answers.
    answers: FxHashMap<AnswerKey, Evaluation>,
    answer_bytes: usize,
}

/// A search, as far as it is there.
enum SearchSlot {
    /// No question was about the role.
    Empty,
    /// A thread makes it.
    Building(Receiver<Result<Search, SearchError>>),
    Ready(Box<Search>),
}

/// How often a wait for a search checks the limits.
const PERIOD: Duration = Duration::from_millis(5);

/// The key of an answer: role, depth, whether moves are valued, and the state.
type AnswerKey = (usize, Option<u32>, bool, SearchState);

/// The most memory for answers, in bytes, and which part of all memory. When it is full they are all
/// forgotten: the tables can give them again.
const MAX_BYTES: u64 = 64_000_000;
const PART_FOR_ANSWERS: u64 = 16;

/// The bytes of a move with its value, roughly, if the value is a short fraction.
const BYTES_PER_MOVE: usize = 400;

impl EmmEngine {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When one step of the game is no circuit, or the rules cannot be evaluated.
    pub fn new(
        game: &Game,
        objective: Objective,
        options: SearchOptions,
    ) -> Result<Self, SearchError> {
        let machine = options.machine(game, "a search through its states")?;
        Ok(EmmEngine {
            ranges: value_ranges(game, objective),
            objective,
            options,
            machine,
            searches: game.roles().iter().map(|_| SearchSlot::Empty).collect(),
            answers: FxHashMap::default(),
            answer_bytes: 0,
        })
    }

    /// The same, ready for questions about a role.
    ///
    /// # Errors
    /// The same; and if the role never decides.
    pub fn for_role(
        game: &Game,
        role: &gdl::Name,
        objective: Objective,
        options: SearchOptions,
    ) -> Result<Self, SearchError> {
        let mut engine = EmmEngine::new(game, objective, options)?;
        engine.prepare(game.role(role).map_err(SearchError::from)?)?;
        Ok(engine)
    }

    /// Makes ready for questions about a role.
    ///
    /// # Errors
    /// When the engine cannot take the game.
    pub fn prepare(&mut self, role: usize) -> Result<(), SearchError> {
        self.searches[role] = SearchSlot::Ready(Box::new(self.maker(role)()?));
        Ok(())
    }

    /// Plays the game.
    pub(super) fn machine(&mut self) -> &mut StateMachine {
        &mut self.machine
    }

    /// The number of joint moves in the initial state, of those with equal effects one, for a role that the
    /// engine is ready for.
    pub(super) fn joint_moves(&self, role: &gdl::Name) -> usize {
        let is_role = |index: usize| self.machine.roles()[index] == *role;
        let mut present = self.present().filter(|(index, _)| is_role(*index));
        let search = present.next().map(|(_, search)| search);
        let count = search.map(|search| search.joint_moves(&search.initial()));
        count.and_then(Result::ok).unwrap_or(0)
    }

    /// A function that makes the search for a role.
    fn maker(&self, role: usize) -> impl FnOnce() -> Result<Search, SearchError> + Send + 'static {
        let (machine, options) = (self.machine.clone(), self.options.clone());
        let (name, objective) = (machine.roles()[role].clone(), self.objective);
        let range = self.ranges[role].clone();
        move || Search::on(machine, &name, objective, range, &options)
    }

    /// Waits for the search for a role.
    fn wait_for(&mut self, role: usize, limits: &Limits) -> Result<(), Error> {
        if let SearchSlot::Empty = self.searches[role] {
            let (to, search) = channel();
            let make = self.maker(role);
            // The caller may have stopped waiting.
            let work = move || drop(to.send(make()));
            match thread::Builder::new().spawn(work) {
                Ok(_) => self.searches[role] = SearchSlot::Building(search),
                // Without room for a thread it takes as long as it takes.
                Err(_) => self.prepare(role)?,
            }
        }
        while let SearchSlot::Building(search) = &self.searches[role] {
            match search.recv_timeout(PERIOD) {
                Ok(Ok(search)) => self.searches[role] = SearchSlot::Ready(Box::new(search)),
                Ok(Err(error)) => {
                    self.searches[role] = SearchSlot::Empty;
                    return Err(error.into());
                }
                Err(RecvTimeoutError::Timeout) => {
                    limits.check().map_err(stopped_while_preparing)?
                }
                Err(RecvTimeoutError::Disconnected) => self.prepare(role)?,
            }
        }
        Ok(())
    }

    /// The searches that are there, with their roles.
    fn present(&self) -> impl Iterator<Item = (usize, &Search)> {
        let all = self.searches.iter().enumerate();
        all.filter_map(|(role, search)| match search {
            SearchSlot::Ready(search) => Some((role, &**search)),
            SearchSlot::Empty | SearchSlot::Building(_) => None,
        })
    }

    /// The state with these facts, none of which may be unknown.
    fn state(&self, facts: &[Term]) -> Result<SearchState, SearchError> {
        let ground = self.machine.circuit().map_err(Clone::clone)?;
        ground.state(facts).map_err(SearchError::UnknownFact)
    }

    /// Keeps an exact answer.
    fn keep(&mut self, asked: AnswerKey, found: &Evaluation, limits: &Limits) {
        let outcomes = found.moves.iter().map(|each| &each.outcome);
        let outcomes = outcomes.chain([&found.outcome]);
        let bytes = asked.3.len() + outcomes.map(outcome_bytes).sum::<usize>();
        let part = limits.memory.map(|memory| memory / PART_FOR_ANSWERS);
        let most = part.unwrap_or(MAX_BYTES).min(MAX_BYTES) as usize;
        if self.answer_bytes + bytes > most {
            self.forget_answers();
        }
        if bytes > most {
            return;
        }
        self.answer_bytes += bytes;
        let known = Evaluation {
            states: 0,
            ..found.clone()
        };
        self.answers.insert(asked, known);
    }

    fn forget_answers(&mut self) {
        self.answers.clear();
        self.answer_bytes = 0;
    }

    /// The state of a query's position, whether play is over there, and the search for its role.
    fn turn_to(&mut self, query: &Query) -> Result<(SearchState, bool), Error> {
        let limits = query.limits.clone();
        self.machine
            .reasoner()
            .set_limits(rule_limits(&query.limits));
        let position = locate(&mut self.machine, &query.position)?;
        let terminal = self.machine.terminal(&position)?;
        let facts = self.machine.facts(&position);
        let state = self.state(&facts)?;
        if !self
            .answers
            .contains_key(&(query.role, query.depth, query.moves, state.clone()))
        {
            self.wait_for(query.role, &limits)?;
        }
        Ok((state, terminal))
    }

    /// The search for a role that was waited for.
    fn search(&mut self, role: usize) -> &mut Search {
        match &mut self.searches[role] {
            SearchSlot::Ready(search) => search,
            SearchSlot::Empty | SearchSlot::Building(_) => unreachable!("it was waited for"),
        }
    }

    /// The limits of a query, less what the tables of other roles take.
    fn limits(&self, query: &Query) -> Limits {
        let others = self.present().filter(|(other, _)| *other != query.role);
        let taken: u64 = others.map(|(_, search)| search.bytes()).sum();
        Limits {
            // Some room is left where the others leave none.
            memory: (query.limits.memory).map(|all| all.saturating_sub(taken).max(all / 4)),
            ..query.watched()
        }
    }

    /// Where what both sides do leads to a state without a value, which the search for the value did not
    /// need: says so, with a play from the start. Else what was to be said.
    fn without_value(&mut self, query: &Query, state: &SearchState, otherwise: Error) -> Error {
        let depth = query.depth.unwrap_or(u32::MAX);
        let checked = self.search(query.role).check(state, depth, &query.limits);
        match checked {
            Err(error @ SearchError::Defect(_)) => error.into(),
            _ => otherwise,
        }
    }
}

/// A limit came while the search for a role was being made.
fn stopped_while_preparing(reason: limits::StopReason) -> Error {
    let message = format!("{reason} while the circuit of one step was being made");
    Error::new(ErrorKind::Stopped(reason), message)
}

impl Engine for EmmEngine {
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
        let (state, terminal) = self.turn_to(query)?;
        let asked = (query.role, query.depth, query.moves, state);
        if let Some(known) = self.answers.get(&asked) {
            return Ok(known.clone());
        }
        let limits = self.limits(query);
        let search = self.search(query.role);
        let before = search.states();
        let moves = if query.moves {
            // Moves are valued one after the other, so all bounds of the state hang on the last one. Half of the time is kept for
            // the state itself; what the moves have taught makes that short.
            let for_moves = limits.within(limits.time_left().map(|left| left / 2));
            search.moves(&asked.3, query.depth, &for_moves)?
        } else {
            Vec::new()
        };
        let moves: Vec<MoveValue> = moves
            .into_iter()
            .map(|(action, outcome)| MoveValue { action, outcome })
            .collect();
        let largest = Outcome::largest(moves.iter().map(|each| &each.outcome));
        let is_stopped = |outcome: &Outcome| outcome.stopped_by().is_some();
        let (outcome, cut_off, statistics) = match (largest, query.depth) {
            (Some(largest), depth) if is_stopped(&largest) => {
                let found = search.solve_publishing(&asked.3, depth, &limits, publisher)?;
                let outcome = found.outcome.within(largest.bounds());
                (outcome, found.cuts_off, found.statistics)
            }
            (Some(outcome), None) => (outcome, false, Vec::new()),
            (Some(outcome), Some(depth)) => {
                let cut_off = search.may_cut_off(&asked.3, depth, &limits);
                (outcome, cut_off, Vec::new())
            }
            (None, depth) => {
                let found = search.solve_publishing(&asked.3, depth, &limits, publisher)?;
                (found.outcome, found.cuts_off, found.statistics)
            }
        };
        let best = match query.depth {
            None => {
                let best = best_moves(&moves);
                // Values are no worse where there is no time to choose among equal ones.
                search
                    .first_to_advance(&asked.3, &best, &query.limits)
                    .ok()
                    .flatten()
            }
            Some(_) => None,
        };
        let horizon = match query.depth {
            None => search.known_horizon(&asked.3),
            Some(_) => None,
        };
        let found = Evaluation {
            horizon,
            terminal,
            moves,
            best,
            endless: None,
            cut_off,
            states: search.states().saturating_sub(before),
            statistics,
            ..Evaluation::of(outcome)
        };
        if stopped(&found.outcome, &found.moves).is_none() {
            self.keep(asked, &found, &query.limits);
        }
        Ok(found)
    }

    fn clear(&mut self) {
        for search in &mut self.searches {
            if let SearchSlot::Ready(search) = search {
                search.forget();
            }
        }
        self.forget_answers();
    }

    fn entries(&self) -> u64 {
        self.present().map(|(_, search)| search.states()).sum()
    }

    fn memory(&self) -> Option<u64> {
        let tables: u64 = self.present().map(|(_, search)| search.bytes()).sum();
        Some(tables + self.answer_bytes as u64)
    }

    fn sizes(&self) -> Vec<(&'static str, u64)> {
        let Ok(ground) = self.machine.circuit() else {
            return Vec::new();
        };
        let moves = ground.moves.iter().map(Vec::len).sum::<usize>();
        vec![
            ("facts", ground.facts.len() as u64),
            ("moves", moves as u64),
            ("gates", ground.step.circuit.node_count() as u64),
        ]
    }

    fn winning_move(&mut self, query: &Query, legal: &[Term]) -> Result<Option<Term>, Error> {
        let (state, _) = self.turn_to(query)?;
        let search = self.search(query.role);
        let is_endless = query.depth.is_none() && search.known_horizon(&state).is_none();
        // The entries of the search that found the answer mostly suffice, so the first attempt has no time.
        let known = query.limits.within(Duration::ZERO);
        for limits in [known, query.limits.clone()] {
            let mut sure = Vec::new();
            for action in legal {
                if search.is_sure(&state, action, query.depth, &limits)? == Some(true) {
                    sure.push(action.clone());
                    if !is_endless {
                        break;
                    }
                }
            }
            if !sure.is_empty() {
                return Ok(if is_endless {
                    search.first_to_advance(&state, &sure, &query.limits)?
                } else {
                    sure.pop()
                });
            }
        }
        Ok(None)
    }

    fn strategy(
        &mut self,
        query: &Query,
        heading: Heading,
        positions: usize,
    ) -> Result<Extracted<AnyStrategy>, Error> {
        let (state, _) = self.turn_to(query)?;
        let limits = ExtractLimits {
            positions,
            overall: query.limits.clone(),
        };
        let mut adviser = Adviser::new(self.search(query.role), query.limits.clone());
        match extract(&mut adviser, heading, &limits) {
            Ok(extracted) => Ok(extracted.map(AnyStrategy::Known)),
            Err(AdviceError::Stopped(reason)) => Ok(Extracted::Stopped(reason)),
            Err(AdviceError::Search(error)) => Err(self.without_value(query, &state, error.into())),
        }
    }

    fn best_play(&mut self, query: &Query) -> Result<Result<BestPlay, StopReason>, Error> {
        let (state, _) = self.turn_to(query)?;
        let limits = ExtractLimits {
            positions: usize::MAX,
            overall: query.limits.clone(),
        };
        let mut adviser = Adviser::new(self.search(query.role), query.limits.clone());
        match best_play(&mut adviser, query.depth, &limits) {
            Ok(Extracted::Complete(all)) => Ok(summary(&all, query.depth.is_some(), &query.limits)),
            Ok(other) => Ok(Err(other.stopped_by().expect("a limit was reached"))),
            Err(AdviceError::Stopped(reason)) => Ok(Err(reason)),
            Err(AdviceError::Search(error)) => Err(self.without_value(query, &state, error.into())),
        }
    }
}

/// The moves of which none is known to be better, by lower bounds and then by upper ones, in the order of their text.
fn best_moves(moves: &[MoveValue]) -> Vec<Term> {
    let bounds = |each: &&MoveValue| each.outcome.bounds();
    let highest = moves.iter().map(|each| bounds(&each)).max();
    let best = moves.iter().filter(|each| Some(bounds(each)) == highest);
    let mut best: Vec<Term> = best.map(|each| each.action.clone()).collect();
    best.sort_by_cached_key(Term::to_string);
    best
}

/// The bytes of an outcome that is kept, roughly.
fn outcome_bytes(outcome: &Outcome) -> usize {
    let (lower, upper) = outcome.bounds();
    let bits = [&lower, &upper].map(|bound| bound.numer().bits() + bound.denom().bits());
    BYTES_PER_MOVE + bits.iter().sum::<u64>() as usize / 8
}
