//! Witnesses of violations, checked by the rules themselves.
//!
//! Programs, circuits and random play on the circuit find violations; the reasoner, which shares
//! nothing with them but the game, follows each before it is reported. When it disagrees, something is wrong
//! with this program, and the message says so.

use super::bounds::{PLAY_STEPS, PLAY_TIME};
use super::condition::Condition;
use super::playing::{Playing, Playthrough};
use super::program;
use super::prover::{Claim, ProveError, Prover, Route};
use super::search::play;
use super::steps::Play;
use super::verdict::{Counterexample, Witness};
use super::view::{StateView, ViewError};
use gdl::Term;

impl Prover<'_> {
    /// The base case, by program and by definition, which must agree.
    pub(super) fn violated_initially(
        &mut self,
        claim: &Claim,
    ) -> Result<Option<Witness>, ProveError> {
        let initial = self.rules.initial()?;
        let violated = self.violation_at(claim, &initial)?;
        let program = program::base_case(self.writer(), &claim.instances);
        let (rules, _) = program::rules_needed(self.writer(), &claim.instances, &[], None);
        let by_program = match self.settings.route {
            Route::Circuit => None,
            _ if !self.may_ground(&rules) => None,
            _ => self.within(8, |this| this.solve(program)).ok(),
        };
        if let Some(answer) = by_program
            && answer.is_some() != violated.is_some()
        {
            return Err(ProveError::Contradiction(format!(
                "the program of the base case and the rules differ on `{}`",
                claim.property
            )));
        }
        Ok(violated.map(|instance| Witness {
            joint_moves: Vec::new(),
            state: self.rules.facts(&initial),
            violated: self.text(&claim.instances[instance]),
        }))
    }

    /// The first instance that a state violates, by the rules.
    pub(super) fn violation_at(
        &mut self,
        claim: &Claim,
        position: &step::Position,
    ) -> Result<Option<usize>, ProveError> {
        let view = if claim.instances.iter().all(Condition::is_about_facts) {
            StateView::of_facts(&self.vocabulary, &self.rules.facts(position))
        } else {
            StateView::new(&self.vocabulary, &mut self.rules, position)
        };
        let view = view.map_err(|error| match error {
            ViewError::Rules(error) => ProveError::Rules(error),
            error => ProveError::Contradiction(error.to_string()),
        })?;
        Ok(claim
            .instances
            .iter()
            .position(|condition| !view.holds(condition)))
    }

    /// A violation by random play, with the state that shows it.
    pub(super) fn violated_in_play(
        &mut self,
        claim: &Claim,
        tried: &mut Vec<String>,
    ) -> Result<Option<Witness>, ProveError> {
        let playing = self.playing();
        let properties = [claim.instances.as_slice()];
        let played = play(&self.vocabulary, &mut self.machine, &properties, &playing);
        match played {
            Err(stop) => tried.push(format!("random play: {stop}")),
            Ok(mut played) => match played.violations.pop().flatten() {
                Some(through) => return self.witness(claim, through).map(Some),
                None => tried.push(format!(
                    "random play: no violation in {} plays, {} states",
                    played.plays, played.states
                )),
            },
        }
        Ok(None)
    }

    pub(super) fn playing(&self) -> Playing {
        let limits = &self.settings.limits;
        let left = limits.time_left().map_or(PLAY_TIME, |left| left / 5);
        Playing {
            plays: self.settings.plays,
            steps: PLAY_STEPS,
            limits: limits.within(left.min(PLAY_TIME)),
        }
    }

    /// Follows a play by the rules and checks that it ends in a violation.
    pub(super) fn witness(
        &mut self,
        claim: &Claim,
        through: Playthrough,
    ) -> Result<Witness, ProveError> {
        let start = self.rules.initial()?;
        let end =
            step::follow(&mut self.rules, start, &through.joint_moves).map_err(
                |error| match error {
                    step::FollowError::Rules(error) => ProveError::Rules(error),
                    error => ProveError::Contradiction(format!("a witness does not play: {error}")),
                },
            )?;
        let Some(instance) = self.violation_at(claim, &end)? else {
            return Err(ProveError::Contradiction(format!(
                "a play was said to violate `{}`, but by the rules it does not",
                claim.property
            )));
        };
        Ok(Witness {
            joint_moves: through.joint_moves,
            state: self.rules.facts(&end),
            violated: self.text(&claim.instances[instance]),
        })
    }

    pub(super) fn witness_of_play(
        &mut self,
        claim: &Claim,
        play: &Play,
    ) -> Result<Witness, ProveError> {
        let joint_moves = play
            .moves
            .iter()
            .map(|moves| self.joint_move(moves))
            .collect();
        self.witness(
            claim,
            Playthrough {
                joint_moves,
                state: Vec::new(),
                instance: 0,
            },
        )
    }

    pub(super) fn joint_move(&self, moves: &[usize]) -> Vec<Term> {
        let roles = moves.iter().enumerate();
        roles
            .map(|(role, &action)| self.vocabulary.moves[role][action].clone())
            .collect()
    }

    /// The step that shows that a property is not inductive, if by the rules it is one.
    pub(super) fn counterexample(
        &mut self,
        claim: &Claim,
        known: &[Claim],
        play: &Play,
    ) -> Result<Option<Counterexample>, ProveError> {
        let facts = play.states.first().into_iter().flatten();
        let facts: Vec<Term> = facts
            .map(|&fact| self.vocabulary.facts[fact].clone())
            .collect();
        let joint_move = self.joint_move(&play.moves[0]);
        let position = self.rules.position(&facts)?;
        for claim in known.iter().chain([claim]) {
            if self.violation_at(claim, &position)?.is_some() {
                return Ok(None);
            }
        }
        if self.rules.terminal(&position)? {
            return Ok(None);
        }
        for (role, action) in joint_move.iter().enumerate() {
            if !self.rules.legal(&position, role)?.contains(action) {
                return Ok(None);
            }
        }
        let next = self.rules.next(&position, &joint_move)?;
        let Some(instance) = self.violation_at(claim, &next)? else {
            return Ok(None);
        };
        Ok(Some(Counterexample {
            state: self.rules.facts(&position),
            joint_move,
            next: self.rules.facts(&next),
            violated: self.text(&claim.instances[instance]),
        }))
    }

    /// A condition for people: `(exactly 1 (true (cell 1 1 b)) ...)`.
    pub(super) fn text(&self, condition: &Condition) -> String {
        condition.text(&self.vocabulary)
    }
}
