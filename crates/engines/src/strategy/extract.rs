//! A solver's knowledge made into a strategy.
//!
//! An [`Advisor`] knows the value of a position and the best moves in it. [`extract`] walks through
//! all positions that can be reached and writes the advice down, breadth first: on the role's side
//! along the role's best moves with every answer of the opponents and of chance, on the opponents'
//! side along every move of the role with the best answer to it and every move of chance.
//!
//! How many positions there are is not known before; the walk ends at a number that the caller
//! sets. In the end positions that differ in the steps left only, with one advice and one value for all of
//! them, become one without steps. So where steps cannot run out the strategy is one on states.
//!
//! Where all steps count, a best move is not always good advice: two positions can have best moves that lead to each
//! other for ever. So the advisor chooses among best moves ([`Advisor::decide`]).

use gdl::Term;
use gdl::game::Points;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use verify::{Answer, Decision, Heading, Position, Response, Strategy};
use verify::{TermNumber, TermTable};

/// The best answer to a move of the role.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The role's move.
    pub action: Term,
    /// One move for each opponent, in the order of roles.
    pub reply: Vec<Term>,
    /// The value that the role can guarantee by its move.
    pub value: BigRational,
}

/// A source of the exact values of positions: a solver with the game it is about.
///
/// A position is a state and the number of steps left; without a number all steps count.
pub trait Advisor {
    /// A state of the game. Equal states are the same to the rules.
    type State: Clone + Eq + Hash;
    /// Why there is no advice.
    type Error;

    /// The state that play starts from.
    ///
    /// # Errors
    /// When the rules cannot be evaluated. The other methods fail too when the solver does, or
    /// when it is stopped.
    fn start(&mut self) -> Result<Self::State, Self::Error>;

    /// The facts of a state.
    fn facts(&mut self, state: &Self::State) -> Vec<Term>;

    /// Whether play is over in this state.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn is_over(&mut self, state: &Self::State) -> Result<bool, Self::Error>;

    /// The points that the role gets in a state in which play is over.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn points(&mut self, state: &Self::State) -> Result<Points, Self::Error>;

    /// The value of a position.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn value(
        &mut self,
        state: &Self::State,
        steps: Option<u32>,
    ) -> Result<BigRational, Self::Error>;

    /// A best move of the role where play goes on, and its value. Where all steps count, moves that keep the value can
    /// keep play going for ever; this must be one of which that is not true.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn decide(
        &mut self,
        state: &Self::State,
        steps: Option<u32>,
    ) -> Result<(Term, BigRational), Self::Error> {
        let (mut best, value) = best_moves(self.answer(state, steps)?);
        Ok((best.swap_remove(0), value))
    }

    /// For each legal move of the role, where play goes on, the opponents' best answer.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn answer(
        &mut self,
        state: &Self::State,
        steps: Option<u32>,
    ) -> Result<Vec<Reply>, Self::Error>;

    /// Whether small values are good for the role.
    fn prefers_small(&self) -> bool {
        false
    }

    /// The states that can follow a move of the role, by any move of chance: after this answer, or a list for each
    /// answer there is. States may come several times.
    ///
    /// # Errors
    /// See [`Advisor::start`].
    fn successors(
        &mut self,
        state: &Self::State,
        action: &Term,
        reply: Option<&[Term]>,
    ) -> Result<Vec<Vec<Self::State>>, Self::Error>;
}

