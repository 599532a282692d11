//! The states of a game as those of a concurrent game, by the circuit of one step.
//!
//! A state is a row of bits. All joint moves of a state are made in the lanes of words, up to 64 at once.

use super::error::MixedError;
use super::greedy::Greedy;
use super::policy::{MAX_WEIGHT, Policy};
use gdl::game::{Objective, Sides, ValueRange, count_joint_moves};
use gdl::{Name, Term};
use limits::Limits;
use matrix::{ConcurrentGame, Stage, StageError};
use num_rational::BigRational;
use rules::{PlayDefect, goal_defect, worth};
use std::collections::BTreeSet;
use step::{StateBatch, StateMachine, StepError};
use verify::AnyStrategy;

/// The most joint moves of one state.
const MAX_JOINT_MOVES: usize = 10_000_000;

/// Why a state has no value.
#[derive(Clone, PartialEq, Debug)]
pub enum PositionError {
    /// The defect of a state with these facts.
    Defect(PlayDefect, Vec<Term>),
    /// A state has too many joint moves to be a matrix.
    JointMoves,
    /// The strategy of an opponent has this move in the state with these facts, where it is not legal.
    Illegal(Term, Vec<Term>),
}

/// A game, seen from a role.
pub(crate) struct PositionGame {
    batch: StateBatch,
    pub(crate) sides: Sides,
    objective: Objective,
    range: ValueRange,
    /// The play of the opponents, where it is given. Then they have one column, which is a part of chance.
    pub(super) policy: Option<Policy>,
    /// The same for opponents that look a few steps ahead.
    pub(super) greedy: Option<Greedy>,
}

/// The numbers of the legal moves of each role.
type Legal = Vec<Vec<usize>>;

impl PositionGame {
    /// On the machine's circuit; payoffs are parts of the range.
    ///
    /// # Errors
    /// If there is no circuit.
    pub(crate) fn new(
        machine: &StateMachine,
        role: usize,
        objective: Objective,
        range: ValueRange,
    ) -> Result<Self, StepError> {
        machine.circuit().map_err(Clone::clone)?;
        Ok(PositionGame {
            batch: StateBatch::new(machine).expect("there is a circuit"),
            sides: Sides::new(machine.roles(), role),
            objective,
            range,
            policy: None,
            greedy: None,
        })
    }

    /// The row of the state that play starts from, where an opponent may follow a strategy.
    ///
    /// # Errors
    /// If a fact cannot come true, or the strategy cannot be followed from there.
    pub(crate) fn starting(
        &mut self,
        start: &[Term],
        roles: &[Name],
        followed: Option<&AnyStrategy>,
    ) -> Result<Box<[u64]>, MixedError> {
        if let Some(strategy) = followed {
            let heading = strategy.heading();
            let follower = Sides::of(roles, &heading.role)?.role;
            let policy = Policy::of(
                strategy,
                follower,
                |facts| self.row(facts).ok(),
                |action| self.move_number(follower, action),
            )?;
            let set = |facts: &[Term]| facts.iter().map(Term::to_string).collect::<BTreeSet<_>>();
            if policy.counts_steps() && set(&heading.start) != set(start) {
                let text = "it counts steps from its own start, and play begins in another state";
                return Err(MixedError::Followed(text.to_owned()));
            }
            self.policy = Some(policy);
        }
        self.row(start).map_err(MixedError::UnknownFact)
    }

    /// The bits of the state of a row, which may count steps behind them.
    fn bits<'r>(&self, row: &'r [u64]) -> &'r [u64] {
        &row[..self.batch.row_words()]
    }

    /// The number of a move of a role.
    pub(crate) fn move_number(&self, role: usize, action: &Term) -> Option<usize> {
        let moves = &self.batch.ground().moves[role];
        moves.iter().position(|other| other == action)
    }

    /// The row of the state with these facts.
    ///
    /// # Errors
    /// With the first fact that cannot come true.
    pub(crate) fn row(&self, facts: &[Term]) -> Result<Box<[u64]>, Term> {
        let ground = self.batch.ground();
        let mut row = ground.row(&ground.state(facts)?).into_vec();
        if self.policy.as_ref().is_some_and(Policy::counts_steps) {
            row.push(0);
        }
        Ok(row.into())
    }

    /// The facts of a row, sorted by text.
    pub(crate) fn facts(&self, row: &[u64]) -> Vec<Term> {
        self.batch.ground().held(row)
    }

    /// The name of a move.
    pub(crate) fn action(&self, role: usize, number: usize) -> &Term {
        &self.batch.ground().moves[role][number]
    }

    /// These moves of a role, by name.
    pub(crate) fn actions(&self, role: usize, legal: &Legal) -> Vec<Term> {
        let numbers = legal[role].iter();
        let actions = numbers.map(|&number| self.action(role, number).clone());
        actions.collect()
    }

    /// The legal moves of all roles in a state.
    pub(crate) fn legal(&mut self, row: &[u64]) -> Legal {
        self.batch.load(self.bits(row));
        let roles = 0..self.batch.ground().roles.len();
        let of_role = |role: usize| {
            let lanes = self.batch.legal(role).enumerate();
            lanes
                .filter(|(_, lanes)| lanes & 1 == 1)
                .map(|(number, _)| number)
                .collect()
        };
        roles.map(of_role).collect()
    }

    /// A role by its index.
    pub(crate) fn role(&self, role: usize) -> &Name {
        &self.batch.ground().roles[role]
    }

    /// All roles that want something, by their indices.
    pub(crate) fn players(&self) -> Vec<usize> {
        let roles = self.batch.ground().roles.iter().enumerate();
        let players = roles.filter(|(_, role)| !role.is_random());
        players.map(|(index, _)| index).collect()
    }

    /// The worth of the end of play for each of these roles; none if play goes on in this row.
    pub(crate) fn ends(
        &mut self,
        row: &[u64],
        roles: &[usize],
    ) -> Result<Option<Vec<BigRational>>, StageError<PositionError>> {
        self.batch.load(self.bits(row));
        if self.batch.terminal() & 1 == 0 {
            return Ok(None);
        }
        let worth_of = |&role: &usize| {
            let goals: Vec<Term> = self.batch.goals_in(0, role).cloned().collect();
            match goal_defect(self.role(role), &goals) {
                Some(defect) => Err(self.defect(defect, row)),
                None => Ok(worth(&goals, self.objective).expect("there is one goal")),
            }
        };
        roles
            .iter()
            .map(worth_of)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// The opponents' joint moves by name, in the order of the columns: one move for each opponent.
    pub(crate) fn named_replies(&self, legal: &Legal) -> Vec<Vec<Term>> {
        let named = |reply: Vec<usize>| {
            let moves = self.sides.opponents.iter().zip(reply);
            moves
                .map(|(&role, number)| self.action(role, number).clone())
                .collect()
        };
        let legal = self.sides.opponents.iter().map(|&index| &legal[index][..]);
        let replies = gdl::game::joint_moves(legal).into_iter();
        replies.map(named).collect()
    }

    fn defect(&self, defect: PlayDefect, row: &[u64]) -> StageError<PositionError> {
        StageError::Failed(PositionError::Defect(defect, self.facts(row)))
    }
}

