//! A game as a graph in flat tables: [`Arena`].

use base::graph::Graph;
use num_integer::Integer;
use std::ops::Range;

/// The number of no state, alternative or reply.
pub const NONE: u32 = u32::MAX;

/// The largest sum of the weights of one reply.
pub const MAX_TOTAL: u64 = 1 << 62;

/// Where an outcome leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// To the state with this number.
    State(u32),
    /// To the end of play, with the payoff of this number.
    End(u32),
}

/// The graph of a game. In a *state* the maximizer chooses an *alternative*, the minimizer knows it and chooses a
/// *reply*, and chance chooses an *outcome*: it leads to a state, or to the end of play.
///
/// ```text
/// state --maximizer--> alternative --minimizer--> reply --chance--> outcome: weight, target
/// ```
///
/// Alternatives are numbered through all states, replies through all alternatives. The probability of an
/// outcome is its weight divided by the sum of the weights of its reply. A *target* is the number of a state, or the
/// number of states plus the number of an end. Most replies have outcomes that are equally likely: they need no weights.
#[derive(Clone, Debug)]
pub struct Arena {
    first_alternative: Vec<u32>,
    first_reply: Vec<u32>,
    first_outcome: Vec<u32>,
    targets: Vec<u32>,
    weights: Weights,
    ends: usize,
}

/// The weights of the outcomes of replies.
#[derive(Clone, Debug, Default)]
struct Weights {
    /// By reply: where its sum stands, and its weights behind that; or [`NONE`] if each is 1.
    first: Vec<u32>,
    all: Vec<u64>,
}

impl Weights {
    /// Adds those of the next reply, without common divisors.
    fn push(&mut self, weights: impl Iterator<Item = u64> + Clone) {
        if weights.clone().all(|weight| weight == 1) {
            self.first.push(NONE);
            return;
        }
        self.first.push(self.all.len() as u32);
        self.all.push(weights.clone().sum());
        self.all.extend(weights);
    }

    /// The sum of the weights of a reply with this number of outcomes.
    #[inline]
    fn total(&self, reply: usize, outcomes: usize) -> u64 {
        match self.first[reply] {
            NONE => outcomes as u64,
            first => self.all[first as usize],
        }
    }

    /// The weights of a reply with this number of outcomes; none if each is 1.
    #[inline]
    fn of(&self, reply: usize, outcomes: usize) -> Option<&[u64]> {
        match self.first[reply] {
            NONE => None,
            first => Some(&self.all[first as usize + 1..][..outcomes]),
        }
    }
}

/// The reason why a list of states is no game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArenaError {
    /// A state has no alternative.
    #[error("state {state} has no alternative: give it one")]
    NoAlternative {
        /// The number of the state.
        state: usize,
    },
    /// An alternative has no reply, or one without an outcome of positive weight.
    #[error(
        "state {state} has an alternative without a reply, or a reply without an outcome of positive weight: add one"
    )]
    NoOutcome {
        /// The number of the state.
        state: usize,
    },
    /// The weights of a reply sum up to more than [`MAX_TOTAL`].
    #[error(
        "a reply in state {state} has weights with a sum above 2^62: split what chance does over several states"
    )]
    Weights {
        /// The number of the state.
        state: usize,
    },
    /// An outcome leads to a state or an end that does not exist.
    #[error("state {state} leads to {target:?}, which does not exist")]
    Target {
        /// The number of the state.
        state: usize,
        target: Target,
    },
    /// There are 2^31 states and ends or more, or 2^32 outcomes.
    #[error("the graph has 2^31 states and ends or more, or 2^32 outcomes: that is too large")]
    TooLarge,
}

/// In a list of targets, the mark of an end.
const END: u32 = 1 << 31;

/// Builds an [`Arena`]: each call adds to the part that was added last.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    first_alternative: Vec<u32>,
    first_reply: Vec<u32>,
    /// Of all replies but the last.
    first_outcome: Vec<u32>,
    targets: Vec<u32>,
    weights: Weights,
    /// The outcomes of the last reply.
    last: Vec<(u32, u64)>,
    /// Replies with the outcomes of an earlier reply, and that one.
    same: Vec<(u32, u32)>,
    /// The reason why outcomes that were added make no game.
    wrong: Option<ArenaError>,
}