/// The best moves among those of a position, all of them, and their value.
///
/// # Panics
/// If there is no move.
pub fn best_moves(replies: Vec<Reply>) -> (Vec<Term>, BigRational) {
    let values = replies.iter().map(|reply| &reply.value);
    let value = values
        .max()
        .expect("play goes on, so there is a legal move");
    let value = value.clone();
    let best = replies.into_iter().filter(|reply| reply.value == value);
    (best.map(|reply| reply.action).collect(), value)
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct ExtractLimits {
    /// The most positions of both sides together.
    pub positions: usize,
    /// When to stop.
    pub overall: Limits,
}

/// The result of an extraction.
#[derive(Clone, Debug)]
pub enum Extracted<S = Strategy> {
    /// The strategy.
    Complete(Box<S>),
    /// There are more positions than [`ExtractLimits::positions`].
    TooLarge {
        /// How many are allowed.
        positions: usize,
    },
    /// Play can come to positions from which it can be kept going for ever, whose number of steps is infinite.
    Endless,
    /// Another limit was reached.
    Stopped(StopReason),
}

impl<S> Extracted<S> {
    /// The same with another form of the strategy in its place.
    pub fn map<T>(self, form: impl FnOnce(S) -> T) -> Extracted<T> {
        match self {
            Extracted::Complete(strategy) => Extracted::Complete(Box::new(form(*strategy))),
            Extracted::TooLarge { positions } => Extracted::TooLarge { positions },
            Extracted::Endless => Extracted::Endless,
            Extracted::Stopped(reason) => Extracted::Stopped(reason),
        }
    }

    /// The strategy, if it is complete.
    pub fn complete(&self) -> Option<&S> {
        match self {
            Extracted::Complete(strategy) => Some(strategy),
            Extracted::TooLarge { .. } | Extracted::Endless | Extracted::Stopped(_) => None,
        }
    }

    /// The limit that was reached, if one was.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            Extracted::Complete(_) => None,
            Extracted::TooLarge { .. } => Some(StopReason::Memory),
            Extracted::Endless => Some(StopReason::Precision),
            Extracted::Stopped(reason) => Some(*reason),
        }
    }
}

/// Why the walk ends early.
pub(super) enum EarlyEnd<E> {
    TooLarge,
    Stopped(StopReason),
    Failed(E),
}

impl<E> From<E> for EarlyEnd<E> {
    fn from(error: E) -> Self {
        EarlyEnd::Failed(error)
    }
}

/// Writes down the advice for every position that can be reached. The heading's value is
/// set to that of the start.
///
/// # Errors
/// When the advisor fails.
pub fn extract<A: Advisor>(
    advisor: &mut A,
    heading: Heading,
    limits: &ExtractLimits,
) -> Result<Extracted, A::Error> {
    let depth = heading.depth;
    extracted(Walk::new(advisor, depth, limits).strategy(heading), limits)
}

/// The result of a walk under these limits.
pub(super) fn extracted<S, E>(
    walked: Result<S, EarlyEnd<E>>,
    limits: &ExtractLimits,
) -> Result<Extracted<S>, E> {
    match walked {
        Ok(found) => Ok(Extracted::Complete(Box::new(found))),
        Err(EarlyEnd::TooLarge) => Ok(Extracted::TooLarge {
            positions: limits.positions,
        }),
        Err(EarlyEnd::Stopped(reason)) => Ok(Extracted::Stopped(reason)),
        Err(EarlyEnd::Failed(error)) => Err(error),
    }
}

pub(super) struct Walk<'a, A: Advisor> {
    pub(super) advisor: &'a mut A,
    limits: &'a ExtractLimits,
    pub(super) steps: Option<u32>,
    terms: TermTable,
    positions: usize,
}

/// Positions that wait, and all that ever did.
pub(super) struct Frontier<S> {
    pub(super) waiting: VecDeque<(S, Option<u32>)>,
    seen: FxHashMap<(S, Option<u32>), u32>,
}

impl<S: Clone + Eq + Hash> Frontier<S> {
    pub(super) fn new() -> Self {
        Frontier {
            waiting: VecDeque::new(),
            seen: FxHashMap::default(),
        }
    }

    fn add(&mut self, state: S, steps: Option<u32>) {
        // With no steps left there are no moves.
        if steps != Some(0) {
            self.number(state, steps);
        }
    }

    /// The number of a position, in the order in which they came. A new one waits from now on.
    pub(super) fn number(&mut self, state: S, steps: Option<u32>) -> u32 {
        let new = self.seen.len() as u32;
        match self.seen.entry((state, steps)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                self.waiting.push_back(free.key().clone());
                *free.insert(new)
            }
        }
    }
}

impl<'a, A: Advisor> Walk<'a, A> {
    pub(super) fn new(advisor: &'a mut A, steps: Option<u32>, limits: &'a ExtractLimits) -> Self {
        Walk {
            advisor,
            limits,
            steps,
            terms: TermTable::default(),
            positions: 0,
        }
    }

