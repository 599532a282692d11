//! Stochastic shortest path games: the mean number of steps until play is over, which one side wants small and the other large.
//! (Bertsekas, Tsitsiklis: *An analysis of stochastic shortest path problems*, 1991; Patek, Bertsekas: *Stochastic shortest path games*,
//! 1999.)
//!
//! The *quick* side owns the alternatives here, the *slow* side the replies; where it is the other way round, `swap` makes two
//! states of each. Play that never ends is infinitely long, even if only some states count. So
//!
//! ```text
//! v(s) = 1 if s counts + min over alternatives of max over replies of the mean of v at the outcomes
//! ```
//!
//! 1. States from which the quick side surely gets to an end (`attractor`). From all others the slow side keeps play going for ever with
//!    positive probability: the length is infinite.
//! 2. Components of the others, each after those that it leads to. In each, `floats` finds strategies in floating-point numbers, and
//!    `exact` improves them with fractions until no player can do better. The quick side's strategy is proper at first, and stays proper:
//!    were there states in which play could now stay, the mean of the improvements over them would be 0, so none of them was improved.
//! 3. Where fractions get too long: `bounds` that the strategies prove.

mod bounds;
mod floats;
mod swap;

use crate::attractor::{Class, certain};
use crate::component::Strategies;
use crate::exact::{ExactValue, Quantity, improve};
use crate::linear_system::{Resources, Unsolved};
use crate::options::Options;
use arena::{Arena, Backward, NONE};
use base::graph::Graph;
use floats::Floats;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::atomic::AtomicU64;

/// The side that wants play to be over soon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuickSide {
    /// The owner of alternatives; the owner of replies wants play to last.
    Alternatives,
    /// The owner of replies; the owner of alternatives wants play to last.
    Replies,
}

/// The mean number of steps from a state on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Length {
    /// The slow side can keep play going for ever with positive probability.
    Infinite,
    /// Between these proved bounds, which are equal where the number is known exactly. An upper bound may be missing.
    Finite {
        lower: BigRational,
        upper: Option<BigRational>,
    },
}

impl Length {
    fn exact(value: BigRational) -> Self {
        Length::Finite {
            upper: Some(value.clone()),
            lower: value,
        }
    }

    /// The larger of two lengths.
    #[must_use]
    pub fn or_longer(self, other: Length) -> Length {
        match (self, other) {
            (
                Length::Finite { lower, upper },
                Length::Finite {
                    lower: other_lower,
                    upper: other_upper,
                },
            ) => Length::Finite {
                lower: lower.max(other_lower),
                upper: upper.zip(other_upper).map(|(one, other)| one.max(other)),
            },
            _ => Length::Infinite,
        }
    }

    /// The smaller of two lengths.
    #[must_use]
    pub fn or_shorter(self, other: Length) -> Length {
        match (self, other) {
            (
                Length::Finite { lower, upper },
                Length::Finite {
                    lower: other_lower,
                    upper: other_upper,
                },
            ) => Length::Finite {
                lower: lower.min(other_lower),
                upper: upper.into_iter().chain(other_upper).min(),
            },
            (Length::Infinite, other) | (other, Length::Infinite) => other,
        }
    }

    /// The length of play whose first step leads to this one, and counts or does not.
    #[must_use]
    pub fn after_step(self, counts: bool) -> Self {
        let step = BigRational::from_integer(BigInt::from(u8::from(counts)));
        match self {
            Length::Infinite => Length::Infinite,
            Length::Finite { lower, upper } => Length::Finite {
                lower: lower + &step,
                upper: upper.map(|upper| upper + step),
            },
        }
    }

    /// The number, if it is finite and known exactly.
    pub fn value(&self) -> Option<&BigRational> {
        match self {
            Length::Finite {
                lower,
                upper: Some(upper),
            } if lower == upper => Some(lower),
            _ => None,
        }
    }
}

/// Lengths from all states, and choices of both sides that guarantee them.
#[derive(Clone, Debug)]
pub struct Lengths {
    /// By state.
    pub lengths: Vec<Length>,
    /// By state: the best alternative.
    pub alternatives: Vec<u32>,
    /// By alternative: the best reply.
    pub replies: Vec<u32>,
    /// By state: whether the slow side surely keeps play going for ever.
    pub endless: Vec<bool>,
}

impl Lengths {
    /// The length after a reply of the arena that was solved, without the step that it is part of.
    pub fn after(&self, arena: &Arena, reply: usize) -> Length {
        let zero = Length::exact(BigRational::zero());
        let length = |target: usize| self.lengths.get(target).unwrap_or(&zero);
        mean(arena, reply, length)
    }
}

/// Mean numbers of steps from all states of an arena, of those steps that are made in states that count.
///
/// # Errors
/// The limit that was reached.
pub fn lengths(
    arena: &Arena,
    counts: &[bool],
    quick: QuickSide,
    options: &Options,
    limits: &Limits,
) -> Result<Lengths, StopReason> {
    match quick {
        QuickSide::Alternatives => Solver::new(arena, counts).run(options, limits),
        QuickSide::Replies => {
            let (swapped, counts) = swap::swapped(arena, counts);
            let found = Solver::new(&swapped, &counts).run(options, limits)?;
            Ok(swap::back(arena, &swapped, found))
        }
    }
}