impl Builder {
    /// Begins a state; gives its number.
    pub fn state(&mut self) -> u32 {
        self.first_alternative.push(self.first_reply.len() as u32);
        self.first_alternative.len() as u32 - 1
    }

    /// Begins an alternative of the maximizer in the last state.
    pub fn alternative(&mut self) {
        self.first_reply.push(self.first_outcome.len() as u32);
    }

    /// Begins a reply of the minimizer to the last alternative; gives its number.
    pub fn reply(&mut self) -> u32 {
        if !self.first_outcome.is_empty() {
            self.finish_reply();
        }
        self.first_outcome.push(self.targets.len() as u32);
        self.first_outcome.len() as u32 - 1
    }

    /// Gives the last reply the outcomes of an earlier one, which has outcomes of its own. Both lead to a new state then, which
    /// has these outcomes; new states stand behind all others.
    pub fn same_outcomes(&mut self, earlier: u32) {
        let reply = self.first_outcome.len() as u32 - 1;
        self.same.push((reply, earlier));
        // A placeholder, which `add_shared` replaces.
        self.last.push((0, 1));
    }

    /// Adds an outcome to the last reply. Weight 0 means that it does not happen.
    pub fn outcome(&mut self, target: Target, weight: u64) {
        let (number, mark) = match target {
            Target::State(number) => (number, 0),
            Target::End(number) => (number, END),
        };
        if number >= END {
            let state = self.first_alternative.len().saturating_sub(1);
            let wrong = ArenaError::Target { state, target };
            self.wrong.get_or_insert(wrong);
        } else if weight > 0 {
            self.last.push((number | mark, weight));
        }
    }

    /// The number of outcomes added; those of one reply with the same target count once.
    pub fn outcomes(&self) -> usize {
        self.targets.len() + self.last.len()
    }

    /// Stores the outcomes of the last reply, those with the same target as one, and their weights without common divisors.
    fn finish_reply(&mut self) {
        self.last.sort_unstable();
        let total: u128 = self
            .last
            .iter()
            .map(|&(_, weight)| u128::from(weight))
            .sum();
        if total > u128::from(MAX_TOTAL) {
            let state = self.first_alternative.len().saturating_sub(1);
            self.wrong.get_or_insert(ArenaError::Weights { state });
            self.last.clear();
        }
        self.last.dedup_by(|(target, weight), (kept, sum)| {
            let is_same = target == kept;
            *sum += if is_same { *weight } else { 0 };
            is_same
        });
        let weights = self.last.iter().map(|&(_, weight)| weight);
        let common = weights
            .clone()
            .fold(0, |common, weight| weight.gcd(&common));
        self.weights.push(weights.map(|weight| weight / common));
        self.targets
            .extend(self.last.drain(..).map(|(target, _)| target));
    }

    /// Adds a state for the outcomes that several replies share, and lets these replies lead there.
    fn add_shared(&mut self) {
        if self.same.is_empty() {
            return;
        }
        let mut shared: Vec<u32> = self.same.iter().map(|&(_, earlier)| earlier).collect();
        shared.sort_unstable();
        shared.dedup();
        let first_new = self.first_alternative.len() as u32;
        // The outcomes of the others move up, and those that are shared wait until all have.
        let mut waiting = Vec::new();
        let (mut index, mut kept) = (0, 0);
        for reply in 0..self.first_outcome.len() {
            let start = self.first_outcome[reply] as usize;
            let next = self.first_outcome.get(reply + 1);
            let end = next.map_or(self.targets.len(), |&next| next as usize);
            self.first_outcome[reply] = kept as u32;
            if shared.get(index) == Some(&(reply as u32)) {
                let weights = std::mem::replace(&mut self.weights.first[reply], NONE);
                waiting.push((self.targets[start..end].to_vec(), weights));
                self.targets[kept] = first_new + index as u32;
                index += 1;
                kept += 1;
            } else {
                self.targets.copy_within(start..end, kept);
                kept += end - start;
            }
        }
        self.targets.truncate(kept);
        for (reply, earlier) in std::mem::take(&mut self.same) {
            let index = shared.binary_search(&earlier).expect("it is in the list");
            self.targets[self.first_outcome[reply as usize] as usize] = first_new + index as u32;
        }
        for (targets, weights) in waiting {
            self.state();
            self.alternative();
            self.first_outcome.push(self.targets.len() as u32);
            self.targets.extend(targets);
            self.weights.first.push(weights);
        }
    }

