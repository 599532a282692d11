//! A match as a player sees it: where play is, and which move to answer.

use super::exact::{Exact, is_settled};
use super::sampling::Sampling;
use crate::answer::MoveValue;
use crate::game::Game;
use crate::gdl::Term;
use formula::BigRational;
use limits::Clock;
use num_traits::Zero;
use rules::{ReasonerError, RuleLimits};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use step::{Position, StateMachine, StepLimits};

/// How long before the end of a clock the answer leaves.
const MARGIN: Duration = Duration::from_millis(500);

/// A match.
pub(super) struct Match {
    pub(super) id: String,
    role: usize,
    play_clock: Duration,
    state: Mutex<State>,
    found: Arc<Board>,
}

struct State {
    machine: StateMachine,
    position: Position,
    exact: Exact,
    sampling: Sampling,
    /// When the manager was heard last.
    heard: Instant,
}

/// What the threads have found, and who waits for it.
#[derive(Default)]
struct Board {
    found: Mutex<Found>,
    changed: Condvar,
}

#[derive(Default)]
struct Found {
    turn: usize,
    exact: Vec<MoveValue>,
    /// Where play may go on for ever, a best move that gets somewhere.
    advancing: Option<Term>,
    sampled: Option<Term>,
    is_over: bool,
}

impl Board {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what belongs to the turn. Whether more would help.
    fn write(&self, turn: usize, change: impl FnOnce(&mut Found)) -> bool {
        let mut found = self.found();
        if found.turn == turn {
            change(&mut found);
            self.changed.notify_all();
        }
        !is_settled(&found.exact)
    }

    /// Waits until all is settled, the match is over, or it is time.
    fn wait(&self, until: Instant) -> MutexGuard<'_, Found> {
        let mut found = self.found();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || found.is_over || is_settled(&found.exact) {
                return found;
            }
            let waited = self.changed.wait_timeout(found, left);
            found = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The moment by which an answer has to leave.
fn due(heard: Instant, clock: Duration) -> Instant {
    heard + clock.saturating_sub(MARGIN.min(clock / 2))
}

impl Match {
    /// Prepares for a match until the clock ends, at most.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub(super) fn start(
        id: String,
        game: &Game,
        role: usize,
        clocks: (Duration, Duration),
        heard: Instant,
        memory: Option<u64>,
    ) -> Result<Self, ReasonerError> {
        let (start_clock, play_clock) = clocks;
        let until = due(heard, start_clock);
        let clock = Clock::default().within(until.saturating_duration_since(Instant::now()));
        let limits = |clock| RuleLimits {
            clock,
            ..RuleLimits::default()
        };
        let step = StepLimits {
            clock: clock.clone(),
            ..StepLimits::modest()
        };
        let mut machine = StateMachine::new(game, &step, limits(clock))?;
        let position = machine.initial()?;
        let found = Arc::<Board>::default();
        let (exactly, sampled) = (Arc::clone(&found), Arc::clone(&found));
        let mut threads = machine.clone();
        threads.reasoner().set_limits(RuleLimits::default());
        let mut exact = Exact::start(
            game,
            &game.roles()[role],
            memory,
            Arc::new(move |turn, told| {
                exactly.write(turn, |found| {
                    found.exact.clone_from(&told.moves);
                    found.advancing = told.best.clone().filter(|_| told.horizon.is_none());
                });
            }),
        );
        let sampling = Sampling::start(
            threads,
            role,
            Arc::new(move |turn, best| {
                sampled.write(turn, |found| found.sampled = Some(best.clone()))
            }),
        );
        exact.turn_to(0, machine.facts(&position));
        sampling.turn_to(0, position.clone());
        // The first move is thought about now, and what was found is kept.
        drop(found.wait(until));
        Ok(Match {
            id,
            role,
            play_clock,
            state: Mutex::new(State {
                machine,
                position,
                exact,
                sampling,
                heard,
            }),
            found,
        })
    }

    /// The answer to a step that was made, or to the start: a legal move.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn play(&self, moves: Option<Vec<Term>>, heard: Instant) -> Result<Term, String> {
        let until = due(heard, self.play_clock);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.heard = heard;
        let State {
            machine,
            position,
            exact,
            sampling,
            ..
        } = &mut *state;
        let clock = Clock::default().within(until.saturating_duration_since(Instant::now()));
        machine.reasoner().set_limits(RuleLimits {
            clock,
            ..RuleLimits::default()
        });
        let failed = |error: ReasonerError| error.to_string();
        if let Some(moves) = moves {
            *position = machine.next(position, &moves).map_err(failed)?;
            let mut found = self.found.found();
            *found = Found {
                turn: found.turn + 1,
                ..Found::default()
            };
            let turn = found.turn;
            drop(found);
            exact.turn_to(turn, machine.facts(position));
            sampling.turn_to(turn, position.clone());
        }
        let legal = machine.legal(position, self.role).map_err(failed)?;
        drop(state);
        match legal.as_slice() {
            [] => return Err("there is no legal move".to_owned()),
            [only] => return Ok(only.clone()),
            _ => {}
        }
        let found = self.found.wait(until);
        let best = best(&found).filter(|best| legal.contains(best));
        Ok(best.unwrap_or(&legal[0]).clone())
    }

    /// Ends the work; a thread that waits for a move gets one.
    pub(super) fn end(&self) {
        self.found.found().is_over = true;
        self.found.changed.notify_all();
    }

    /// Whether nothing was heard for so long that the manager must be gone.
    pub(super) fn is_forgotten(&self) -> bool {
        const PATIENCE: Duration = Duration::from_secs(60);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.heard.elapsed() > self.play_clock * 3 + PATIENCE
    }
}

/// The best move as far as is known: what gets somewhere where play may go on for ever and all values are known, else what was sampled most, unless another one is
/// proved to be better.
fn best(found: &Found) -> Option<&Term> {
    let bounds = |each: &MoveValue| each.outcome.bounds();
    let highest: Option<BigRational> = found.exact.iter().map(|each| bounds(each).0).max();
    let Some(highest) = highest else {
        return found.sampled.as_ref();
    };
    if !highest.is_zero() && is_settled(&found.exact) && found.advancing.is_some() {
        return found.advancing.as_ref();
    }
    let may_be_best = |each: &&MoveValue| bounds(each).1 >= highest;
    let sampled = found
        .exact
        .iter()
        .filter(may_be_best)
        .find(|each| Some(&each.action) == found.sampled.as_ref());
    let proved = found.exact.iter().max_by_key(|each| bounds(each));
    // What nobody looked at by sampling may still be the better of those that are left.
    sampled.or(proved).map(|each| &each.action)
}
