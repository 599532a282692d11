//! The engine's states as a stochastic game in layers, for those who keep values elsewhere: in a table on disk.

use super::{Engine, is_open};
use crate::answer::{Flaw, QuestionError};
use crate::plain;
use limits::{Limits, Watch};
use stochastic_game::StochasticGame;

impl Engine {
    /// Makes keys as good as can be proved from a state on, once and for all; tells the number of steps left there: 0 if
    /// play is over. Without a number of steps all count.
    ///
    /// Keys are the same in each run if no limit of time is set.
    ///
    /// # Errors
    /// If the question makes no sense, no number is known after which play is over, or a limit is reached.
    pub fn prepare_layers(
        &mut self,
        state: &[bool],
        steps: Option<u32>,
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
        let steps = match steps {
            Some(_) => self.steps(state, steps, limits)?.unwrap_or(0),
            None => self.horizon(state, limits)? as usize,
        };
        self.admit(state);
        if !self.has_tried_proofs {
            self.has_tried_proofs = true;
            let facts = self.compiled.pack(state);
            self.try_proofs(state, &facts, &Watch::new(limits));
        }
        Ok(steps)
    }

    /// The game whose layers are the numbers of steps left.
    pub fn layered_game(&self) -> &impl StochasticGame {
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

    /// How keys are made, as a text: two engines for one problem that say the same make the same keys.
    pub fn key_form(&self) -> String {
        let compiled = &self.compiled;
        let groups = self.packing.as_ref().map(|packing| &packing.groups);
        let (facts, sight) = (&compiled.facts, &compiled.sight);
        let symmetries = compiled.keys.generators();
        format!("{facts:?} {symmetries:?} {groups:?} {sight:?}")
    }
}