    /// Checks the graph and stores it in tables.
    pub fn finish(mut self, ends: usize) -> Result<Arena, ArenaError> {
        if !self.first_outcome.is_empty() {
            self.finish_reply();
        }
        self.add_shared();
        let states = self.first_alternative.len();
        let sizes = [
            self.first_reply.len(),
            self.first_outcome.len(),
            self.targets.len(),
            self.weights.all.len(),
        ];
        if states + ends >= END as usize || sizes.iter().any(|&size| size >= NONE as usize) {
            return Err(ArenaError::TooLarge);
        }
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        self.first_alternative.push(sizes[0] as u32);
        self.first_reply.push(sizes[1] as u32);
        self.first_outcome.push(sizes[2] as u32);
        let mut arena = Arena {
            first_alternative: self.first_alternative,
            first_reply: self.first_reply,
            first_outcome: self.first_outcome,
            targets: self.targets,
            weights: self.weights,
            ends,
        };
        for state in 0..states {
            let alternatives = arena.alternatives(state);
            if alternatives.is_empty() {
                return Err(ArenaError::NoAlternative { state });
            }
            for alternative in alternatives {
                let replies = arena.replies(alternative);
                if replies.is_empty() {
                    return Err(ArenaError::NoOutcome { state });
                }
                for reply in replies {
                    arena.number_targets(state, reply)?;
                }
            }
        }
        Ok(arena)
    }
}

impl Arena {
    /// Gives the targets of a reply their numbers, ends behind states.
    fn number_targets(&mut self, state: usize, reply: usize) -> Result<(), ArenaError> {
        let (states, ends) = (self.states() as u32, self.ends as u32);
        let outcomes = self.first_outcome[reply] as usize..self.first_outcome[reply + 1] as usize;
        if outcomes.is_empty() {
            return Err(ArenaError::NoOutcome { state });
        }
        for target in &mut self.targets[outcomes] {
            let number = *target & !END;
            *target = match *target & END != 0 {
                false if number < states => number,
                true if number < ends => states + number,
                is_end => {
                    let target = match is_end {
                        true => Target::End(number),
                        false => Target::State(number),
                    };
                    return Err(ArenaError::Target { state, target });
                }
            };
        }
        Ok(())
    }

    pub fn states(&self) -> usize {
        self.first_alternative.len() - 1
    }

    pub fn ends(&self) -> usize {
        self.ends
    }

    /// The number of alternatives of all states.
    pub fn alternative_count(&self) -> usize {
        self.first_reply.len() - 1
    }

    /// The number of replies to all alternatives.
    pub fn reply_count(&self) -> usize {
        self.weights.first.len()
    }

    /// The number of outcomes of all replies.
    pub fn outcome_count(&self) -> usize {
        self.targets.len()
    }

    /// The alternatives in a state.
    #[inline]
    pub fn alternatives(&self, state: usize) -> Range<usize> {
        self.first_alternative[state] as usize..self.first_alternative[state + 1] as usize
    }

    /// The replies to an alternative.
    #[inline]
    pub fn replies(&self, alternative: usize) -> Range<usize> {
        self.first_reply[alternative] as usize..self.first_reply[alternative + 1] as usize
    }

