//! UCT: random plays that prefer what was good so far, for games too large to be solved.
//!
//! Every role, also those that move at the same time, chooses by the upper confidence bound of its own points (Kocsis and
//! Szepesvari 2006; decoupled for simultaneous moves); `random` moves at random. Positions are shared where plays meet
//! again. Plays are followed on the circuit of one step where there is one.

use crate::game::points;
use crate::gdl::{Name, Term};
use fastrand::Rng;
use rules::ReasonerError;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};
use step::{Position, StateMachine};

/// How much moves that were tried rarely are preferred.
const EXPLORATION: f64 = 1.0;

/// The most moves in a tree, which take about a hundred bytes each, and the most steps of a play.
const MAX_MOVES: usize = 1_000_000;
const MAX_STEPS: usize = 2_000;

/// How often what was found is told.
const PERIOD: Duration = Duration::from_millis(20);

/// A thread that samples.
pub(super) struct Sampling(Sender<Asked>);

struct Asked {
    turn: usize,
    position: Position,
}

/// Hears the best move of a turn so far, and says whether it is worth while to go on.
pub(super) type Told = Arc<dyn Fn(usize, &Term) -> bool + Send + Sync>;

impl Sampling {
    /// Starts the thread, which tells what it finds.
    pub(super) fn start(machine: StateMachine, role: usize, told: Told) -> Self {
        let (to, asked) = channel();
        // Without a thread the first legal move has to do.
        let _ = thread::Builder::new().spawn(move || work(machine, role, &asked, &told));
        Sampling(to)
    }

    /// Turns to the position of a turn, which is one of the same machine.
    pub(super) fn turn_to(&self, turn: usize, position: Position) {
        let _ = self.0.send(Asked { turn, position });
    }
}

fn work(machine: StateMachine, role: usize, asked: &Receiver<Asked>, told: &Told) {
    let mut tree = Tree::new(machine);
    let Ok(mut current) = asked.recv() else {
        return;
    };
    loop {
        tree.nodes.clear();
        tree.moves = 0;
        let next = loop {
            let until = Instant::now() + PERIOD;
            while Instant::now() < until {
                if tree.play(&current.position).is_err() {
                    break;
                }
            }
            let best = tree.best(&current.position, role);
            let is_wanted = best.is_none_or(|best| told(current.turn, best));
            match asked.try_recv() {
                Ok(next) => break Some(next),
                Err(TryRecvError::Disconnected) => break None,
                // Nothing is left to learn where nothing is left to choose, all is exact, or the rules cannot be
                // followed.
                Err(TryRecvError::Empty) if !is_wanted || tree.is_idle(&current.position) => {
                    break asked.recv().ok();
                }
                Err(TryRecvError::Empty) => {}
            }
        };
        match next {
            Some(next) => current = next,
            None => return,
        }
    }
}

/// What is known of the moves of a role in a position.
struct Choice {
    moves: Vec<Term>,
    visits: Vec<u32>,
    sums: Vec<f64>,
}

/// Positions that plays went through.
struct Tree {
    machine: StateMachine,
    random: Option<usize>,
    nodes: FxHashMap<Position, (u32, Vec<Choice>)>,
    /// The number of moves in them.
    moves: usize,
    rng: Rng,
    has_failed: bool,
}

impl Tree {
    fn new(machine: StateMachine) -> Self {
        let is_random = |role: &Name| role.as_str() == "random";
        Tree {
            random: machine.roles().iter().position(is_random),
            machine,
            nodes: FxHashMap::default(),
            moves: 0,
            rng: Rng::new(),
            has_failed: false,
        }
    }

    /// One play from a position to the end.
    fn play(&mut self, start: &Position) -> Result<(), ReasonerError> {
        let played = self.try_play(start);
        self.has_failed |= played.is_err();
        played
    }