    fn strategy(&mut self, heading: Heading) -> Result<Strategy, EarlyEnd<A::Error>> {
        let start = self.advisor.start()?;
        let value = self.advisor.value(&start, self.steps)?;
        let heading = Heading { value, ..heading };
        let player = self.player(&start)?;
        // Without a step limit the values claimed are the proof of the upper bound, also in games of one player.
        let is_opposed = heading.opponents().next().is_some() || self.steps.is_none();
        let opponents = if is_opposed {
            self.opponents(&start)?
        } else {
            Vec::new()
        };
        Ok(Strategy {
            heading,
            terms: std::mem::take(&mut self.terms),
            player: merged(player, |decision| &mut decision.position),
            opponents: merged(opponents, |response| &mut response.position),
        })
    }

    fn player(&mut self, start: &A::State) -> Result<Vec<Decision>, EarlyEnd<A::Error>> {
        let mut frontier = Frontier::new();
        frontier.add(start.clone(), self.steps);
        let mut decisions = Vec::new();
        while let Some((state, steps)) = frontier.waiting.pop_front() {
            if self.advisor.is_over(&state)? {
                continue;
            }
            self.count()?;
            let (action, value) = self.advisor.decide(&state, steps)?;
            for next in self.advisor.successors(&state, &action, None)?.concat() {
                frontier.add(next, steps.map(|steps| steps - 1));
            }
            decisions.push(Decision {
                position: self.position(&state, steps),
                action: self.terms.number(&action),
                value: Some(value),
            });
        }
        Ok(decisions)
    }

    fn opponents(&mut self, start: &A::State) -> Result<Vec<Response>, EarlyEnd<A::Error>> {
        let mut frontier = Frontier::new();
        frontier.add(start.clone(), self.steps);
        let mut responses = Vec::new();
        while let Some((state, steps)) = frontier.waiting.pop_front() {
            if self.advisor.is_over(&state)? {
                continue;
            }
            self.count()?;
            let replies = self.advisor.answer(&state, steps)?;
            for Reply { action, reply, .. } in &replies {
                let next = self.advisor.successors(&state, action, Some(reply))?;
                for next in next.concat() {
                    frontier.add(next, steps.map(|steps| steps - 1));
                }
            }
            let values = replies.iter().map(|reply| &reply.value);
            let value = match self.advisor.prefers_small() {
                true => values.min(),
                false => values.max(),
            };
            responses.push(Response {
                value: value.cloned(),
                position: self.position(&state, steps),
                answers: replies.iter().map(|reply| self.number(reply)).collect(),
            });
        }
        Ok(responses)
    }

    fn number(&mut self, reply: &Reply) -> Answer {
        Answer {
            action: self.terms.number(&reply.action),
            reply: self.terms.numbers(&reply.reply),
            value: Some(reply.value.clone()),
        }
    }

    fn position(&mut self, state: &A::State, steps: Option<u32>) -> Position {
        let facts = self.advisor.facts(state);
        Position {
            facts: self.terms.numbers(&facts),
            steps,
        }
    }

    pub(super) fn count(&mut self) -> Result<(), EarlyEnd<A::Error>> {
        self.positions += 1;
        if self.positions > self.limits.positions {
            return Err(EarlyEnd::TooLarge);
        }
        self.limits.overall.check().map_err(EarlyEnd::Stopped)
    }
}

/// Makes one entry without steps of all that say the same of a state, where nothing else is said of
/// it. The first entry of each state keeps its index.
fn merged<T: Clone + PartialEq>(
    mut entries: Vec<T>,
    position: impl Fn(&mut T) -> &mut Position,
) -> Vec<T> {
    let mut first: FxHashMap<Box<[TermNumber]>, (T, bool)> = FxHashMap::default();
    for entry in &mut entries {
        let mut without_steps = entry.clone();
        let steps = &mut position(&mut without_steps).steps;
        *steps = None;
        let facts = position(entry).facts.clone();
        match first.get_mut(&facts) {
            None => {
                first.insert(facts, (without_steps, true));
            }
            Some((other, alike)) => *alike &= *other == without_steps,
        }
    }
    let mut done = FxHashSet::default();
    entries.retain_mut(|entry| {
        let facts = &position(entry).facts;
        let (without_steps, alike) = &first[facts];
        if !alike {
            return true;
        }
        let is_first = done.insert(facts.clone());
        *entry = without_steps.clone();
        is_first
    });
    entries
}
