//! Questions and answers.

use crate::claims::Proofs;
use crate::compile::{Compiled, compile, compile_with};
use crate::dead_facts;
use crate::horizon::{Horizons, NoHorizon};
use crate::options::Options;
use crate::packing::Packing;
use crate::plain::{self, Situation};
use crate::problem::{Agent, Problem, ProblemError};
use crate::search::{Found, Memory};
use formula::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// Where more steps than these are asked for, it is worth finding out whether plays are shorter.
const LONG: u32 = 500;

/// A question that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// The state has another number of facts.
    #[error("the state says of {given} facts whether they hold, but there are {facts}")]
    State {
        /// Facts given.
        given: usize,
        /// Facts of the step.
        facts: usize,
    },
    /// There is no such move of the maximizer, or it is not legal.
    #[error("the maximizer has no legal move with number {0} in this state")]
    Move(usize),
    /// It is not known when plays end.
    #[error(transparent)]
    NoHorizon(#[from] NoHorizon),
}

/// A value, or bounds of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// A proved lower bound.
    pub lower: BigRational,
    /// A proved upper bound; equal to the lower one if the value is known.
    pub upper: BigRational,
    /// Why the search was cut short, if the value is not known.
    pub stopped: Option<StopReason>,
}

impl Outcome {
    /// A value that is known.
    pub fn known(value: BigRational) -> Self {
        Outcome {
            lower: value.clone(),
            upper: value,
            stopped: None,
        }
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        (self.lower == self.upper).then_some(&self.lower)
    }
}

/// What a question was answered with, and how that was come by.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// Numbers about the run, by name: `states` (in the tables), `expanded` (states expanded for
    /// this question), `facts` (that matter), `dead_facts` (that may stop to), `key_bits`, `images` (of a state under symmetry), `value_bits`, `steps`, `table_bytes`.
    pub statistics: Vec<(&'static str, u64)>,
}

/// One answer of the adversaries to a move, with what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// A move of each agent of the step; those of the maximizer and of chance have no meaning and
    /// are `None`.
    pub moves: Vec<Option<usize>>,
    /// Its value for the maximizer.
    pub outcome: Outcome,
}

/// A legal move of the maximizer, with what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The number of the move.
    pub number: usize,
    /// Its value.
    pub outcome: Outcome,
    /// Whether no other move is known to be better, by lower bounds; if all values are known,
    /// whether it is a best move.
    pub may_be_best: bool,
}

/// Exact expected minimax on one step. It keeps what it finds out from one question to the next.
pub struct Engine {
    problem: Problem,
    options: Options,
    compiled: Compiled,
    memory: Memory,
    proofs: Proofs,
    horizons: Horizons,
    /// What keys write as one digit.
    packing: Option<Packing>,
    /// Whether it was tried to prove what makes keys better.
    has_tried_proofs: bool,
}

impl Engine {
    /// Compiles a problem.
    ///
    /// # Errors
    /// If the problem makes no sense.
    pub fn new(problem: Problem, options: Options) -> Result<Self, ProblemError> {
        problem.check()?;
        let compiled = compile(&problem, &options);
        let payoffs = problem.payoff.iter().map(|(value, _)| value.clone());
        let memory = Memory::new(payoffs.collect());
        Ok(Engine {
            problem,
            options,
            compiled,
            memory,
            proofs: Proofs::default(),
            horizons: Horizons::default(),
            packing: None,
            has_tried_proofs: false,
        })
    }

