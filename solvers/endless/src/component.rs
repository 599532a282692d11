//! Bounds in one strongly connected component: strategy iteration for both players.
//!
//! From below (Hoffman and Karp 1966): the maximizer's strategy is fixed and proper, so the minimizer faces a
//! process that play leaves for sure ([`Process`]). Its values are lower bounds. Where another alternative is strictly
//! better by these values, it is chosen, and the strategy stays proper: were there a set of states in which
//! play can stay, no state of it could have been improved. The iteration ends, since values only rise.
//!
//! From above the minimizer's strategy is fixed. Now the maximizer may be able to stay in some states for ever, and there
//! any number solves the equations: iteration from above would never come down. So such *end components* become
//! one node each, which has the alternatives that lead out: subgame pays nothing, and from each of its states the
//! maximizer reaches each other. (Kelmendi, Kraemer, Kretinsky, Weininger: *Value iteration for simple stochastic
//! games*, 2018.)
//!
//! The result of both sides is a pair of strategies and of bounds; the strategies prove the bounds.

use crate::attractor::{Subgame, proper};
use crate::iteration::FloatArena;
use crate::process::{self, Process, Sense};
use arena::{Arena, Backward, NONE};
use base::graph::Graph;
use limits::{Limits, StopReason};

/// The values of the ends of a component are known to lie between these, in units.
pub struct Ends<'a> {
    pub lower: &'a [i128],
    pub upper: &'a [i128],
    /// Whether the value is positive.
    pub is_positive: &'a [bool],
    /// The units of 1, as a power of 2.
    pub bits: u32,
}

/// The strategies of both players in a component.
#[derive(Clone)]
pub struct Strategies {
    /// By state: the alternative of the maximizer. It is a proper strategy.
    pub alternatives: Vec<u32>,
    /// By alternative: the reply of the minimizer.
    pub replies: Vec<u32>,
}

/// A component in which all states have positive values.
pub struct Component<'a> {
    arena: &'a Arena,
    backward: Backward,
    ends: Ends<'a>,
    max_entries: usize,
    wanted: i128,
    converges: bool,
    limits: &'a Limits,
}

/// Alternatives this close to the best one may be the best one.
const TIE: f64 = 1e-11;

/// How often the sides may pass their strategies to each other.
const MAX_ROUNDS: usize = 20;

impl<'a> Component<'a> {
    /// A component as a game of its own. Factors of its systems may have this many entries. Bounds may be `wanted`
    /// units further apart than those of the ends.
    pub fn new(
        arena: &'a Arena,
        ends: Ends<'a>,
        max_entries: usize,
        wanted: i128,
        limits: &'a Limits,
    ) -> Self {
        Component {
            arena,
            backward: Backward::new(arena),
            ends,
            max_entries,
            wanted,
            converges: false,
            limits,
        }
    }

    /// Good strategies to begin with: by iteration in floating-point numbers from lower bounds.
    pub fn begin(&mut self, lower: &[i128]) -> Result<(Strategies, Vec<i128>), StopReason> {
        let arena = self.arena;
        let states = arena.states();
        let unit = (1i128 << self.ends.bits) as f64;
        let [lower, ends] =
            [lower, self.ends.lower].map(|all| all.iter().map(|&value| value as f64 / unit));
        let floats = FloatArena::new(arena);
        let mut near: Vec<f64> = lower.chain(ends).collect();
        self.converges = floats.iterate(&mut near, |_| 0.0, self.limits)?;
        let mut replies = vec![NONE; arena.alternative_count()];
        let mut is_good = vec![false; arena.alternative_count()];
        for (state, &own) in near[..states].iter().enumerate() {
            for alternative in arena.alternatives(state) {
                let (value, reply) = floats.least(alternative, &near);
                replies[alternative] = reply;
                is_good[alternative] = value >= own - TIE * own.max(TIE);
            }
        }
        let strategies = Strategies {
            alternatives: self.proper(|alternative| is_good[alternative]),
            replies,
        };
        let values = near[..states].iter().map(|value| (value * unit) as i128);
        Ok((strategies, values.collect()))
    }

    /// A proper strategy that uses these alternatives where it can.
    fn proper(&self, is_good: impl Fn(usize) -> bool) -> Vec<u32> {
        let states = self.arena.states();
        let ends = (0..self.arena.ends()).filter(|&end| self.ends.is_positive[end]);
        let ends = ends.map(|end| (states + end) as u32).collect();
        proper(self.arena, &self.backward, ends, is_good)
    }

