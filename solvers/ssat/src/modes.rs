//! Mode switching: two ways of making decisions, in turns.
//!
//! Where there are defined variables, they are decided last in one mode, and first in the other, as if they were chance variables,
//! by their distance from the middle of a tree decomposition. Where there are none, the second mode is *rephasing* with inverted
//! phases: existential variables are first tried as the known model does not have them.

use super::decomposition;
use super::heap::Heap;
use super::instance::Instance;
use super::search::Search;
use crate::options::Options;
use formula::Quantifier;
use std::sync::atomic::Ordering;
use value::Numerator;

/// Between two turns of rephasing the work grows by this factor, and the later ones take this part of it.
const REPHASING: u64 = 64;

/// The mode of a search.
#[derive(Default)]
pub struct Modes {
    /// Whether there are defined variables, which are decided by sums.
    pub has_defined: bool,
    /// Whether this is the second mode.
    pub is_second: bool,
    /// The work after which that changes.
    pub switch_at: u64,
    /// Whether the search is on its way back to the root for it.
    pub is_switching: bool,
    /// How often it changed.
    pub switches: u64,
    /// The order of decisions and the model before rephasing.
    set_aside: Option<(Heap, Vec<bool>)>,
}

impl Modes {
    /// The first mode.
    pub fn new(instance: &Instance, options: &Options) -> Self {
        let has_defined = instance.is_defined.contains(&true);
        let begins = instance.quantifiers.first() == Some(&Quantifier::Exists);
        let has_second = has_defined || begins && options.rephase;
        Modes {
            has_defined,
            switch_at: match has_second && options.take_turns {
                true => options.first_turn,
                false => u64::MAX,
            },
            ..Modes::default()
        }
    }

    /// For another thread, which follows the first one.
    pub fn of_helper(&self) -> Self {
        Modes {
            has_defined: self.has_defined,
            switch_at: u64::MAX,
            ..Modes::default()
        }
    }
}

impl<N: Numerator> Search<'_, '_, N> {
    /// Takes over the mode of the first thread.
    pub(super) fn follow(&mut self) {
        self.modes.switches = self.team.switches.load(Ordering::Relaxed);
        self.modes.is_second = self.modes.switches % 2 == 1;
    }

    /// Goes on in the other mode, or with a limited turn.
    pub(super) fn switch(&mut self) {
        if self.take_limited_turn() {
            return;
        }
        if self.modes.switch_at == u64::MAX {
            self.follow();
            return;
        }
        self.modes.is_second ^= true;
        if !self.modes.has_defined {
            self.rephase();
        } else if self.team.distances.get().is_none() {
            let distances = self.distances();
            let _ = self.team.distances.set(distances);
        }
        self.modes.switches += 1;
        self.team
            .switches
            .store(self.modes.switches, Ordering::Relaxed);
        let (work, first) = (self.deduction.work, self.options.first_turn);
        let turn = match (self.modes.is_second, self.modes.has_defined) {
            (true, true) => work / 2,
            (true, false) => (work / REPHASING).max(first / 2),
            (false, true) => work.saturating_mul(2),
            (false, false) => work.saturating_mul(REPHASING),
        };
        self.modes.switch_at = work.saturating_add(turn);
    }

    /// Begins or ends a turn with inverted phases. What it taught about the order of decisions goes: it would mislead the search.
    fn rephase(&mut self) {
        let deduction = &mut self.deduction;
        match self.modes.set_aside.take() {
            None => self.modes.set_aside = Some((deduction.heap.clone(), deduction.model.clone())),
            Some(before) => (deduction.heap, deduction.model) = before,
        }
    }

    /// How far variables are from the middle; all the same if that is not asked for, or there is no memory to find it out.
    fn distances(&mut self) -> Vec<u32> {
        let instance = &self.deduction.instance;
        let room = decomposition::room(instance.variables());
        if !self.options.cut_in_the_middle || self.watch.take_memory(room).is_err() {
            return vec![0; instance.variables()];
        }
        let store = &self.deduction.store;
        let clauses = (0..store.given() as u32).map(|clause| store.get(clause));
        let distances = decomposition::distances(&instance.decided, &instance.is_defined, clauses);
        self.watch.give_memory_back(room);
        distances
    }
}
