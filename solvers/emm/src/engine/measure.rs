//! Whether layers of a table are numbers of steps or a measure: what takes fewer states.

use super::Engine;
use crate::samples::plays;
use invariants::{Lasting, Measure, Measured};
use limits::Watch;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// By how much a measure must tell fewer states apart than steps do, in random plays.
const WORTHWHILE: f64 = 1.2;

impl Engine {
    /// A measure of states that falls in every step of play from a state, if one is found.
    ///
    /// States of one key have one measure: facts that symmetries map to each other weigh the same, and facts that may
    /// no longer matter weigh nothing. If `stays`, a step may keep the measure, and none raises it.
    pub(super) fn find_measure(
        &mut self,
        state: &[bool],
        stays: bool,
        watch: &Watch<'_>,
    ) -> Option<Found> {
        let (problem, compiled) = (&self.problem, &self.compiled);
        let facts = compiled.pack(state);
        let plays = plays(problem, compiled, &facts, &watch.left());
        let claims = self.proofs.claims(problem, compiled, &facts, watch);
        let found;
        let (lasting, is_proved) = match claims {
            Some(claims) => (&claims.lasting, true),
            None => {
                let (step, places, samples) = (&problem.step, &compiled.facts, plays.concat());
                let proved = Lasting::find_patiently(step, places, &samples, watch);
                let is_proved = proved.is_some();
                let guess = || Lasting::guess(places, &samples);
                found = proved.map_or_else(guess, |(lasting, _)| lasting);
                (&found, is_proved)
            }
        };
        if !lasting.admits(state) {
            return None;
        }
        let mut classes: Vec<usize> = (0..compiled.facts.len()).collect();
        for map in &compiled.symmetries {
            for (place, &to) in map.iter().enumerate() {
                let (one, other) = (classes[place], classes[to as usize]);
                let joined = classes.iter_mut().filter(|class| **class == other);
                joined.for_each(|class| *class = one);
            }
        }
        let sight = compiled.sight.as_ref();
        let places = 0..compiled.facts.len();
        let places = places.filter(|&place| sight.is_none_or(|sight| sight.shows(place)));
        let classes: BTreeMap<usize, usize> = places
            .map(|place| (compiled.facts[place], classes[place]))
            .collect();
        let measured = Measured {
            step: &problem.step,
            classes: &classes,
            lasting,
            is_proved,
            start: state,
            plays: &plays,
        };
        let measure = match stays {
            true => measured.find_weak(watch),
            false => measured.find(watch)?,
        };
        Some(Found {
            pays: pays(&measure, &plays),
            measure,
        })
    }
}

/// A measure, and whether layers of it have fewer states than numbers of steps.
pub struct Found {
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
