//! The engine for use: expected minimax on the circuit of one step.
//!
//! For every role that is asked about there is one [`Search`], made when it is first asked about, by a
//! thread of its own: that can take longer than an answer may, and then goes on for later questions. Each
//! keeps its tables. Histories are played on a state machine of the same game. Exact answers are kept
//! whole as well, because players ask about a position again: putting one together from the tables means
//! looking up what follows from every move, which takes far longer than finding it here.
//!
//! Invariant: values are those of [`Search`]; nothing is computed here but the largest of the values of
//! moves.

use super::engine::{
    Engine, EngineError, Evaluation, MoveValue, Position, Question, Trouble, largest_values,
    rule_limits, stopped,
};
use crate::game::{Game, Objective};
use crate::gdl::Term;
use crate::machine::{FollowError, Position as Place, RuleLimits, StateMachine, follow};

use crate::search::{Search, SearchError, SearchOptions, SearchState};
use formula::{BigRational, Outcome};
use limits::{Clock, Limits};
use rustc_hash::FxHashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Expected minimax, for any role of one game.
pub struct Searching {
    objective: Objective,
    /// For each role the largest value that it can have.
    largest: Vec<BigRational>,
    options: SearchOptions,
    machine: StateMachine,
    /// One for each role.
    searches: Vec<Maybe>,
    /// Exact answers.
    answers: FxHashMap<Asked, Evaluation>,
    answer_bytes: usize,
}

/// A search, as far as it is there.
enum Maybe {
    /// Nobody asked about the role.
    Not,
    /// A thread makes it.
    Soon(Receiver<Result<Search, SearchError>>),
    Here(Box<Search>),
}

/// How often somebody who waits for a search looks at the limits.
const PERIOD: Duration = Duration::from_millis(5);

/// What an answer is about: role, depth, whether moves are valued, and the state.
type Asked = (usize, Option<u32>, bool, SearchState);

/// The most memory for answers, in bytes, and which part of all memory. When it is full they are all
/// forgotten: the tables can give them again.
const MAX_BYTES: u64 = 64_000_000;
const PART_FOR_ANSWERS: u64 = 16;

/// The bytes of a move with its value, roughly, if the value is a short fraction.
const BYTES_PER_MOVE: usize = 400;

impl Searching {
    /// An engine for all roles of a game.
    ///
    /// # Errors
    /// When one step of the game is no circuit, or the rules cannot be evaluated.
    pub fn new(
        game: &Game,
        objective: Objective,
        options: SearchOptions,
    ) -> Result<Self, SearchError> {
        let machine = StateMachine::new(game, &options.step, RuleLimits::default())?;
        machine.circuit().map_err(Clone::clone)?;
        Ok(Searching {
            largest: largest_values(game, objective),
            objective,
            options,
            machine,
            searches: game.roles().iter().map(|_| Maybe::Not).collect(),
            answers: FxHashMap::default(),
            answer_bytes: 0,
        })
    }

    /// Makes ready for questions about a role.
    ///
    /// # Errors
    /// When the engine cannot take the game.
    pub fn prepare(&mut self, role: usize) -> Result<(), SearchError> {
        self.searches[role] = Maybe::Here(Box::new(self.maker(role)()?));
        Ok(())
    }

