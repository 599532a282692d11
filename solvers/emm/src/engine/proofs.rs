//! Better keys from proofs about a step, and simple ones again where the proofs do not cover a state.

use super::Engine;
use crate::abstraction::Abstraction;
use crate::claims::{Claims, Proofs};
use crate::compile::{Compiled, compile_with};
use crate::dead_facts;
use crate::horizon::Horizons;
use limits::Limits;
use std::mem::replace;

impl Engine {
    /// Makes keys for a question about a state: better ones again, if they are right for it and were left for another question.
    pub(super) fn choose_keys(&mut self, state: &[bool]) {
        let is_right = |compiled: &mut Compiled| are_right(&self.proofs, compiled, state);
        match self.better.take_if(is_right) {
            Some(compiled) => {
                self.use_keys(compiled);
            }
            None => self.admit(state),
        }
    }

    /// Makes simple keys, for the rest of the question, if it is not proved of a state what better ones rely on.
    pub(super) fn admit(&mut self, state: &[bool]) {
        if !self.admits(state) {
            let simple = self.compile_with(None);
            self.better = Some(self.use_keys(simple));
        }
    }

    /// Whether what keys rely on is proved of a state.
    pub(super) fn admits(&self, state: &[bool]) -> bool {
        are_right(&self.proofs, &self.compiled, state)
    }

    /// Makes the keys of tables with all that can be proved from a state on. Earlier questions do not count: their facts were perhaps proved with
    /// samples from another state.
    pub(super) fn make_keys_for_tables(&mut self, state: &[bool], limits: &Limits) {
        self.proofs = Proofs::default();
        self.horizons = Horizons::default();
        self.better = None;
        if self.compiled.abstraction.is_some() {
            self.use_keys(self.compile_with(None));
        }
        self.has_tried_proofs = true;
        let facts = self.compiled.pack(state);
        self.try_proofs(state, &facts, limits);
    }

    pub(super) fn may_have_dead_facts(&self) -> bool {
        self.options.merge_dead_facts && dead_facts::may_exist(&self.problem, &self.compiled.facts)
    }

    /// Finds facts that no longer matter. Makes better keys with what is proved.
    pub(super) fn try_proofs(&mut self, state: &[bool], facts: &[u64], limits: &Limits) {
        if !self.may_have_dead_facts() {
            return;
        }
        let (problem, compiled) = (&self.problem, &self.compiled);
        let claims = self.proofs.claims(problem, compiled, facts, limits);
        let Some(claims) = claims.filter(|claims| claims.persistent.admits(state)) else {
            return;
        };
        let (indices, symmetries) = (&compiled.facts, &compiled.symmetries);
        let fewest = self.options.fewest_dead_facts;
        let found = dead_facts::find(problem, indices, claims, symmetries, fewest, limits);
        if found.is_some() {
            self.use_keys(self.compile_with(found));
        }
    }

    /// The game with keys that see states through an abstraction.
    fn compile_with(&self, abstraction: Option<Abstraction>) -> Compiled {
        compile_with(
            &self.problem,
            &self.options,
            self.compiled.facts.clone(),
            self.compiled.symmetries.clone(),
            abstraction,
        )
    }

    /// Makes keys in this way from now on; all that is stored is forgotten. Gives the way before.
    fn use_keys(&mut self, compiled: Compiled) -> Compiled {
        self.values.forget();
        self.horizons.reached = None;
        self.prepared_from = None;
        replace(&mut self.compiled, compiled)
    }
}

/// Whether what keys rely on is proved of a state.
fn are_right(proofs: &Proofs, compiled: &Compiled, state: &[bool]) -> bool {
    let admits = |claims: &Claims| claims.persistent.admits(state);
    compiled.abstraction.is_none() || proofs.known().is_some_and(admits)
}
