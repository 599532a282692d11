//! Planning by searches on the circuit of one step ([`paths`](super::paths)).

use super::paths::{Method, Paths, Problem, Watcher};
use super::turns::Turn;
use super::{Blackboard, FoundBy, Goal, PlanError, Question};
use circuit::Literal;
use gdl::Term;
use gdl::game::{Game, Points, points};
use limits::{Limits, lock, unpoisoned};
use std::sync::Mutex;
use step::{GroundStep, StepLimits, ground_step};

/// The seed of choices where rules of thumb do not tell.
const SEED: u64 = 1;

/// A game made ready for searching.
pub(super) struct Search {
    paths: Paths,
    ground: GroundStep,
    levels: Vec<Literal>,
}

impl Search {
    /// Grounds one step of a game and compiles it.
    pub(super) fn new(
        game: &Game,
        question: &Question,
        board: &Blackboard,
        limits: &Limits,
    ) -> Result<Self, PlanError> {
        let limits = StepLimits::default().within(limits);
        let mut ground = ground_step(game, &limits)?;
        let goals = ground.goals[0].clone();
        let mut at_least = |least: Points| -> Literal {
            let reached = goals
                .iter()
                .filter(|(value, _)| points(value).is_some_and(|points| points >= least));
            ground.step.circuit.or(reached.map(|(_, signal)| *signal))
        };
        let levels: Vec<Literal> = match question.goal {
            Goal::AtLeast(points) => vec![at_least(points)],
            Goal::Best => board.read(|known| {
                let levels = known.levels().iter();
                levels.map(|&points| at_least(points)).collect()
            }),
        };
        let problem = Problem {
            step: &ground.step,
            levels: &levels,
        };
        let paths = Paths::new(&problem)?;
        Ok(Search {
            paths,
            ground,
            levels,
        })
    }

    /// Searches until the question is answered or there is a reason to stop.
    pub(super) fn find(
        &self,
        method: Method,
        (game, question): (&Game, &Question),
        board: &Blackboard,
        (limits, turn): (&Limits, &Turn),
    ) -> Result<(), PlanError> {
        let watching = Watching {
            method,
            moves: &self.ground.moves[0],
            game,
            question,
            board,
            limits,
            turn,
            failed: Mutex::new(None),
        };
        // A quarter of the memory is for each of the two that keep states; logic has the rest.
        let memory = limits.memory.map_or(u64::MAX, |memory| memory / 4);
        let problem = Problem {
            step: &self.ground.step,
            levels: &self.levels,
        };
        turn.take();
        match method {
            Method::BreadthFirst => {
                Paths::look_ahead(&problem, question.depth, &watching);
                self.paths.breadth_first(question.depth, memory, &watching)
            }
            Method::DepthFirst => self
                .paths
                .depth_first(question.depth, memory, SEED, &watching),
            Method::SideBySide => self.paths.side_by_side(&problem, question.depth, &watching),
        };
        let failed = watching.failed.into_inner();
        unpoisoned(failed).map_or(Ok(()), Err)
    }
}

/// Passes on the results of a search.
struct Watching<'a> {
    method: Method,
    moves: &'a [Term],
    game: &'a Game,
    question: &'a Question,
    board: &'a Blackboard,
    limits: &'a Limits,
    turn: &'a Turn,
    failed: Mutex<Option<PlanError>>,
}

impl Watcher for Watching<'_> {
    fn go_on(&self, states: u64, depth: u32) -> bool {
        self.board.report(|progress| match self.method {
            Method::BreadthFirst => progress.breadth = (states, depth),
            Method::DepthFirst => progress.depth = states,
            Method::SideBySide => progress.layers = depth,
        });
        let is_stopped = || self.limits.reached().is_some();
        if !is_stopped() {
            self.turn.take();
        }
        let failed = self.failed.lock();
        !is_stopped() && unpoisoned(failed).is_none()
    }

    fn least_useful(&self, moves: u32) -> Option<usize> {
        self.board.read(|known| known.worth_reaching(moves))
    }

    fn found(&self, moves: &[usize], by: Method) {
        let moves = moves.iter().map(|&action| self.moves[action].clone());
        let by = match by {
            Method::BreadthFirst => FoundBy::BreadthFirst,
            Method::DepthFirst => FoundBy::DepthFirst,
            Method::SideBySide => FoundBy::SideBySide,
        };
        let found = self
            .board
            .found(self.game, self.question, moves.collect(), by);
        if let Err(refuted) = found {
            let mut failed = lock(&self.failed);
            failed.get_or_insert(refuted.into());
        }
    }

    fn rule_out(&self, level: usize, moves: Option<u32>) {
        self.board.note(|known| known.rule_out(level, moves));
    }

    fn bound(&self, moves: u32) {
        self.board.note(|known| known.bound_plays(moves));
    }
}
