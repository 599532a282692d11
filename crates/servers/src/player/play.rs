//! A match as a player sees it: where play is, and which move to answer.

use super::exact::{Exact, Findings};
use super::informed::Informed;
use super::message::ToldStep;
use super::mixture::draw;
use super::sampling::Sampling;
use engines::{MoveValue, Play, rule_limits};
use fastrand::Rng;
use formula::BigRational;
use gdl::Term;
use gdl::game::Game;
use hidden::KnownStep;
use limits::memory;
use limits::{Interrupt, Limits, lock, unpoisoned};
use num_traits::Zero;
use rules::{ReasonerError, RuleLimits};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use step::{Position, StateMachine, StepLimits};

/// How long before the end of a clock the answer leaves.
const MARGIN: Duration = Duration::from_millis(500);

/// The part of the memory for following the rules, where a step is no circuit.
const PART_FOR_RULES: u64 = 16;

/// The least memory for that, in bytes, where the rules hide something: only they tell what roles see.
const LEAST_FOR_PERCEPTS: u64 = 4_000_000;

pub(super) struct Match {
    pub(super) board: Arc<Blackboard>,
    role: usize,
    play_clock: Duration,
    /// When the manager was heard last.
    heard: Mutex<Instant>,
    way: Way,
}

/// The way in which a match is followed.
enum Way {
    /// By the moves of all roles.
    Open(Box<Mutex<State>>),
    /// By what the role sees.
    Hidden(Box<Mutex<Informed>>),
}

struct State {
    machine: StateMachine,
    position: Position,
    exact: Exact,
    sampling: Sampling,
    random: Rng,
}

/// The findings of the threads of a match, for those that wait for them. All that work for a match hold its board, so that the
/// work is over when no thread holds it.
pub(super) struct Blackboard {
    /// The name of the match.
    pub(super) id: String,
    /// Raised when the match is over.
    end: Interrupt,
    found: Mutex<TurnResult>,
    changed: Condvar,
}

#[derive(Default)]
struct TurnResult {
    turn: usize,
    exact: Findings,
    sampled: Option<Term>,
    /// Raised when the turn is over.
    end: Interrupt,
}

impl Blackboard {
    /// The board of a match with this name.
    pub(super) fn new(id: String) -> Self {
        Blackboard {
            id,
            end: Interrupt::default(),
            found: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Ends all work for the match; a thread that waits for a move gets one.
    pub(super) fn end(&self) {
        self.end.raise();
        self.found().end.raise();
        self.changed.notify_all();
    }

    /// Until this moment, or the end of the match.
    pub(super) fn limits(&self, until: Option<Instant>) -> Limits {
        Limits {
            deadline: until,
            interrupt: self.end.clone(),
            ..Limits::default()
        }
    }

    fn found(&self) -> MutexGuard<'_, TurnResult> {
        lock(&self.found)
    }

    /// Begins the next turn: its number, and the interrupt that ends the work for it.
    fn turn(&self) -> (usize, Interrupt) {
        let mut found = self.found();
        found.end.raise();
        *found = TurnResult {
            turn: found.turn + 1,
            ..TurnResult::default()
        };
        if self.end.is_raised() {
            found.end.raise();
        }
        (found.turn, found.end.clone())
    }

    /// Writes down what belongs to the turn. Whether more would help.
    fn write(&self, turn: usize, change: impl FnOnce(&mut TurnResult)) -> bool {
        let mut found = self.found();
        if found.turn == turn {
            change(&mut found);
            self.changed.notify_all();
        }
        !found.exact.are_settled && !self.end.is_raised()
    }

    /// Waits until all is settled, the match is over, or it is time.
    fn wait(&self, until: Instant) -> MutexGuard<'_, TurnResult> {
        let mut found = self.found();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.end.is_raised() || found.exact.are_settled {
                return found;
            }
            let waited = self.changed.wait_timeout(found, left);
            found = unpoisoned(waited).0;
        }
    }
}

