//! Exact values of the moves at hand, by an engine in a thread of its own.
//!
//! The thread makes the engine, which can take long, and then works on the newest position in slices of time that
//! grow, so that there are bounds early. It can be asked for another position at any time. Where play may come to a position in
//! which the role and others choose at once, the best is a mixture of moves, as matrix games; elsewhere a best move, by search.

use super::mixture::Mixture;
use engines::MoveValue;
use engines::SearchOptions;
use engines::Silent;
use engines::mixed::{MixedError, MixedQuestion, MixedSolution, solve_on};
use engines::{Engine, Play, Position as Place, Query, for_positions};
use fastrand::Rng;
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use limits::{Interrupt, Limits, StopReason};
use num_traits::Zero;
use rules::ReasonerError;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use step::{Position, StateMachine, StepLimits};

/// The first slice of time, and the longest.
const FIRST_SLICE: Duration = Duration::from_millis(50);
const LONGEST_SLICE: Duration = Duration::from_secs(60);

/// The most positions of random plays that are searched for one in which several choose.
const MAX_PROBED: usize = 1_000;

/// A thread that values moves.
pub(super) struct Exact(Sender<Turn>);

struct Turn {
    turn: usize,
    position: Position,
    /// Raised when the turn is over.
    end: Interrupt,
}

/// The findings about a position.
#[derive(Default)]
pub(super) struct Findings {
    /// The value of each move, where the opponents may know it.
    pub(super) moves: Vec<MoveValue>,
    /// Where play may go on for ever, a best move that gets somewhere.
    pub(super) advancing: Option<Term>,
    /// The role's mixture, where others choose at the same time.
    pub(super) mixture: Mixture<Term>,
    /// Whether more time changes nothing.
    pub(super) are_settled: bool,
}

/// The listener that hears the findings about the position of a turn.
pub(super) type FindingsListener = Box<dyn Fn(usize, Findings) + Send>;

impl Exact {
    /// Starts the thread, which reports what it finds.
    pub(super) fn start(
        game: &Game,
        machine: StateMachine,
        role: &Name,
        memory: Option<u64>,
        limits: Limits,
        told: FindingsListener,
    ) -> Self {
        let (to, asked) = channel();
        let (game, role) = (game.clone(), role.clone());
        // Without a thread nothing is exact.
        let work = move || work(&game, machine, &role, memory, limits, &asked, told);
        let _ = thread::Builder::new().spawn(work);
        Exact(to)
    }

    /// Turns to the position of a turn, which is one of the same machine, until its end is raised.
    pub(super) fn turn_to(&self, turn: usize, position: Position, end: Interrupt) {
        let _ = self.0.send(Turn {
            turn,
            position,
            end,
        });
    }
}

fn work(
    game: &Game,
    mut machine: StateMachine,
    role: &Name,
    memory: Option<u64>,
    limits: Limits,
    asked: &Receiver<Turn>,
    told: FindingsListener,
) {
    let index = game.role(role).expect("the role was checked");
    let mut mixing = Mixing {
        game,
        question: MixedQuestion::new(role.clone(), Objective::Score, None),
        last: None,
    };
    let (mut searching, mut random) = (None, Rng::with_seed(1));
    while let Ok(mut next) = asked.recv() {
        // Only the newest matters.
        while let Ok(newer) = asked.try_recv() {
            next = newer;
        }
        let is_mixed = meet_choices(&mut machine, &next.position, index, &mut random);
        let is_mixed = is_mixed.unwrap_or(false);
        let facts = machine.facts(&next.position);
        let mut slice = FIRST_SLICE;
        while !next.end.is_raised() {
            let limits_of_slice = Limits {
                memory,
                interrupt: next.end.clone(),
                ..Limits::default().within(slice)
            };
            let goes_on = if is_mixed {
                match mixing.findings(&machine, &facts, &limits_of_slice) {
                    Ok((found, stopped)) => {
                        told(next.turn, found);
                        is_passing(stopped)
                    }
                    Err(MixedError::Stopped(reason)) => is_passing(Some(reason)),
                    // Nothing is known of such positions.
                    Err(_) => false,
                }
            } else {
                let engine = searching.get_or_insert_with(|| search(game, index, &limits));
                let Some(engine) = engine else { return };
                let query = Query {
                    position: Place::State(facts.clone()),
                    role: index,
                    depth: None,
                    moves: true,
                    limits: limits_of_slice,
                    observer: Arc::new(Silent),
                };
                match engine.evaluate(&query) {
                    Ok(found) => {
                        let goes_on = !is_done(&found.moves);
                        told(
                            next.turn,
                            Findings {
                                are_settled: is_settled(&found.moves),
                                moves: found.moves,
                                advancing: found.best.filter(|_| found.horizon.is_none()),
                                mixture: Mixture::new(),
                            },
                        );
                        goes_on
                    }
                    Err(error) => error.stopped_by().is_some(),
                }
            };
            if !goes_on {
                break;
            }
            slice = (slice * 2).min(LONGEST_SLICE);
        }
    }
}

