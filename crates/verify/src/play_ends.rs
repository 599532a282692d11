//! Play along both sides of a mixed strategy, by the rules: how long it takes, and how it ends.
//!
//! A place is a state, with what each side knows there. The probabilities of places go forward from step to step.

use super::any::AnyStrategy;
use super::hidden::{Choice, Information};
use super::mixed::Mixing;
use super::table::TermTable;
use super::walk::{all_legal, by_chance, joined};
use gdl::Term;
use gdl::game::{Game, Points, Sides, points};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, ReasonerError, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How plays end if both sides keep to their strategies.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayEnds {
    /// How many steps plays take, with which probability.
    pub lengths: BTreeMap<u32, BigRational>,
    /// How many points the role gets where play is over, with which probability.
    pub points: BTreeMap<Points, BigRational>,
    /// The probability that play is not over after the last step that counts.
    pub cut_off: BigRational,
}

/// A state, and the information sets of both sides there, if they have some.
type Place = (State, [Option<u32>; 2]);

/// The choices of a side.
enum Choices<'a> {
    ByPosition(FxHashMap<(State, Option<u32>), &'a Mixing>),
    ByInformation(&'a [Information]),
}

/// One side of a strategy.
struct Player<'a> {
    roles: Vec<usize>,
    choices: Choices<'a>,
    terms: &'a TermTable,
}

impl<'a> Player<'a> {
    fn new(
        roles: Vec<usize>,
        list: &'a [Mixing],
        terms: &'a TermTable,
        reasoner: &mut Reasoner,
    ) -> Result<Self, ReasonerError> {
        let entries = list.iter().map(|mixing| {
            let state = reasoner.state(&terms.terms(&mixing.position.facts))?;
            Ok(((state, mixing.position.steps), mixing))
        });
        let choices = Choices::ByPosition(entries.collect::<Result<_, ReasonerError>>()?);
        Ok(Player {
            roles,
            choices,
            terms,
        })
    }

    fn first(&self) -> Option<u32> {
        match self.choices {
            Choices::ByInformation([_, ..]) => Some(0),
            _ => None,
        }
    }

    /// The moves that it makes in a place, with their probabilities; where nothing is listed, the only ones there are.
    fn moves(
        &self,
        state: &State,
        known: Option<u32>,
        left: Option<u32>,
        legal: &[Vec<Term>],
    ) -> Vec<(Vec<Term>, BigRational, Option<&'a Choice>)> {
        match &self.choices {
            Choices::ByPosition(entries) => {
                let entry = |steps| entries.get(&(state.clone(), steps));
                let found = entry(None).or_else(|| entry(left));
                let choices = found.into_iter().flat_map(|mixing| &mixing.choices);
                let moves =
                    choices.map(|(moves, share)| (self.terms.terms(moves), share.clone(), None));
                Some(moves.collect::<Vec<_>>()).filter(|moves| !moves.is_empty())
            }
            Choices::ByInformation(list) => {
                let found = known.and_then(|number| list.get(number as usize));
                found.map(|information| {
                    let choices = information.choices.iter();
                    let moves = choices.map(|choice| {
                        let moves = self.terms.terms(&choice.moves);
                        (moves, choice.share.clone(), Some(choice))
                    });
                    moves.collect()
                })
            }
        }
        .unwrap_or_else(|| {
            let only = self.roles.iter().map(|&index| legal[index][0].clone());
            vec![(only.collect(), BigRational::one(), None)]
        })
    }

    /// Its information set after a choice.
    fn next(&self, choice: Option<&Choice>, seen: &[Vec<Term>]) -> Option<u32> {
        let seen = self.roles.first().map_or(&[][..], |&index| &seen[index]);
        let mut next = choice?.next.iter();
        let found = next.find(|(sees, _)| self.terms.terms(sees) == seen);
        found.map(|(_, next)| *next)
    }
}