struct Solver<'a> {
    arena: &'a Arena,
    counts: &'a [bool],
    /// By target: ends have length 0. Nothing while a state is not solved.
    lengths: Vec<Option<Length>>,
    alternatives: Vec<u32>,
    replies: Vec<u32>,
    endless: Vec<bool>,
}

/// A component as an arena of its own, without the alternatives that may lead to infinite play.
struct Part {
    arena: Arena,
    counts: Vec<bool>,
    /// By alternative of the part: its number in the whole arena.
    alternatives: Vec<u32>,
    /// By end of the part: the target that it stands for.
    ends: Vec<u32>,
}

impl<'a> Solver<'a> {
    fn new(arena: &'a Arena, counts: &'a [bool]) -> Self {
        let first = |alternative| arena.replies(alternative).start as u32;
        let zero = Length::exact(BigRational::zero());
        let mut lengths = vec![None; arena.states()];
        lengths.resize(arena.states() + arena.ends(), Some(zero));
        Solver {
            arena,
            counts,
            lengths,
            alternatives: (0..arena.states())
                .map(|state| arena.alternatives(state).start as u32)
                .collect(),
            replies: (0..arena.alternative_count()).map(first).collect(),
            endless: vec![false; arena.states()],
        }
    }

    fn run(mut self, options: &Options, limits: &Limits) -> Result<Lengths, StopReason> {
        let (arena, states) = (self.arena, self.arena.states());
        let backward = Backward::new(arena);
        limits.check()?;
        let certain = certain(arena, &backward, |_| true, |_| true);
        for (state, class) in certain.classes.iter().enumerate() {
            self.endless[state] = *class == Class::Zero;
            if *class != Class::One {
                self.lengths[state] = Some(Length::Infinite);
            }
        }
        for (alternative, &reply) in certain.replies.iter().enumerate() {
            if reply != NONE {
                self.replies[alternative] = reply;
            }
        }
        let is_finite = |target: usize| self.lengths[target] != Some(Length::Infinite);
        let is_allowed: Vec<bool> = (0..arena.alternative_count())
            .map(|alternative| {
                let mut replies = arena.replies(alternative);
                replies.all(|reply| {
                    arena
                        .targets(reply)
                        .iter()
                        .all(|&to| is_finite(to as usize))
                })
            })
            .collect();
        let graph = Graph::new(states, |edge| {
            for state in (0..states).filter(|&state| is_finite(state)) {
                let allowed = arena.alternatives(state).filter(|&one| is_allowed[one]);
                for reply in allowed.flat_map(|one| arena.replies(one)) {
                    let targets = arena.targets(reply).iter().map(|&target| target as usize);
                    targets
                        .filter(|&target| target < states)
                        .for_each(|target| edge(state, target));
                }
            }
        });
        let components = graph.components();
        let work = AtomicU64::new(options.exact_work);
        let resources = Resources {
            limits,
            work: &work,
            memory: limits.memory.unwrap_or(u64::MAX),
        };
        let mut indices = vec![NONE; self.lengths.len()];
        for members in components.iter() {
            limits.check()?;
            if self.lengths[members[0] as usize].is_some() {
                continue;
            }
            match members {
                &[state] if !graph.targets(state as usize).contains(&state) => {
                    self.solve_single(state as usize, &is_allowed, resources)?;
                }
                _ => {
                    let part = self.part(members, &is_allowed, &mut indices);
                    self.solve_part(members, &part, resources)?;
                }
            }
        }
        let known = self.lengths.into_iter().take(states);
        Ok(Lengths {
            lengths: known.map(|it| it.expect("all are solved")).collect(),
            alternatives: self.alternatives,
            replies: self.replies,
            endless: self.endless,
        })
    }

    fn length(&self, target: usize) -> &Length {
        let known = self.lengths[target].as_ref();
        known.expect("components come after those that they lead to")
    }

