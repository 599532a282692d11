//! Taking states one step further: all successors of several states at once.
//!
//! States to be expanded are loaded into lanes, one each. One run of code says what is legal in
//! each. Then each lane is copied once for each joint move, so that the lanes of one word are the
//! successors of several states; another run of code gives the next facts, and says which of them are
//! terminal and what these are worth. The facts of the others come out by a transposition of
//! the bit matrix of facts and lanes; keys are made of them when they are needed.
//!
//! Flaws are noted where they show: a state that is not terminal though some agent has no legal move, and
//! a terminal successor whose worth has no meaning. Whether plays are cut off is noted as well.

use crate::arena::{Arena, NONE, Node};
use crate::compile::Compiled;
use crate::joint_moves::JointMoves;
use crate::units::{NewCount, Units};
use circuit::lanes::{Copies, transpose};
use circuit::{Literal, Slots, set, word};
use limits::{Halt, StopReason};
use value::Numerator;

const LANES: usize = 64;

/// So many words of successors are made between two looks at the limits.
const WORDS_PER_LOOK: usize = 16;

/// Why states could not be expanded.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {
    /// A denominator is too coarse.
    NewCount(NewCount),
    /// The arena takes more memory than allowed.
    TooLarge,
    /// A state has a flaw, or one of the successors of this state.
    Flaw(u32),
    /// A limit was reached on the way, or another thread said that it is over.
    Stopped(Option<StopReason>),
}

impl From<NewCount> for Refusal {
    fn from(new: NewCount) -> Self {
        Refusal::NewCount(new)
    }
}

impl From<Option<StopReason>> for Refusal {
    fn from(reason: Option<StopReason>) -> Self {
        Refusal::Stopped(reason)
    }
}

/// Working memory for expansions.
pub struct Expander<'a> {
    compiled: &'a Compiled,
    values: Vec<u64>,
    /// The word of each move's input.
    inputs: Vec<u64>,
    joint_moves: JointMoves,
    copies: Copies,
    /// The state in each lane.
    lanes: [u32; LANES],
    /// Whether successors have no steps left.
    is_last: bool,
    /// A state that has a flaw, or a successor that has one.
    flaw: Option<u32>,
    /// Whether some successor had no steps left though it was not terminal.
    pub cuts_off: bool,
    /// At most so many states may be in the arena.
    most_nodes: usize,
    halt: Halt<'a>,
    /// Words of successors made so far.
    words: usize,
    /// If there, numbers of moves of chance that were not known are listed, not refused.
    survey: Option<Vec<NewCount>>,
}

impl<'a> Expander<'a> {
    /// For a compiled step, and an arena of so many states at most.
    pub fn new(compiled: &'a Compiled, most_nodes: usize, halt: Halt<'a>) -> Self {
        Expander {
            compiled,
            values: Slots::values(compiled.slots),
            inputs: vec![0; compiled.move_slots.len()],
            joint_moves: JointMoves::new(compiled),
            copies: Copies::new(),
            lanes: [NONE; LANES],
            is_last: false,
            flaw: None,
            cuts_off: false,
            most_nodes,
            halt,
            words: 0,
            survey: None,
        }
    }

    /// Adds the successors of up to 64 states with so many steps left (at least one). Bounds of
    /// successors that are not terminal are the widest there are; those of the states are not
    /// changed, unless somebody cannot move.
    ///
    /// # Errors
    /// If chance has a number of moves that was not known, there is too much to hold, it is time to end, or a
    /// state or a successor has a flaw; then what was added to the arena is of no use.
    pub fn expand<N: Numerator>(
        &mut self,
        arena: &mut Arena<N>,
        states: &[u32],
        steps: usize,
        units: &Units<N>,
    ) -> Result<(), Refusal> {
        self.load(arena, states);
        self.is_last = steps == 1;
        self.flaw = None;
        self.copies = Copies::new();
        self.inputs.fill(0);
        self.joint_moves
            .list(self.compiled, &self.values, states.len());
        for (lane, &state) in states.iter().enumerate() {
            self.add_successors(arena, lane, state, steps, units)?;
        }
        self.flush(arena, steps, units)?;
        let is_above = |node: u32, state: &&u32| {
            let Node { first, count, .. } = arena.nodes[**state as usize];
            **state == node || (first..first + count).contains(&node)
        };
        match self
            .flaw
            .and_then(|node| states.iter().find(|state| is_above(node, state)))
        {
            Some(&state) if self.survey.is_none() => Err(Refusal::Flaw(state)),
            _ => Ok(()),
        }
    }

    /// Adds the successors of the first state of the arena, without weights that mean anything, and
    /// lists numbers of moves of chance that were not known. Flaws are passed over: play ends there.
    ///
    /// # Errors
    /// If there is too much to hold, or it is time to end.
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

