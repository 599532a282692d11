//! A match of a game that hides something: what the role did and saw, and the move to answer.
//!
//! The game is solved while the start clock runs (crate `hidden`); then each move is drawn from the role's mixture, or is the best one
//! where the role is alone. Without a solution, moves are compared by random plays from states that fit what the role did and saw.

use super::mixture::{Mixture, draw};
use super::sampling::share;
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective, count_joint_moves, joint_moves};
use hidden::{HiddenError, HiddenQuestion, HiddenSolution, KnownStep, RoleKnowledge, solve};
use limits::Limits;
use rules::ReasonerError;
use rustc_hash::FxHashMap;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use step::{Position, StateMachine};

/// The most states that are kept, and the most joint moves that are tried in one of them.
const MAX_STATES: usize = 5_000;
const MAX_TRIES: usize = 2_000;

/// The most steps of a random play.
const MAX_STEPS: usize = 2_000;

/// The result of solving the game, once it is there.
type Solving = Receiver<Result<HiddenSolution, HiddenError>>;

/// The role's side of a match.
pub(super) struct Informed {
    machine: StateMachine,
    role: usize,
    steps: Vec<KnownStep>,
    /// States that fit the first of these steps, each with its weight if all others move at random; and how many steps.
    possible: Vec<(Position, f64)>,
    followed: usize,
    solving: Solving,
    solution: Option<Result<HiddenSolution, HiddenError>>,
    rng: Rng,
}

impl Informed {
    /// Solves the game within limits. The thread that does it holds the owner until its work is over.
    pub(super) fn start(
        owner: impl Send + 'static,
        game: &Game,
        role: usize,
        (machine, start): (StateMachine, Position),
        limits: Limits,
        rng: Rng,
    ) -> Self {
        let (to, solving) = channel();
        let question = HiddenQuestion::new(game.roles()[role].clone(), Objective::Score, None);
        let (game, until) = (game.clone(), limits.deadline);
        // Without a thread nothing is solved.
        let _ = thread::Builder::new().spawn(move || {
            let _ = to.send(solve(&game, &question, &limits));
            drop(owner);
        });
        let mut informed = Informed {
            machine,
            role,
            steps: Vec::new(),
            possible: vec![(start, 1.0)],
            followed: 0,
            solution: None,
            solving,
            rng,
        };
        let left = until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        });
        informed.solution = informed.solving.recv_timeout(left).ok();
        informed
    }

    /// The way in which moves are found.
    pub(super) fn way(&self) -> String {
        let reason = match &self.solution {
            Some(Ok(solution)) => match (solution.remark(), solution.stopped()) {
                (Some(remark), _) => remark,
                (None, None) => return "by the exact solution".to_owned(),
                (None, Some(_)) => return "by the best solution found so far".to_owned(),
            },
            Some(Err(error)) => error.to_string(),
            None => "the clock ended before the game was solved".to_owned(),
        };
        format!("by random plays from states that it holds possible: {reason}")
    }

    /// A legal move after a step, or at the start.
    pub(super) fn play(
        &mut self,
        step: Option<KnownStep>,
        limits: &Limits,
    ) -> Result<Term, String> {
        self.machine.reasoner().set_overall_limits(limits.clone());
        self.steps.extend(step);
        if self.solution.is_none() {
            self.solution = self.solving.try_recv().ok();
        }
        let solution = self.solution.as_ref().and_then(|found| found.as_ref().ok());
        let known = solution.and_then(|solution| solution.knowledge(&self.steps, limits).ok());
        match known.and_then(|known| self.choose(known)) {
            Some(action) => Ok(action),
            None => self.sample(limits),
        }
    }

    /// A move by the role's mixture, or the best one; none if nothing is known of them.
    fn choose(&mut self, known: RoleKnowledge) -> Option<Term> {
        let mut moves = known.moves;
        if let [only] = &moves[..] {
            return Some(only.action.clone());
        }
        let shares = moves.iter();
        let shares = shares.filter_map(|each| Some((&each.action, each.share.clone()?)));
        if let Some(&drawn) = draw(&shares.collect::<Mixture<&Term>>(), &mut self.rng) {
            return Some(drawn.clone());
        }
        moves.retain(|each| each.bounds.is_some());
        let best = moves
            .into_iter()
            .max_by(|one, other| one.bounds.cmp(&other.bounds));
        best.map(|best| best.action)
    }

    /// The move with the best mean of random plays, until the time is over.
    fn sample(&mut self, limits: &Limits) -> Result<Term, String> {
        let failed = |error: ReasonerError| error.to_string();
        let half = limits.within(limits.time_left().map(|time| time / 2));
        while self.followed < self.steps.len() {
            self.follow(&half).map_err(failed)?;
        }
        let Some((first, _)) = self.possible.first() else {
            return Err("no state is known that fits what was seen".to_owned());
        };
        let legal = self.machine.legal(first, self.role).map_err(failed)?;
        if let [only] = &legal[..] {
            return Ok(only.clone());
        }
        let mut sums = vec![0.0; legal.len()];
        while let Ok(worths) = self.round(&legal, limits) {
            sums.iter_mut()
                .zip(worths)
                .for_each(|(sum, worth)| *sum += worth);
        }
        let best = legal
            .iter()
            .zip(&sums)
            .max_by(|one, other| one.1.total_cmp(other.1));
        let best = best.ok_or("there is no legal move")?;
        Ok(best.0.clone())
    }

    /// The points of a random play after each move, all from one state; an error when the time is over.
    fn round(&mut self, legal: &[Term], limits: &Limits) -> Result<Vec<f64>, ReasonerError> {
        let whole: f64 = self.possible.iter().map(|(_, weight)| weight).sum();
        let mut drawn = whole * self.rng.f64();
        let found = self.possible.iter().find(|(_, weight)| {
            drawn -= weight;
            drawn < 0.0
        });
        let (start, _) = found.unwrap_or(&self.possible[0]).clone();
        let mut worths = Vec::with_capacity(legal.len());
        for action in legal {
            let (mut here, mut first) = (start.clone(), Some(action));
            for _ in 0..MAX_STEPS {
                limits.check().map_err(ReasonerError::Stopped)?;
                if self.machine.terminal(&here)? {
                    break;
                }
                let Some(mut joint_move) = self.machine.random_move(&here, &mut self.rng)? else {
                    break;
                };
                if let Some(action) = first.take() {
                    joint_move[self.role] = action.clone();
                }
                here = self.machine.next(&here, &joint_move)?;
            }
            worths.push(share(&mut self.machine, &here, self.role)?);
        }
        Ok(worths)
    }

    /// Follows the next step from the states that fit so far. If many do, some of them are kept; if none of them fits, one is searched for from
    /// the start on.
    fn follow(&mut self, limits: &Limits) -> Result<(), ReasonerError> {
        let mut next: FxHashMap<Position, f64> = FxHashMap::default();
        let mut before = std::mem::take(&mut self.possible);
        self.rng.shuffle(&mut before);
        for (here, weight) in &before {
            for (then, share) in self.after(here, self.followed)? {
                *next.entry(then).or_default() += weight * share;
            }
            if next.len() >= MAX_STATES || limits.is_over() && !next.is_empty() {
                break;
            }
        }
        self.followed += 1;
        self.possible = next.into_iter().collect();
        let mut open = vec![(self.machine.initial()?, 0)];
        while self.possible.is_empty()
            && let Some((here, index)) = open.pop()
        {
            match index == self.followed {
                true => self.possible.push((here, 1.0)),
                false => {
                    let then = self.after(&here, index)?.into_iter();
                    open.extend(then.map(|(then, _)| (then, index + 1)));
                }
            }
        }
        Ok(())
    }

    /// The states after a step that fit what the role did and saw then, in any order, with the probability of the others' moves. Play goes on in
    /// them.
    fn after(
        &mut self,
        here: &Position,
        index: usize,
    ) -> Result<Vec<(Position, f64)>, ReasonerError> {
        let KnownStep { moves, sees } = self.steps[index].clone();
        let roles = 0..self.machine.roles().len();
        let legal = roles.map(|role| self.machine.legal(here, role));
        let mut legal = legal.collect::<Result<Vec<_>, _>>()?;
        if !legal[self.role].contains(&moves[0]) {
            return Ok(Vec::new());
        }
        legal[self.role] = moves;
        let mut tried = match count_joint_moves(&legal) <= MAX_TRIES {
            true => joint_moves(legal.iter().map(Vec::as_slice)),
            false => {
                let mut one = || {
                    legal
                        .iter()
                        .map(|moves| self.rng.choice(moves).cloned())
                        .collect()
                };
                (0..MAX_TRIES).filter_map(|_| one()).collect()
            }
        };
        self.rng.shuffle(&mut tried);
        let (mut fitting, share) = (Vec::new(), 1.0 / tried.len() as f64);
        for joint_move in tried {
            if self.machine.percepts(here, &joint_move)?[self.role] == sees {
                let then = self.machine.next(here, &joint_move)?;
                if !self.machine.terminal(&then)? {
                    fitting.push((then, share));
                }
            }
        }
        Ok(fitting)
    }
}

