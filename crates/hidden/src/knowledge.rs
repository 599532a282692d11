//! The knowledge of a role in the middle of a play: the states that it holds possible, with their probabilities, and what its moves are worth.
//!
//! The states that fit are followed step by step, each with the knowledge of the opponents. By the rule of Bayes the weight of one is the
//! chance of the throws that led there times the probability of the opponents' moves on the way, which their plan tells. The role's
//! own moves change no ratio.

use crate::error::HiddenError;
use crate::listing::{Listing, Node};
use crate::solve::{HiddenSolution, SolutionKind};
use crate::tree::{InformationSet, Positions, ROLE, Tree};
use gdl::Term;
use gdl::game::joint_moves;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// A step as a side knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownStep {
    /// Its moves, one for each of its roles.
    pub moves: Vec<Term>,
    /// The things that it saw then, sorted by the bytes of their text.
    pub sees: Vec<Term>,
}

/// The knowledge of a role while play goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct RoleKnowledge {
    /// The facts of the states that it holds possible, the likely ones first, each with its probability if the opponents keep to their plan.
    /// There are no probabilities if they never come here, or no plan is known.
    pub states: Vec<(Vec<Term>, Option<BigRational>)>,
    /// The worth of going on as well as the role can against that plan, or bounds of it.
    pub bounds: Option<(BigRational, BigRational)>,
    /// The legal moves of the role; none if no step is left.
    pub moves: Vec<KnownMove>,
}

/// A legal move of a role.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownMove {
    pub action: Term,
    /// Its probability in the role's mixture; none if the role is alone or its plan does not lead here.
    pub share: Option<BigRational>,
    /// Its worth against the opponents' plan, or bounds of it.
    pub bounds: Option<(BigRational, BigRational)>,
}

impl HiddenSolution {
    /// The knowledge of the role after these steps, after which play goes on. Where plays are walked through, worths and mixtures are
    /// known at the start only, and the worths take one walk more, within these limits.
    pub fn knowledge(
        &self,
        steps: &[KnownStep],
        limits: &Limits,
    ) -> Result<RoleKnowledge, HiddenError> {
        let positions = self.follow(steps)?;
        let knows = |tree: &Tree| tree.is_kept() || steps.is_empty();
        let mut states: FxHashMap<u32, BigRational> = FxHashMap::default();
        for (&(state, others), chance) in &positions {
            let weight = match &self.found {
                SolutionKind::Part(..) => BigRational::zero(),
                SolutionKind::Alone(_) => BigRational::one(),
                SolutionKind::Opposed(tree, _) if !knows(tree) => BigRational::zero(),
                SolutionKind::Opposed(_, solution) => solution.plans[1].weight(others.sequence),
            };
            *states.entry(state).or_default() += chance * weight;
        }
        let whole: BigRational = states.values().sum();
        let mut states: Vec<(u32, BigRational)> = states.into_iter().collect();
        states.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut known = RoleKnowledge {
            moves: self.legal_moves(states[0].0),
            states: Vec::new(),
            bounds: None,
        };
        match &self.found {
            SolutionKind::Part(..) => {}
            SolutionKind::Opposed(tree, _) if !knows(tree) => {}
            SolutionKind::Alone(solution) => {
                if let Some(belief) = self.belief(solution, steps) {
                    known.bounds = Some(self.whole(solution.value(belief)));
                    for (own, bounds) in known.moves.iter_mut().zip(solution.actions(belief)) {
                        own.bounds = Some(self.whole(bounds));
                    }
                }
            }
            SolutionKind::Opposed(tree, solution) => {
                let [own, others] = &solution.plans;
                let record = self.record(tree, ROLE, steps);
                let mixture =
                    record.and_then(|record| tree.mixture(&self.listing, ROLE, record, own));
                for (own, share) in known.moves.iter_mut().zip(mixture.into_iter().flatten()) {
                    own.share = Some(share);
                }
                if let (Some(record), false) = (record, whole.is_zero()) {
                    let worths = tree.worths(&self.listing, record, &positions, others, limits);
                    let worths = worths.into_iter().flatten();
                    let worths: Vec<BigRational> = worths
                        .map(|worth| self.range.value(&(worth / &whole)))
                        .collect();
                    known.bounds = worths.iter().max().map(|best| (best.clone(), best.clone()));
                    for (own, worth) in known.moves.iter_mut().zip(worths) {
                        own.bounds = Some((worth.clone(), worth));
                    }
                }
            }
        }
        let probability = |weight: BigRational| (!whole.is_zero()).then(|| weight / &whole);
        let named = states.into_iter();
        let named = named.map(|(state, weight)| (self.listing.facts(state), probability(weight)));
        known.states = named.collect();
        Ok(known)
    }

