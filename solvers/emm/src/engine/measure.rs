//! The choice of layers for a table: numbers of steps or a measure, by which of them takes fewer states.

use super::Engine;
use crate::bounds::PLAYS;
use crate::samples::{ANY_LAYER, plays, steps_from};
use crate::symmetry::orbits;
use invariants::{Measure, MeasureProblem, PersistentFacts};
use limits::Limits;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use stochastic_game::StochasticGame;

/// By how much a measure must tell fewer states apart than steps do, in random plays.
const WORTHWHILE: f64 = 1.2;
/// The most steps that are learned from one wrong measure, and from all; then no other is looked for.
const MAX_LEARNED: usize = 100;
const MAX_REFUTING: usize = 2000;

impl Engine {
    /// A measure of states that falls in every step of play from a state, if one is found.
    ///
    /// States of one key have one measure: facts that symmetries map to each other weigh the same, and facts that may
    /// no longer matter weigh nothing. If `stays`, a step may keep the measure, and none raises it. A proof is tried on demand only:
    /// it often takes longer than to list all states and look at every step.
    pub(super) fn find_measure(
        &mut self,
        state: &[bool],
        stays: bool,
        with_proof: bool,
        limits: &Limits,
    ) -> Option<MeasureChoice> {
        if self.refuting.len() > MAX_REFUTING {
            let measure = Measure::of_nothing();
            return stays.then_some(MeasureChoice {
                pays: false,
                measure,
            });
        }
        let (problem, compiled) = (&self.problem, &self.compiled);
        let facts = compiled.pack(state);
        let mut plays = plays(problem, compiled, &facts, PLAYS, limits);
        let random = plays.len();
        plays.extend_from_slice(&self.refuting);
        let claims = self.proofs.claims(problem, compiled, &facts, limits);
        let found;
        let (persistent, is_proved) = match claims {
            Some(claims) => (&claims.persistent, with_proof),
            None => {
                let (step, indices, samples) = (&problem.step, &compiled.facts, plays.concat());
                let prove = || PersistentFacts::find_patiently(step, indices, &samples, limits);
                let proved = with_proof.then(prove).flatten();
                let is_proved = proved.is_some();
                let guess = || PersistentFacts::guess(indices, &samples);
                found = proved.map_or_else(guess, |(persistent, _)| persistent);
                (&found, is_proved)
            }
        };
        if !persistent.admits(state) {
            return None;
        }
        let classes = orbits(compiled.facts.len(), &compiled.symmetries);
        let abstraction = compiled.abstraction.as_ref();
        let indices = 0..compiled.facts.len();
        let indices =
            indices.filter(|&index| abstraction.is_none_or(|abstraction| abstraction.shows(index)));
        let classes: BTreeMap<usize, usize> = indices
            .map(|index| (compiled.facts[index], classes[index]))
            .collect();
        let measured = MeasureProblem {
            step: &problem.step,
            classes: &classes,
            persistent,
            is_proved,
            start: state,
            plays: &plays,
        };
        let measure = match stays {
            true => measured.find_weak(limits),
            false => measured.find(limits)?,
        };
        Some(MeasureChoice {
            pays: pays(&measure, &plays[..random]),
            measure,
        })
    }

    /// Learns from steps that the measure is wrong for: the next one will be right for them. They are looked for from some states, one
    /// behind the other, each given by its words. Tells whether there was one.
    pub fn learn_steps(&mut self, states: &[u64], limits: &Limits) -> bool {
        let Some((measure, _)) = &self.compiled.measure else {
            return false;
        };
        let (problem, compiled) = (&self.problem, &self.compiled);
        let words = compiled.rows(ANY_LAYER).state;
        let steps = states
            .chunks_exact(words)
            .flat_map(|state| steps_from(problem, compiled, state, limits));
        let wrong = steps.filter(|step| !measure.allows(&step[0], &step[1]));
        let known = self.refuting.len();
        self.refuting.extend(wrong.take(MAX_LEARNED));
        self.refuting.len() > known
    }
}

/// A measure, and whether layers of it have fewer states than numbers of steps.
pub struct MeasureChoice {
    pub measure: Measure,
    pub pays: bool,
}

/// Whether states of one measure occur after different numbers of steps: then numbers of steps would put one state into several layers.
fn pays(measure: &Measure, plays: &[Vec<Vec<bool>>]) -> bool {
    let (mut measures, mut pairs) = (FxHashSet::default(), FxHashSet::default());
    for play in plays {
        for (step, state) in play.iter().enumerate() {
            let measure = measure.of(state);
            measures.insert(measure);
            pairs.insert((measure, step));
        }
    }
    pairs.len() as f64 > measures.len() as f64 * WORTHWHILE
}