#[cfg(test)]
mod tests {
    use crate::player::Player;
    use std::time::Instant;

    /// The rules of Monty Hall's game on one line, without comments.
    fn rules() -> String {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../games/hidden_monty_hall.gdl"
        );
        let text = std::fs::read_to_string(path).expect("a game");
        let code = text.lines().filter_map(|line| line.split(';').next());
        let words = code.flat_map(str::split_whitespace);
        words.collect::<Vec<&str>>().join(" ")
    }

    /// With the solution, and without the memory for it.
    #[test]
    fn moves_depend_on_what_a_player_saw() {
        for (memory, way) in [
            (400_000_000, "plays guest by the exact solution"),
            (
                1,
                "plays guest by random plays from states that it holds possible: the memory limit was reached",
            ),
        ] {
            let (to, said) = std::sync::mpsc::channel();
            let player = Player::new("guest", Some(memory), move |line| {
                let _ = to.send(line.to_owned());
            });
            let tell = |text: &str| player.reply(text, Instant::now());
            let rules = rules();
            assert_eq!(tell(&format!("(START m guest ({rules}) 5 1)")), "ready");
            let line = said.recv().expect("a line");
            assert!(line.contains(way), "{line}");
            assert_eq!(tell("(PLAY m 0 NIL NIL)"), "noop");
            assert_eq!(tell("(PLAY m ((noop) (hide 1)))"), "nil");
            let line = said.recv().expect("a line");
            assert!(line.contains("(PLAY MATCH TURN MOVE PERCEPTS)"), "{line}");
            assert!(tell("(PLAY m 1 noop ())").starts_with("(pick "));
            assert_eq!(tell("(PLAY m 2 (pick 1) NIL)"), "noop");
            // The other door has the car in two cases of three.
            assert_eq!(tell("(PLAY m 3 noop ((opened 2)))"), "switch");
            assert_eq!(tell("(STOP m 4 switch ())"), "done");
            assert_eq!(tell(&format!("(START m guest ({rules}) 1 1)")), "ready");
            assert_eq!(
                tell("(PLAY m 1 noop ((opened 3)))"),
                "nil",
                "there is no such percept"
            );
            assert_eq!(tell("(ABORT m)"), "aborted");
        }
    }
}
