//! Expansion of states, as a stochastic game: all successors of several states at once.
//!
//! The layer of a state is the number of steps left. Its words are its facts, and what keys see of them if that is something else.
//!
//! States to be expanded are loaded into lanes, one each. One run of code says what is legal in
//! each. Then each lane is copied once for each joint move, so that the lanes of one word are the
//! successors of several states; another run of code gives the next facts, and says which of them are
//! terminal and what these are worth. The facts of the others come out by a transposition of
//! the bit matrix of facts and lanes; keys are made of them when they are needed.
//!
//! Flaws are noted where they show: a state that is not terminal though some agent has no legal move, and
//! a terminal successor whose worth has no meaning. Whether plays are cut off is noted as well.

use crate::chance::{ALL_DIFFER, Chance, ChanceMemory};
use crate::compile::Compiled;
use crate::joint_moves::{JointMoves, NONE};
use crate::policy::{MAX_CHOICES, WORK_PER_CHECK};
use arena::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use base::value::Numerator;
use circuit::lanes::{Copies, by_lane};
use circuit::word;
use num_rational::BigRational;

const LANES: usize = 64;

/// Working memory for expansions.
pub struct Workspace {
    values: Vec<u64>,
    /// The word of each move's input.
    inputs: Vec<u64>,
    joint_moves: JointMoves,
    chance: ChanceMemory,
    copies: Copies,
    /// The node in each lane.
    lanes: [u32; LANES],
    /// Slots of code written since the limits were checked last.
    work: usize,
}

impl Chances for Compiled {
    fn sites(&self, _: usize) -> &[Site] {
        match self.has_chance() {
            true => &[Site::Uniform],
            false => &[],
        }
    }

    fn payoffs(&self) -> &[BigRational] {
        &self.worths
    }
}

impl StochasticGame for Compiled {
    type Workspace = Workspace;

    fn workspace(&self) -> Workspace {
        Workspace {
            values: self.transition.values(),
            inputs: vec![0; self.transition.input_count()],
            joint_moves: JointMoves::new(self),
            chance: ChanceMemory::default(),
            copies: Copies::new(),
            lanes: [NONE; LANES],
            work: 0,
        }
    }

    fn rows(&self, _: usize) -> Rows {
        Rows {
            state: self.fact_words() * (1 + usize::from(self.abstraction.is_some())),
            key: self.keys.words(),
        }
    }

    fn key_bits(&self, _: usize) -> usize {
        self.keys.bits()
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        let seen = match self.abstraction {
            None => state,
            Some(_) => &state[self.fact_words()..],
        };
        self.keys.write(seen, key);
    }

    fn is_stationary(&self) -> bool {
        true
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        workspace: &mut Workspace,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        workspace.copies = Copies::new();
        workspace.inputs.fill(0);
        let mut step = StepExpansion {
            compiled: self,
            workspace,
            to,
        };
        step.load(states);
        let lists_states = step.to.wants_afterstates();
        let chance = self.chance();
        let Workspace {
            joint_moves: moves,
            chance: memory,
            values,
            ..
        } = &mut *step.workspace;
        moves.list(self, values, states.len());
        let mut afterstates = chance.filter(|_| lists_states && self.shares_afterstates);
        let mut compared = chance.filter(|_| self.merges_outcomes);
        if let Some(chance) = afterstates.or(compared) {
            let (tree, rows) = (&*step.to.tree, self.rows(step.to.layer));
            let states = states.iter().map(|&state| tree.state(state as usize, rows));
            let states = states.map(|state| &state[..self.fact_words()]);
            let purposes = (afterstates.is_some(), compared.is_some());
            if !chance.read(states, |lane| moves.of_players(lane), purposes, memory) {
                (afterstates, compared) = (None, None);
            }
        }
        for (lane, &state) in states.iter().enumerate() {
            step.add_successors(lane, state, afterstates, compared)?;
        }
        step.flush()
    }
}