    /// The mean of a reply times its total, in units.
    fn sum(&self, reply: usize, values: &[i128], ends: &[i128]) -> i128 {
        let states = self.arena.states();
        let add = |sum: i128, (target, weight): (usize, u64)| {
            let value = match target.checked_sub(states) {
                None => values[target],
                Some(end) => ends[end],
            };
            sum + i128::from(weight) * value
        };
        self.arena.outcomes(reply).fold(0, add)
    }

    /// The part of the mean of a reply that comes from ends, times its total, in units.
    fn constant(&self, reply: usize, ends: &[i128]) -> i128 {
        let states = self.arena.states();
        let of_ends = self
            .arena
            .outcomes(reply)
            .filter(|&(target, _)| target >= states);
        of_ends
            .map(|(target, weight)| i128::from(weight) * ends[target - states])
            .sum()
    }

    fn process(&self, sense: Sense) -> Process {
        let settings = process::ProcessSettings {
            max_entries: self.max_entries,
            converges: self.converges,
        };
        Process::new(sense, self.ends.bits, settings)
    }

    /// Lower bounds, and strategies that neither player can improve by them. `values` is a guess before.
    ///
    /// # Errors
    /// The limit that was reached; then `values` are not bounds.
    pub fn lower(
        &self,
        strategies: &mut Strategies,
        values: &mut [i128],
    ) -> Result<(), StopReason> {
        let arena = self.arena;
        loop {
            let mut process = self.process(Sense::Min);
            let mut policy = Vec::with_capacity(arena.states());
            for &alternative in &strategies.alternatives {
                let replies = arena.replies(alternative as usize);
                let chosen = strategies.replies[alternative as usize] as usize - replies.start;
                for reply in replies {
                    let constant = self.constant(reply, self.ends.lower);
                    let inside = arena.outcomes(reply);
                    let inside = inside.filter(|&(target, _)| target < arena.states());
                    let inside = inside.map(|(target, weight)| (target as u32, weight));
                    process.row(reply as u32, arena.total(reply), constant, inside);
                }
                policy.push((process.node().start + chosen) as u32);
            }
            let Some(cost) = process.solve(&mut policy, values, self.limits)? else {
                return Ok(());
            };
            for (&row, &alternative) in policy.iter().zip(&strategies.alternatives) {
                strategies.replies[alternative as usize] = process.origin(row);
            }
            if !self.improve(strategies, values, 3 * cost) {
                return Ok(());
            }
        }
    }

    /// Takes the best replies by these values, and alternatives that are better by more than `least` units;
    /// whether there were any.
    fn improve(&self, strategies: &mut Strategies, values: &[i128], least: i128) -> bool {
        let arena = self.arena;
        let mut improves = false;
        for (state, chosen) in strategies.alternatives.iter_mut().enumerate() {
            let mut best = values[state] + least;
            for alternative in arena.alternatives(state) {
                if alternative as u32 == *chosen {
                    continue;
                }
                let mut smallest = (i128::MAX, NONE);
                for reply in arena.replies(alternative) {
                    let sum = self.sum(reply, values, self.ends.lower);
                    let mean = sum.div_euclid(i128::from(arena.total(reply)));
                    if mean < smallest.0 {
                        smallest = (mean, reply as u32);
                    }
                }
                strategies.replies[alternative] = smallest.1;
                if smallest.0 > best {
                    (best, *chosen) = (smallest.0, alternative as u32);
                    improves = true;
                }
            }
        }
        improves
    }