impl ConcurrentGame for PositionGame {
    type State = Box<[u64]>;
    type Payoff = BigRational;
    type Error = PositionError;

    fn payoff(
        &mut self,
        row: &Box<[u64]>,
    ) -> Result<Option<BigRational>, StageError<PositionError>> {
        let ends = self.ends(row, &[self.sides.role])?;
        Ok(ends.map(|worths| self.range.part(&worths[0])))
    }

    fn unfinished(&self) -> BigRational {
        self.range.unfinished()
    }

    fn stage(
        &mut self,
        row: &Box<[u64]>,
        limits: &Limits,
    ) -> Result<Stage<Box<[u64]>>, StageError<PositionError>> {
        let legal = self.legal(row);
        if let Some(stuck) = legal.iter().position(Vec::is_empty) {
            let role = self.batch.ground().roles[stuck].clone();
            return Err(self.defect(PlayDefect::NoLegalMove(role), row));
        }
        let count = count_joint_moves(&legal);
        if count > MAX_JOINT_MOVES {
            return Err(StageError::Failed(PositionError::JointMoves));
        }
        let sides = self.sides.clone();
        let outcomes = sides.random.map_or(1, |random| legal[random].len());
        let (columns, per_cell) = match self.policy.is_some() || self.greedy.is_some() {
            false => (count / outcomes / legal[sides.role].len(), outcomes),
            true => (1, count / legal[sides.role].len()),
        };
        let taken = self.greedy.as_mut();
        let taken = taken.map(|greedy| greedy.moves(row, &legal, limits));
        let taken = taken.transpose()?;
        let words = self.batch.row_words();
        let decision = self.policy.as_ref().and_then(|policy| policy.at(row));
        if let Some(decision) = decision {
            let own = &legal[decision.role];
            if let Some(action) = decision.illegal(own) {
                let illegal = PositionError::Illegal(action.clone(), self.facts(self.bits(row)));
                return Err(StageError::Failed(illegal));
            }
            if (per_cell / own.len()) as u64 > MAX_WEIGHT / decision.total {
                return Err(StageError::Failed(PositionError::JointMoves));
            }
        }
        let steps = self.policy.as_ref();
        let steps = steps.and_then(|policy| Some(policy.steps_after(*row.get(words)?)));
        let weight = |joint_move: Vec<usize>| {
            let mut taken = taken.iter().flatten();
            let is_taken = taken.all(|(role, moves)| moves.contains(&joint_move[*role]));
            u64::from(is_taken) * decision.map_or(1, |decision| decision.weight(&joint_move))
        };
        let is_given = taken.is_some() || decision.is_some();
        let weights = is_given.then(|| sides.joint_moves(&legal).map(weight));
        let mut weights = weights.into_iter().flatten().chain(std::iter::repeat(1));
        let mut cells = Vec::with_capacity(count / per_cell);
        let mut cell = Vec::with_capacity(per_cell);
        let mut made = 0;
        let moves = sides.joint_moves(&legal);
        let moves = moves.map(|joint_move| (&row[..words], joint_move));
        self.batch.successors(moves, &mut Vec::new(), |rows| {
            for (next, weight) in rows.chunks_exact(words).zip(&mut weights) {
                if weight > 0 {
                    let next: Vec<u64> = next.iter().copied().chain(steps).collect();
                    cell.push((next.into(), weight));
                }
                made += 1;
                if made % per_cell == 0 {
                    cells.push(std::mem::replace(&mut cell, Vec::with_capacity(per_cell)));
                }
            }
            rows.clear();
            limits.check()
        })?;
        Ok(Stage { columns, cells })
    }

    fn heap_bytes(row: &Box<[u64]>) -> usize {
        8 * row.len() + 16
    }
}