    /// Whether a state that was expanded last, or a successor, has a flaw.
    pub fn has_flaw(&self) -> bool {
        self.flaw.is_some()
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

    fn add_successors<N: Numerator>(
        &mut self,
        arena: &mut Arena<N>,
        lane: usize,
        state: u32,
        steps: usize,
        units: &Units<N>,
    ) -> Result<(), Refusal> {
        let first = arena.nodes.len();
        let room = self.most_nodes.saturating_sub(first);
        let moves = &mut self.joint_moves;
        let (count, outcomes) = moves.combine(self.compiled, lane, room, &self.halt)?;
        let node = &mut arena.nodes[state as usize];
        node.first = first as u32;
        node.count = count as u32;
        if count == 0 {
            (node.lower, node.upper) = (N::zero(), N::zero());
            self.flaw = Some(state);
            return Ok(());
        }
        let share = match (units.share(steps, outcomes), &mut self.survey) {
            (Ok(share), _) => share,
            (Err(new), Some(survey)) => {
                survey.push(new);
                &units.ones[0]
            }
            (Err(new), None) => return Err(new.into()),
        };
        let one = &units.ones[steps - 1];
        let mut place = self.copies.count();
        let mut copies = 0;
        for alternative in 0..self.joint_moves.alternatives(lane).len() {
            for reply in 0..self.joint_moves.replies.len() {
                for outcome in 0..self.joint_moves.outcomes.len() {
                    if place == LANES {
                        self.copies.push(lane as u32, copies);
                        self.flush(arena, steps, units)?;
                        (place, copies) = (0, 0);
                    }
                    let moves = &self.joint_moves;
                    let chosen = (
                        &moves.alternatives(lane)[alternative],
                        &moves.replies[reply],
                        &moves.outcomes[outcome],
                    );
                    moves.set_inputs(chosen.0, place, &mut self.inputs);
                    moves.set_inputs(chosen.1, place, &mut self.inputs);
                    moves.set_inputs(chosen.2, place, &mut self.inputs);
                    self.lanes[place] = arena.nodes.len() as u32;
                    place += 1;
                    copies += 1;
                    let ends_reply = outcome + 1 == moves.outcomes.len();
                    arena.nodes.push(Node {
                        lower: N::zero(),
                        upper: one.clone(),
                        weight: match chosen.2.weight {
                            1 => share.clone(),
                            weight => units.times(share, weight),
                        },
                        first: NONE,
                        count: 0,
                        is_looked_up: false,
                        alternative: chosen.0.number as u16,
                        reply: chosen.1.number as u16,
                        ends_reply,
                        ends_alternative: ends_reply && reply + 1 == moves.replies.len(),
                    });
                }
            }
        }
        self.copies.push(lane as u32, copies);
        Ok(())
    }

    /// Executes the lanes that wait.
    fn flush<N: Numerator>(
        &mut self,
        arena: &mut Arena<N>,
        steps: usize,
        units: &Units<N>,
    ) -> Result<(), Refusal> {
        arena.make_room();
        let copies = std::mem::replace(&mut self.copies, Copies::new());
        let lanes = copies.all();
        if lanes == 0 {
            return Ok(());
        }
        self.words += 1;
        if self.words.is_multiple_of(WORDS_PER_LOOK) {
            self.halt.look()?;
        }
        let compiled = self.compiled;
        let values = &mut self.values;
        copies.apply(&compiled.carried, values);
        for (&slot, input) in compiled.move_slots.iter().zip(&mut self.inputs) {
            set(values, slot, std::mem::take(input));
        }
        compiled.code.run(compiled.body.clone(), values);
        let ended = word(values, compiled.terminal) & lanes;
        let flawed = word(values, compiled.flaw) & ended;
        if flawed != 0 {
            self.flaw = Some(self.lanes[flawed.trailing_zeros() as usize]);
        }
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
            self.cuts_off |= open != 0;
            while left != 0 {
                let node = self.lanes[left.trailing_zeros() as usize];
                arena.nodes[node as usize].upper = N::zero();
                left &= left - 1;
            }
            return Ok(());
        }
        if open == 0 {
            return Ok(());
        }
        for (number, literals) in compiled.next.chunks(64).enumerate() {
            for_each_lane(literals, values, open, |lane, word| {
                arena.facts_mut(self.lanes[lane] as usize)[number] = word;
            });
        }
        for (number, literals) in compiled.seen.chunks(64).enumerate() {
            for_each_lane(literals, values, open, |lane, word| {
                arena.seen_mut(self.lanes[lane] as usize)[number] = word;
            });
        }
        Ok(())
    }
}

/// Calls `visit` with each of these lanes, and what up to 64 literals are in it.
#[inline]
fn for_each_lane(
    literals: &[Literal],
    values: &[u64],
    lanes: u64,
    mut visit: impl FnMut(usize, u64),
) {
    let mut matrix = [0; 64];
    for (row, &literal) in matrix.iter_mut().zip(literals) {
        *row = word(values, literal);
    }
    transpose(&mut matrix);
    let mut left = lanes;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        visit(lane, matrix[lane]);
        left &= left - 1;
    }
}

/// The open successors of a state: those that are not terminal.
pub fn followers(
    expander: &mut Expander<'_>,
    arena: &mut Arena<u64>,
    units: &Units<u64>,
    facts: &[u64],
) -> Option<std::ops::Range<usize>> {
    arena.truncate(0);
    arena.push(Node::open(1));
    arena.facts_mut(0).copy_from_slice(facts);
    expander.survey(arena, 2, units, &mut Vec::new()).ok()?;
    Some(1..arena.nodes.len())
}
