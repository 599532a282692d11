//! Up to 64 states at once, and one step further, with moves that the caller or chance chooses.
//!
//! The states stand in the lanes of words. One pass over the code computes the sentences that hold in all of them, another
//! the successor of each by a joint move:
//!
//! ```text
//! load      states, one per lane --code--> terminal, goals, legal moves
//! choose    a move of each role in each lane
//! step      --code--> next states, in the same lanes
//! ```

use super::choice::Choice;
use super::evaluate::{Compiled, Evaluation};
use super::{GroundStep, StateMachine};
use circuit::lanes::transpose;
use circuit::{Literal, Slots, set, word};
use fastrand::Rng;
use gdl::Term;
use std::sync::Arc;

/// The most states of a batch.
pub const LANES: usize = 64;

/// Calls `visit` with the number of each bit that is set.
pub fn for_each_lane(mut lanes: u64, mut visit: impl FnMut(usize)) {
    while lanes != 0 {
        visit(lanes.trailing_zeros() as usize);
        lanes &= lanes - 1;
    }
}

/// Up to [`LANES`] states.
///
/// A state is a row of bits, one for each of [`GroundStep::facts`], in `row_words` words.
pub struct StateBatch {
    compiled: Arc<Compiled>,
    /// The values of the circuit for the states.
    values: Vec<u64>,
    /// For each fact the lanes in whose next state it holds, once a step was computed.
    next: Vec<u64>,
    choice: Choice,
}

impl StateBatch {
    /// On the machine's circuit, if it has one.
    pub fn new(machine: &StateMachine) -> Option<Self> {
        machine.evaluation().map(StateBatch::of)
    }

    pub(super) fn of(evaluation: &Evaluation) -> Self {
        let compiled = &evaluation.compiled;
        StateBatch {
            compiled: Arc::clone(compiled),
            values: Slots::values(compiled.slots),
            next: vec![0; compiled.fact_slots.len()],
            choice: Choice::default(),
        }
    }

    /// The circuit with its names.
    pub fn ground(&self) -> &GroundStep {
        &self.compiled.ground
    }

    /// The number of words of a state.
    pub fn row_words(&self) -> usize {
        self.next.len().div_ceil(64).max(1)
    }

