//! The engine's game in layers, for tables on disk: the layer of a state is the number of steps left. Where play may go on for ever,
//! all states are one layer.

use super::{Engine, is_open};
use crate::abstraction::Abstraction;
use crate::answer::{Flaw, QuestionError};
use crate::compile::Compiled;
use crate::plain;
use crate::policy::WHOLE;
use limits::Limits;

/// How states are divided into layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layering {
    /// By the number of steps left: this many at the start, or fewer if every play is over before.
    Steps(u32),
    /// By the number of steps left. All steps count; if no number is known after which every play is over, all states are one layer.
    AllSteps,
    /// All states are one layer.
    Endless,
}

impl Engine {
    /// Makes keys as good as can be proved from a state on, once and for all. Returns the layer of the state: 0 if play is over, nothing if
    /// all states are one layer.
    ///
    /// Keys and layers are the same in each run, on each machine: they do not depend on what was asked before, and a limit that ends
    /// a proof ends the preparation too.
    ///
    /// # Errors
    /// If the question makes no sense, or a limit is reached.
    pub fn prepare_layers(
        &mut self,
        state: &[bool],
        layering: Layering,
        limits: &Limits,
    ) -> Result<Option<usize>, QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        if situation.is_flawed {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if !is_open(&situation) {
            return Ok(Some(0));
        }
        let stopped = QuestionError::Stopped;
        if self.prepared_from.as_deref() != Some(state) {
            self.prepared_from = None;
            self.make_keys_for_tables(state, limits);
            limits.check().map_err(stopped)?;
            // Symmetries were not all found, perhaps.
            self.options.limits.check().map_err(stopped)?;
            self.prepared_from = Some(state.to_vec());
        }
        let layer = match layering {
            Layering::Endless => Ok(None),
            Layering::Steps(steps) => self.steps(state, Some(steps), limits),
            Layering::AllSteps => match self.horizon_by(state, limits, WHOLE) {
                Ok(steps) => Ok(Some(steps as usize)),
                Err(QuestionError::NoHorizon(_)) => Ok(None),
                Err(error) => Err(error),
            },
        };
        limits.check().map_err(stopped)?;
        layer
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
        let (facts, abstraction) = (
            &compiled.facts,
            compiled.abstraction.as_ref().map(Abstraction::form),
        );
        let symmetries = compiled.keys.generators();
        format!("{facts:?} {symmetries:?} {abstraction:?}")
    }
}

/// The engine's game in layers.
pub type LayeredGame = Compiled;
