//! The engine's states as a stochastic game in layers, for those who keep values elsewhere: in a table on disk.
//!
//! The layer of a state is the number of steps left, or a measure of it that falls in every step ([`Measure`]) and 1. In a game
//! where pieces move by what dice show, play leads to a state after many different numbers of steps; it has one measure. Where play
//! may go on for ever, layers are a measure that never rises.

use super::measure::Found;
use super::{Engine, is_open};
use crate::answer::{Flaw, QuestionError};
use crate::bounds::WHOLE;
use crate::compile::Compiled;
use crate::expand::Workspace;
use crate::horizon::NoHorizon;
use crate::plain;
use crate::sight::Sight;
use invariants::Measure;
use limits::{Limits, Watch};
use num_rational::BigRational;
use stochastic_game::{Chances, Expansion, Refusal, Rows, Site, StochasticGame};
use value::Numerator;

/// What layers are.
#[derive(Clone, Debug)]
pub enum Layering {
    /// The number of steps left: this many at the start, or all.
    Steps(Option<u32>),
    /// A measure that is found: one that falls in every step if there is one, else one that never rises, if only that of nothing. All steps
    /// count.
    AnyMeasure,
    /// A measure that was found before.
    Measure(Measure),
    /// A measure that falls in every step if one is found and takes fewer states, else the number of steps left; and where that has no
    /// bound, a measure that never rises. All steps count.
    Best {
        /// Whether only measures that are proved count; else they are guesses, and who lists all states finds out.
        proved: bool,
    },
}

impl Engine {
    /// Makes keys as good as can be proved from a state on, once and for all; tells the layer of the state: 0 if play is over.
    ///
    /// Keys and layers are the same in each run, on each machine: they do not depend on what was asked before, and a limit that ends
    /// a proof ends the preparation too.
    ///
    /// # Errors
    /// If the question makes no sense, no number is known after which play is over, or a limit is reached.
    pub fn prepare_layers(
        &mut self,
        state: &[bool],
        layering: Layering,
        limits: &Limits,
    ) -> Result<usize, QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        if situation.is_flawed {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if !is_open(&situation) {
            return Ok(0);
        }
        let watch = Watch::new(limits);
        let stopped = QuestionError::Stopped;
        if self.prepared_from.as_deref() != Some(state) {
            self.prepared_from = None;
            self.make_keys_for_tables(state, &watch);
            watch.clock().look().map_err(stopped)?;
            // Symmetries and equal moves were not all looked for, perhaps.
            self.options.clock.look().map_err(stopped)?;
            self.prepared_from = Some(state.to_vec());
        }
        let layer = self.find_layer(state, layering, &watch);
        watch.clock().look().map_err(stopped)?;
        layer
    }

    /// Finds what layers are; tells that of a state.
    fn find_layer(
        &mut self,
        state: &[bool],
        layering: Layering,
        watch: &Watch<'_>,
    ) -> Result<usize, QuestionError> {
        let limits = &watch.left();
        self.measure = None;
        let measure = match layering {
            Layering::Steps(Some(steps)) => {
                return Ok(self.steps(state, Some(steps), limits)?.unwrap_or(0));
            }
            Layering::Steps(None) => return Ok(self.horizon_by(state, limits, WHOLE)? as usize),
            Layering::Measure(measure) => measure,
            Layering::AnyMeasure => {
                let found = self.find_measure(state, false, true, watch);
                let found = found.or_else(|| self.find_measure(state, true, true, watch));
                found
                    .ok_or(QuestionError::NoHorizon(NoHorizon::NoMeasure))?
                    .measure
            }
            Layering::Best { proved } => {
                let is_right = |found: &Found| found.measure.is_proved || !proved;
                let mut found = self.find_measure(state, false, proved, watch);
                if found.is_none() && self.has_refuted() {
                    found = self.find_measure(state, false, true, watch);
                }
                match found.filter(|found| found.pays && is_right(found)) {
                    Some(found) => found.measure,
                    None => match self.horizon_by(state, limits, WHOLE) {
                        Ok(steps) => return Ok(steps as usize),
                        Err(error @ QuestionError::NoHorizon(_)) => {
                            let found = self.find_measure(state, true, proved, watch);
                            found.filter(is_right).ok_or(error)?.measure
                        }
                        Err(error) => return Err(error),
                    },
                }
            }
        };
        let layer = measure.of(state) as usize + 1;
        self.measure = Some(measure);
        Ok(layer)
    }