    /// What makes the search for a role.
    fn maker(&self, role: usize) -> impl FnOnce() -> Result<Search, SearchError> + Send + 'static {
        let (machine, options) = (self.machine.clone(), self.options.clone());
        let (name, objective) = (machine.roles()[role].clone(), self.objective);
        let largest = self.largest[role].clone();
        move || Search::on(machine, &name, objective, largest, &options)
    }

    /// Waits for the search for a role.
    fn wait_for(&mut self, role: usize, clock: &Clock) -> Result<(), Trouble> {
        if let Maybe::Not = self.searches[role] {
            let (to, search) = channel();
            let make = self.maker(role);
            // Whoever waited may be gone.
            let work = move || drop(to.send(make()));
            match thread::Builder::new().spawn(work) {
                Ok(_) => self.searches[role] = Maybe::Soon(search),
                // Without room for a thread it takes as long as it takes.
                Err(_) => self.prepare(role)?,
            }
        }
        while let Maybe::Soon(search) = &self.searches[role] {
            match search.recv_timeout(PERIOD) {
                Ok(Ok(search)) => self.searches[role] = Maybe::Here(Box::new(search)),
                Ok(Err(error)) => {
                    self.searches[role] = Maybe::Not;
                    return Err(error.into());
                }
                Err(RecvTimeoutError::Timeout) => clock.look().map_err(Trouble::Stopped)?,
                Err(RecvTimeoutError::Disconnected) => self.prepare(role)?,
            }
        }
        Ok(())
    }

    /// The searches that are there, with their roles.
    fn present(&self) -> impl Iterator<Item = (usize, &Search)> {
        let all = self.searches.iter().enumerate();
        all.filter_map(|(role, search)| match search {
            Maybe::Here(search) => Some((role, &**search)),
            Maybe::Not | Maybe::Soon(_) => None,
        })
    }

    /// The place in the play that a question is about.
    fn place(&mut self, position: &Position) -> Result<Place, Trouble> {
        let steps = match position {
            Position::State(facts) => return Ok(self.machine.position(facts)?),
            Position::History(steps) => steps,
        };
        let roles = self.machine.roles().len();
        let wrong = steps
            .iter()
            .position(|joint_move| joint_move.len() != roles);
        if let Some(place) = wrong {
            return Err(Trouble::Error(EngineError::Position(format!(
                "joint move {} has {} moves; it needs one for each of the {roles} roles",
                place + 1,
                steps[place].len()
            ))));
        }
        let start = self.machine.initial()?;
        Ok(follow(&mut self.machine, start, steps)?)
    }

    /// The state with these facts, none of which may be unknown.
    fn state(&self, facts: &[Term]) -> Result<SearchState, SearchError> {
        let ground = self.machine.circuit().map_err(Clone::clone)?;
        ground.state(facts).map_err(SearchError::UnknownFact)
    }

    /// Keeps an exact answer.
    fn keep(&mut self, asked: Asked, found: &Evaluation, limits: &Limits) {
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

    fn try_evaluate(&mut self, question: &Question) -> Result<Evaluation, Trouble> {
        let clock = Clock::new(&question.limits);
        self.machine
            .reasoner()
            .set_limits(rule_limits(&question.limits));
        let (role, depth) = (question.role, question.depth);
        if let Position::State(facts) = &question.position {
            // Before the machine sees them, which would remember their names for ever.
            self.state(facts)?;
        }
        let place = self.place(&question.position)?;
        let terminal = self.machine.terminal(&place)?;
        let facts = self.machine.facts(&place);
        let state = self.state(&facts)?;
        let asked = (role, depth, question.moves, state);
        if let Some(known) = self.answers.get(&asked) {
            return Ok(known.clone());
        }
        self.wait_for(role, &clock)?;
        let others = self.present().filter(|(other, _)| *other != role);
        let taken: u64 = others.map(|(_, search)| search.bytes()).sum();
        let limits = Limits {
            time: clock.left(),
            // What the tables of other roles leave, and some room where they leave none.
            memory: (question.limits.memory).map(|all| all.saturating_sub(taken).max(all / 4)),
            ..question.limits.clone()
        };
        let Maybe::Here(search) = &mut self.searches[role] else {
            unreachable!("it was waited for")
        };
        let before = search.states();
        let moves = match question.moves {
            true => search.moves(&asked.3, depth, &limits)?,
            false => Vec::new(),
        };
        let moves: Vec<MoveValue> = moves
            .into_iter()
            .map(|(action, outcome)| MoveValue { action, outcome })
            .collect();
        let (outcome, cut_off) = match (
            Outcome::largest(moves.iter().map(|each| &each.outcome)),
            depth,
        ) {
            (Some(outcome), None) => (outcome, false),
            (Some(outcome), Some(depth)) => {
                let left = Limits {
                    time: clock.left(),
                    ..limits
                };
                (outcome, search.may_cut_off(&asked.3, depth, &left))
            }
            (None, _) => {
                let found = search.solve(&asked.3, depth, &limits)?;
                (found.outcome, found.cuts_off)
            }
        };
        let found = Evaluation {
            terminal,
            outcome,
            moves,
            cut_off,
            states: search.states().saturating_sub(before),
        };
        if stopped(&found.outcome, &found.moves).is_none() {
            self.keep(asked, &found, &question.limits);
        }
        Ok(found)
    }
}

impl Engine for Searching {
    fn name(&self) -> &'static str {
        "emm"
    }

    fn largest(&self, role: usize) -> BigRational {
        self.largest[role].clone()
    }

    fn evaluate(&mut self, question: &Question) -> Result<Evaluation, EngineError> {
        let found = self.try_evaluate(question);
        found.or_else(|trouble| trouble.told(&self.largest[question.role]))
    }

    fn clear(&mut self) {
        for search in &mut self.searches {
            if let Maybe::Here(search) = search {
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
}

/// The bytes of an outcome that is kept, roughly.
fn outcome_bytes(outcome: &Outcome) -> usize {
    let (lower, upper) = outcome.bounds();
    let bits = [&lower, &upper].map(|bound| bound.numer().bits() + bound.denom().bits());
    BYTES_PER_MOVE + bits.iter().sum::<u64>() as usize / 8
}

impl From<FollowError> for Trouble {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Rules(error) => error.into(),
            other => Trouble::Error(EngineError::Position(other.to_string())),
        }
    }
}

impl From<SearchError> for Trouble {
    fn from(error: SearchError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Trouble::Stopped(reason);
        }
        let text = error.to_string();
        Trouble::Error(match error {
            SearchError::UnknownFact(_) => EngineError::Position(text),
            _ if error.needs_depth() => EngineError::Depth(text),
            _ => EngineError::Game(text),
        })
    }
}