    /// Solves a state that does not lead to itself.
    fn solve_single(
        &mut self,
        state: usize,
        is_allowed: &[bool],
        resources: Resources<'_>,
    ) -> Result<(), StopReason> {
        let arena = self.arena;
        let mut best: Option<(Length, usize)> = None;
        for alternative in arena.alternatives(state).filter(|&one| is_allowed[one]) {
            let mut most: Option<(Length, usize)> = None;
            for reply in arena.replies(alternative) {
                let mean = mean(arena, reply, |target| self.length(target));
                most = Some(match most {
                    None => (mean, reply),
                    Some((known, chosen)) => match lower(&mean) > lower(&known) {
                        true => (mean.or_longer(known), reply),
                        false => (known.or_longer(mean), chosen),
                    },
                });
            }
            let (most, reply) = most.expect("an alternative has a reply");
            self.replies[alternative] = reply as u32;
            best = Some(match best {
                None => (most, alternative),
                Some((known, chosen)) => match lower(&most) < lower(&known) {
                    true => (most.or_shorter(known), alternative),
                    false => (known.or_shorter(most), chosen),
                },
            });
        }
        let (best, alternative) = best.expect("a finite state has an alternative that keeps it so");
        self.alternatives[state] = alternative as u32;
        let mut found = best.after_step(self.counts[state]);
        let bits = match &found {
            Length::Finite { lower, .. } => lower.denom().bits() / 64 + 1,
            Length::Infinite => 1,
        };
        match resources.spend(bits * bits) {
            Ok(()) => {}
            Err(Unsolved::Stopped(reason)) => return Err(reason),
            Err(Unsolved::TooMuch) => found = bounds::rounded(found),
        }
        self.lengths[state] = Some(found);
        Ok(())
    }

    fn part(&self, members: &[u32], is_allowed: &[bool], indices: &mut [u32]) -> Part {
        let is_allowed = |alternative: usize| is_allowed[alternative];
        let (arena, ends) = self.arena.part(members, is_allowed, indices);
        let all = members.iter();
        let all = all.flat_map(|&state| self.arena.alternatives(state as usize));
        let counts = members.iter().map(|&state| self.counts[state as usize]);
        Part {
            arena,
            counts: counts.collect(),
            alternatives: all
                .filter(|&alternative| is_allowed(alternative))
                .map(|alternative| alternative as u32)
                .collect(),
            ends,
        }
    }

    /// Solves a component.
    fn solve_part(
        &mut self,
        members: &[u32],
        part: &Part,
        resources: Resources<'_>,
    ) -> Result<(), StopReason> {
        let ends = part.ends.iter().map(|&end| self.length(end as usize));
        let ends: Vec<Length> = ends.cloned().collect();
        let floats = Floats::new(&part.arena, &part.counts);
        let mut values = vec![0.0; members.len()];
        let number = |end: &Length| lower(end).and_then(ToPrimitive::to_f64);
        values.extend(ends.iter().map(|end| -number(end).unwrap_or(f64::MAX)));
        floats.iterate(&mut values, resources.limits)?;
        let mut strategies = floats.strategies(&values, resources.limits)?;
        let exact_ends: Option<Vec<ExactValue>> = ends
            .iter()
            .map(|end| end.value().map(ExactValue::new))
            .collect();
        let mut exact = None;
        if let Some(exact_ends) = exact_ends {
            let exact_ends: Vec<&ExactValue> = exact_ends.iter().collect();
            let quantity = Quantity::Steps(&part.counts);
            let mut improved = strategies.clone();
            match improve(&part.arena, &exact_ends, quantity, &mut improved, resources) {
                Ok(values) => {
                    strategies = improved;
                    exact = Some(values);
                }
                Err(Unsolved::Stopped(reason)) => return Err(reason),
                Err(Unsolved::TooMuch) => {}
            }
        }
        let found: Vec<Length> = match exact {
            Some(values) => values
                .iter()
                .map(|value| Length::exact(value.fraction()))
                .collect(),
            None => bounds::bounds(&floats, &ends, &values, &strategies, resources.limits)?,
        };
        self.keep(members, part, &strategies, found);
        Ok(())
    }

    fn keep(&mut self, members: &[u32], part: &Part, strategies: &Strategies, found: Vec<Length>) {
        for (index, (&state, length)) in members.iter().zip(found).enumerate() {
            let chosen = strategies.alternatives[index] as usize;
            self.alternatives[state as usize] = part.alternatives[chosen];
            self.lengths[state as usize] = Some(length);
        }
        for (alternative, &origin) in part.alternatives.iter().enumerate() {
            let first = part.arena.replies(alternative).start;
            let reply = strategies.replies[alternative] as usize - first;
            let first = self.arena.replies(origin as usize).start;
            self.replies[origin as usize] = (first + reply) as u32;
        }
    }
}

/// The lower bound of a length that is finite.
fn lower(length: &Length) -> Option<&BigRational> {
    match length {
        Length::Infinite => None,
        Length::Finite { lower, .. } => Some(lower),
    }
}

/// The mean of the lengths at the outcomes of a reply.
fn mean<'b>(arena: &Arena, reply: usize, length: impl Fn(usize) -> &'b Length) -> Length {
    let (mut low, mut high) = (BigRational::zero(), Some(BigRational::zero()));
    for (target, weight) in arena.outcomes(reply) {
        match length(target) {
            Length::Infinite => return Length::Infinite,
            Length::Finite { lower, upper } => {
                let weight = BigInt::from(weight);
                low += lower * &weight;
                high = high
                    .zip(upper.as_ref())
                    .map(|(sum, upper)| sum + upper * weight);
            }
        }
    }
    let total = BigInt::from(arena.total(reply));
    Length::Finite {
        lower: low / &total,
        upper: high.map(|sum| sum / total),
    }
}