/// The moment by which an answer has to leave.
pub(super) fn due(heard: Instant, clock: Duration) -> Instant {
    heard + clock.saturating_sub(MARGIN.min(clock / 2))
}

impl Match {
    /// Prepares for a match until the clock ends, at most. The process may use this memory, in bytes.
    pub(super) fn start(
        board: Arc<Blackboard>,
        game: &Game,
        role: usize,
        (until, play_clock): (Instant, Duration),
        memory: Option<u64>,
        mut random: Rng,
    ) -> Result<Self, ReasonerError> {
        let heard = Instant::now();
        // Of the memory that the process has left, some stays free for data that is not counted.
        let room = memory.map(|all| all.saturating_sub(memory::in_use().unwrap_or(0)));
        let is_hidden = Play::of(game, false) == Play::Hidden;
        let following = rule_limits(&Limits {
            memory: room.map(|room| match is_hidden {
                true => (room / PART_FOR_RULES).max(LEAST_FOR_PERCEPTS),
                false => room / PART_FOR_RULES,
            }),
            ..Limits::default()
        });
        let limits = |overall| RuleLimits {
            overall,
            ..following.clone()
        };
        let preparing = board.limits(Some(until));
        let step = StepLimits::modest().within(&preparing);
        let mut machine = StateMachine::new(game, &step, limits(preparing))?;
        let position = machine.initial()?;
        let made = |way| Match {
            role,
            play_clock,
            heard: Mutex::new(heard),
            way,
            board: Arc::clone(&board),
        };
        if is_hidden {
            let limits = Limits {
                memory: room.map(|room| room / 2),
                ..board.limits(Some(until))
            };
            let start = (machine, position);
            let informed = Informed::start(Arc::clone(&board), game, role, start, limits, random);
            return Ok(made(Way::Hidden(Box::new(Mutex::new(informed)))));
        }
        let (exactly, sampled) = (Arc::clone(&board), Arc::clone(&board));
        let mut threads = machine.clone();
        let playing = board.limits(None);
        threads.reasoner().set_limits(limits(playing.clone()));
        let exact = Exact::start(
            game,
            threads.clone(),
            &game.roles()[role],
            room.map(|room| room / 2),
            playing.clone(),
            Box::new(move |turn, told| {
                exactly.write(turn, |found| found.exact = told);
            }),
        );
        let sampling = Sampling::start(
            threads,
            role,
            room.map(|room| room / 4),
            playing,
            random.fork(),
            Box::new(move |turn, best| {
                sampled.write(turn, |found| found.sampled = Some(best.clone()))
            }),
        );
        let (turn, end) = board.turn();
        exact.turn_to(turn, position.clone(), end);
        sampling.turn_to(turn, position.clone());
        // The first move is thought about before play begins, and the findings are kept.
        drop(board.wait(until));
        Ok(made(Way::Open(Box::new(Mutex::new(State {
            machine,
            position,
            exact,
            sampling,
            random,
        })))))
    }

    /// The way in which moves are found, if the rules hide something.
    pub(super) fn way(&self) -> Option<String> {
        match &self.way {
            Way::Open(_) => None,
            Way::Hidden(informed) => Some(lock(informed).way()),
        }
    }

    /// The answer to a step that was made, or to the start: a legal move.
    pub(super) fn play(&self, step: Option<ToldStep>, heard: Instant) -> Result<Term, String> {
        let until = due(heard, self.play_clock);
        *lock(&self.heard) = heard;
        match (&self.way, step) {
            (Way::Open(state), None) => self.play_open(state, None, until),
            (Way::Open(state), Some(ToldStep::Moves(moves))) => {
                self.play_open(state, Some(moves), until)
            }
            (Way::Open(_), Some(ToldStep::Seen { .. })) => {
                Err("the rules hide nothing, so the moves of all roles are needed".to_owned())
            }
            (Way::Hidden(informed), step) => {
                let step = step.map(known).transpose()?;
                lock(informed).play(step, &self.board.limits(Some(until)))
            }
        }
    }

