//! Exact values of the moves at hand, by an engine in a thread of its own.
//!
//! The thread makes the engine, which can take long, and then looks at the newest position in slices of time that
//! grow, so that there are bounds early. It can be asked for another position at any time.

use engines::MoveValue;
use engines::SearchOptions;
use engines::Silent;
use engines::{Evaluation, Position, Query, for_positions};
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use limits::{Interrupt, Limits, StopReason};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use step::StepLimits;

/// The first slice of time, and the longest.
const FIRST_SLICE: Duration = Duration::from_millis(50);
const LONGEST_SLICE: Duration = Duration::from_secs(60);

/// A thread that values moves.
pub(super) struct Exact(Sender<Turn>);

struct Turn {
    turn: usize,
    facts: Vec<Term>,
    /// Raised when the turn is over.
    end: Interrupt,
}

/// The listener that hears the values of the moves of a turn.
pub(super) type ValueListener = Box<dyn Fn(usize, &Evaluation) + Send>;

impl Exact {
    /// Starts the thread, which tells what it finds.
    pub(super) fn start(
        game: &Game,
        role: &Name,
        memory: Option<u64>,
        limits: Limits,
        told: ValueListener,
    ) -> Self {
        let (to, asked) = channel();
        let (game, role) = (game.clone(), role.clone());
        // Without a thread nothing is exact.
        let work = move || work(&game, &role, memory, limits, &asked, told);
        let _ = thread::Builder::new().spawn(work);
        Exact(to)
    }

    /// Turns to the position of a turn, until its end is raised.
    pub(super) fn turn_to(&self, turn: usize, facts: Vec<Term>, end: Interrupt) {
        let _ = self.0.send(Turn { turn, facts, end });
    }
}

fn work(
    game: &Game,
    role: &Name,
    memory: Option<u64>,
    limits: Limits,
    asked: &Receiver<Turn>,
    told: ValueListener,
) {
    let role = game.role(role).expect("the role was checked");
    // A larger circuit takes too long for any clock.
    let options = SearchOptions {
        step: StepLimits::modest().within(&limits),
        ..SearchOptions::default()
    };
    let Ok((mut engine, _)) = for_positions(game, Objective::Score, role, options, None) else {
        return;
    };
    while let Ok(mut next) = asked.recv() {
        // Only the newest matters.
        while let Ok(newer) = asked.try_recv() {
            next = newer;
        }
        let mut slice = FIRST_SLICE;
        while !next.end.is_raised() {
            let query = Query {
                position: Position::State(next.facts.clone()),
                role,
                depth: None,
                moves: true,
                limits: Limits {
                    memory,
                    interrupt: next.end.clone(),
                    ..Limits::default().within(slice)
                },
                observer: Arc::new(Silent),
            };
            match engine.evaluate(&query) {
                Ok(found) => {
                    told(next.turn, &found);
                    if is_done(&found.moves) {
                        break;
                    }
                }
                Err(error) if error.stopped_by().is_some() => {}
                // Nothing is known of such positions.
                Err(_) => break,
            }
            slice = (slice * 2).min(LONGEST_SLICE);
        }
    }
}

/// Whether this engine finds no more, given more time: values are exact, or another limit than time was reached.
fn is_done(moves: &[MoveValue]) -> bool {
    let is_open = |each: &MoveValue| {
        let reason = each.outcome.stopped_by();
        matches!(reason, Some(StopReason::Time | StopReason::Interrupted))
    };
    !moves.is_empty() && !moves.iter().any(is_open)
}

/// Whether the value of every move is known.
pub(super) fn is_settled(moves: &[MoveValue]) -> bool {
    !moves.is_empty() && moves.iter().all(|each| each.outcome.stopped_by().is_none())
}
