//! The state machine on a circuit, one state at a time.
//!
//! Two blocks of code: one computes legal moves, goals and the end from the facts, the other the facts that
//! hold next from facts and moves. The second counts on the first having run on the same facts.
//! Words have room for 64 states; here one lane is used, [`super::playouts`] uses all.

use super::GroundStep;
use circuit::{Block, Code, Literal, Slots, set, word};
use gdl::Term;
use std::sync::Arc;

/// The facts of a state, one bit for each fact of the [`GroundStep`].
pub(super) type Bits = Box<[u64]>;

/// A circuit compiled to code, with places for all names.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) ground: GroundStep,
    pub(super) code: Code,
    /// Computes the signals that depend on the facts only.
    pub(super) state: Block,
    pub(super) next_state: Block,
    pub(super) slots: usize,
    pub(super) fact_slots: Vec<u32>,
    pub(super) move_slots: Vec<Vec<u32>>,
    pub(super) terminal: Literal,
    pub(super) legal: Vec<Vec<Literal>>,
    pub(super) goals: Vec<Vec<Literal>>,
    pub(super) next: Vec<Literal>,
}

/// A state machine on the circuit of one step.
///
/// Clones share the circuit and its code.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    pub(super) compiled: Arc<Compiled>,
    pub(super) values: Vec<u64>,
    loaded: Option<Bits>,
}

impl Compiled {
    fn new(ground: GroundStep) -> Self {
        let step = &ground.step;
        let mut slots = Slots::new();
        let mut code = Code::default();
        let fact_slots = step.facts.iter().map(|&fact| slots.add(fact)).collect();
        let add_all = |moves: &Vec<_>| moves.iter().map(|&action| slots.add(action)).collect();
        let move_slots = step.moves.iter().map(add_all).collect();
        let legal = step.legal.iter().flatten().copied();
        let goals = ground.goals.iter().flatten().map(|(_, signal)| *signal);
        let of_state = legal.chain(goals).chain([step.terminal]);
        let state = code.push(&step.circuit, of_state, &mut slots);
        let next_state = code.push(&step.circuit, step.next.iter().copied(), &mut slots);
        Compiled {
            state,
            next_state,
            slots: slots.len(),
            fact_slots,
            move_slots,
            terminal: slots.literal(step.terminal),
            legal: (step.legal.iter())
                .map(|legal| legal.iter().map(|&signal| slots.literal(signal)).collect())
                .collect(),
            goals: (ground.goals.iter())
                .map(|goals| {
                    goals
                        .iter()
                        .map(|(_, signal)| slots.literal(*signal))
                        .collect()
                })
                .collect(),
            next: step
                .next
                .iter()
                .map(|&signal| slots.literal(signal))
                .collect(),
            code,
            ground,
        }
    }
}

impl Evaluation {
    pub(super) fn new(ground: GroundStep) -> Self {
        let compiled = Compiled::new(ground);
        Evaluation {
            values: Slots::values(compiled.slots),
            compiled: Arc::new(compiled),
            loaded: None,
        }
    }

    pub(super) fn ground(&self) -> &GroundStep {
        &self.compiled.ground
    }

    pub(super) fn initial(&self) -> Bits {
        self.ground().row(&self.ground().step.initial)
    }

    /// The state with these facts, unless one of them cannot be expressed.
    pub(super) fn bits(&self, facts: &[Term]) -> Option<Bits> {
        let state = self.ground().state(facts).ok()?;
        Some(self.ground().row(&state))
    }

    pub(super) fn terminal(&mut self, bits: &Bits) -> bool {
        self.load(bits);
        self.holds(self.compiled.terminal)
    }

    /// The legal moves of a role, sorted by text.
    pub(super) fn legal(&mut self, bits: &Bits, role: usize) -> Vec<Term> {
        self.load(bits);
        let moves = self.ground().moves[role].iter();
        let legal = moves.zip(&self.compiled.legal[role]);
        let legal = legal.filter(|(_, literal)| self.holds(**literal));
        legal.map(|(action, _)| action.clone()).collect()
    }

    /// The goal values of a role, sorted by text.
    pub(super) fn goals(&mut self, bits: &Bits, role: usize) -> Vec<Term> {
        self.load(bits);
        let goals = self.ground().goals[role].iter();
        let held = goals.zip(&self.compiled.goals[role]);
        let held = held.filter(|(_, literal)| self.holds(**literal));
        held.map(|((value, _), _)| value.clone()).collect()
    }

    /// The next state, unless one of the moves cannot be expressed.
    pub(super) fn next(&mut self, bits: &Bits, joint_move: &[Term]) -> Option<Bits> {
        let compiled = Arc::clone(&self.compiled);
        let mut chosen = Vec::with_capacity(joint_move.len());
        for (role, action) in joint_move.iter().enumerate() {
            let index = compiled.ground.action(role, action)?;
            chosen.push(compiled.move_slots[role][index]);
        }
        self.load(bits);
        for &slot in &chosen {
            set(&mut self.values, slot, u64::MAX);
        }
        compiled
            .code
            .run(compiled.next_state.clone(), &mut self.values);
        let next = packed(compiled.next.iter().map(|&literal| self.holds(literal)));
        for &slot in &chosen {
            set(&mut self.values, slot, 0);
        }
        Some(next)
    }

    fn holds(&self, literal: Literal) -> bool {
        word(&self.values, literal) & 1 == 1
    }

    fn load(&mut self, bits: &Bits) {
        if self.loaded.as_ref() == Some(bits) {
            return;
        }
        let compiled = &self.compiled;
        for (index, &slot) in compiled.fact_slots.iter().enumerate() {
            let bit = bits[index / 64] >> (index % 64) & 1;
            set(&mut self.values, slot, 0u64.wrapping_sub(bit));
        }
        compiled.code.run(compiled.state.clone(), &mut self.values);
        self.loaded = Some(bits.clone());
    }
}

/// Bits as words, of which there is at least one.
pub(super) fn packed(bits: impl ExactSizeIterator<Item = bool>) -> Bits {
    let mut words = vec![0u64; bits.len().div_ceil(64).max(1)];
    for (index, bit) in bits.enumerate() {
        words[index / 64] |= u64::from(bit) << (index % 64);
    }
    words.into()
}