    /// Upper bounds by the minimizer's strategy, and the maximizer's best answer to it. `values` is a guess.
    fn upper(&self, replies: &[u32], values: &[i128]) -> Result<(Vec<i128>, Vec<u32>), StopReason> {
        let arena = self.arena;
        let states = arena.states();
        let (group_of, groups) = self.end_components(replies)?;
        let mut process = self.process(Sense::Max);
        let mut policy = Vec::with_capacity(groups.len());
        let mut guess = Vec::with_capacity(groups.len());
        let mut stays = vec![false; arena.alternative_count()];
        let mut outcomes: Vec<(u32, u64)> = Vec::new();
        for (group, members) in groups.iter().enumerate() {
            let mut best = (i128::MIN, 0);
            let mut row = 0;
            for &state in members {
                for alternative in arena.alternatives(state as usize) {
                    let reply = replies[alternative] as usize;
                    let targets = arena.targets(reply);
                    let is_here =
                        |&target: &u32| group_of.get(target as usize) == Some(&(group as u32));
                    stays[alternative] = targets.iter().all(is_here);
                    if stays[alternative] {
                        continue;
                    }
                    outcomes.clear();
                    let inside = arena.outcomes(reply).filter(|&(target, _)| target < states);
                    outcomes.extend(inside.map(|(target, weight)| (group_of[target], weight)));
                    outcomes.sort_unstable();
                    outcomes.dedup_by(|next, last| {
                        let is_same = next.0 == last.0;
                        last.1 += if is_same { next.1 } else { 0 };
                        is_same
                    });
                    let total = arena.total(reply);
                    let constant = self.constant(reply, self.ends.upper);
                    process.row(
                        alternative as u32,
                        total,
                        constant,
                        outcomes.iter().copied(),
                    );
                    let mean = self.sum(reply, values, self.ends.upper) / i128::from(total);
                    if mean > best.0 {
                        best = (mean, row);
                    }
                    row += 1;
                }
            }
            policy.push((process.node().start + best.1) as u32);
            guess.push(best.0);
        }
        process.solve(&mut policy, &mut guess, self.limits)?;
        policy
            .iter()
            .for_each(|&row| stays[process.origin(row) as usize] = true);
        let alternatives = self.proper(|alternative| stays[alternative]);
        let upper = group_of
            .iter()
            .map(|&group| guess[group as usize])
            .collect();
        Ok((upper, alternatives))
    }

    /// The largest sets of states in which the maximizer can stay for ever, against a strategy of the minimizer; all
    /// other states alone. Gives the number of the set of each state, and the sets.
    fn end_components(&self, replies: &[u32]) -> Result<(Vec<u32>, Vec<Vec<u32>>), StopReason> {
        let arena = self.arena;
        let states = arena.states();
        let targets = |alternative: usize| arena.targets(replies[alternative] as usize).iter();
        let mut subgame = Subgame::new(arena, &self.backward);
        let mut outside: Vec<u32> = (states..states + arena.ends())
            .map(|end| end as u32)
            .collect();
        loop {
            self.limits.check()?;
            let counts = |reply| replies[self.backward.alternative_of(reply) as usize] == reply;
            subgame.leave(&mut outside, counts);
            let graph = Graph::new(states, |edge| {
                for state in (0..states).filter(|&state| subgame.inside[state]) {
                    let alternatives = arena.alternatives(state);
                    for alternative in alternatives.filter(|&one| subgame.allowed[one]) {
                        targets(alternative).for_each(|&target| edge(state, target as usize));
                    }
                }
            });
            let components = graph.components();
            let mut leaves = false;
            let component_of = |target: &u32| components.component_of(*target as usize);
            for alternative in 0..arena.alternative_count() {
                let own = component_of(&self.backward.state_of(alternative as u32));
                if subgame.allowed[alternative]
                    && targets(alternative).any(|to| component_of(to) != own)
                {
                    subgame.forbid(alternative as u32, &mut outside);
                    leaves = true;
                }
            }
            if !leaves {
                let group_of = (0..states as u32)
                    .map(|state| component_of(&state))
                    .collect();
                return Ok((group_of, components.iter().map(<[u32]>::to_vec).collect()));
            }
        }
    }

    /// Closes the gap between lower and upper bounds as far as asked. `lower` are lower bounds by these strategies; gives upper bounds.
    ///
    /// # Errors
    /// The limit that was reached; then `lower` and `strategies` are as they were.
    pub fn close(
        &self,
        strategies: &mut Strategies,
        lower: &mut Vec<i128>,
    ) -> Result<Vec<i128>, StopReason> {
        let gap = |lower: &[i128], upper: &[i128]| {
            let gaps = upper.iter().zip(lower).map(|(upper, lower)| upper - lower);
            gaps.max().unwrap_or(0)
        };
        let open = gap(self.ends.lower, self.ends.upper) + self.wanted;
        let (mut upper, mut best_answer) = self.upper(&strategies.replies, lower)?;
        for _ in 0..MAX_ROUNDS {
            let width = gap(lower, &upper);
            if width <= open || best_answer == strategies.alternatives {
                break;
            }
            let mut next = Strategies {
                alternatives: best_answer,
                replies: strategies.replies.clone(),
            };
            let mut next_lower = lower.clone();
            self.lower(&mut next, &mut next_lower)?;
            let (next_upper, answer) = self.upper(&next.replies, &next_lower)?;
            best_answer = answer;
            if gap(&next_lower, &next_upper) >= width {
                break;
            }
            (*strategies, *lower, upper) = (next, next_lower, next_upper);
        }
        Ok(upper)
    }
}
