//! A bound on the steps of every play, proved by a sum over facts that falls in every step.
//!
//! Every fact gets a *weight*, a number that is not negative. The weights of the facts of a state add up to
//! its *measure*. If every step takes at least 1 from the measure, there are no more steps than the measure
//! of the initial state.
//!
//! ```text
//! a white pawn in row y of 8 weighs 8 - y, a black one y - 1: a move forward takes 1 from the sum,
//! and a capture takes more
//! ```
//!
//! The weights are found by a linear program. For each move it is found out, by questions about one
//! step, which facts vanish whenever the move is made, and which may appear when it is made, whatever the
//! others do. The facts that vanish have to outweigh those that may appear, by 1; the measure of the initial state
//! is to be as small as possible. (These are linear ranking functions, A. Podelski and A. Rybalchenko, *A
//! complete method for the synthesis of linear ranking functions*, 2004, over facts.)
//!
//! Moves after which much may appear, such as waiting while others move, are left out where some other move
//! is made in every step.
//!
//! *Exactness.* The linear program is solved in floating point; its solution is rounded to fractions and
//! every condition checked with integers, so nothing rests on floats but which weights are tried.

use super::bounds::{MAX_MEASURE, MAX_WEIGHED_FACTS, MAX_WEIGHED_MOVES};
use super::condition::{Atom, Condition};
use super::linear_program::{Entries, weights};
use super::steps::{Play, Steps, Stop};
use circuit::Literal;
use circuit::invariants::find_one;
use std::collections::BTreeSet;
/// Weights are fractions with one of these denominators.
const DENOMINATORS: [i64; 6] = [1, 2, 3, 4, 6, 12];
/// The effect of a move on the facts, whatever the others do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Effect {
    /// The facts that vanish in any case.
    vanish: BTreeSet<usize>,
    /// The facts that may appear.
    appear: BTreeSet<usize>,
}

impl Effect {
    /// The effect of the first step of a play.
    fn of(play: &Play) -> Self {
        let [now, next] = [0, 1].map(|time: usize| {
            let facts = play.states[time].iter().copied();
            facts.collect::<BTreeSet<usize>>()
        });
        Effect {
            vanish: &now - &next,
            appear: &next - &now,
        }
    }
}

/// A move and its effect.
struct MoveEffect {
    literal: Literal,
    effect: Effect,
}

/// The most steps of any play, if there are such weights. Plays have one step, from any state in which
/// `assumed` holds; `note` is called with the part of it that each answer rests on.
pub(super) fn bound(
    steps: &mut dyn Steps,
    facts: usize,
    moves: &[usize],
    initial: &BTreeSet<usize>,
    assumed: &[Literal],
    note: &mut dyn FnMut(Vec<Literal>),
) -> Result<Option<usize>, Stop> {
    if facts > MAX_WEIGHED_FACTS || moves.iter().sum::<usize>() > MAX_WEIGHED_MOVES {
        return Ok(None);
    }
    let mut asked = StepQuestions::new(steps, facts, assumed)?;
    let mut made = Vec::new();
    for (role, &count) in moves.iter().enumerate() {
        for action in 0..count {
            let literal = asked.steps.made(role, action)?;
            if let Some(effect) = asked.effect(literal, note)? {
                made.push(MoveEffect { literal, effect });
            }
        }
    }
    made.retain(|made| !made.effect.vanish.is_empty());
    made.sort_by_key(|made| made.effect.appear.len());
    let Some(enough) = asked.enough(&made, note)? else {
        return Ok(None);
    };
    let effects: BTreeSet<Effect> = made[..enough]
        .iter()
        .map(|made| made.effect.clone())
        .collect();
    Ok(measure(facts, &effects, initial))
}

/// Questions about one step.
struct StepQuestions<'a> {
    steps: &'a mut dyn Steps,
    assumed: &'a [Literal],
    /// For each fact: it does not vanish (it does not hold, or it holds afterwards as well).
    kept: Vec<Literal>,
    /// For each fact: it appears.
    appears: Vec<Literal>,
}

impl<'a> StepQuestions<'a> {
    fn new(steps: &'a mut dyn Steps, facts: usize, assumed: &'a [Literal]) -> Result<Self, Stop> {
        let (mut kept, mut appears) = (Vec::new(), Vec::new());
        for fact in 0..facts {
            let holds = Condition::Atom(Atom::True(fact));
            let now = steps.literal(&holds, 0)?;
            let next = steps.literal(&holds, 1)?;
            let [keeps, comes] = [steps.new_literal(), steps.new_literal()];
            steps.require(&[!keeps, !now, next]);
            steps.require(&[!comes, !now]);
            steps.require(&[!comes, next]);
            kept.push(keeps);
            appears.push(comes);
        }
        Ok(StepQuestions {
            steps,
            assumed,
            kept,
            appears,
        })
    }

