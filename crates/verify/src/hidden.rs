//! Strategies for games of hidden information as data, and the proof of their worth by exact best responses.
//!
//! A side knows its own moves and what it sees, and nothing else of the play. So its strategy is a machine: in each of its
//! *informations* it has probabilities of its moves, and a move and what it sees then lead to the next information. Opponents that
//! choose are one side, the *coalition*; they have to see the same.
//!
//! Each side is proved alone. Play follows its strategy, and the other side answers as well as it can with what it knows: a
//! belief is how likely each state, with the information of the side that is proved, is to the side that answers. Beliefs are
//! listed step by step, and valued from the last step to the first. The gain of the role's side against the best response is a lower bound
//! of the value, the loss of the opponents' side an upper bound; where both are equal they are the value. With no opponent that chooses, the
//! upper bound is that of the role's best play.
//!
//! Without a last step the strategy of a role alone can be a machine that comes back to where it was. If it promises no upper bound, its gain is that
//! of a chain of *places*: a state, with the information of the role there. Places are taken out of the chain one after the other, the
//! last ones first, and each passes its gain and its way on to those before it.
//!
//! Invariant: as in `verify`, only the rules as they are written.

use super::outcome::{EarlyEnd, Flaw, Refusal, Side, Verification, VerifyError};
use super::policy::Heading;
use super::table::{TermNumber, TermTable};
use super::verify::{check_payoffs, check_rules, positions_name, prove_sides};
use super::walk::{all_legal, by_chance, joined, mixture, payoff};
use gdl::game::{Game, Sides, joint_moves};
use gdl::{Name, Term};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{PlayDefect, PlayFinding, Reasoner, State};
use rustc_hash::{FxHashMap, FxHashSet};

/// A strategy of both sides. Each side begins in the first information of its list.
#[derive(Clone, Debug)]
pub struct HiddenStrategy {
    /// The question that it answers; its value is the lower bound that the role's side promises.
    pub heading: Heading,
    /// The upper bound that the opponents' side promises.
    pub upper: BigRational,
    /// The opponents that choose.
    pub coalition: Vec<Name>,
    /// The moves and things seen that the rest names by number.
    #[doc(hidden)]
    pub terms: TermTable,
    #[doc(hidden)]
    pub player: Vec<Information>,
    #[doc(hidden)]
    pub opponents: Vec<Information>,
}

/// The choice of a side by what it knows at some moment: its moves, with their probabilities, which sum to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Information {
    /// The moves that it makes.
    pub choices: Vec<Choice>,
}

/// A move of a side.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// One move for each role of the side, in the order of roles.
    pub moves: Box<[TermNumber]>,
    /// Its probability.
    pub share: BigRational,
    /// By the things that the side sees then, sorted by text, the number of its next information. Others leave it without one, and
    /// it can make only moves that are the only legal ones.
    pub next: Vec<(Box<[TermNumber]>, u32)>,
}

/// Computes what both sides guarantee against best responses, and compares it with the bounds promised: see
/// `prove_sides`.
pub fn verify_hidden(
    game: &Game,
    strategy: &HiddenStrategy,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    check_rules(game, &strategy.heading)?;
    check_payoffs(&strategy.heading)?;
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let promised = [&strategy.heading.value, &strategy.upper];
    let range = strategy.heading.range(game);
    let is_chain = strategy.heading.depth.is_none()
        && strategy.coalition.is_empty()
        && strategy.upper == range.largest();
    prove_sides(
        promised,
        strategy.heading.objective,
        &range,
        |side, statistics| {
            let mut response = Response::new(&mut reasoner, strategy, side, limits);
            response.is_chain = is_chain;
            let outcome = response.prove();
            statistics.push((positions_name(side), response.beliefs.len() as u64));
            outcome
        },
    )
}

/// A state, and the information of the side that is proved, if it has one.
type InformedState = (State, Option<u32>);

/// How likely each place is to the side that answers; the sum is 1, and places are sorted.
type Belief = Vec<(InformedState, BigRational)>;

/// For each answer in a belief: the payoffs of plays that end then, times their probabilities, and the next beliefs with theirs.
type Answers = Vec<(BigRational, Vec<(u32, BigRational)>)>;

