//! All methods side by side, until one of them has the answer.
//!
//! With one thread all methods take turns; with two, logic has one of them and the searches take turns
//! in the other; with more, depth first has its own too, and clingo has the rest.
//!
//! A plan that cannot be better but may be longer than needed is not waited for endlessly: the others
//! get as much time again as it took to find it, at least three seconds, to prove it a shortest one or
//! find that.

use super::answer_sets::Logic;
use super::paths::Method;
use super::search::Search;
use super::turns::{Turn, turns};
use super::{Blackboard, Engine, Options, PlanError, Question};
use gdl::game::Game;
use limits::{Interrupt, Limits, StopReason, memory, thread_count};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two checks for an answer.
const PERIOD: Duration = Duration::from_millis(2);
/// The least time that the other methods still get when a plan is found that may be too long.
const SHORTEST_WAIT: Duration = Duration::from_secs(3);
/// The time that a method may take to stop; clingo cannot be asked to while it grounds.
const GRACE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug)]
pub struct Ending {
    /// The limit that came first, if the question is not answered.
    pub stopped: Option<StopReason>,
    /// Why methods could not go on.
    pub given_up: Vec<PlanError>,
}

type Running = JoinHandle<Result<(), PlanError>>;

#[derive(Clone)]
struct Shared {
    game: Arc<Game>,
    question: Question,
    board: Blackboard,
    limits: Limits,
}

/// See [`super::plan`].
pub(super) fn plan(
    game: &Game,
    question: &Question,
    board: &Blackboard,
    options: &Options,
) -> Result<Ending, PlanError> {
    let shared = Shared {
        game: Arc::new(game.clone()),
        question: question.clone(),
        board: board.clone(),
        limits: Limits {
            interrupt: Interrupt::default(),
            ..options.limits.clone()
        },
    };
    let threads = thread_count(options.threads);
    let [of_logic, of_searches @ ..] = turns(match (options.engine, threads) {
        (_, 1) => [0; 4],
        (Engine::All, 2) => [0, 1, 1, 1],
        _ => [0, 1, 2, 1],
    });
    let mut running: Vec<Running> = Vec::new();
    if options.engine != Engine::Search {
        let threads = match options.engine {
            Engine::Logic => threads,
            _ => threads.saturating_sub(2).max(1),
        };
        running.extend(shared.logic(of_logic, threads));
    }
    if options.engine != Engine::Logic {
        running.extend(shared.searches(of_searches));
    }
    let begin = Instant::now();
    if running.is_empty() {
        return shared.alone(&options.limits);
    }
    let mut enough: Option<Instant> = None;
    let mut given_up = Vec::new();
    let stopped = loop {
        thread::sleep(PERIOD);
        join_finished(&mut running, &mut given_up);
        let known = board.known();
        if known.is_answered() {
            break None;
        }
        if let Some(reason) = options.limits.interrupt.raised() {
            break Some(reason);
        }
        if let Some(reason) = shared.limits.reached() {
            break Some(reason);
        }
        if running.is_empty() {
            let reasons = given_up.iter().find_map(PlanError::stopped_by);
            break Some(reasons.unwrap_or(StopReason::Memory));
        }
        if known.best().is_some() && known.is_best() && !options.insist {
            let now = Instant::now();
            let wait = SHORTEST_WAIT.max(now - begin);
            if now >= *enough.get_or_insert(now + wait) {
                break None;
            }
        }
    };
    shared.limits.interrupt.raise();
    let end = Instant::now() + GRACE;
    while !running.is_empty() && Instant::now() < end {
        thread::sleep(PERIOD);
        join_finished(&mut running, &mut given_up);
    }
    // A method stopped by an interrupt or by a limit brings no news: its error is dropped.
    given_up.retain(|error| {
        !matches!(
            error.stopped_by(),
            Some(StopReason::Interrupted | StopReason::Time)
        )
    });
    if let Some(index) = given_up.iter().position(PlanError::is_mistake) {
        return Err(given_up.swap_remove(index));
    }
    Ok(Ending { stopped, given_up })
}

/// Takes out the methods that have ended.
fn join_finished(running: &mut Vec<Running>, given_up: &mut Vec<PlanError>) {
    let mut index = 0;
    while index < running.len() {
        if !running[index].is_finished() {
            index += 1;
            continue;
        }
        match running.swap_remove(index).join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => given_up.push(error),
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl Shared {
    /// Breadth first in this thread, where the system has no room for any other.
    fn alone(&self, limits: &Limits) -> Result<Ending, PlanError> {
        let [turn] = turns([0]);
        let (game, question, board) = (&self.game, &self.question, &self.board);
        let search = Search::new(game, question, board, limits)?;
        let found = search.find(
            Method::BreadthFirst,
            (game, question),
            board,
            (limits, &turn),
        );
        found?;
        let stopped = if board.known().is_answered() {
            None
        } else {
            Some(limits.reached().unwrap_or(StopReason::Memory))
        };
        Ok(Ending {
            stopped,
            given_up: Vec::new(),
        })
    }

    /// Logic, if the system has room for its thread.
    fn logic(&self, turn: Turn, threads: usize) -> Option<Running> {
        let shared = self.clone();
        let find = move || {
            let logic = Logic {
                game: &shared.game,
                question: &shared.question,
                board: &shared.board,
                limits: &shared.limits,
                turn: &turn,
                threads,
            };
            logic.find()
        };
        spawn(find)
    }

    /// All searches, with a turn for each: breadth first, depth first, side by side.
    fn searches(&self, turns: [Turn; 3]) -> Option<Running> {
        let [of_breadth, of_depth, of_side_by_side] = turns;
        let shared = self.clone();
        let search = move || {
            let Shared {
                game,
                question,
                board,
                limits,
            } = &shared;
            of_breadth.take();
            let search = Search::new(game, question, board, limits)?;
            thread::scope(|scope| {
                let find = |method, turn: Turn| {
                    search.find(method, (game, question), board, (limits, &turn))
                };
                let others = [
                    (Method::DepthFirst, of_depth),
                    (Method::SideBySide, of_side_by_side),
                ];
                let others = others.map(|(method, turn)| {
                    let find = move || find(method, turn);
                    let room = memory::has_room(THREAD_BYTES);
                    room.then(|| thread::Builder::new().spawn_scoped(scope, find).ok())?
                });
                let breadth = find(Method::BreadthFirst, of_breadth);
                others.into_iter().flatten().fold(breadth, |ended, other| {
                    ended.and(other.join().unwrap_or_else(|panic| resume_unwind(panic)))
                })
            })
        };
        spawn(search)
    }
}

/// A thread needs room for its stack and a little more.
const THREAD_BYTES: u64 = 4 << 20;

/// Starts a thread if the system has room for it.
fn spawn(work: impl FnOnce() -> Result<(), PlanError> + Send + 'static) -> Option<Running> {
    let room = memory::has_room(THREAD_BYTES);
    room.then(|| thread::Builder::new().spawn(work).ok())?
}