    /// The effect of a move; none if it is never legal. It is guessed from one step, and every step that
    /// does otherwise corrects the guess.
    fn effect(
        &mut self,
        made: Literal,
        note: &mut dyn FnMut(Vec<Literal>),
    ) -> Result<Option<Effect>, Stop> {
        let assumptions = [self.assumed, &[made]].concat();
        if !self.steps.can_hold(&assumptions)? {
            note(self.steps.core());
            return Ok(None);
        }
        let mut known = Effect::of(&self.steps.play());
        while !known.vanish.is_empty() {
            let others = (0..self.appears.len()).filter(|fact| !known.appear.contains(fact));
            let others = others.map(|fact| self.appears[fact]);
            let wrong = others.chain(known.vanish.iter().map(|&fact| self.kept[fact]));
            let found = find_one(&mut *self.steps, wrong, &assumptions, |steps| {
                Effect::of(&steps.play())
            });
            let Some(found) = found? else {
                note(self.steps.core());
                break;
            };
            known.vanish = &known.vanish & &found.vanish;
            known.appear = &known.appear | &found.appear;
        }
        Ok(Some(known))
    }

    /// How many of these moves, from the first on, are enough so that one of them is made in every step;
    /// moves after which equally much may appear go together.
    fn enough(
        &mut self,
        made: &[MoveEffect],
        note: &mut dyn FnMut(Vec<Literal>),
    ) -> Result<Option<usize>, Stop> {
        let mut enough = 0;
        for alike in
            made.chunk_by(|one, other| one.effect.appear.len() == other.effect.appear.len())
        {
            enough += alike.len();
            let mut assumptions = self.assumed.to_vec();
            assumptions.extend(made[..enough].iter().map(|made| !made.literal));
            if !self.steps.can_hold(&assumptions)? {
                note(self.steps.core());
                return Ok(Some(enough));
            }
        }
        Ok(None)
    }
}

/// The smallest measure of the initial state, rounded down, if there are weights that fall with every
/// effect.
fn measure(facts: usize, effects: &BTreeSet<Effect>, initial: &BTreeSet<usize>) -> Option<usize> {
    let costs = (0..facts).map(|fact| f64::from(u8::from(initial.contains(&fact))));
    let constraint = |effect: &Effect| -> Entries {
        let loss = effect.vanish.iter().map(|&fact| (fact as u32, 1.0));
        let gain = effect.appear.iter().map(|&fact| (fact as u32, -1.0));
        let mut entries: Entries = loss.chain(gain).collect();
        entries.sort_by_key(|entry| entry.0);
        entries
    };
    let constraints: Vec<Entries> = effects.iter().map(constraint).collect();
    let solution = weights(&costs.collect::<Vec<f64>>(), &constraints)?;
    let rounded = |denominator: i64| -> Vec<i64> {
        let weights = solution.iter();
        weights
            .map(|weight| (weight * denominator as f64).round() as i64)
            .collect()
    };
    let bounds = DENOMINATORS.iter().filter_map(|&denominator| {
        let weights = rounded(denominator);
        let sum = |facts: &BTreeSet<usize>| facts.iter().map(|&fact| weights[fact]).sum::<i64>();
        let falls = |effect: &Effect| sum(&effect.vanish) - sum(&effect.appear) >= denominator;
        let is_right = weights
            .iter()
            .all(|weight| (0..=MAX_MEASURE).contains(weight))
            && effects.iter().all(falls);
        is_right.then(|| (sum(initial) / denominator) as usize)
    });
    bounds.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(vanish: &[usize], appear: &[usize]) -> Effect {
        Effect {
            vanish: vanish.iter().copied().collect(),
            appear: appear.iter().copied().collect(),
        }
    }

    #[test]
    fn weights_fall_with_every_effect() {
        // Two stones on a track of four places.
        let track = (0..3).map(|index| effect(&[index], &[index + 1])).collect();
        assert_eq!(measure(4, &track, &[0, 1].into()), Some(5));
        // A stone that becomes two of the next kind.
        let splitting = [
            effect(&[0], &[1, 2]),
            effect(&[1], &[3]),
            effect(&[2], &[3]),
        ];
        assert_eq!(measure(4, &splitting.into(), &[0].into()), Some(3));
        // Facts about whose turn it is tell nothing: they come back.
        let turns = [effect(&[0, 2], &[1]), effect(&[1, 3], &[0])];
        assert_eq!(measure(4, &turns.into(), &[0, 2, 3].into()), Some(2));
        // Any two of three stones vanish: halves.
        let pairs = [
            effect(&[0, 1], &[]),
            effect(&[1, 2], &[]),
            effect(&[0, 2], &[]),
        ];
        assert_eq!(measure(3, &pairs.into(), &[0, 1, 2].into()), Some(1));
        // There and back again.
        let cycle = [effect(&[0], &[1]), effect(&[1], &[0])];
        assert_eq!(measure(2, &cycle.into(), &[0].into()), None);
    }
}