    /// The measure that layers are, if they are not numbers of steps.
    pub fn layer_measure(&self) -> Option<&Measure> {
        self.measure.as_ref()
    }

    /// The game in these layers.
    pub fn layered_game(&self) -> LayeredGame<'_> {
        let compiled = &self.compiled;
        let weights = |measure: &Measure| {
            let weight = |fact| measure.weights.get(fact).copied().unwrap_or(0);
            compiled.facts.iter().map(weight).collect()
        };
        let measure = self.measure.as_ref();
        LayeredGame {
            compiled,
            measure: measure.map(|measure| (measure, weights(measure))),
        }
    }

    /// A state as that game takes it; nothing if play is over there, or keys may not be right for it, because play from the state
    /// they were made for does not lead to it.
    pub fn layered_state(&mut self, state: &[bool]) -> Option<Vec<u64>> {
        let is_right_size = self.check_size(state).is_ok();
        if !is_right_size || !is_open(&plain::situation(&self.problem, state)) {
            return None;
        }
        self.admits(state)
            .then(|| self.compiled.state(&self.compiled.pack(state)))
    }

    /// How keys are made, as a text: two engines for one problem that say the same make the same keys. It is the same on each machine.
    pub fn key_form(&self) -> String {
        let compiled = &self.compiled;
        let groups = self.packing.as_ref().map(|packing| &packing.groups);
        let (facts, sight) = (&compiled.facts, compiled.sight.as_ref().map(Sight::form));
        let symmetries = compiled.keys.generators();
        format!("{facts:?} {symmetries:?} {groups:?} {sight:?}")
    }
}

/// The engine's game, whose layers are numbers of steps or a measure.
pub struct LayeredGame<'a> {
    compiled: &'a Compiled,
    /// The measure, and the weight of each fact of the words of a state.
    measure: Option<(&'a Measure, Vec<i64>)>,
}

impl Chances for LayeredGame<'_> {
    fn sites(&self, layer: usize) -> &[Site] {
        self.compiled.sites(layer)
    }

    fn payoffs(&self) -> &[BigRational] {
        self.compiled.payoffs()
    }
}

impl StochasticGame for LayeredGame<'_> {
    type Workspace = Workspace;

    fn workspace(&self) -> Workspace {
        self.compiled.workspace()
    }

    fn rows(&self, layer: usize) -> Rows {
        self.compiled.rows(layer)
    }

    fn key_bits(&self, layer: usize) -> usize {
        self.compiled.key_bits(layer)
    }

    fn write_key(&self, layer: usize, state: &mut [u64], key: &mut [u64]) {
        self.compiled.write_key(layer, state, key);
    }

    fn is_stationary(&self) -> bool {
        self.compiled.is_stationary()
    }

    fn has_own_layers(&self) -> bool {
        self.measure.is_some()
    }

    fn may_stay(&self) -> bool {
        self.measure
            .as_ref()
            .is_some_and(|(measure, _)| measure.stays)
    }

    fn layer_of(&self, state: &[u64]) -> usize {
        let Some((measure, weights)) = &self.measure else {
            return 0;
        };
        let mut sum = 0;
        for (weights, word) in weights.chunks(64).zip(state) {
            let mut left = *word;
            while left != 0 {
                sum += weights[left.trailing_zeros() as usize];
                left &= left - 1;
            }
        }
        measure.of_sum(sum) as usize + 1
    }

    fn fills_words(&self) -> bool {
        self.compiled.fills_words()
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        workspace: &mut Workspace,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        self.compiled.expand(states, workspace, to)
    }
}