/// Follows the strategies of both sides to the end of all plays; gives nothing if some have none, and for strategies that do not mix.
pub fn play_ends(
    game: &Game,
    strategy: &AnyStrategy,
    limits: &Limits,
) -> Result<Option<PlayEnds>, ReasonerError> {
    let heading = strategy.heading();
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let Ok(sides) = Sides::of(&heading.roles, &heading.role) else {
        return Ok(None);
    };
    let players = match strategy {
        AnyStrategy::Known(_) | AnyStrategy::Equilibrium(_) => return Ok(None),
        AnyStrategy::Mixed(it) => [
            Player::new(vec![sides.role], &it.player, &it.terms, &mut reasoner)?,
            Player::new(
                sides.opponents.clone(),
                &it.opponents,
                &it.terms,
                &mut reasoner,
            )?,
        ],
        AnyStrategy::Hidden(it) => {
            let coalition = sides.opponents.iter().copied();
            let coalition = coalition.filter(|&index| it.coalition.contains(&heading.roles[index]));
            let player = |roles, list| Player {
                roles,
                choices: Choices::ByInformation(list),
                terms: &it.terms,
            };
            [
                player(vec![sides.role], &it.player[..]),
                player(coalition.collect(), &it.opponents[..]),
            ]
        }
    };
    let is_hidden = matches!(strategy, AnyStrategy::Hidden(_));
    let start: Place = (
        reasoner.state(&heading.start)?,
        [players[0].first(), players[1].first()],
    );
    let mut seen_places: FxHashSet<Place> = FxHashSet::default();
    let mut here: FxHashMap<Place, BigRational> = FxHashMap::default();
    here.insert(start, BigRational::one());
    let mut ends = PlayEnds::default();
    let mut step = 0;
    while !here.is_empty() {
        seen_places.extend(here.keys().cloned());
        if heading.depth.is_none() && step as usize > seen_places.len() {
            // So some play came back to a place.
            return Ok(None);
        }
        let mut next: FxHashMap<Place, BigRational> = FxHashMap::default();
        for ((state, known), likely) in here {
            limits.check().map_err(ReasonerError::Stopped)?;
            let is_over = reasoner.terminal(&state)?;
            if is_over || heading.depth == Some(step) {
                *ends.lengths.entry(step).or_default() += &likely;
                match is_over {
                    true => {
                        let goals = reasoner.goals(&state, sides.role)?;
                        let points = goals.first().and_then(points).unwrap_or_default();
                        *ends.points.entry(points).or_default() += likely;
                    }
                    false => ends.cut_off += likely,
                }
                continue;
            }
            let Ok(legal) = all_legal(&mut reasoner, &state)? else {
                return Ok(None);
            };
            let left = heading.depth.map(|depth| depth - step);
            let [own, others] =
                [0, 1].map(|side: usize| players[side].moves(&state, known[side], left, &legal));
            let chance = sides.random.map(|index| (index, &legal[index][..]));
            let throws = chance.map_or(1, |(_, throws)| throws.len());
            let likely = likely / BigRational::from_integer(throws.into());
            for (own, own_share, own_choice) in &own {
                for (other, other_share, other_choice) in &others {
                    let share = &likely * own_share * other_share;
                    let made = [
                        (&players[0].roles[..], &own[..]),
                        (&players[1].roles, other),
                    ];
                    for joint_move in by_chance(&joined(&legal, made), chance) {
                        let after = reasoner.next(&state, &joint_move)?;
                        let mut known = [None; 2];
                        if is_hidden {
                            let seen = reasoner.percepts(&state, &joint_move)?;
                            known = [
                                players[0].next(*own_choice, &seen),
                                players[1].next(*other_choice, &seen),
                            ];
                        }
                        *next.entry((after, known)).or_insert_with(Zero::zero) += &share;
                    }
                }
            }
        }
        here = next;
        step += 1;
    }
    Ok(Some(ends))
}
