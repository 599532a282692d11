//! The engine as a policy: what everybody does is asked of it position by position, and nothing is
//! listed.
//!
//! So the value of a game can be proved from both sides where a list of all positions would take
//! gigabytes. The engine only says what to do; what that is worth is computed by
//! [`certify`](crate::strategy::certify()), which takes no value from here.

use super::advisor::{AdviceError, Adviser};
use crate::gdl::Term;
use crate::machine::{GroundStep, Position};
use crate::strategy::{Advisor, NO_ENTRY, Policy, Side};
use num_rational::BigRational;

/// An adviser that is asked in the numbers of a circuit.
pub struct Consulted<'c, 'a> {
    adviser: &'c mut Adviser<'a>,
    /// The names of the circuit's facts and moves.
    ground: GroundStep,
    role: usize,
    opponents: Vec<usize>,
}

impl<'c, 'a> Consulted<'c, 'a> {
    /// For whoever follows play on this circuit, which must be one of the adviser's game.
    pub fn new(adviser: &'c mut Adviser<'a>, ground: &GroundStep) -> Self {
        Consulted {
            role: adviser.role(),
            opponents: adviser.opponents(),
            ground: ground.clone(),
            adviser,
        }
    }

    fn position(&mut self, state: &[u64]) -> Result<Position, AdviceError> {
        let facts = self.ground.facts.iter().enumerate();
        let held = facts.filter(|(place, _)| state[place / 64] >> (place % 64) & 1 == 1);
        let facts: Vec<Term> = held.map(|(_, fact)| fact.clone()).collect();
        self.adviser.position(&facts)
    }

    fn place(&self, role: usize, action: &Term) -> Option<u32> {
        Some(self.ground.action(role, action)? as u32)
    }
}

impl Policy for Consulted<'_, '_> {
    type Error = AdviceError;

    fn decide(&mut self, state: &[u64], steps: u32) -> Result<Option<(u32, u32)>, AdviceError> {
        let position = self.position(state)?;
        let (action, _) = self.adviser.decide(&position, steps)?;
        let place = self.place(self.role, &action);
        Ok(place.map(|place| (place, NO_ENTRY)))
    }

    fn answer(
        &mut self,
        state: &[u64],
        steps: u32,
        actions: &[u32],
        replies: &mut Vec<u32>,
    ) -> Result<Option<u32>, AdviceError> {
        let position = self.position(state)?;
        let answers = self.adviser.answer(&position, steps)?;
        for &action in actions {
            let action = &self.ground.moves[self.role][action as usize];
            let Some(answer) = answers.iter().find(|answer| answer.action == *action) else {
                return Ok(None);
            };
            for (&opponent, reply) in self.opponents.iter().zip(&answer.reply) {
                match self.place(opponent, reply) {
                    Some(place) => replies.push(place),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(NO_ENTRY))
    }

    fn makes_claims(&self, _: Side) -> bool {
        false
    }

    fn agrees(&self, _: Side, _: u32, _: Option<u32>, _: &dyn Fn(&BigRational) -> bool) -> bool {
        true
    }
}
