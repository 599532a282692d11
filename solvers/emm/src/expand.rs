//! Taking states one step further: all successors of several states at once.
//!
//! States to be expanded are loaded into lanes, one each. One run of code says what is legal in
//! each. Then each lane is copied once for each joint move, so that the lanes of one word are the
//! successors of several states; another run of code gives the next facts, and says which of them are
//! terminal and what these are worth. The facts of the others come out by a transposition of
//! the bit matrix of facts and lanes, and make their keys.
//!
//! A state in which some agent has no legal move though it is not terminal has the value 0.

use crate::arena::{Arena, NONE, Node};
use crate::compile::Compiled;
use crate::problem::Agent;
use crate::units::{NewCount, Units};
use circuit::lanes::{Copies, transpose};
use circuit::{Slots, set, word};
use value::Numerator;

const LANES: usize = 64;

/// Why states could not be expanded.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {
    /// A denominator is too coarse.
    NewCount(NewCount),
    /// The arena takes more memory than allowed.
    TooLarge,
}

impl From<NewCount> for Refusal {
    fn from(new: NewCount) -> Self {
        Refusal::NewCount(new)
    }
}

/// A choice that is legal in one state.
#[derive(Clone, Copy, Debug)]
struct Legal {
    choice: u32,
    /// How many moves it stands for.
    weight: u32,
    /// The place of its input, [`NONE`] if there is none.
    input: u32,
}

/// Working memory for expansions.
pub struct Expander<'a> {
    compiled: &'a Compiled,
    values: Vec<u64>,
    /// The word of each move's input.
    inputs: Vec<u64>,
    /// What each agent may do in the state at hand.
    legal: Vec<Vec<Legal>>,
    /// Which of these is tried, for each agent.
    tried: Vec<usize>,
    copies: Copies,
    /// The state in each lane.
    lanes: [u32; LANES],
    /// Whether successors have no steps left.
    is_last: bool,
    /// At most so many states may be in the arena.
    most_nodes: usize,
    /// If there, numbers of moves of chance that were not known are listed, not refused.
    survey: Option<Vec<NewCount>>,
}

impl<'a> Expander<'a> {
    /// For a compiled step, and an arena of so many states at most.
    pub fn new(compiled: &'a Compiled, most_nodes: usize) -> Self {
        Expander {
            compiled,
            values: Slots::values(compiled.slots),
            inputs: vec![0; compiled.move_slots.len()],
            legal: compiled.choosers.iter().map(|_| Vec::new()).collect(),
            tried: vec![0; compiled.choosers.len()],
            copies: Copies::new(),
            lanes: [NONE; LANES],
            is_last: false,
            most_nodes,
            survey: None,
        }
    }

    /// Adds the successors of up to 64 states with so many steps left (at least one). Bounds of
    /// successors that are not terminal are the widest there are; those of the states are not
    /// changed, unless somebody cannot move.
    ///
    /// # Errors
    /// If chance has a number of moves that was not known, or there is too much to hold; then what
    /// was added to the arena is of no use.
    pub fn expand<N: Numerator>(
        &mut self,
        arena: &mut Arena<N>,
        states: &[u32],
        steps: usize,
        units: &Units<N>,
    ) -> Result<(), Refusal> {
        self.load(arena, states);
        self.is_last = steps == 1;
        self.copies = Copies::new();
        self.inputs.fill(0);
        for (lane, &state) in states.iter().enumerate() {
            if self.list_legal(lane) {
                self.add_successors(arena, lane, state, steps, units)?;
            } else {
                let node = &mut arena.nodes[state as usize];
                (node.lower, node.upper) = (N::zero(), N::zero());
                node.first = 0;
                node.count = 0;
            }
        }
        self.flush(arena, steps, units);
        Ok(())
    }

    /// Adds the successors of the first state of the arena, without weights that mean anything, and
    /// lists numbers of moves of chance that were not known.
    ///
    /// # Errors
    /// If there is too much to hold.
    pub fn survey(
        &mut self,
        arena: &mut Arena<u64>,
        steps: usize,
        units: &Units<u64>,
        new: &mut Vec<NewCount>,
    ) -> Result<(), Refusal> {
        self.survey = Some(Vec::new());
        let expanded = self.expand(arena, &[0], steps, units);
        new.extend(self.survey.take().into_iter().flatten());
        expanded
    }

