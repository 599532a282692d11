//! Better keys from proofs about a step, and simple ones again where the proofs do not cover a state.

use super::Engine;
use crate::abstraction::Abstraction;
use crate::claims::Proofs;
use crate::compile::compile_with;
use crate::dead_facts;
use crate::horizon::Horizons;
use crate::packing::Packing;
use limits::Limits;

impl Engine {
    /// Makes simple keys if it is not proved of a state what better ones rely on.
    pub(super) fn admit(&mut self, state: &[bool]) {
        if !self.admits(state) {
            self.packing = None;
            self.compile(None);
        }
    }

    /// Whether what keys rely on is proved of a state.
    pub(super) fn admits(&mut self, state: &[bool]) -> bool {
        if self.compiled.abstraction.is_none() && self.packing.is_none() {
            return true;
        }
        let facts = self.compiled.pack(state);
        let (problem, compiled) = (&self.problem, &self.compiled);
        let claims = self
            .proofs
            .claims(problem, compiled, &facts, &Limits::default());
        claims.is_some_and(|claims| claims.persistent.admits(state))
            && self
                .packing
                .as_ref()
                .is_none_or(|packing| packing.admits(&facts))
    }

    /// Makes the keys of tables with all that can be proved from a state on. Earlier questions do not count: their facts were perhaps proved with
    /// samples from another state.
    pub(super) fn make_keys_for_tables(&mut self, state: &[bool], limits: &Limits) {
        self.proofs = Proofs::default();
        self.horizons = Horizons::default();
        if self.packing.take().is_some() || self.compiled.abstraction.is_some() {
            self.compile(None);
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
        self.packing = packing.filter(|packing| packing.admits(facts));
        if abstraction.is_some() || self.packing.is_some() {
            self.compile(abstraction);
        }
    }

    /// Makes keys in another way from now on; all that is stored is forgotten.
    fn compile(&mut self, abstraction: Option<Abstraction>) {
        let facts = self.compiled.facts.clone();
        let symmetries = self.compiled.symmetries.clone();
        let packing = self.packing.as_ref();
        let groups = packing.map_or(&[][..], |packing| &packing.groups);
        let measure = self.compiled.measure.take();
        self.compiled = compile_with(
            &self.problem,
            &self.options,
            facts,
            symmetries,
            abstraction,
            groups,
        );
        self.compiled.measure = measure;
        self.values.forget();
        self.horizons.reached = None;
        self.prepared_from = None;
    }
}
