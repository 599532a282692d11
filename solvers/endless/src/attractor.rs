//! Attractors: states of value 0, states of value 1, and strategies that reach a target, all without any number.
//!
//! The *attractor* of some targets is the set of states from which the maximizer reaches them with positive
//! probability, whatever the minimizer does: states with an alternative all of whose replies have an outcome that
//! leads to a target or to an attracted state. It is computed backwards, in time linear in the game.
//!
//! The alternatives by which states are attracted are a *proper* strategy: the minimizer cannot keep play among the
//! attracted states for ever. Else take, among the states where play stays, the one that was attracted first:
//! each of its replies has an outcome that leaves.
//!
//! - States that positive payoffs do not attract have value 0: the minimizer has a reply to each alternative that stays
//!   there.
//! - States from which the maximizer surely gets payoff 1 have value 1: the largest set in which the ends with payoff 1
//!   attract all states by alternatives that cannot leave the set. (De Alfaro, Henzinger: *Concurrent omega-regular
//!   games*, 2000.)

use arena::{Arena, Backward, NONE};

/// States attracted so far.
pub struct Attractor<'a> {
    arena: &'a Arena,
    backward: &'a Backward,
    /// The alternative by which each state is attracted; [`NONE`] for the others.
    pub choices: Vec<u32>,
    /// The number of replies of each alternative that have no outcome among the attracted.
    missing: Vec<u32>,
    reached: Vec<bool>,
    queue: Vec<u32>,
}

impl<'a> Attractor<'a> {
    /// Attracts nothing yet to these targets.
    pub fn new(arena: &'a Arena, backward: &'a Backward, targets: Vec<u32>) -> Self {
        let count = |alternative| arena.replies(alternative).len() as u32;
        Attractor {
            arena,
            backward,
            choices: vec![NONE; arena.states()],
            missing: (0..arena.alternative_count()).map(count).collect(),
            reached: vec![false; arena.reply_count()],
            queue: targets,
        }
    }

    /// Attracts what can be by these alternatives.
    pub fn extend(&mut self, is_allowed: impl Fn(usize) -> bool) {
        for alternative in 0..self.missing.len() {
            self.attract(alternative as u32, &is_allowed);
        }
        // First in, first out: the way by few steps comes first.
        let mut next = 0;
        while let Some(&target) = self.queue.get(next) {
            next += 1;
            for &reply in self.backward.replies_to(target as usize) {
                if std::mem::replace(&mut self.reached[reply as usize], true) {
                    continue;
                }
                let alternative = self.backward.alternative_of(reply);
                self.missing[alternative as usize] -= 1;
                self.attract(alternative, &is_allowed);
            }
        }
        self.queue.clear();
    }

    /// Attracts the state of an alternative, if nothing is missing.
    fn attract(&mut self, alternative: u32, is_allowed: &impl Fn(usize) -> bool) {
        if self.missing[alternative as usize] > 0 || !is_allowed(alternative as usize) {
            return;
        }
        let state = self.backward.state_of(alternative);
        if self.choices[state as usize] == NONE {
            self.choices[state as usize] = alternative;
            self.queue.push(state);
        }
    }

    /// A reply to an alternative of a state that is not attracted, by which the state cannot be attracted.
    pub fn escape(&self, alternative: usize) -> Option<usize> {
        self.arena
            .replies(alternative)
            .find(|&reply| !self.reached[reply])
    }
}

/// A proper strategy to these targets that uses good alternatives where it can.
pub fn proper(
    arena: &Arena,
    backward: &Backward,
    targets: Vec<u32>,
    is_good: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let mut attractor = Attractor::new(arena, backward, targets);
    attractor.extend(is_good);
    attractor.extend(|_| true);
    attractor.choices
}

/// The class of a state by its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Its value is 0.
    Zero,
    /// Its value is 1.
    One,
    /// Its value is positive.
    Open,
}