/// The best response to one side.
struct Response<'a> {
    reasoner: &'a mut Reasoner,
    strategy: &'a HiddenStrategy,
    side: Side,
    sides: Sides,
    /// The roles of the side that is proved, and of the one that answers.
    own: Vec<usize>,
    others: Vec<usize>,
    limits: &'a Limits,
    /// The answers in all beliefs, in the order of steps.
    beliefs: Vec<Answers>,
    bytes: u64,
    /// Whether beliefs are the places of a chain.
    is_chain: bool,
}

impl<'a> Response<'a> {
    fn new(
        reasoner: &'a mut Reasoner,
        strategy: &'a HiddenStrategy,
        side: Side,
        limits: &'a Limits,
    ) -> Self {
        let Heading { roles, role, .. } = &strategy.heading;
        let sides = Sides::of(roles, role).expect("the heading was compared with the game");
        let coalition = sides.opponents.iter().copied();
        let coalition = coalition.filter(|&index| strategy.coalition.contains(&roles[index]));
        let (mut own, mut others) = (vec![sides.role], coalition.collect());
        if side == Side::Opponents {
            std::mem::swap(&mut own, &mut others);
        }
        Response {
            reasoner,
            strategy,
            side,
            sides,
            own,
            others,
            limits,
            beliefs: Vec::new(),
            bytes: 0,
            is_chain: false,
        }
    }

