//! Bounds of the length of play: is every play over within a given number of steps?
//!
//! From cheap to dear: random play may refute it; facts known after each step whatever is done, such as
//! the value of a step counter, may prove it; then facts that only change one way, given all that is proved
//! about them ([`termination`](super::termination)); then the list of all states that play leads to, if they are not too many, which is
//! how `emm` finds the last step; and in the end all plays of that length.

use super::bounds::MAX_SIMULATED_GATES;
use super::condition::{Atom, Condition};
use super::playing::{Playing, Playthrough};
use super::property::Property;
use super::prover::{Claim, ProveError, Prover, find_violation};
use super::search::play;
use super::steps::{Play, Stop};
use super::termination::{Bound, bound};
use super::verdict::{Proof, Verdict, Witness};
use circuit::Literal;
use emm::{Agent, Engine, Problem};
use gdl::Term;
use std::collections::BTreeSet;

impl Prover<'_> {
    /// A bound for the length of plays from facts known after each step whatever is done, such as the
    /// value of a step counter.
    fn look_ahead(&self) -> Option<Bound> {
        let step = &self.ground.as_ref()?.step;
        let limits = &self.settings.limits;
        let steps =
            step.look_ahead(&step.initial, MAX_SIMULATED_GATES, |_, _| !limits.is_over())?;
        Some(Bound {
            steps: steps as usize,
            using: Vec::new(),
            method: "what is known after each step",
        })
    }

    /// A bound for the length of plays, given properties that hold: the smallest of those that are cheap to find.
    pub(super) fn find_bound(&self, known: &[Claim]) -> Result<Option<Bound>, Stop> {
        let simulated = self.look_ahead();
        match self.bound_by_changes(known) {
            Ok(changes) => Ok([simulated, changes]
                .into_iter()
                .flatten()
                .min_by_key(|b| b.steps)),
            Err(stop) => simulated.map_or(Err(stop), |simulated| Ok(Some(simulated))),
        }
    }

    fn bound_by_changes(&self, known: &[Claim]) -> Result<Option<Bound>, Stop> {
        let initial: BTreeSet<usize> = match &self.ground {
            Some(ground) => {
                let facts = ground.step.initial.iter().enumerate();
                facts
                    .filter(|(_, holds)| **holds)
                    .map(|(fact, _)| fact)
                    .collect()
            }
            None => return Err(Stop::Cannot("one step has no circuit".to_owned())),
        };
        let mut steps = self.steps(1, false)?;
        let facts = self.vocabulary.facts.len();
        let moves: Vec<usize> = self.vocabulary.moves.iter().map(Vec::len).collect();
        bound(&mut *steps, known, facts, &moves, &initial)
    }

    /// A bound for the length of plays from the list of all states that play leads to.
    fn bound_by_states(&self) -> Option<Bound> {
        let step = self.ground.as_ref()?.step.clone();
        let state = step.initial.clone();
        // Only the states matter, not the player whose moves lead there.
        let mut agents = vec![Agent::Adversary; step.moves.len()];
        *agents.first_mut()? = Agent::Maximizer;
        let problem = Problem {
            step,
            agents,
            unfinished: num_rational::BigRational::default(),
            payoff: Vec::new(),
            flaw: Literal::FALSE,
        };
        let limits = self.settings.limits.for_engine();
        let options = emm::Options {
            limits: limits.clone(),
            ..emm::Options::default()
        };
        let steps = Engine::new(problem, options).ok()?.horizon(&state, &limits);
        Some(Bound {
            steps: steps.ok()? as usize,
            using: Vec::new(),
            method: "all states that play leads to",
        })
    }

    /// Whether no play has more than `limit` steps.
    pub(super) fn prove_termination(
        &mut self,
        limit: u32,
        known: &[Claim],
    ) -> Result<Verdict, ProveError> {
        let limit = limit as usize;
        let mut tried = Vec::new();
        let playing = Playing {
            steps: limit.max(1) + 1,
            ..self.playing()
        };
        match play(&self.vocabulary, &mut self.machine, &[], &playing) {
            Ok(played) if played.longest.len() > limit => {
                return self
                    .too_long(&played.longest[..limit])
                    .map(Verdict::Refuted);
            }
            Ok(played) => tried.push(format!(
                "random play: {} plays, the longest of {}",
                played.plays,
                counted(played.longest.len())
            )),
            Err(stop) => tried.push(format!("random play: {stop}")),
        }
        match self.look_ahead() {
            Some(ahead) if ahead.steps <= limit => return Ok(proved_by_bound(ahead)),
            Some(ahead) => tried.push(format!("it ends within {}", counted(ahead.steps))),
            None => {}
        }
        let mut known = known.to_vec();
        if known.is_empty() {
            // Groups are made of the properties that can be proved about single features.
            for finding in self.prove_features()? {
                if finding.verdict.is_proved() {
                    known.push(self.claim(&finding.property)?);
                }
            }
        }
        match self.bound_by_changes(&known) {
            Ok(Some(bound)) if bound.steps <= limit => {
                return Ok(proved_by_bound(bound));
            }
            Ok(Some(bound)) => tried.push(format!("it ends within {}", counted(bound.steps))),
            Ok(None) => tried.push("no facts were found that only change one way".to_owned()),
            Err(stop) => tried.push(format!("facts that only change one way: {stop}")),
        }
        match self.within(3, |this| this.bound_by_states()) {
            Some(bound) if bound.steps <= limit => return Ok(proved_by_bound(bound)),
            Some(bound) => tried.push(format!("it ends within {}", counted(bound.steps))),
            None => {
                tried.push("listing all states that play leads to gave no last step".to_owned())
            }
        }
        match self.all_plays(limit) {
            Ok(None) => {
                return Ok(Verdict::Proved(Proof {
                    using: Vec::new(),
                    steps: limit,
                    method: "all plays from the initial state",
                }));
            }
            Ok(Some(play)) => {
                let moves = play.moves.iter().take(limit);
                let moves: Vec<_> = moves.map(|moves| self.joint_move(moves)).collect();
                if self.is_stuck_after(&moves)? {
                    tried.push(format!(
                        "a role has no legal move after {}, though play is not over",
                        counted(limit)
                    ));
                } else {
                    return self.too_long(&moves).map(Verdict::Refuted);
                }
            }
            Err(stop) => tried.push(format!("all plays of {}: {stop}", counted(limit))),
        }
        Ok(Verdict::Unknown(tried))
    }

    /// A play of `limit` steps that does not end in a terminal state.
    fn all_plays(&self, limit: usize) -> Result<Option<Play>, Stop> {
        let mut steps = self.steps(limit, true)?;
        let over = Condition::Atom(Atom::Terminal);
        find_violation(&mut *steps, &[over], limit)
    }

    /// Whether some role has no legal move after these joint moves, so that play cannot go on.
    fn is_stuck_after(&mut self, joint_moves: &[Vec<Term>]) -> Result<bool, ProveError> {
        let mut position = self.rules.initial()?;
        for joint_move in joint_moves {
            position = self.rules.next(&position, joint_move)?;
        }
        for role in 0..self.rules.roles().len() {
            if self.rules.legal(&position, role)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn too_long(&mut self, joint_moves: &[Vec<Term>]) -> Result<Witness, ProveError> {
        let claim = Claim {
            property: Property::Terminates(u32::try_from(joint_moves.len()).unwrap_or(u32::MAX)),
            instances: vec![Condition::Atom(Atom::Terminal)],
        };
        let through = Playthrough {
            joint_moves: joint_moves.to_vec(),
            state: Vec::new(),
            instance: 0,
        };
        self.witness(&claim, through)
    }
}

pub(super) fn proved_by_bound(bound: Bound) -> Verdict {
    Verdict::Proved(Proof {
        using: bound.using.iter().map(ToString::to_string).collect(),
        steps: 1,
        method: bound.method,
    })
}
/// A number of steps in words.
fn counted(steps: usize) -> String {
    format!("{steps} step{}", if steps == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    /// No fact moves one way whatever is done, and no sum falls: what vanishes depends on two roles at once.
    #[test]
    fn states_are_listed_before_all_plays_are_searched() {
        let rules =
            b"(role ann) (role random) (init (apples 3)) (init (pears 2)) (init (basket empty))
            (fewer 0 1) (fewer 1 2) (fewer 2 3)
            (<= (legal ann pick) (true (basket empty))) (<= (legal ann eat) (true (basket full)))
            (<= (legal random (give apple)) (true (apples ?n)) (fewer ?m ?n))
            (<= (legal random (give pear)) (true (pears ?n)) (fewer ?m ?n))
            (<= (legal random nothing) (true (apples 0)) (true (pears 0)))
            (<= taken (does ann pick) (does random (give apple)))
            (<= (next (apples ?m)) taken (true (apples ?n)) (fewer ?m ?n))
            (<= (next (apples ?n)) (true (apples ?n)) (not taken))
            (<= picked (does ann pick) (does random (give pear)))
            (<= (next (pears ?m)) picked (true (pears ?n)) (fewer ?m ?n))
            (<= (next (pears ?n)) (true (pears ?n)) (not picked))
            (<= (next (basket full)) (does ann pick)) (<= (next (basket empty)) (does ann eat))
            (<= terminal (true (apples 0)) (true (pears 0)) (true (basket empty))) (goal ann 100)";
        let game = gdl::game::read("fruit", rules, &gdl::Options::default());
        let game = game.expect("the rules are right").game;
        let mut prover = Prover::new(&game, Settings::default()).expect("it is small");
        let mut prove = |steps| prover.prove(&Property::Terminates(steps), &[]);
        let Ok(Verdict::Proved(proof)) = prove(10) else {
            panic!("each fruit takes two steps");
        };
        assert_eq!(proof.method, "all states that play leads to");
        assert!(matches!(prove(9), Ok(Verdict::Refuted(_))));
    }
}