    /// The problem, as it was given.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The initial state.
    pub fn initial(&self) -> &[bool] {
        &self.problem.step.initial
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        self.memory.states()
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// The value of a state (for each fact, whether it holds) with so many steps left; `None` for
    /// as long as it takes.
    ///
    /// In a terminal state it is the payoff; with no steps left 0; where some agent has no legal move
    /// 0; otherwise the maximum over the maximizer's legal moves of the minimum over the adversaries'
    /// of the mean over those of chance of the value of the next state.
    ///
    /// # Errors
    /// If the question makes no sense.
    pub fn solve(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Answer, QuestionError> {
        self.check(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        Ok(self.answer(state, steps, &mut watch))
    }

    /// After how many steps every play from a state is over, proved. It may be sooner.
    ///
    /// # Errors
    /// If the question makes no sense, or if no proof is found.
    pub fn horizon(&mut self, state: &[bool], limits: &Limits) -> Result<u32, QuestionError> {
        self.check(state)?;
        if !is_open(&plain::situation(&self.problem, state)) {
            return Ok(0);
        }
        let (problem, compiled) = (&self.problem, &self.compiled);
        let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
        Ok(horizons.find(problem, compiled, proofs, state, limits)?)
    }

    /// The value of each legal move of the maximizer. Empty if the state is terminal, no steps are
    /// left, or somebody cannot move. All moves get their share of the limits' time, one after the
    /// other.
    ///
    /// # Errors
    /// If the question makes no sense.
    pub fn moves(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<MoveValue>, QuestionError> {
        self.check(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        if !is_open(&situation) || steps == 0 {
            return Ok(Vec::new());
        }
        let mut values = Vec::new();
        for &number in &situation.legal[self.maximizer()] {
            let replies = self.replies_to(state, steps, &situation, number, &mut watch);
            let outcome = worst(replies.into_iter().map(|reply| reply.outcome));
            values.push(MoveValue {
                number,
                outcome,
                may_be_best: false,
            });
        }
        let best = values.iter().map(|value| value.outcome.lower.clone()).max();
        for value in &mut values {
            value.may_be_best = best
                .as_ref()
                .is_some_and(|best| value.outcome.upper >= *best);
        }
        Ok(values)
    }

    /// What the adversaries may answer to a move of the maximizer, with its values; best for them
    /// first, by what is known. One entry if there are no adversaries.
    ///
    /// # Errors
    /// If the question makes no sense.
    pub fn replies(
        &mut self,
        state: &[bool],
        number: usize,
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<Reply>, QuestionError> {
        self.check(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        let is_legal = situation.legal[self.maximizer()].contains(&number);
        if !is_open(&situation) || steps == 0 || !is_legal {
            return Err(QuestionError::Move(number));
        }
        let mut replies = self.replies_to(state, steps, &situation, number, &mut watch);
        replies.sort_by(|one, other| {
            let bounds = |reply: &Reply| (reply.outcome.upper.clone(), reply.outcome.lower.clone());
            bounds(one).cmp(&bounds(other))
        });
        Ok(replies)
    }

    fn maximizer(&self) -> usize {
        let agents = self.problem.agents.iter();
        let mut places = agents.enumerate().filter(|(_, a)| **a == Agent::Maximizer);
        places.next().expect("the problem was checked").0
    }

    fn check(&self, state: &[bool]) -> Result<(), QuestionError> {
        let facts = self.problem.step.facts.len();
        if state.len() != facts {
            return Err(QuestionError::State {
                given: state.len(),
                facts,
            });
        }
        Ok(())
    }

    fn steps(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<usize, QuestionError> {
        Ok(match steps_left {
            // Tables are kept for each number of steps: not for more than there can be.
            Some(steps) if steps > LONG => {
                let (problem, compiled) = (&self.problem, &self.compiled);
                let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
                match is_open(&plain::situation(problem, state)) {
                    true => horizons.at_most(problem, compiled, proofs, state, steps, limits),
                    false => 0,
                }
            }
            Some(steps) => steps,
            None => self.horizon(state, limits)?,
        } as usize)
    }

    fn answer(&mut self, state: &[bool], steps: usize, watch: &mut Watch<'_>) -> Answer {
        let situation = plain::situation(&self.problem, state);
        let known = match situation.worth {
            Some(worth) => Some(worth),
            None if steps == 0 || !is_open(&situation) => Some(BigRational::zero()),
            None => None,
        };
        let found = match known {
            Some(value) => Found {
                outcome: Outcome::known(value),
                expanded: 0,
                value_bits: 0,
            },
            None => self.search(state, steps, watch),
        };
        Answer {
            statistics: vec![
                ("states", self.memory.states()),
                ("expanded", found.expanded),
                ("facts", self.compiled.facts.len() as u64),
                ("dead_facts", self.compiled.dead_facts() as u64),
                ("key_bits", u64::from(self.compiled.keys.bits())),
                ("images", self.compiled.keys.images() as u64),
                ("value_bits", u64::from(found.value_bits)),
                ("steps", steps as u64),
                ("table_bytes", self.memory.bytes()),
            ],
            outcome: found.outcome,
        }
    }

    /// Searches from a state that is not terminal.
    fn search(&mut self, state: &[bool], steps: usize, watch: &mut Watch<'_>) -> Found {
        if !self.admits(state) {
            self.packing = None;
            self.compile(None);
        }
        let facts = self.compiled.pack(state);
        let patience = (!self.has_tried_proofs).then_some(self.options.proofs_after);
        let (compiled, options) = (&self.compiled, &self.options);
        let memory = &mut self.memory;
        if let Some(found) = memory.solve(compiled, options, &facts, steps, patience, watch) {
            return found;
        }
        self.has_tried_proofs = true;
        self.try_proofs(state, &facts, watch);
        let (compiled, options) = (&self.compiled, &self.options);
        let found = self
            .memory
            .solve(compiled, options, &facts, steps, None, watch);
        found.expect("patience has no end")
    }

    /// Whether what keys rely on is proved of a state.
    fn admits(&mut self, state: &[bool]) -> bool {
        if self.compiled.sight.is_none() && self.packing.is_none() {
            return true;
        }
        let facts = self.compiled.pack(state);
        let (problem, compiled) = (&self.problem, &self.compiled);
        let claims = self
            .proofs
            .claims(problem, compiled, &facts, &Watch::new(&Limits::default()));
        claims.is_some_and(|claims| claims.lasting.admits(state))
            && self
                .packing
                .as_ref()
                .is_none_or(|packing| packing.admits(&facts))
    }

    /// Looks for facts that no longer matter, and for those that exclude each other where the keys
    /// are long; makes better keys with what is proved.
    fn try_proofs(&mut self, state: &[bool], facts: &[u64], watch: &Watch<'_>) {
        let (problem, compiled) = (&self.problem, &self.compiled);
        let options = &self.options;
        let has_dead_facts =
            options.merge_dead_facts && dead_facts::may_exist(problem, &compiled.facts);
        let has_long_keys = options.pack_groups && compiled.keys.bits() > options.longest_unpacked;
        if !has_dead_facts && !has_long_keys {
            return;
        }
        let claims = self.proofs.claims(problem, compiled, facts, watch);
        let Some(claims) = claims.filter(|claims| claims.lasting.admits(state)) else {
            return;
        };
        let (places, symmetries) = (&compiled.facts, &compiled.symmetries);
        let mut sight = None;
        if has_dead_facts {
            let fewest = options.fewest_dead_facts;
            sight = dead_facts::find(problem, places, claims, symmetries, fewest, watch);
        }
        let mut packing = None;
        if has_long_keys {
            let seen = sight.as_ref();
            packing = Packing::find(problem, places, claims, symmetries, seen, watch);
        }
        self.packing = packing.filter(|packing| packing.admits(facts));
        if sight.is_some() || self.packing.is_some() {
            self.compile(sight);
        }
    }

    /// Makes keys in another way from now on; all that is stored is forgotten.
    fn compile(&mut self, sight: Option<dead_facts::Sight>) {
        let facts = self.compiled.facts.clone();
        let symmetries = self.compiled.symmetries.clone();
        let packing = self.packing.as_ref();
        let groups = packing.map_or(&[][..], |packing| &packing.groups);
        self.compiled = compile_with(
            &self.problem,
            &self.options,
            facts,
            symmetries,
            sight,
            groups,
        );
        self.memory.forget();
        self.horizons = Horizons::default();
    }

    fn replies_to(
        &mut self,
        state: &[bool],
        steps: usize,
        situation: &Situation,
        number: usize,
        watch: &mut Watch<'_>,
    ) -> Vec<Reply> {
        let maximizer = self.maximizer();
        let choices = |agents: &[Agent], wanted: Agent| -> Vec<usize> {
            let places = 0..agents.len();
            places.filter(|&agent| agents[agent] == wanted).collect()
        };
        let adversaries = choices(&self.problem.agents, Agent::Adversary);
        let chances = choices(&self.problem.agents, Agent::Chance);
        let mut moves = vec![0; self.problem.agents.len()];
        moves[maximizer] = number;
        let mut replies = Vec::new();
        for_each_joint_move(
            &situation.legal,
            &adversaries,
            &mut moves.clone(),
            &mut |reply| {
                replies.push(
                    adversaries
                        .iter()
                        .map(|&agent| reply[agent])
                        .collect::<Vec<_>>(),
                );
            },
        );
        let mut answers = Vec::new();
        for reply in replies {
            for (&agent, &choice) in adversaries.iter().zip(&reply) {
                moves[agent] = choice;
            }
            let mut followers = Vec::new();
            let problem = &self.problem;
            for_each_joint_move(&situation.legal, &chances, &mut moves, &mut |joint| {
                followers.push(plain::next(problem, state, joint));
            });
            let share = BigRational::new(BigInt::one(), BigInt::from(followers.len()));
            let mut outcome = Outcome::known(BigRational::zero());
            for next in followers {
                let found = self.answer(&next, steps - 1, watch).outcome;
                outcome.lower += found.lower * &share;
                outcome.upper += found.upper * &share;
                outcome.stopped = outcome.stopped.or(found.stopped);
            }
            let mut all = vec![None; moves.len()];
            for (&agent, &choice) in adversaries.iter().zip(&reply) {
                all[agent] = Some(choice);
            }
            answers.push(Reply {
                moves: all,
                outcome,
            });
        }
        answers
    }
}

/// Whether play goes on from a state.
fn is_open(situation: &Situation) -> bool {
    situation.worth.is_none() && situation.legal.iter().all(|legal| !legal.is_empty())
}

/// The smallest of some outcomes.
fn worst(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let smaller = |one: Outcome, other: Outcome| Outcome {
        lower: one.lower.min(other.lower),
        upper: one.upper.min(other.upper),
        stopped: one.stopped.or(other.stopped),
    };
    outcomes.reduce(smaller).expect("there is a reply")
}

/// Calls `visit` with all joint legal moves of some agents; those of the others stay as they are.
fn for_each_joint_move(
    legal: &[Vec<usize>],
    agents: &[usize],
    moves: &mut [usize],
    visit: &mut impl FnMut(&[usize]),
) {
    let mut tried = vec![0; agents.len()];
    loop {
        for (&agent, &tried) in agents.iter().zip(&tried) {
            moves[agent] = legal[agent][tried];
        }
        visit(moves);
        let moved = (0..agents.len()).rev().find(|&place| {
            tried[place] = (tried[place] + 1) % legal[agents[place]].len();
            tried[place] != 0
        });
        if moved.is_none() {
            return;
        }
    }
}