    fn play_open(
        &self,
        state: &Mutex<State>,
        moves: Option<Vec<Term>>,
        until: Instant,
    ) -> Result<Term, String> {
        let mut state = lock(state);
        let State {
            machine,
            position,
            exact,
            sampling,
            random,
        } = &mut *state;
        let limits = self.board.limits(Some(until));
        machine.reasoner().set_overall_limits(limits);
        let failed = |error: ReasonerError| error.to_string();
        if let Some(moves) = moves {
            check_moves(machine, position, &moves)?;
            *position = machine.next(position, &moves).map_err(failed)?;
            let (turn, end) = self.board.turn();
            exact.turn_to(turn, position.clone(), end);
            sampling.turn_to(turn, position.clone());
        }
        let legal = machine.legal(position, self.role).map_err(failed)?;
        let mut random = random.fork();
        drop(state);
        match legal.as_slice() {
            [] => return Err("there is no legal move".to_owned()),
            [only] => return Ok(only.clone()),
            _ => {}
        }
        let found = self.board.wait(until);
        let best = best(&found, &mut random).filter(|best| legal.contains(best));
        Ok(best.unwrap_or(&legal[0]).clone())
    }

    /// Whether nothing was heard for so long that the manager must be gone.
    pub(super) fn is_forgotten(&self) -> bool {
        const PATIENCE: Duration = Duration::from_secs(60);
        lock(&self.heard).elapsed() > self.play_clock * 3 + PATIENCE
    }
}

/// A step as the solution of a game knows it.
fn known(step: ToldStep) -> Result<KnownStep, String> {
    match step {
        ToldStep::Moves(_) => Err(
            "the rules hide something, so the message is (PLAY MATCH TURN MOVE PERCEPTS)"
                .to_owned(),
        ),
        ToldStep::Seen {
            action,
            percepts: mut sees,
        } => {
            sees.sort_by_cached_key(Term::to_string);
            sees.dedup();
            Ok(KnownStep {
                moves: vec![action],
                sees,
            })
        }
    }
}

/// Refuses a joint move that is not legal: the position after it would be none of the match.
fn check_moves(
    machine: &mut StateMachine,
    position: &Position,
    moves: &[Term],
) -> Result<(), String> {
    let roles = machine.roles().len();
    if moves.len() != roles {
        return Err(format!("{} moves for {roles} roles", moves.len()));
    }
    for (role, action) in moves.iter().enumerate() {
        let legal = machine.legal(position, role);
        if !legal.map_err(|error| error.to_string())?.contains(action) {
            let role = &machine.roles()[role];
            return Err(format!("{action} is no legal move of {role} here"));
        }
    }
    Ok(())
}

/// The move to make, as far as is known: by the role's mixture, if there is one. If play may go on for ever and all values are known, it
/// is the move that advances. Else it is the move that was sampled most, unless another one is proved to be better.
fn best<'a>(found: &'a TurnResult, random: &mut Rng) -> Option<&'a Term> {
    let exact = &found.exact;
    if let Some(drawn) = draw(&exact.mixture, random) {
        return Some(drawn);
    }
    let bounds = |each: &MoveValue| each.outcome.bounds();
    let highest: Option<BigRational> = exact.moves.iter().map(|each| bounds(each).0).max();
    let Some(highest) = highest else {
        return found.sampled.as_ref();
    };
    if !highest.is_zero() && exact.are_settled && exact.advancing.is_some() {
        return exact.advancing.as_ref();
    }
    let may_be_best = |each: &&MoveValue| bounds(each).1 >= highest;
    let sampled = exact
        .moves
        .iter()
        .filter(may_be_best)
        .find(|each| Some(&each.action) == found.sampled.as_ref());
    let proved = exact.moves.iter().max_by_key(|each| bounds(each));
    // Moves that sampling never tried may still be better among those that are left.
    sampled.or(proved).map(|each| &each.action)
}