/// One step of some states.
struct StepExpansion<'a, 'b, N> {
    compiled: &'a Compiled,
    workspace: &'a mut Workspace,
    to: &'a mut Expansion<'b, N>,
}

impl<N: Numerator> StepExpansion<'_, '_, N> {
    /// Puts states into lanes and finds out what is legal.
    fn load(&mut self, states: &[u32]) {
        debug_assert!(states.len() <= LANES);
        let rows = self.compiled.rows(self.to.layer);
        let tree = &*self.to.tree;
        let states = states.iter().map(|&state| tree.state(state as usize, rows));
        (self.compiled.transition).load(states, &mut self.workspace.values);
    }

    /// Adds what may follow from the state in a lane: a maximum over alternatives, minima over replies, means
    /// over outcomes, each only where there is more than one. What chance goes on from is compared with `afterstates` that were met before, and outcomes
    /// are compared, if they are to be.
    fn add_successors(
        &mut self,
        lane: usize,
        state: u32,
        afterstates: Option<&Chance>,
        compared: Option<&Chance>,
    ) -> Result<(), Refusal> {
        // There are at most as many nodes above the successors as successors.
        let room = self.to.room() / 2;
        let moves = &mut self.workspace.joint_moves;
        let (count, weights) = moves.combine(self.compiled, lane, room, self.to.limits)?;
        if count == 0 {
            self.to.tree.set_known(state, N::zero());
            return self.to.refuse_flaw(state);
        }
        let alternatives = moves.alternatives(lane).len();
        let (replies, all) = (moves.replies.len(), moves.all_outcomes());
        let share = match (all, self.compiled.has_chance()) {
            (_, false) => None,
            (1, true) => Some(self.to.denominator(0)).filter(|whole| **whole != N::one()),
            (_, true) => Some(self.to.share(0, weights)?),
        };
        let level = u16::from(self.compiled.has_chance());
        let mut index = self.workspace.copies.count();
        let mut copies = 0;
        let first_alternative = match (alternatives, replies, share) {
            (1, 1, Some(_)) | (1, 2.., _) => state,
            _ => self.to.tree.open(state, Kind::Max, alternatives, 0),
        };
        for alternative in 0..alternatives {
            let above = first_alternative + alternative as u32;
            let first_reply = match replies {
                1 => above,
                _ => self.to.tree.open(above, Kind::Min, replies, 0),
            };
            if alternatives > 1 {
                let number = self.workspace.joint_moves.alternatives(lane)[alternative].number;
                self.to.tree.nodes[above as usize].branch = (number % MAX_CHOICES) as u16;
            }
            for reply in 0..replies {
                let above = first_reply + reply as u32;
                let Workspace {
                    joint_moves: moves,
                    chance: memory,
                    ..
                } = &mut *self.workspace;
                let joint = alternative * replies + reply;
                if let Some(chance) = afterstates.filter(|_| all > 1) {
                    let key = chance.key(lane, joint, memory);
                    if self.to.is_known_afterstate(above, key) {
                        continue;
                    }
                }
                let mut partition = ALL_DIFFER;
                if let Some(chance) = compared.filter(|_| all > 1) {
                    let compiled = self.compiled;
                    let rows = compiled.rows(self.to.layer);
                    let state = self.to.tree.state(state as usize, rows);
                    let state = &state[..compiled.fact_words()];
                    let chosen = moves.alternatives(lane)[alternative].number;
                    let numbers = [chosen, moves.replies[reply].number];
                    let partitions = &mut moves.partitions;
                    partition =
                        chance.partition((lane, state), (joint, numbers), memory, partitions);
                }
                let outcomes = moves.count_outcomes(partition);
                let first_outcome = match share {
                    None => above,
                    Some(_) => self.to.tree.open(above, Kind::Mean, outcomes, level),
                };
                if replies > 1 {
                    let number = self.workspace.joint_moves.replies[reply].number;
                    let branch = (MAX_CHOICES + number % MAX_CHOICES) as u16;
                    self.to.tree.nodes[above as usize].branch = branch;
                }
                for outcome in 0..outcomes {
                    if index == LANES {
                        self.workspace.copies.push(lane as u32, copies);
                        self.flush()?;
                        (index, copies) = (0, 0);
                    }
                    let Workspace {
                        joint_moves,
                        inputs,
                        lanes,
                        ..
                    } = &mut *self.workspace;
                    let chance = &joint_moves.outcomes(partition)[outcome];
                    let alternative = &joint_moves.alternatives(lane)[alternative];
                    joint_moves.set_inputs(alternative, index, inputs);
                    joint_moves.set_inputs(&joint_moves.replies[reply], index, inputs);
                    joint_moves.set_inputs(chance, index, inputs);
                    let node = first_outcome + outcome as u32;
                    lanes[index] = node;
                    index += 1;
                    copies += 1;
                    if let Some(share) = share {
                        self.to.tree.nodes[node as usize].weight = match all {
                            1 => share.clone(),
                            _ => self.to.times(share, chance.weight),
                        };
                    }
                }
            }
        }
        self.workspace.copies.push(lane as u32, copies);
        Ok(())
    }

