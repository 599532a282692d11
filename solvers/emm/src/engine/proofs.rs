//! Better keys from proofs about a step, and simple ones again where the proofs do not cover a state.

use super::Engine;
use crate::abstraction::Abstraction;
use crate::claims::Proofs;
use crate::compile::{Compiled, compile_with};
use crate::dead_facts;
use crate::horizon::Horizons;
use crate::packing::Packing;
use limits::Limits;
use std::mem::replace;

impl Engine {
    /// Makes keys for a question about a state: better ones again, if they are right for it and were left for another question.
    pub(super) fn choose_keys(&mut self, state: &[bool]) {
        let is_right = |(compiled, packing): &mut (Compiled, Option<Packing>)| {
            are_right(&self.proofs, compiled, packing.as_ref(), state)
        };
        match self.better.take_if(is_right) {
            Some((compiled, packing)) => {
                self.use_keys(compiled, packing);
            }
            None => self.admit(state),
        }
    }

    /// Makes simple keys, for the rest of the question, if it is not proved of a state what better ones rely on.
    pub(super) fn admit(&mut self, state: &[bool]) {
        if !self.admits(state) {
            let simple = self.compile_with(None, None);
            self.better = Some(self.use_keys(simple, None));
        }
    }

    /// Whether what keys rely on is proved of a state.
    pub(super) fn admits(&self, state: &[bool]) -> bool {
        are_right(&self.proofs, &self.compiled, self.packing.as_ref(), state)
    }

    /// Makes the keys of tables with all that can be proved from a state on. Earlier questions do not count: their facts were perhaps proved with
    /// samples from another state.
    pub(super) fn make_keys_for_tables(&mut self, state: &[bool], limits: &Limits) {
        self.proofs = Proofs::default();
        self.horizons = Horizons::default();
        self.better = None;
        if self.packing.is_some() || self.compiled.abstraction.is_some() {
            self.use_keys(self.compile_with(None, None), None);
        }
        self.has_tried_proofs = true;
        let facts = self.compiled.pack(state);
        self.try_proofs(state, &facts, true, limits);
    }

    pub(super) fn may_have_dead_facts(&self) -> bool {
        self.options.merge_dead_facts && dead_facts::may_exist(&self.problem, &self.compiled.facts)
    }

    /// Looks for facts that no longer matter; and, if keys may be packed and are long, for those that exclude each other. Makes better
    /// keys with what is proved.
    pub(super) fn try_proofs(
        &mut self,
        state: &[bool],
        facts: &[u64],
        may_pack: bool,
        limits: &Limits,
    ) {
        let (problem, compiled) = (&self.problem, &self.compiled);
        let options = &self.options;
        let has_dead_facts = self.may_have_dead_facts();
        let has_long_keys =
            may_pack && options.pack_groups && compiled.keys.bits() > options.longest_unpacked;
        if !has_dead_facts && !has_long_keys {
            return;
        }
        let claims = self.proofs.claims(problem, compiled, facts, limits);
        let Some(claims) = claims.filter(|claims| claims.persistent.admits(state)) else {
            return;
        };
        let (indices, symmetries) = (&compiled.facts, &compiled.symmetries);
        let mut abstraction = None;
        if has_dead_facts {
            let fewest = options.fewest_dead_facts;
            abstraction = dead_facts::find(problem, indices, claims, symmetries, fewest, limits);
        }
        let mut packing = None;
        if has_long_keys {
            let seen = abstraction.as_ref();
            packing = Packing::find(problem, indices, claims, symmetries, seen, limits);
        }
        let packing = packing.filter(|packing| packing.admits(facts));
        if abstraction.is_some() || packing.is_some() {
            let better = self.compile_with(abstraction, packing.as_ref());
            self.use_keys(better, packing);
        }
    }

    /// The game with keys that are made in this way.
    fn compile_with(
        &self,
        abstraction: Option<Abstraction>,
        packing: Option<&Packing>,
    ) -> Compiled {
        compile_with(
            &self.problem,
            &self.options,
            self.compiled.facts.clone(),
            self.compiled.symmetries.clone(),
            abstraction,
            packing.map_or(&[][..], |packing| &packing.groups),
        )
    }

    /// Makes keys in this way from now on; all that is stored is forgotten. Gives the way before.
    fn use_keys(
        &mut self,
        compiled: Compiled,
        packing: Option<Packing>,
    ) -> (Compiled, Option<Packing>) {
        self.values.forget();
        self.horizons.reached = None;
        self.prepared_from = None;
        let before = replace(&mut self.compiled, compiled);
        (before, replace(&mut self.packing, packing))
    }
}

/// Whether what keys rely on is proved of a state.
fn are_right(
    proofs: &Proofs,
    compiled: &Compiled,
    packing: Option<&Packing>,
    state: &[bool],
) -> bool {
    let is_simple = compiled.abstraction.is_none() && packing.is_none();
    is_simple
        || proofs
            .known()
            .is_some_and(|claims| claims.persistent.admits(state))
            && packing.is_none_or(|packing| packing.admits(&compiled.pack(state)))
}
