//! UCT: random plays that prefer moves with good results so far, for games too large to be solved.
//!
//! Every role, also those that move at the same time, chooses by the upper confidence bound of its own points (Kocsis and
//! Szepesvari 2006; decoupled for simultaneous moves); `random` moves at random. Positions are shared where plays meet
//! again. Plays are followed on the circuit of one step where there is one.
//!
//! The answer is the move that was tried most; where others choose at the same time, one drawn as often as it was tried, since a
//! move that is known beforehand can be answered.

use fastrand::Rng;
use gdl::Term;
use gdl::game::{Sides, points};
use limits::Limits;
use rules::ReasonerError;
use rustc_hash::FxHashMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};
use step::{Position, StateMachine};

/// How much moves that were tried rarely are preferred.
const EXPLORATION: f64 = 1.0;

/// The most moves in a tree, the memory of each, in bytes, and the most steps of a play.
const MAX_MOVES: usize = 1_000_000;
const BYTES_PER_MOVE: u64 = 150;
const MAX_STEPS: usize = 2_000;

/// How often the best move is reported.
const PERIOD: Duration = Duration::from_millis(20);

/// A thread that samples.
pub(super) struct Sampling(Sender<Turn>);

struct Turn {
    turn: usize,
    position: Position,
}

/// Hears the best move of a turn so far, and says whether it is worth while to go on.
pub(super) type MoveListener = Box<dyn Fn(usize, &Term) -> bool + Send>;

impl Sampling {
    /// Starts the thread, which uses this memory, in bytes, and reports what it finds.
    pub(super) fn start(
        machine: StateMachine,
        role: usize,
        memory: Option<u64>,
        limits: Limits,
        random: Rng,
        told: MoveListener,
    ) -> Self {
        let (to, asked) = channel();
        let tree = Tree::new(machine, role, memory, limits, random);
        // Without a thread the first legal move has to do.
        let _ = thread::Builder::new().spawn(move || work(tree, &asked, told));
        Sampling(to)
    }

    /// Turns to the position of a turn, which is one of the same machine.
    pub(super) fn turn_to(&self, turn: usize, position: Position) {
        let _ = self.0.send(Turn { turn, position });
    }
}