    fn list(&self) -> &'a [Information] {
        match self.side {
            Side::Role => &self.strategy.player,
            Side::Opponents => &self.strategy.opponents,
        }
    }

    fn prove(&mut self) -> Result<(), EarlyEnd> {
        let heading = &self.strategy.heading;
        if self.is_chain && self.side == Side::Opponents {
            // No value is larger than what is promised.
            return Ok(());
        }
        let start = self.reasoner.state(&heading.start)?;
        let found = match self.payoff(&start)? {
            Some(payoff) => payoff,
            None => {
                let first = (!self.list().is_empty()).then_some(0);
                self.list_beliefs((start.clone(), first))?;
                match self.is_chain {
                    true => self.chain_value()?,
                    false => self.value(),
                }
            }
        };
        let promised = match self.side {
            Side::Role => &heading.value,
            Side::Opponents => &self.strategy.upper,
        };
        match *promised == found || self.is_chain && *promised < found {
            true => Ok(()),
            false => {
                let promised = promised.clone();
                Err(self.flaw(&start, Flaw::BrokenPromise { promised, found }))
            }
        }
    }

    /// The beliefs of one step after the other; those of a chain once, whenever they come up.
    fn list_beliefs(&mut self, start: InformedState) -> Result<(), EarlyEnd> {
        let mut layer: Vec<Belief> = vec![vec![(start, BigRational::one())]];
        let mut states: FxHashSet<State> = FxHashSet::default();
        self.beliefs.push(Answers::new());
        let mut known: FxHashMap<Belief, u32> = FxHashMap::default();
        known.extend(self.is_chain.then(|| (layer[0].clone(), 0)));
        let mut steps = 0;
        while self.strategy.heading.depth != Some(steps) && !layer.is_empty() {
            let first = self.beliefs.len() - layer.len();
            if !self.is_chain {
                known.clear();
            }
            let mut next = Vec::new();
            for (number, belief) in layer.iter().enumerate() {
                states.extend(belief.iter().map(|((state, _), _)| state.clone()));
                let mut answers = Answers::new();
                for (payoff, rest) in self.answers(belief)? {
                    let mut successors = Vec::with_capacity(rest.len());
                    for (belief, share) in rest {
                        let new = self.beliefs.len() as u32;
                        let number = *known.entry(belief.clone()).or_insert(new);
                        if number == new {
                            self.bytes += 300 + 250 * belief.len() as u64;
                            self.beliefs.push(Answers::new());
                            next.push(belief);
                        }
                        self.bytes += 100;
                        successors.push((number, share));
                    }
                    answers.push((payoff, successors));
                }
                self.beliefs[first + number] = answers;
                self.limits
                    .check_memory(self.bytes)
                    .map_err(EarlyEnd::Stopped)?;
            }
            steps += 1;
            let is_endless = !self.is_chain && self.strategy.heading.depth.is_none();
            if is_endless && steps as usize > states.len() {
                // So a play came back to a state.
                return Err(self.flaw(&layer[0][0].0.0, Flaw::Endless));
            }
            layer = next;
        }
        Ok(())
    }

    /// The value of the first belief. Those without answers have no steps left.
    fn value(&self) -> BigRational {
        let mut values = vec![BigRational::zero(); self.beliefs.len()];
        for (number, answers) in self.beliefs.iter().enumerate().rev() {
            let worth = answers.iter().map(|(payoff, rest)| {
                let rest = rest
                    .iter()
                    .map(|(next, share)| share * &values[*next as usize]);
                payoff + rest.sum::<BigRational>()
            });
            let best = match self.side {
                Side::Role => worth.min(),
                Side::Opponents => worth.max(),
            };
            values[number] = best.unwrap_or_default();
        }
        values.swap_remove(0)
    }

    /// The gain from the first place of the chain on.
    fn chain_value(&mut self) -> Result<BigRational, EarlyEnd> {
        let beliefs = std::mem::take(&mut self.beliefs).into_iter();
        let mut rows: Vec<(BigRational, FxHashMap<usize, BigRational>)> = beliefs
            .map(|answers| {
                // No side answers; where the role has no information it gets nothing.
                let (gain, next) = answers.into_iter().next().unwrap_or_default();
                let next = next.into_iter();
                (
                    gain,
                    next.map(|(next, share)| (next as usize, share)).collect(),
                )
            })
            .collect();
        self.beliefs.resize(rows.len(), Answers::new());
        for place in (0..rows.len()).rev() {
            self.limits
                .check_memory(self.bytes)
                .map_err(EarlyEnd::Stopped)?;
            let (mut gain, mut next) = std::mem::take(&mut rows[place]);
            let leaves = BigRational::one() - next.remove(&place).unwrap_or_default();
            if leaves.is_zero() {
                // Play stays here for ever.
                next.clear();
            } else {
                gain /= &leaves;
                next.values_mut().for_each(|share| *share /= &leaves);
            }
            for (before, others) in &mut rows[..place] {
                let Some(share) = others.remove(&place) else {
                    continue;
                };
                *before += &share * &gain;
                for (next, own) in &next {
                    *others.entry(*next).or_default() += &share * own;
                }
            }
            rows[place].0 = gain;
        }
        Ok(std::mem::take(&mut rows[0].0))
    }

    /// All answers in a belief.
    #[allow(clippy::type_complexity)]
    fn answers(
        &mut self,
        belief: &Belief,
    ) -> Result<Vec<(BigRational, Vec<(Belief, BigRational)>)>, EarlyEnd> {
        let mut replies: Option<Vec<Vec<Term>>> = None;
        let mut groups: Vec<(BigRational, Vec<(Vec<Term>, InformedState, BigRational)>)> =
            Vec::new();
        for ((state, information), likely) in belief {
            if self.is_chain && information.is_none() {
                continue;
            }
            let legal = all_legal(self.reasoner, state)?;
            let legal =
                legal.map_err(|stuck| self.defect(state, PlayDefect::NoLegalMove(stuck)))?;
            let choices = self.choices(state, *information, &legal)?;
            let here = joint_moves(self.others.iter().map(|&index| &legal[index][..]));
            let replies = replies.get_or_insert_with(|| here.clone());
            if *replies != here {
                let role = self.strategy.heading.roles[self.others[0]].clone();
                return Err(EarlyEnd::Failed(VerifyError::InTheDark(role)));
            }
            groups.resize_with(replies.len(), Default::default);
            let chance = (self.sides.random).map(|index| (index, &legal[index][..]));
            let throws = chance.map_or(1, |(_, throws)| throws.len());
            let one_of = BigRational::from_integer(throws.into());
            for (choice, moves, share) in &choices {
                let likely = likely * share / &one_of;
                for (reply, group) in replies.iter().zip(&mut groups) {
                    let made = [(&self.own[..], &moves[..]), (&self.others, reply)];
                    for joint_move in by_chance(&joined(&legal, made), chance) {
                        let next = self.reasoner.next(state, &joint_move)?;
                        if let Some(payoff) = self.payoff(&next)? {
                            group.0 += payoff * &likely;
                            continue;
                        }
                        let seen = self.reasoner.percepts(state, &joint_move)?;
                        let information = choice.and_then(|choice| {
                            let seen = self.own.first().map_or(&[][..], |&index| &seen[index]);
                            let is_seen = |next: &&(Box<[u32]>, u32)| {
                                next.0.len() == seen.len()
                                    && self.strategy.terms.terms(&next.0) == seen
                            };
                            choice.next.iter().find(is_seen).map(|(_, next)| *next)
                        });
                        for side in [&self.own, &self.others] {
                            if let Some(&blind) =
                                side.iter().find(|&&index| seen[index] != seen[side[0]])
                            {
                                let [one, other] = [side[0], blind]
                                    .map(|index| self.strategy.heading.roles[index].clone());
                                return Err(EarlyEnd::Failed(VerifyError::SeeDifferently(
                                    one, other,
                                )));
                            }
                        }
                        let seen = self.others.first().map(|&index| seen[index].clone());
                        group.1.push((
                            seen.unwrap_or_default(),
                            (next, information),
                            likely.clone(),
                        ));
                    }
                }
            }
        }
        let sorted = groups.into_iter().map(|(payoff, mut rest)| {
            rest.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
            let groups = rest
                .chunk_by(|one, other| one.0 == other.0 && (!self.is_chain || one.1 == other.1));
            (payoff, groups.map(normalised).collect())
        });
        Ok(sorted.collect())
    }

    /// The side's choices with their moves and probabilities, or the only moves there are.
    #[allow(clippy::type_complexity)]
    fn choices(
        &self,
        state: &State,
        information: Option<u32>,
        legal: &[Vec<Term>],
    ) -> Result<Vec<(Option<&'a Choice>, Vec<Term>, BigRational)>, EarlyEnd> {
        let Heading { roles, .. } = &self.strategy.heading;
        let is_idle = |index: &usize| !self.own.contains(index) && !self.others.contains(index);
        let mut idle = self.sides.opponents.iter().filter(|index| is_idle(index));
        if let Some(&index) = idle.find(|&&index| legal[index].len() > 1) {
            let role = roles[index].clone();
            return Err(self.flaw(state, Flaw::NotInCoalition { role }));
        }
        let listed = information.map(|number| self.list().get(number as usize));
        if listed == Some(None) {
            return Err(self.flaw(state, Flaw::Missing));
        }
        let listed = listed.flatten().map(|it| it.choices.iter());
        let HiddenStrategy { heading, terms, .. } = self.strategy;
        let shares = listed
            .clone()
            .map(|all| all.map(|one| (&one.moves[..], &one.share)));
        let moves = mixture(heading, terms, &self.own, legal, shares);
        let moves = moves.map_err(|flaw| self.flaw(state, *flaw))?.into_iter();
        Ok(match listed {
            None => moves
                .map(|moves| (None, moves, BigRational::one()))
                .collect(),
            Some(all) => {
                let made = all.zip(moves);
                made.map(|(one, moves)| (Some(one), moves, one.share.clone()))
                    .collect()
            }
        })
    }

    /// The payoff of a state, if play is over there.
    fn payoff(&mut self, state: &State) -> Result<Option<BigRational>, EarlyEnd> {
        let payoff = payoff(
            self.reasoner,
            &self.strategy.heading,
            self.sides.role,
            state,
        )?;
        payoff.map_err(|defect| self.defect(state, defect))
    }

    fn flaw(&self, state: &State, flaw: Flaw) -> EarlyEnd {
        EarlyEnd::Refused(Box::new(Refusal {
            side: Some(self.side),
            flaw,
            history: None,
            state: self.reasoner.facts(state),
            steps: None,
        }))
    }

    fn defect(&self, state: &State, defect: PlayDefect) -> EarlyEnd {
        EarlyEnd::Failed(VerifyError::Defect(Box::new(PlayFinding {
            defect,
            history: Vec::new(),
            state: self.reasoner.facts(state),
        })))
    }
}

/// A belief of a group of places, each of which may come several times, and the probability of the group.
fn normalised(group: &[(Vec<Term>, InformedState, BigRational)]) -> (Belief, BigRational) {
    let sum: BigRational = group.iter().map(|(_, _, likely)| likely).sum();
    let same = group.chunk_by(|one, other| one.1 == other.1);
    let belief = same.map(|same| {
        let likely: BigRational = same.iter().map(|(_, _, likely)| likely).sum();
        (same[0].1.clone(), likely / &sum)
    });
    (belief.collect(), sum)
}