    /// Puts keys into lanes and finds out what is legal.
    fn load<N: Numerator>(&mut self, arena: &Arena<N>, states: &[u32]) {
        debug_assert!(states.len() <= LANES);
        let compiled = self.compiled;
        for (number, slots) in compiled.fact_slots.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            for (row, &state) in matrix.iter_mut().zip(states) {
                *row = arena.facts(state as usize)[number];
            }
            transpose(&mut matrix);
            for (&slot, &word) in slots.iter().zip(&matrix) {
                set(&mut self.values, slot, word);
            }
        }
        let block = compiled.state_block.clone();
        compiled.code.run(block, &mut self.values);
    }

    /// Lists what each agent may do in a lane; whether each can do anything.
    fn list_legal(&mut self, lane: usize) -> bool {
        let mut all = true;
        for (chooser, legal) in self.compiled.choosers.iter().zip(&mut self.legal) {
            legal.clear();
            for (number, choice) in chooser.choices.iter().enumerate() {
                let bit = |&literal| word(&self.values, literal) >> lane & 1;
                let weight: u64 = choice.legal.iter().map(bit).sum();
                if weight != 0 {
                    legal.push(Legal {
                        choice: number as u32,
                        weight: weight as u32,
                        input: choice.input.unwrap_or(NONE),
                    });
                }
            }
            all &= !legal.is_empty();
        }
        all
    }

    fn add_successors<N: Numerator>(
        &mut self,
        arena: &mut Arena<N>,
        lane: usize,
        state: u32,
        steps: usize,
        units: &Units<N>,
    ) -> Result<(), Refusal> {
        let choosers = &self.compiled.choosers;
        let is_chance = |agent: &usize| choosers[*agent].agent == Agent::Chance;
        let chances = (0..choosers.len())
            .find(is_chance)
            .unwrap_or(choosers.len());
        let moves = |legal: &Vec<Legal>| legal.iter().map(|legal| legal.weight).sum::<u32>();
        let counts = self.legal[chances..].iter().map(moves);
        let count = counts.fold(1, u32::saturating_mul);
        let share = match (units.share(steps, count), &mut self.survey) {
            (Ok(share), _) => share,
            (Err(new), Some(survey)) => {
                survey.push(new);
                &units.ones[0]
            }
            (Err(new), None) => return Err(new.into()),
        };
        let first = arena.nodes.len();
        let one = &units.ones[steps - 1];
        let joint_moves = self.legal.iter().map(Vec::len);
        let joint_moves = joint_moves.fold(1, usize::saturating_mul);
        if joint_moves > self.most_nodes.saturating_sub(first) {
            return Err(Refusal::TooLarge);
        }
        arena.make_room(joint_moves);
        self.tried.fill(0);
        let mut copies = 0;
        loop {
            if self.copies.count() + copies == LANES {
                self.copies.push(lane as u32, copies as u32);
                copies = 0;
                self.flush(arena, steps, units);
            }
            let place = self.copies.count() + copies;
            self.lanes[place] = arena.nodes.len() as u32;
            copies += 1;
            let alternative = self.legal[0][self.tried[0]].choice;
            let (mut weight, mut reply) = (1, 0u32);
            for (agent, (legal, &tried)) in self.legal.iter().zip(&self.tried).enumerate() {
                let legal = legal[tried];
                if legal.input != NONE {
                    self.inputs[legal.input as usize] |= 1 << place;
                }
                if agent >= chances {
                    weight *= legal.weight;
                } else if agent > 0 {
                    let choices = choosers[agent].choices.len() as u32;
                    reply = reply.wrapping_mul(choices).wrapping_add(legal.choice);
                }
            }
            let turn = self.next_joint_move();
            arena.nodes.push(Node {
                lower: N::zero(),
                upper: one.clone(),
                weight: match weight {
                    1 => share.clone(),
                    _ => units.times(share, weight),
                },
                first: NONE,
                count: 0,
                is_looked_up: false,
                alternative: alternative as u16,
                reply: reply as u16,
                ends_reply: turn.is_none_or(|agent| agent < chances),
                ends_alternative: turn.is_none_or(|agent| agent == 0),
            });
            if turn.is_none() {
                break;
            }
        }
        self.copies.push(lane as u32, copies as u32);
        let node = &mut arena.nodes[state as usize];
        node.first = first as u32;
        node.count = joint_moves as u32;
        Ok(())
    }

    /// Goes on to the next joint move; the last agent's choice changes fastest. Gives the first
    /// agent whose choice is another now, or nothing if all have been tried.
    fn next_joint_move(&mut self) -> Option<usize> {
        for agent in (0..self.tried.len()).rev() {
            self.tried[agent] += 1;
            if self.tried[agent] < self.legal[agent].len() {
                return Some(agent);
            }
            self.tried[agent] = 0;
        }
        None
    }

    /// Executes the lanes that wait.
    fn flush<N: Numerator>(&mut self, arena: &mut Arena<N>, steps: usize, units: &Units<N>) {
        let copies = std::mem::replace(&mut self.copies, Copies::new());
        let lanes = copies.all();
        if lanes == 0 {
            return;
        }
        let compiled = self.compiled;
        let values = &mut self.values;
        copies.apply(&compiled.carried, values);
        for (&slot, input) in compiled.move_slots.iter().zip(&mut self.inputs) {
            set(values, slot, std::mem::take(input));
        }
        compiled.code.run(compiled.body.clone(), values);
        let ended = word(values, compiled.terminal) & lanes;
        let mut left = ended;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let mut paid = N::zero();
            for (payoff, &literal) in units.payoffs.iter().zip(&compiled.payoffs) {
                if word(values, literal) >> lane & 1 == 1 {
                    paid = paid.plus(payoff);
                }
            }
            let paid = paid.min(units.ones[0].clone());
            let value = paid.times(&units.scales[steps - 1]);
            let node = &mut arena.nodes[self.lanes[lane as usize] as usize];
            node.lower = value.clone();
            node.upper = value;
        }
        let open = lanes & !ended;
        let mut left = open;
        if self.is_last {
            while left != 0 {
                let node = self.lanes[left.trailing_zeros() as usize];
                arena.nodes[node as usize].upper = N::zero();
                left &= left - 1;
            }
            return;
        }
        if open == 0 {
            return;
        }
        for (number, literals) in compiled.next.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            for (row, &literal) in matrix.iter_mut().zip(literals) {
                *row = word(values, literal);
            }
            transpose(&mut matrix);
            let mut left = open;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                let node = self.lanes[lane] as usize;
                arena.facts_mut(node)[number] = matrix[lane];
                left &= left - 1;
            }
        }
        let mut left = open;
        while left != 0 {
            let node = self.lanes[left.trailing_zeros() as usize];
            arena.set_key(node as usize, &compiled.keys);
            left &= left - 1;
        }
    }
}