    /// Puts states into lanes, rows one after the other, and computes what holds there.
    ///
    /// # Panics
    /// If there are more than [`LANES`].
    pub fn load(&mut self, rows: &[u64]) {
        let words = self.row_words();
        assert!(rows.len() <= LANES * words, "a batch has {LANES} lanes");
        for (number, slots) in self.compiled.fact_slots.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            for (bits, row) in matrix.iter_mut().zip(rows.chunks_exact(words)) {
                *bits = row[number];
            }
            transpose(&mut matrix);
            for (&slot, &bits) in slots.iter().zip(&matrix) {
                set(&mut self.values, slot, bits);
            }
        }
        self.evaluate();
    }

    /// Puts one state into these lanes; [`StateBatch::evaluate`] computes what holds there.
    pub fn put(&mut self, lanes: u64, row: &[u64]) {
        let compiled = Arc::clone(&self.compiled);
        for (index, &slot) in compiled.fact_slots.iter().enumerate() {
            let holds = 0u64.wrapping_sub(row[index / 64] >> (index % 64) & 1);
            let others = self.fact(index) & !lanes;
            set(&mut self.values, slot, others | (holds & lanes));
        }
    }

    /// Computes what holds in the states in all lanes.
    pub fn evaluate(&mut self) {
        let compiled = &*self.compiled;
        compiled.code.run(compiled.state.clone(), &mut self.values);
    }

    /// The lanes whose state is terminal.
    pub fn terminal(&self) -> u64 {
        word(&self.values, self.compiled.terminal)
    }

    /// For each of a role's [`GroundStep::goals`] the lanes in which it holds.
    pub fn goals(&self, role: usize) -> impl Iterator<Item = u64> {
        self.held(&self.compiled.goals[role])
    }

    /// For each of a role's [`GroundStep::moves`] the lanes in which it is legal.
    pub fn legal(&self, role: usize) -> impl Iterator<Item = u64> {
        self.held(&self.compiled.legal[role])
    }

    /// The lanes in which a fact holds, by number.
    pub fn fact(&self, number: usize) -> u64 {
        self.values[2 * self.compiled.fact_slots[number] as usize]
    }

    /// The lanes in which a move of a role is legal, by number.
    pub fn is_legal(&self, role: usize, number: usize) -> u64 {
        word(&self.values, self.compiled.legal[role][number])
    }

    /// The lanes in which a role has a goal, by number.
    pub fn has_goal(&self, role: usize, number: usize) -> u64 {
        word(&self.values, self.compiled.goals[role][number])
    }

    /// The facts of the state in a lane, sorted by text.
    pub fn facts_in(&self, lane: usize) -> Vec<Term> {
        let facts = self.ground().facts.iter().enumerate();
        let held = facts.filter(|(number, _)| self.fact(*number) >> lane & 1 == 1);
        held.map(|(_, fact)| fact.clone()).collect()
    }

    /// The goals of a role in a lane, sorted by text.
    pub fn goals_in(&self, lane: usize, role: usize) -> impl Iterator<Item = &Term> {
        let goals = self.goals(role).zip(&self.ground().goals[role]);
        let held = goals.filter(move |(lanes, _)| lanes >> lane & 1 == 1);
        held.map(|(_, (goal, _))| goal)
    }

    fn held<'a>(&'a self, literals: &'a [Literal]) -> impl Iterator<Item = u64> + use<'a> {
        let values = &self.values;
        literals.iter().map(move |&literal| word(values, literal))
    }

    /// Lets a role make a move in some lanes. Each role must make one in each lane that matters.
    fn choose(&mut self, role: usize, number: usize, lanes: u64) {
        let slot = self.compiled.move_slots[role][number];
        let chosen = self.values[2 * slot as usize] | lanes;
        set(&mut self.values, slot, chosen);
    }

    /// Lets each role make one of its legal moves in these lanes, all with the same chance; `chosen` is told role, move and lanes of
    /// each. Gives the lanes in which some role has none.
    pub fn choose_at_random(
        &mut self,
        lanes: u64,
        random: &mut Rng,
        chosen: impl FnMut(usize, usize, u64),
    ) -> u64 {
        let (compiled, values) = (&*self.compiled, &mut self.values);
        (self.choice).choose_moves(compiled, values, lanes, random, chosen)
    }

    /// Puts the next states into the lanes, after moves that chance chose; [`StateBatch::evaluate`] computes what holds there.
    pub fn step(&mut self) {
        self.advance();
        for (&slot, &bits) in self.compiled.fact_slots.iter().zip(&self.next) {
            set(&mut self.values, slot, bits);
        }
    }

    /// Makes joint moves, each in the state of a row, and appends the rows of the next states to `next` in their order. `after` comes after
    /// every [`LANES`] of them, and at the end.
    ///
    /// # Errors
    /// If `after` says so.
    pub fn successors<'r, M: IntoIterator<Item = usize>, E>(
        &mut self,
        moves: impl Iterator<Item = (&'r [u64], M)>,
        next: &mut Vec<u64>,
        mut after: impl FnMut(&mut Vec<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let words = self.row_words();
        let mut moves = moves.peekable();
        let mut rows = Vec::with_capacity(LANES * words);
        while moves.peek().is_some() {
            rows.clear();
            for &slot in self.compiled.move_slots.iter().flatten() {
                set(&mut self.values, slot, 0);
            }
            for (lane, (row, joint_move)) in moves.by_ref().take(LANES).enumerate() {
                rows.extend_from_slice(row);
                // The signals of a state do not depend on moves, so these may come before it.
                for (role, number) in joint_move.into_iter().enumerate() {
                    self.choose(role, number, 1 << lane);
                }
            }
            self.load(&rows);
            self.advance();
            self.next_rows(rows.len() / words, next);
            after(next)?;
        }
        Ok(())
    }

    /// Computes the next states.
    fn advance(&mut self) {
        let compiled = &*self.compiled;
        let code = compiled.next_state.clone();
        compiled.code.run(code, &mut self.values);
        for (next, &literal) in self.next.iter_mut().zip(&compiled.next) {
            *next = word(&self.values, literal);
        }
    }

    /// Appends the next state of each of the first `lanes` lanes to `rows`.
    fn next_rows(&self, lanes: usize, rows: &mut Vec<u64>) {
        let words = self.row_words();
        let start = rows.len();
        rows.resize(start + lanes * words, 0);
        for (number, facts) in self.next.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            matrix[..facts.len()].copy_from_slice(facts);
            transpose(&mut matrix);
            for (lane, &bits) in matrix[..lanes].iter().enumerate() {
                rows[start + lane * words + number] = bits;
            }
        }
    }
}
