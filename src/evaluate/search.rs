//! The engine for use: expected minimax on the circuit of one step.
//!
//! For every role that is asked about there is one [`Search`], made when it is first asked about. Each
//! keeps its tables. Histories are played on a state machine of the same game. Exact answers are kept
//! whole as well, because players ask about a position again: putting one together from the tables means
//! looking up what follows from every move, which takes far longer than finding it here.
//!
//! Invariant: values are those of [`Search`]; nothing is computed here but the largest of the values of
//! moves.

use super::engine::{
    Engine, EngineError, Evaluation, MoveValue, Position, Question, Trouble, solved, stop_of,
    stopped,
};
use crate::game::{Game, Objective, largest_value};
use crate::machine::{FollowError, Limits as RuleLimits, Position as Place, StateMachine, follow};
use crate::search::{Search, SearchError, SearchOptions, SearchState};
use formula::{Limits, Outcome};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

/// Expected minimax, for any role of one game.
pub struct Searching {
    game: Game,
    objective: Objective,
    options: SearchOptions,
    machine: StateMachine,
    /// One for each role that was asked about.
    searches: Vec<Option<Search>>,
    /// Exact answers.
    answers: FxHashMap<Asked, (Outcome, Vec<MoveValue>)>,
    answer_bytes: usize,
}

/// What an answer is about: role, depth, whether moves are valued, and the state.
type Asked = (usize, Option<u32>, bool, SearchState);

/// The most memory for answers, in bytes. When it is full they are all forgotten: the tables can give
/// them again.
const MOST_BYTES: usize = 64_000_000;

/// The bytes of a move with its value, roughly.
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
            game: game.clone(),
            objective,
            options,
            machine,
            searches: game.roles().iter().map(|_| None).collect(),
            answers: FxHashMap::default(),
            answer_bytes: 0,
        })
    }

    /// Makes ready for questions about a role.
    ///
    /// # Errors
    /// When the engine cannot take the game.
    pub fn prepare(&mut self, role: usize) -> Result<(), SearchError> {
        let options = self.options.clone();
        self.search(role, options).map(drop)
    }

    /// The search for a role.
    fn search(&mut self, role: usize, options: SearchOptions) -> Result<&mut Search, SearchError> {
        let search = &mut self.searches[role];
        if search.is_none() {
            let name = &self.game.roles()[role];
            *search = Some(Search::new(&self.game, name, self.objective, &options)?);
        }
        Ok(search.as_mut().expect("it was just made"))
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

    /// Keeps an exact answer.
    fn keep(&mut self, asked: Asked, outcome: &Outcome, moves: &[MoveValue]) {
        let bytes = asked.3.len() + BYTES_PER_MOVE * (moves.len() + 1);
        if self.answer_bytes + bytes > MOST_BYTES {
            self.forget_answers();
        }
        self.answer_bytes += bytes;
        self.answers
            .insert(asked, (outcome.clone(), moves.to_vec()));
    }

    fn forget_answers(&mut self) {
        self.answers.clear();
        self.answer_bytes = 0;
    }

    fn try_evaluate(&mut self, question: &Question) -> Result<Evaluation, Trouble> {
        let start = Instant::now();
        let deadline = question
            .limits
            .time
            .and_then(|time| start.checked_add(time));
        self.machine.reasoner().set_limits(RuleLimits {
            deadline,
            interrupt: Some(question.limits.interrupt.flag()),
            ..RuleLimits::default()
        });
        let place = self.place(&question.position)?;
        let terminal = self.machine.terminal(&place)?;
        let facts = match &question.position {
            // As they were given: unknown ones must be noticed.
            Position::State(facts) => facts.clone(),
            Position::History(_) => self.machine.facts(&place),
        };
        let mut options = self.options.clone();
        options.step.deadline = deadline;
        let interrupt = question.limits.interrupt.clone();
        options.step.interrupted = Some(Arc::new(move || interrupt.is_raised()));
        let (role, depth) = (question.role, question.depth);
        let state = self.search(role, options)?.state(&facts)?;
        let asked = (role, depth, question.moves, state);
        if let Some((outcome, moves)) = self.answers.get(&asked) {
            return Ok(Evaluation {
                terminal,
                outcome: outcome.clone(),
                moves: moves.clone(),
                states: 0,
            });
        }
        let others = self.searches.iter().enumerate();
        let others = others.filter(|(other, _)| *other != role);
        let taken: u64 = others
            .filter_map(|(_, search)| Some(search.as_ref()?.bytes()))
            .sum();
        let limits = Limits {
            time: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            // What the tables of other roles leave, and some room where they leave none.
            memory: (question.limits.memory).map(|all| all.saturating_sub(taken).max(all / 4)),
            ..question.limits.clone()
        };
        let search = self.searches[role].as_mut().expect("it was just used");
        let before = search.states();
        let moves = match question.moves {
            true => search.moves(&asked.3, depth, &limits)?,
            false => Vec::new(),
        };
        let moves: Vec<MoveValue> = moves
            .into_iter()
            .map(|(action, outcome)| MoveValue { action, outcome })
            .collect();
        let outcome = match overall(&moves) {
            Some(outcome) => outcome,
            None => search.solve(&asked.3, depth, &limits)?.outcome,
        };
        let states = search.states().saturating_sub(before);
        if stopped(&outcome, &moves).is_none() {
            self.keep(asked, &outcome, &moves);
        }
        Ok(Evaluation {
            terminal,
            outcome,
            moves,
            states,
        })
    }
}

impl Engine for Searching {
    fn name(&self) -> &'static str {
        "emm"
    }

    fn evaluate(&mut self, question: &Question) -> Result<Evaluation, EngineError> {
        let found = self.try_evaluate(question);
        found.or_else(|trouble| {
            let role = &self.game.roles()[question.role];
            trouble.told(&largest_value(&self.game, role, self.objective))
        })
    }

    fn clear(&mut self) {
        self.searches.fill_with(|| None);
        self.forget_answers();
    }

    fn entries(&self) -> u64 {
        self.searches.iter().flatten().map(Search::states).sum()
    }

    fn memory(&self) -> Option<u64> {
        let tables: u64 = self.searches.iter().flatten().map(Search::bytes).sum();
        Some(tables + self.answer_bytes as u64)
    }
}

/// The largest of the values of some moves; none if there are none.
fn overall(moves: &[MoveValue]) -> Option<Outcome> {
    let all = moves.iter().map(|each| each.outcome.bounds());
    let lower = all.clone().map(|(lower, _)| lower).max()?;
    let upper = all.map(|(_, upper)| upper).max()?;
    if lower == upper {
        return Some(solved(lower));
    }
    let reason = moves.iter().find_map(|each| stop_of(&each.outcome));
    Some(Outcome::Stopped {
        reason: reason.expect("a value that is not known was cut short"),
        lower,
        upper,
    })
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
            SearchError::Question(_) => EngineError::Depth(text),
            _ => EngineError::Game(text),
        })
    }
}