/// The states of value 0 and 1, and the strategies of both players to get there.
pub struct CertainStates {
    /// By state.
    pub classes: Vec<Class>,
    /// By state: an alternative by which the maximizer gets 1 in the states of value 1; one of a proper strategy in
    /// the others of positive value; [`NONE`] in those of value 0.
    pub alternatives: Vec<u32>,
    /// By alternative: a reply that keeps play in states of value 0, in those states; else [`NONE`].
    pub replies: Vec<u32>,
}

/// Finds the states of value 0 and 1. `is_positive` and `is_one` say of ends what they pay.
pub fn certain(
    arena: &Arena,
    backward: &Backward,
    is_positive: impl Fn(usize) -> bool,
    is_one: impl Fn(usize) -> bool,
) -> CertainStates {
    let states = arena.states();
    let ends = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
        let ends = (0..arena.ends()).filter(|&end| wanted(end));
        ends.map(|end| (states + end) as u32).collect()
    };
    let mut positive = Attractor::new(arena, backward, ends(&is_positive));
    positive.extend(|_| true);
    let mut replies = vec![NONE; arena.alternative_count()];
    let mut classes = vec![Class::Open; states];
    for (state, class) in classes.iter_mut().enumerate() {
        if positive.choices[state] == NONE {
            *class = Class::Zero;
            for alternative in arena.alternatives(state) {
                let reply = positive.escape(alternative).expect("or it were attracted");
                replies[alternative] = reply as u32;
            }
        }
    }
    let mut alternatives = positive.choices;
    // The candidates for value 1: what cannot stay among them falls out, then what is not attracted.
    let ones = ends(&is_one);
    let mut subgame = Subgame::new(arena, backward);
    let mut outside = ends(&|end| !is_one(end));
    let zeros = (0..states).filter(|&state| classes[state] == Class::Zero);
    outside.extend(zeros.map(|state| state as u32));
    loop {
        subgame.leave(&mut outside, |_| true);
        let mut sure = Attractor::new(arena, backward, ones.clone());
        sure.extend(|alternative| subgame.allowed[alternative]);
        let inside = (0..states).filter(|&state| subgame.inside[state]);
        outside.extend(
            inside
                .filter(|&state| sure.choices[state] == NONE)
                .map(|state| state as u32),
        );
        if outside.is_empty() {
            for state in (0..states).filter(|&state| subgame.inside[state]) {
                classes[state] = Class::One;
                alternatives[state] = sure.choices[state];
            }
            return CertainStates {
                classes,
                alternatives,
                replies,
            };
        }
    }
}

/// States in which play can stay, and the alternatives that keep it there.
pub struct Subgame<'a> {
    backward: &'a Backward,
    /// By state.
    pub inside: Vec<bool>,
    /// By alternative.
    pub allowed: Vec<bool>,
    /// The number of alternatives that are allowed in each state.
    left: Vec<u32>,
}

impl<'a> Subgame<'a> {
    /// Play may stay in any state.
    pub fn new(arena: &'a Arena, backward: &'a Backward) -> Self {
        let count = |state| arena.alternatives(state).len() as u32;
        Subgame {
            backward,
            inside: vec![true; arena.states()],
            allowed: vec![true; arena.alternative_count()],
            left: (0..arena.states()).map(count).collect(),
        }
    }

    /// Forbids an alternative. If its state has no other, play cannot stay there: then it is put on a list.
    pub fn forbid(&mut self, alternative: u32, outside: &mut Vec<u32>) {
        if std::mem::replace(&mut self.allowed[alternative as usize], false) {
            let state = self.backward.state_of(alternative);
            self.left[state as usize] -= 1;
            if self.left[state as usize] == 0 && self.inside[state as usize] {
                outside.push(state);
            }
        }
    }

    /// Play is not to stay in these targets; so alternatives are forbidden that may lead there by a reply that
    /// counts, and so on.
    pub fn leave(&mut self, outside: &mut Vec<u32>, counts: impl Fn(u32) -> bool) {
        while let Some(target) = outside.pop() {
            if let Some(inside) = self.inside.get_mut(target as usize) {
                *inside = false;
            }
            for &reply in self.backward.replies_to(target as usize) {
                if counts(reply) {
                    self.forbid(self.backward.alternative_of(reply), outside);
                }
            }
        }
    }
}