    /// Executes the lanes that wait.
    fn flush(&mut self) -> Result<(), Refusal> {
        let compiled = self.compiled;
        let workspace = &mut *self.workspace;
        let copies = std::mem::replace(&mut workspace.copies, Copies::new());
        let lanes = copies.all();
        if lanes == 0 {
            return Ok(());
        }
        workspace.work += workspace.values.len();
        if workspace.work >= WORK_PER_CHECK {
            workspace.work = 0;
            self.to.limits.check()?;
        }
        let values = &mut workspace.values;
        (compiled.transition).step(&copies, &mut workspace.inputs, values);
        let ended = word(values, compiled.terminal) & lanes;
        let flawed = word(values, compiled.flaw) & ended;
        if flawed != 0 {
            let mut node = workspace.lanes[flawed.trailing_zeros() as usize];
            while !self.to.tree.nodes[node as usize].is_state() {
                node = self.to.tree.nodes[node as usize].parent;
            }
            self.to.refuse_flaw(node)?;
        }
        for lane in each_lane(ended) {
            let mut paid = N::zero();
            for (payoff, &literal) in self.to.payoffs().iter().zip(&compiled.payoffs) {
                if word(values, literal) >> lane & 1 == 1 {
                    paid = paid.plus(payoff);
                }
            }
            let worth = self.to.worth(paid);
            self.to.tree.set_known(workspace.lanes[lane], worth);
        }
        let open = lanes & !ended;
        if self.to.layer == 1 {
            self.to.cuts_off |= open != 0;
            let unfinished = self
                .to
                .payoffs()
                .last()
                .expect("that of play that is not over");
            // New leaves are worth nothing.
            if *unfinished != N::zero() {
                let worth = self.to.worth(unfinished.clone());
                for lane in each_lane(open) {
                    (self.to.tree).set_known(workspace.lanes[lane], worth.clone());
                }
            }
            return Ok(());
        }
        if open == 0 {
            return Ok(());
        }
        let (rows, one) = (self.to.rows(), self.to.one());
        let tree = &mut *self.to.tree;
        let mut row = tree.add_rows(open.count_ones() as usize, rows);
        let mut row_of = [0; LANES];
        for lane in each_lane(open) {
            tree.set_state(workspace.lanes[lane], row, one.clone());
            row_of[lane] = row;
            row += rows.words() as u32;
        }
        let seen = compiled.seen.chunks(64).enumerate();
        let seen = seen.map(|(number, literals)| (compiled.fact_words() + number, literals));
        for (number, literals) in compiled.next.chunks(64).enumerate().chain(seen) {
            let matrix = by_lane(values, literals);
            for lane in each_lane(open) {
                tree.rows_mut(row_of[lane])[number] = matrix[lane];
            }
        }
        Ok(())
    }
}

/// The lanes of a set.
#[inline]
fn each_lane(mut lanes: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}
