//! Games that may go on for ever, as plain lists: random ones, and some that are known.
//!
//! In a state the maximizer chooses an alternative, the minimizer a reply to it, and chance an outcome by its weight.
//! Play that never ends pays nothing.

use fastrand::Rng;
use std::collections::HashMap;

/// Where an outcome leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Next {
    State(usize),
    /// To the end of play, with one of the payoffs.
    End(usize),
}

/// The outcomes of a reply: weights, and where they lead.
pub type Outcomes = Vec<(u64, Next)>;

/// A game as a list of states: alternatives of replies of outcomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycles {
    /// The states; play begins in the first one.
    pub states: Vec<Vec<Vec<Outcomes>>>,
    /// The payoffs: numerators and denominators.
    pub payoffs: Vec<(u64, u64)>,
}

/// The end that is won, in the games below.
const WON: Next = Next::End(0);
/// The end that is lost.
const LOST: Next = Next::End(1);

impl Cycles {
    /// Of states, with a payoff of 1 and one of 0.
    fn won_or_lost(states: Vec<Vec<Vec<Outcomes>>>) -> Self {
        let payoffs = vec![(1, 1), (0, 1)];
        Cycles { states, payoffs }
    }
}

#[derive(Clone, Debug)]
pub struct RandomCycles {
    pub states: usize,
    /// The most alternatives in a state, replies to an alternative, and outcomes of a reply.
    pub choices: [usize; 3],
    /// Play ends in this number of 100 outcomes.
    pub ends: u32,
    /// Weights are at most this.
    pub max_weight: u64,
    /// Outcomes lead this far at most, in numbers of states, and round the list; 0 for anywhere.
    pub reach: usize,
}

/// A random game.
pub fn random_cycles(rng: &mut Rng, family: &RandomCycles) -> Cycles {
    let payoffs = vec![(1, 1), (0, 1), (1, 2), (2, 3)];
    let [alternatives, replies, outcomes] = family.choices;
    let states = family.states;
    let outcome = |rng: &mut Rng, state: usize| {
        let next = match (rng.u32(..100) < family.ends, family.reach) {
            (true, _) => Next::End(rng.usize(..payoffs.len())),
            (false, 0) => Next::State(rng.usize(..states)),
            (false, reach) => {
                Next::State((state + states * reach + rng.usize(..=2 * reach) - reach) % states)
            }
        };
        (rng.u64(1..=family.max_weight), next)
    };
    let reply = |rng: &mut Rng, state| {
        let count = rng.usize(1..=outcomes);
        (0..count).map(|_| outcome(rng, state)).collect()
    };
    let alternative = |rng: &mut Rng, state| {
        let count = rng.usize(1..=replies);
        (0..count).map(|_| reply(rng, state)).collect()
    };
    let make = |state| {
        let count = rng.usize(1..=alternatives);
        (0..count).map(|_| alternative(rng, state)).collect()
    };
    Cycles {
        states: (0..states).map(make).collect(),
        payoffs,
    }
}

/// Gambler's ruin: one coin more with `weights[0]`, one less with `weights[1]`, until there are none or `target`.
/// State n has n + 1 coins. There are no choices.
pub fn ruin(target: usize, weights: [u64; 2]) -> Cycles {
    let state = |coins: usize| {
        let more = match coins + 1 {
            all if all == target => WON,
            more => Next::State(more - 1),
        };
        let less = match coins - 1 {
            0 => LOST,
            less => Next::State(less - 1),
        };
        vec![vec![vec![(weights[0], more), (weights[1], less)]]]
    };
    Cycles::won_or_lost((1..target).map(state).collect())
}

/// Pig for two: the first player with `goal` points wins. In a turn the player throws a die any number of times and adds up the points;
/// a 1 ends the turn and loses the points of the turn. The maximizer begins.
pub fn pig(goal: u32) -> Cycles {
    // The player to move, the points of that player, of the other, and of the turn.
    type Position = (bool, u32, u32, u32);
    let mut numbers: HashMap<Position, usize> = HashMap::new();
    let mut list: Vec<Position> = Vec::new();
    let mut number = |position: Position, list: &mut Vec<Position>| {
        *numbers.entry(position).or_insert_with(|| {
            list.push(position);
            list.len() - 1
        })
    };
    number((true, 0, 0, 0), &mut list);
    let mut states = Vec::new();
    while let Some(&(is_first, own, other, turn)) = list.get(states.len()) {
        let mut roll = vec![(
            1,
            Next::State(number((!is_first, other, own, 0), &mut list)),
        )];
        for die in 2..=6 {
            let turn = turn + die;
            roll.push(match own + turn >= goal {
                true if is_first => (1, WON),
                true => (1, LOST),
                false => (
                    1,
                    Next::State(number((is_first, own, other, turn), &mut list)),
                ),
            });
        }
        let mut choices = vec![roll];
        if turn > 0 {
            let held = number((!is_first, other, own + turn, 0), &mut list);
            choices.push(vec![(1, Next::State(held))]);
        }
        states.push(match is_first {
            true => choices.into_iter().map(|choice| vec![choice]).collect(),
            false => vec![choices],
        });
    }
    Cycles::won_or_lost(states)
}