/// The engine that searches; none if it cannot be made.
fn search(game: &Game, role: usize, limits: &Limits) -> Option<Box<dyn Engine>> {
    // A larger circuit takes too long for any clock.
    let options = SearchOptions {
        step: StepLimits::modest().within(limits),
        ..SearchOptions::default()
    };
    let made = for_positions(
        game,
        Play::Open,
        Objective::Score.into(),
        role,
        options,
        None,
    );
    made.ok().map(|(engine, _)| engine)
}

/// Mixtures as matrix games. The last whole solution is kept, for the positions that it leads to.
struct Mixing<'a> {
    game: &'a Game,
    question: MixedQuestion,
    last: Option<MixedSolution>,
}

impl Mixing<'_> {
    /// The findings about a state, and the limit that stopped the work on them.
    fn findings(
        &mut self,
        machine: &StateMachine,
        facts: &[Term],
        limits: &Limits,
    ) -> Result<(Findings, Option<StopReason>), MixedError> {
        let known = self.last.as_mut().and_then(|last| last.play_from(facts));
        let (play, stopped) = match known {
            Some(play) => (Some(play), None),
            None => {
                let mut found = solve_on(self.game, machine, &self.question, facts, limits)?;
                let (play, stopped) = (found.play(), found.stopped());
                if is_whole(stopped) {
                    self.last = Some(found);
                }
                (play, stopped)
            }
        };
        // Before something is guaranteed, any mixture is as good as another.
        let play = play.filter(|play| is_whole(stopped) || !play.bounds.0.is_zero());
        let moves = play.into_iter().flat_map(|play| play.moves);
        let mixture: Mixture<Term> = moves.map(|each| (each.action, each.share)).collect();
        let found = Findings {
            are_settled: is_whole(stopped) && !mixture.is_empty(),
            mixture,
            ..Findings::default()
        };
        Ok((found, stopped))
    }
}

/// Whether the role and another one have a choice in a position.
fn choose_at_once(
    machine: &mut StateMachine,
    position: &Position,
    role: usize,
) -> Result<bool, ReasonerError> {
    let has_choice = |machine: &mut StateMachine, role: usize| {
        let legal = machine.legal(position, role)?;
        Ok::<bool, ReasonerError>(legal.len() > 1)
    };
    if !has_choice(machine, role)? {
        return Ok(false);
    }
    for other in 0..machine.roles().len() {
        let is_player = other != role && !machine.roles()[other].is_random();
        if is_player && has_choice(machine, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether some random plays from a position meet one in which the role and another one have a choice.
fn meet_choices(
    machine: &mut StateMachine,
    start: &Position,
    role: usize,
    random: &mut Rng,
) -> Result<bool, ReasonerError> {
    let until = Instant::now() + FIRST_SLICE;
    let mut here = start.clone();
    for _ in 0..MAX_PROBED {
        let joint_move = match machine.terminal(&here)? {
            true => None,
            false if choose_at_once(machine, &here, role)? => return Ok(true),
            false => machine.random_move(&here, random)?,
        };
        here = match joint_move {
            Some(joint_move) => machine.next(&here, &joint_move)?,
            None => start.clone(),
        };
        if Instant::now() > until {
            break;
        }
    }
    Ok(false)
}

/// Whether a solution that stopped for this reason, if for any, is as good as can be.
fn is_whole(stopped: Option<StopReason>) -> bool {
    matches!(stopped, None | Some(StopReason::Precision))
}

/// Whether more time may help after this reason to stop.
fn is_passing(stopped: Option<StopReason>) -> bool {
    matches!(stopped, Some(StopReason::Time | StopReason::Interrupted))
}

/// Whether this engine finds no more, given more time: values are exact, or another limit than time was reached.
fn is_done(moves: &[MoveValue]) -> bool {
    let is_open = |each: &MoveValue| is_passing(each.outcome.stopped_by());
    !moves.is_empty() && !moves.iter().any(is_open)
}

/// Whether the value of every move is known.
fn is_settled(moves: &[MoveValue]) -> bool {
    !moves.is_empty() && moves.iter().all(|each| each.outcome.stopped_by().is_none())
}