    fn try_play(&mut self, start: &Position) -> Result<(), ReasonerError> {
        let mut path: Vec<(Position, Vec<usize>)> = Vec::new();
        let mut position = start.clone();
        let mut is_inside = true;
        for _ in 0..MAX_STEPS {
            if self.machine.terminal(&position)? {
                break;
            }
            if !is_inside {
                match self.machine.random_move(&position, &mut self.rng)? {
                    Some(joint_move) => position = self.machine.next(&position, &joint_move)?,
                    None => break,
                }
                continue;
            }
            if !self.nodes.contains_key(&position) {
                is_inside = false;
                if self.moves >= MAX_MOVES {
                    continue;
                }
                let node = self.node(&position)?;
                self.moves += node.iter().map(|choice| choice.moves.len()).sum::<usize>();
                self.nodes.insert(position.clone(), (0, node));
            }
            let Some(chosen) = self.choose(&position) else {
                break;
            };
            let (_, choices) = &self.nodes[&position];
            let joint_move: Vec<Term> = choices
                .iter()
                .zip(&chosen)
                .map(|(choice, &number)| choice.moves[number].clone())
                .collect();
            let next = self.machine.next(&position, &joint_move)?;
            path.push((std::mem::replace(&mut position, next), chosen));
        }
        let roles = 0..self.machine.roles().len();
        let worth = roles.map(|role| {
            let goals = self.machine.goals(&position, role)?;
            Ok(goals
                .first()
                .and_then(points)
                .map_or(0.0, |points| f64::from(points.min(100)) / 100.0))
        });
        let worth: Vec<f64> = worth.collect::<Result<_, ReasonerError>>()?;
        for (position, chosen) in path {
            let Some((visits, choices)) = self.nodes.get_mut(&position) else {
                continue;
            };
            *visits += 1;
            for (role, (choice, number)) in choices.iter_mut().zip(chosen).enumerate() {
                choice.visits[number] += 1;
                choice.sums[number] += worth[role];
            }
        }
        Ok(())
    }

    fn node(&mut self, position: &Position) -> Result<Vec<Choice>, ReasonerError> {
        let roles = 0..self.machine.roles().len();
        roles
            .map(|role| {
                let moves = self.machine.legal(position, role)?;
                Ok(Choice {
                    visits: vec![0; moves.len()],
                    sums: vec![0.0; moves.len()],
                    moves,
                })
            })
            .collect()
    }

    /// A move of each role by its number; nothing where somebody has none.
    fn choose(&mut self, position: &Position) -> Option<Vec<usize>> {
        let (visits, choices) = self.nodes.get(position)?;
        let log = f64::from((*visits).max(1)).ln();
        let mut chosen = Vec::new();
        for (role, choice) in choices.iter().enumerate() {
            if choice.moves.is_empty() {
                return None;
            }
            if Some(role) == self.random {
                chosen.push(self.rng.usize(..choice.moves.len()));
                continue;
            }
            // From a random place on, so that equal moves are all tried.
            let shift = self.rng.usize(..choice.moves.len());
            let (mut best, mut highest) = (shift, f64::NEG_INFINITY);
            for number in 0..choice.moves.len() {
                let number = (number + shift) % choice.moves.len();
                let tried = f64::from(choice.visits[number]);
                let bound = match choice.visits[number] {
                    0 => f64::INFINITY,
                    _ => choice.sums[number] / tried + EXPLORATION * (log / tried).sqrt(),
                };
                if bound > highest {
                    (best, highest) = (number, bound);
                }
            }
            chosen.push(best);
        }
        Some(chosen)
    }

    /// The move that was tried most.
    fn best(&self, position: &Position, role: usize) -> Option<&Term> {
        let (_, choices) = self.nodes.get(position)?;
        let choice = choices.get(role)?;
        let tried = choice
            .visits
            .iter()
            .enumerate()
            .max_by_key(|(_, visits)| **visits);
        tried.map(|(number, _)| &choice.moves[number])
    }

    fn is_idle(&self, position: &Position) -> bool {
        let has_choice =
            |(_, choices): &(u32, Vec<Choice>)| choices.iter().any(|choice| choice.moves.len() > 1);
        self.has_failed
            || self
                .nodes
                .get(position)
                .is_some_and(|node| node.0 > 0 && !has_choice(node))
    }
}