fn work(mut tree: Tree, asked: &Receiver<Turn>, told: MoveListener) {
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
            let best = tree.best(&current.position, tree.role);
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

/// The statistics of the moves of a role in a position.
struct Choice {
    moves: Vec<Term>,
    visits: Vec<u32>,
    sums: Vec<f64>,
}

/// A position that plays went through.
struct Node {
    visits: u32,
    choices: Vec<Choice>,
}

impl Node {
    /// Whether the role and another one that is not `random` have a choice.
    fn is_of_several(&self, role: usize, random: Option<usize>) -> bool {
        let mut choosing = (0..self.choices.len())
            .filter(|&other| Some(other) != random && self.choices[other].moves.len() > 1);
        self.choices[role].moves.len() > 1 && choosing.any(|other| other != role)
    }

    /// A move of each role by its number; nothing where a role has none.
    fn choose(&self, random: Option<usize>, rng: &mut Rng) -> Option<Vec<usize>> {
        let log = f64::from(self.visits.max(1)).ln();
        let mut chosen = Vec::new();
        for (role, choice) in self.choices.iter().enumerate() {
            if choice.moves.is_empty() {
                return None;
            }
            if Some(role) == random {
                chosen.push(rng.usize(..choice.moves.len()));
                continue;
            }
            // From a random place on, so that equal moves are all tried.
            let shift = rng.usize(..choice.moves.len());
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
}

/// Positions that plays went through.
struct Tree {
    machine: StateMachine,
    role: usize,
    random: Option<usize>,
    nodes: FxHashMap<Position, Node>,
    /// The number of moves in them, and the largest.
    moves: usize,
    max_moves: usize,
    rng: Rng,
    /// When the match is over.
    limits: Limits,
    has_failed: bool,
}

impl Tree {
    fn new(
        machine: StateMachine,
        role: usize,
        memory: Option<u64>,
        limits: Limits,
        rng: Rng,
    ) -> Self {
        let sides = Sides::new(machine.roles(), role);
        Tree {
            role,
            random: sides.random,
            max_moves: memory.map_or(MAX_MOVES, |all| {
                MAX_MOVES.min((all / BYTES_PER_MOVE) as usize)
            }),
            machine,
            nodes: FxHashMap::default(),
            moves: 0,
            rng,
            limits,
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
        let mut has_left = false;
        for _ in 0..MAX_STEPS {
            self.limits.check().map_err(ReasonerError::Stopped)?;
            if self.machine.terminal(&position)? {
                break;
            }
            if has_left {
                match self.machine.random_move(&position, &mut self.rng)? {
                    Some(joint_move) => position = self.machine.next(&position, &joint_move)?,
                    None => break,
                }
                continue;
            }
            if !self.nodes.contains_key(&position) {
                has_left = true;
                if self.moves >= self.max_moves {
                    continue;
                }
                let choices = self.choices(&position)?;
                self.moves += choices
                    .iter()
                    .map(|choice| choice.moves.len())
                    .sum::<usize>();
                let node = Node { visits: 0, choices };
                self.nodes.insert(position.clone(), node);
            }
            let node = self.nodes.get_mut(&position).expect("it is there");
            let Some(chosen) = node.choose(self.random, &mut self.rng) else {
                break;
            };
            let joint_move: Vec<Term> = node
                .choices
                .iter()
                .zip(&chosen)
                .map(|(choice, &number)| choice.moves[number].clone())
                .collect();
            let next = self.machine.next(&position, &joint_move)?;
            path.push((std::mem::replace(&mut position, next), chosen));
        }
        let roles = 0..self.machine.roles().len();
        let worth = roles.map(|role| share(&mut self.machine, &position, role));
        let worth: Vec<f64> = worth.collect::<Result<_, ReasonerError>>()?;
        for (position, chosen) in path {
            let Some(node) = self.nodes.get_mut(&position) else {
                continue;
            };
            node.visits += 1;
            for (role, (choice, number)) in node.choices.iter_mut().zip(chosen).enumerate() {
                choice.visits[number] += 1;
                choice.sums[number] += worth[role];
            }
        }
        Ok(())
    }

    fn choices(&mut self, position: &Position) -> Result<Vec<Choice>, ReasonerError> {
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

    /// The move that was tried most; where another role has a choice, too, one drawn as often as it was tried.
    fn best(&mut self, position: &Position, role: usize) -> Option<&Term> {
        let node = self.nodes.get(position)?;
        let choice = node.choices.get(role)?;
        let visits = || choice.visits.iter().enumerate();
        let number = match node.is_of_several(role, self.random) {
            true => {
                let mut drawn = self.rng.u32(..choice.visits.iter().sum::<u32>().max(1));
                let found = visits().find(|&(_, &visits)| match drawn.checked_sub(visits) {
                    Some(left) => {
                        drawn = left;
                        false
                    }
                    None => true,
                });
                found.map(|(number, _)| number)
            }
            false => visits()
                .max_by_key(|(_, visits)| **visits)
                .map(|(number, _)| number),
        };
        number.map(|number| &choice.moves[number])
    }

    fn is_idle(&self, position: &Position) -> bool {
        let has_choice = |node: &Node| node.choices.iter().any(|choice| choice.moves.len() > 1);
        let is_forced = |node: &Node| node.visits > 0 && !has_choice(node);
        self.has_failed || self.nodes.get(position).is_some_and(is_forced)
    }
}

/// The points of a role in a position that is over, from 0 to 1.
pub(super) fn share(
    machine: &mut StateMachine,
    position: &Position,
    role: usize,
) -> Result<f64, ReasonerError> {
    let goals = machine.goals(position, role)?;
    let points = goals.first().and_then(points);
    Ok(points.map_or(0.0, |points| points.rounded().clamp(0.0, 100.0) / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::RuleLimits;
    use std::collections::BTreeMap;
    use step::StepLimits;

    /// Where the others choose at the same time no move is the answer each time.
    #[test]
    fn moves_at_the_same_time_are_drawn() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../games/rock_paper_scissors.gdl"
        );
        let rules = std::fs::read(path).expect("a game");
        let game = engines::read("hands", &rules).expect("valid rules");
        let machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default());
        let mut machine = machine.expect("a machine");
        let start = machine.initial().expect("a position");
        let limits = Limits::default();
        let mut tree = Tree::new(machine, 0, None, limits, Rng::with_seed(1));
        for _ in 0..3_000 {
            tree.play(&start).expect("followed");
        }
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        for _ in 0..300 {
            let best = tree.best(&start, 0).expect("a move");
            *drawn.entry(best.to_string()).or_default() += 1;
        }
        assert_eq!(drawn.len(), 3, "{drawn:?}");
        assert!(drawn.values().all(|&count| count > 50), "{drawn:?}");
    }
}
