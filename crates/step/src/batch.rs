//! Many states one step further at once, with moves that the caller chooses.
//!
//! Up to 64 states stand in the lanes of words. One pass over the code computes the sentences that hold in all of
//! them, another the successor of each by a joint move, and a third the sentences that hold there:
//!
//! ```text
//! load      states, one per lane --code--> terminal, goals, legal moves
//! choose    a move of each role in each lane
//! step      --code--> next states --code--> terminal, goals
//! ```
//!
//! The states that follow are looked at before they are taken out of their lanes, so that the caller
//! need not keep those in which play is over.

use super::choice::Choice;
use super::circuit_playouts::for_each_lane;
use super::evaluate::{Compiled, Evaluation};
use super::{GroundStep, StateMachine};
use circuit::lanes::transpose;
use circuit::{Literal, Slots, set, word};
use fastrand::Rng;
use gdl::Term;
use std::sync::Arc;

/// The most states of a batch.
pub const LANES: usize = 64;

/// Up to [`LANES`] states, and a successor of each of them.
///
/// A state is a row of bits, one for each of [`GroundStep::facts`], in `row_words` words.
pub struct StateBatch {
    compiled: Arc<Compiled>,
    /// The values of the circuit for the states that were loaded, and for their successors.
    here: Vec<u64>,
    there: Vec<u64>,
}

impl StateBatch {
    /// On the machine's circuit, if it has one.
    pub fn new(machine: &StateMachine) -> Option<Self> {
        let Evaluation { compiled, .. } = machine.evaluation()?;
        Some(StateBatch {
            here: Slots::values(compiled.slots),
            there: Slots::values(compiled.slots),
            compiled: Arc::clone(compiled),
        })
    }

    /// The circuit with its names.
    pub fn ground(&self) -> &GroundStep {
        &self.compiled.ground
    }

    /// The number of words of a state.
    pub fn row_words(&self) -> usize {
        self.compiled.fact_slots.len().div_ceil(64).max(1)
    }

    /// Puts states into lanes: rows one after the other.
    ///
    /// # Panics
    /// If there are more than [`LANES`].
    pub fn load(&mut self, rows: &[u64]) {
        let words = self.row_words();
        assert!(rows.len() <= LANES * words, "a batch has {LANES} lanes");
        let compiled = &*self.compiled;
        for (number, slots) in compiled.fact_slots.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            for (bits, row) in matrix.iter_mut().zip(rows.chunks_exact(words)) {
                *bits = row[number];
            }
            transpose(&mut matrix);
            for (&slot, &bits) in slots.iter().zip(&matrix) {
                set(&mut self.here, slot, bits);
            }
        }
        compiled.code.run(compiled.state.clone(), &mut self.here);
    }

    /// The lanes whose state is terminal.
    pub fn terminal(&self) -> u64 {
        word(&self.here, self.compiled.terminal)
    }

    /// For each of a role's [`GroundStep::goals`] the lanes in which it holds.
    pub fn goals(&self, role: usize) -> impl Iterator<Item = u64> {
        self.held(&self.here, &self.compiled.goals[role])
    }

    /// For each of a role's [`GroundStep::moves`] the lanes in which it is legal.
    pub fn legal(&self, role: usize) -> impl Iterator<Item = u64> {
        self.held(&self.here, &self.compiled.legal[role])
    }

    /// The lanes in which a fact holds, by number.
    pub fn fact(&self, number: usize) -> u64 {
        self.here[2 * self.compiled.fact_slots[number] as usize]
    }

    /// The lanes in which a move of a role is legal, by number.
    pub fn is_legal(&self, role: usize, number: usize) -> u64 {
        word(&self.here, self.compiled.legal[role][number])
    }

    /// The lanes in which a role has a goal, by number.
    pub fn has_goal(&self, role: usize, number: usize) -> u64 {
        word(&self.here, self.compiled.goals[role][number])
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

    fn held<'a>(
        &self,
        values: &'a [u64],
        literals: &'a [Literal],
    ) -> impl Iterator<Item = u64> + use<'a> {
        literals.iter().map(move |&literal| word(values, literal))
    }

    /// Lets a role make a move in some lanes. Each role must make one in each lane that matters.
    fn choose(&mut self, role: usize, number: usize, lanes: u64) {
        let slot = self.compiled.move_slots[role][number];
        let chosen = self.here[2 * slot as usize] | lanes;
        set(&mut self.here, slot, chosen);
    }

    /// Lets each role make one of its legal moves in these lanes, all with the same chance, and notes
    /// its number for each role and lane. Gives the lanes in which some role has none.
    pub fn choose_at_random(
        &mut self,
        lanes: u64,
        random: &mut Rng,
        chosen: &mut [[u32; LANES]],
    ) -> u64 {
        let (compiled, values) = (&*self.compiled, &mut self.here);
        let note = |role: usize, number: usize, taken| {
            for_each_lane(taken, |lane| chosen[role][lane] = number as u32);
        };
        Choice::default().choose_moves(compiled, values, lanes, random, note)
    }

    /// Makes the moves that were chosen, forgets them, and looks at the next states.
    pub fn step(&mut self) {
        self.advance();
        let compiled = &*self.compiled;
        compiled.code.run(compiled.state.clone(), &mut self.there);
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

    /// Makes the moves that were chosen, and forgets them: for callers that only want the next states.
    fn advance(&mut self) {
        let compiled = &*self.compiled;
        compiled
            .code
            .run(compiled.next_state.clone(), &mut self.here);
        for (&slot, &literal) in compiled.fact_slots.iter().zip(&compiled.next) {
            set(&mut self.there, slot, word(&self.here, literal));
        }
        for &slot in compiled.move_slots.iter().flatten() {
            set(&mut self.here, slot, 0);
        }
    }

    /// The lanes whose next state is terminal.
    pub fn next_terminal(&self) -> u64 {
        word(&self.there, self.compiled.terminal)
    }

    /// For each of a role's [`GroundStep::goals`] the lanes in whose next state it holds.
    pub fn next_goals(&self, role: usize) -> impl Iterator<Item = u64> {
        self.held(&self.there, &self.compiled.goals[role])
    }

    /// Appends the next state of each of the first `lanes` lanes to `rows`.
    pub fn next_rows(&self, lanes: usize, rows: &mut Vec<u64>) {
        let words = self.row_words();
        let start = rows.len();
        rows.resize(start + lanes * words, 0);
        for (number, slots) in self.compiled.fact_slots.chunks(64).enumerate() {
            let mut matrix = [0; 64];
            for (bits, &slot) in matrix.iter_mut().zip(slots) {
                *bits = self.there[2 * slot as usize];
            }
            transpose(&mut matrix);
            for (lane, &bits) in matrix[..lanes].iter().enumerate() {
                rows[start + lane * words + number] = bits;
            }
        }
    }
}