    /// The probabilities of the moves of the opponents that choose, after the steps as they know them; none if no opponent chooses, or they
    /// never come there.
    pub fn replies(&self, steps: &[KnownStep]) -> Option<Vec<(Vec<Term>, BigRational)>> {
        let SolutionKind::Opposed(tree, solution) = &self.found else {
            return None;
        };
        let record = self.record(tree, 1, steps)?;
        let state = tree.state(1, record);
        let mixture = tree.mixture(&self.listing, 1, record, &solution.plans[1])?;
        let mixture = mixture.into_iter();
        let played = (0..).zip(mixture).filter(|(_, share)| !share.is_zero());
        Some(
            played
                .map(|(choice, share)| (self.listing.choice(state, 1, choice), share))
                .collect(),
        )
    }

    /// The positions that fit what the role did and saw.
    fn follow(&self, steps: &[KnownStep]) -> Result<Positions, HiddenError> {
        let Listing { nodes, terms, .. } = &self.listing;
        let tree = match &self.found {
            SolutionKind::Opposed(tree, _) if tree.is_kept() => Some(tree),
            _ => None,
        };
        let start = InformationSet {
            record: Some(0),
            sequence: 0,
        };
        let mut positions = Positions::from_iter([((0, start), BigRational::one())]);
        for (place, step) in steps.iter().enumerate() {
            let mut next = Positions::default();
            let is_counted = self
                .heading
                .depth
                .is_none_or(|depth| place < depth as usize);
            for (&(state, others), chance) in positions.iter().filter(|_| is_counted) {
                let Some(stage) = nodes[state as usize].stage() else {
                    let reason = self.listing.stopped.expect("else all states were listed");
                    return Err(HiddenError::Stopped(reason));
                };
                let Some(own) = self.listing.choice_number(state, ROLE, &step.moves) else {
                    continue;
                };
                let replies = self.listing.choices(state, 1);
                let throws = BigRational::from_integer(stage.throws.into());
                for choice in 0..replies {
                    let joint = (own * replies + choice) as usize;
                    for outcome in &stage.outcomes[joint * stage.throws..][..stage.throws] {
                        let goes_on = !matches!(nodes[outcome.next as usize], Node::End(_));
                        if goes_on && terms[outcome.own as usize] == step.sees {
                            let then = match (tree, others.record) {
                                (Some(tree), Some(record)) => {
                                    tree.follow(1, record, choice, outcome.others)
                                }
                                _ => others,
                            };
                            *next.entry((outcome.next, then)).or_default() += chance / &throws;
                        }
                    }
                }
            }
            if next.is_empty() {
                return Err(HiddenError::NoSuchPlay {
                    role: self.heading.role.clone(),
                    step: place + 1,
                });
            }
            positions = next;
        }
        Ok(positions)
    }

    /// The number of the belief after some steps, if it was listed.
    fn belief(
        &self,
        solution: &partial_information::pomdp::PomdpSolution,
        steps: &[KnownStep],
    ) -> Option<u32> {
        let terms = &self.listing.terms;
        steps.iter().try_fold(0, |belief, step| {
            let state = solution.state(belief);
            self.listing.nodes[state as usize].stage()?;
            let action = self.listing.choice_number(state, ROLE, &step.moves)?;
            let seen = terms.get_index_of(&step.sees)? as u32;
            let mut successors = solution.successors(belief, action as usize);
            successors.find(|next| next.0 == seen).map(|next| next.1)
        })
    }

    /// The record of what a side knows after some steps, if it is kept and a step is left.
    fn record(&self, tree: &Tree, side: usize, steps: &[KnownStep]) -> Option<u32> {
        let terms = &self.listing.terms;
        if !tree.is_kept() && !steps.is_empty() {
            return None;
        }
        steps.iter().try_fold(0, |record, step| {
            let state = tree.state(side, record);
            let choice = self.listing.choice_number(state, side, &step.moves)?;
            let seen = terms.get_index_of(&step.sees)? as u32;
            tree.follow(side, record, choice, seen).record
        })
    }

    fn legal_moves(&self, state: u32) -> Vec<KnownMove> {
        let stage = self.listing.nodes[state as usize].stage();
        let legal = stage.map(|_| self.listing.legal(state, self.listing.sides.role));
        let legal = legal.unwrap_or_default().iter();
        legal
            .map(|action| KnownMove {
                action: action.clone(),
                share: None,
                bounds: None,
            })
            .collect()
    }
}

impl Listing {
    /// The number of a choice of a side, if it is legal.
    fn choice_number(&self, state: u32, side: usize, moves: &[Term]) -> Option<u32> {
        let members = self.members(side).iter();
        let choices = joint_moves(members.map(|&role| self.legal(state, role)));
        let found = choices.iter().position(|choice| choice == moves);
        found.map(|number| number as u32)
    }
}