    /// The outcomes of a reply: targets and weights.
    #[inline]
    pub fn outcomes(&self, reply: usize) -> impl Iterator<Item = (usize, u64)> + Clone + '_ {
        let targets = self.targets(reply);
        let weights = self.weights.of(reply, targets.len());
        let weight = move |index: usize| weights.map_or(1, |weights| weights[index]);
        let targets = targets.iter().enumerate();
        targets.map(move |(index, &target)| (target as usize, weight(index)))
    }

    /// The targets of a reply.
    #[inline]
    pub fn targets(&self, reply: usize) -> &[u32] {
        &self.targets[self.first_outcome[reply] as usize..self.first_outcome[reply + 1] as usize]
    }

    /// The places of the outcomes of a reply among those of all replies.
    #[inline]
    pub fn outcome_range(&self, reply: usize) -> Range<usize> {
        self.first_outcome[reply] as usize..self.first_outcome[reply + 1] as usize
    }

    /// The sum of the weights of a reply.
    #[inline]
    pub fn total(&self, reply: usize) -> u64 {
        self.weights.total(reply, self.outcome_range(reply).len())
    }

    /// The largest sum of the weights of a reply; 1 if there is none.
    pub fn max_total(&self) -> u64 {
        let totals = (0..self.reply_count()).map(|reply| self.total(reply));
        totals.max().unwrap_or(1)
    }

    /// The game on some of the states alone, with those of their alternatives that are kept: they are numbered in this order, and all other
    /// targets become ends. Gives the target that each end was. `indices` is all [`NONE`], before and after.
    pub fn part(
        &self,
        states: &[u32],
        is_kept: impl Fn(usize) -> bool,
        indices: &mut [u32],
    ) -> (Arena, Vec<u32>) {
        for (index, &state) in states.iter().enumerate() {
            indices[state as usize] = index as u32;
        }
        let mut part = Arena {
            first_alternative: vec![0],
            first_reply: vec![0],
            first_outcome: vec![0],
            targets: Vec::new(),
            weights: Weights::default(),
            ends: 0,
        };
        let mut ends: Vec<u32> = Vec::new();
        for &state in states {
            let kept = self
                .alternatives(state as usize)
                .filter(|&one| is_kept(one));
            for alternative in kept {
                for reply in self.replies(alternative) {
                    for &target in self.targets(reply) {
                        let target = target as usize;
                        if indices[target] == NONE {
                            indices[target] = (states.len() + ends.len()) as u32;
                            ends.push(target as u32);
                        }
                        part.targets.push(indices[target]);
                    }
                    part.weights
                        .push(self.outcomes(reply).map(|(_, weight)| weight));
                    part.first_outcome.push(part.targets.len() as u32);
                }
                part.first_reply.push(part.reply_count() as u32);
            }
            part.first_alternative
                .push(part.first_reply.len() as u32 - 1);
        }
        part.ends = ends.len();
        let seen = states.iter().chain(&ends);
        seen.for_each(|&target| indices[target as usize] = NONE);
        (part, ends)
    }
}

/// The edges of a game backwards: the replies that lead to each target, and the owners of alternatives and replies.
pub struct Backward {
    /// From targets to replies.
    replies: Graph,
    alternative_of: Vec<u32>,
    state_of: Vec<u32>,
}

impl Backward {
    pub fn new(arena: &Arena) -> Self {
        let nodes = arena.reply_count().max(arena.states() + arena.ends());
        let list = |edge: &mut dyn FnMut(usize, usize)| {
            for reply in 0..arena.reply_count() {
                let targets = arena.targets(reply).iter();
                targets.for_each(|&target| edge(target as usize, reply));
            }
        };
        let mut backward = Backward {
            replies: Graph::new(nodes, list),
            alternative_of: vec![0; arena.reply_count()],
            state_of: vec![0; arena.alternative_count()],
        };
        for state in 0..arena.states() {
            for alternative in arena.alternatives(state) {
                backward.state_of[alternative] = state as u32;
                let replies = arena.replies(alternative);
                backward.alternative_of[replies].fill(alternative as u32);
            }
        }
        backward
    }

    /// The replies that have an outcome with this target.
    pub fn replies_to(&self, target: usize) -> &[u32] {
        self.replies.targets(target)
    }

    /// The alternative that a reply answers.
    pub fn alternative_of(&self, reply: u32) -> u32 {
        self.alternative_of[reply as usize]
    }

    /// The state of an alternative.
    pub fn state_of(&self, alternative: u32) -> u32 {
        self.state_of[alternative as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_that_replies_share_become_a_state() {
        let mut builder = Builder::default();
        builder.state();
        builder.alternative();
        builder.reply();
        builder.outcome(Target::State(1), 1);
        builder.alternative();
        let first = builder.reply();
        builder.outcome(Target::End(0), 2);
        builder.outcome(Target::State(1), 4);
        builder.state();
        builder.alternative();
        builder.reply();
        builder.same_outcomes(first);
        builder.alternative();
        builder.reply();
        builder.outcome(Target::End(1), 3);
        let arena = builder.finish(2).expect("a game");
        assert_eq!(arena.states(), 3);
        let all = |reply| arena.outcomes(reply).collect::<Vec<_>>();
        assert_eq!(all(0), [(1, 1)]);
        assert_eq!(all(1), [(2, 1)]);
        assert_eq!(all(2), [(2, 1)]);
        assert_eq!(all(3), [(4, 1)]);
        let shared = arena.alternatives(2).start;
        assert_eq!(all(arena.replies(shared).start), [(1, 2), (3, 1)]);
    }
}
