//! The engine's game in layers, for tables that are kept elsewhere: on disk.
//!
//! The layer of a state is the number of steps left, or a measure of it that falls in every step ([`Measure`]) and 1. In a game
//! where pieces move by what dice show, play leads to a state after many different numbers of steps; it has one measure. Where play
//! may go on for ever, layers are a measure that never rises.

use super::measure::MeasureChoice;
use super::{Engine, is_open};
use crate::abstraction::Abstraction;
use crate::answer::{Flaw, QuestionError};
use crate::bounds::WHOLE;
use crate::compile::Compiled;
use crate::horizon::NoHorizon;
use crate::plain;
use invariants::Measure;
use limits::Limits;

/// The number by which states are divided into layers.
#[derive(Clone, Debug)]
pub enum Layering {
    /// The number of steps left: this many at the start, or all.
    Steps(Option<u32>),
    /// A measure that is found: one that falls in every step if there is one, else one that never rises, if only that of nothing. All steps
    /// count.
    AnyMeasure,
    /// A measure that was found before.
    Measure(Measure),
    /// A measure that falls in every step if one is found and takes fewer states, else the number of steps left; where that number has
    /// no bound, a measure that never rises. All steps count.
    Best {
        /// Whether only measures that are proved count; else they are guesses, and a listing of all states shows whether they are right.
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
        let stopped = QuestionError::Stopped;
        if self.prepared_from.as_deref() != Some(state) {
            self.prepared_from = None;
            self.make_keys_for_tables(state, limits);
            limits.look().map_err(stopped)?;
            // Symmetries and equal moves were not all looked for, perhaps.
            self.options.limits.look().map_err(stopped)?;
            self.prepared_from = Some(state.to_vec());
        }
        let layer = self.find_layer(state, layering, limits);
        limits.look().map_err(stopped)?;
        layer
    }

    /// Finds what layers are; tells that of a state.
    fn find_layer(
        &mut self,
        state: &[bool],
        layering: Layering,
        limits: &Limits,
    ) -> Result<usize, QuestionError> {
        self.compiled.measure = None;
        let measure = match layering {
            Layering::Steps(Some(steps)) => {
                return Ok(self.steps(state, Some(steps), limits)?.unwrap_or(0));
            }
            Layering::Steps(None) => return Ok(self.horizon_by(state, limits, WHOLE)? as usize),
            Layering::Measure(measure) => measure,
            Layering::AnyMeasure => {
                let found = self.find_measure(state, false, true, limits);
                let found = found.or_else(|| self.find_measure(state, true, true, limits));
                found
                    .ok_or(QuestionError::NoHorizon(NoHorizon::NoMeasure))?
                    .measure
            }
            Layering::Best { proved } => {
                let is_right = |found: &MeasureChoice| found.measure.is_proved || !proved;
                let found = self.find_measure(state, false, proved, limits);
                match found.filter(|found| found.pays && is_right(found)) {
                    Some(found) => found.measure,
                    None => match self.horizon_by(state, limits, WHOLE) {
                        Ok(steps) => return Ok(steps as usize),
                        Err(error @ QuestionError::NoHorizon(_)) => {
                            let found = self.find_measure(state, true, proved, limits);
                            found.filter(is_right).ok_or(error)?.measure
                        }
                        Err(error) => return Err(error),
                    },
                }
            }
        };
        let layer = measure.of(state) as usize + 1;
        let weight = |fact: &usize| measure.weights.get(fact).copied().unwrap_or(0);
        let weights = self.compiled.facts.iter().map(weight).collect();
        self.compiled.measure = Some((measure, weights));
        Ok(layer)
    }

    /// The measure that layers are, if they are not numbers of steps.
    pub fn layer_measure(&self) -> Option<&Measure> {
        let measure = self.compiled.measure.as_ref();
        measure.map(|(measure, _)| measure)
    }

    /// The game in these layers.
    pub fn layered_game(&self) -> &LayeredGame {
        &self.compiled
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
        let (facts, abstraction) = (
            &compiled.facts,
            compiled.abstraction.as_ref().map(Abstraction::form),
        );
        let symmetries = compiled.keys.generators();
        format!("{facts:?} {symmetries:?} {groups:?} {abstraction:?}")
    }
}

/// The engine's game, whose layers are numbers of steps or a measure.
pub type LayeredGame = Compiled;
